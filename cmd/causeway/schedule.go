package main

import (
	"slices"
	"time"

	"go.uber.org/zap"

	"causeway/core"
	"causeway/ports"
)

// limited is a rate source whose provider publishes limits. Fits checks that so many markets can be asked for at every interval.
type limited interface {
	Fits(interval time.Duration, markets int) error
}

// longestInterval ends the search for one that fits.
const longestInterval = 24 * time.Hour

// scheduled stretches the intervals of sources that their limits do not allow, so that a quota lasts as long as it has to: a source that had used
// it up would be silent for the rest of the month. The operator is told.
func scheduled(rows []core.Source, markets []core.Market, sources []ports.RateSource, log *zap.Logger) []core.Source {
	out := slices.Clone(rows)
	for i, row := range out {
		at := slices.IndexFunc(sources, func(s ports.RateSource) bool { return s.Name() == row.Name })
		if at < 0 {
			continue
		}
		source, ok := sources[at].(limited)
		if !ok {
			continue
		}
		asked := 0
		for _, m := range markets {
			if slices.Contains(m.Sources, row.Name) {
				asked++
			}
		}
		reason := source.Fits(row.Interval, asked)
		if reason == nil {
			continue
		}
		interval := row.Interval
		for source.Fits(interval, asked) != nil && interval < longestInterval {
			interval += max(interval/100, time.Second)
		}
		out[i].Interval = interval
		log.Warn("a rate source is asked less often than it should be: its limits do not allow more",
			zap.String("source", row.Name), zap.Duration("interval", interval), zap.String("reason", reason.Error()))
	}
	return out
}
