package pairs

import (
	"context"
	"time"

	"causeway/core"
	"causeway/ports"
)

const (
	changeOver  = 24 * time.Hour     // of the percentage that clients see
	changeSlack = 55 * time.Minute   // how much older a point may be if the exact one is missing
	seedAge     = 7 * 24 * time.Hour // of a recorded price that the first rate after a start is compared with
)

// periods are the lengths of history that clients may request: at most 300 points each.
var periods = map[string]struct {
	every time.Duration
	count int
}{
	"1d":  {ports.FineStep, int(24 * time.Hour / ports.FineStep)},
	"7d":  {ports.CoarseStep, int(7 * 24 * time.Hour / ports.CoarseStep)},
	"30d": {2 * ports.CoarseStep, int(30 * 24 * time.Hour / (2 * ports.CoarseStep))},
}

// History returns the mid prices of a pair over a period ("1d", "7d" or "30d") that ends now,
// evenly spaced, oldest first; unknown ones are missing. It returns core.NotFound for an unknown
// pair, core.Invalid with the field "period" for an unknown period, and core.Unavailable without a
// history.
func (s *Service) History(ctx context.Context, id, length string) ([]core.PricePoint, error) {
	l, known := (*s.offered.Load())[id]
	p, accepted := periods[length]
	switch {
	case !known:
		return nil, core.Errorf(core.NotFound, "There is no pair %s", id)
	case !accepted:
		return nil, core.InvalidField("period", "%q; accepted: 1d, 7d, 30d", length)
	case s.history == nil:
		return nil, core.Errorf(core.Unavailable, "No history is kept")
	}
	first := s.now().Truncate(p.every).Add(-time.Duration(p.count-1) * p.every)
	return s.history.Read(ctx, l.pair, first, p.every, p.count)
}

// recall reads the price of every listing a day ago, once in each step of the history. If the
// history fails, the earlier results stay until the next time.
func (s *Service) recall(ctx context.Context, e *engine, now time.Time) {
	step := now.Truncate(ports.FineStep)
	if s.history == nil || e.recalled.Equal(step) {
		return
	}
	if e.recalled.IsZero() {
		s.seed(ctx, e, now)
	}
	for _, l := range e.listings {
		last, err := s.lastPrice(ctx, l.pair, step.Add(-changeOver), ports.FineStep, changeSlack)
		if err != nil {
			return
		}
		l.dayAgo = last.Mid
	}
	e.recalled = step
}

// seed takes the last recorded price of a pair as the rate that the first one of its market is
// compared with, if the listing is priced by this market alone.
func (s *Service) seed(ctx context.Context, e *engine, now time.Time) {
	for _, l := range e.listings {
		m := l.routes[0][0].market
		if len(l.routes[0]) > 1 || m.Pair != l.pair || m.Rate != nil || m.fixed {
			continue
		}
		last, _ := s.lastPrice(ctx, l.pair, now.Truncate(ports.FineStep), ports.FineStep, ports.CoarseStep)
		if last.Mid.IsZero() {
			last, _ = s.lastPrice(ctx, l.pair, now.Truncate(ports.CoarseStep), ports.CoarseStep, seedAge)
		}
		if last.Mid.IsPositive() {
			m.Anchor, m.known = last.Mid, last.At
		}
	}
}

// lastPrice returns the last recorded price of a pair up to an instant, within so much time; the zero value if there is
// none. Usually the first price that it reads is the one.
func (s *Service) lastPrice(
	ctx context.Context, pair core.Pair, until time.Time, every, within time.Duration,
) (core.PricePoint, error) {
	points, err := s.history.Read(ctx, pair, until, every, 1)
	if err == nil && len(points) == 0 {
		points, err = s.history.Read(ctx, pair, until.Add(-within), every, int(within/every))
	}
	if err != nil || len(points) == 0 {
		return core.PricePoint{}, err
	}
	return points[len(points)-1], nil
}

// record adds the tradable prices of a snapshot to the history, which keeps the first one in a step.
// If the history fails, charts have a gap.
func (s *Service) record(ctx context.Context, snapshot *Snapshot) {
	if s.history == nil {
		return
	}
	var mids []core.PairMid
	for i := range snapshot.Quotes {
		if q := &snapshot.Quotes[i]; q.Status != Halted {
			mids = append(mids, core.PairMid{Pair: q.Pair, Mid: q.Mid})
		}
	}
	_ = s.history.Record(ctx, snapshot.At, mids)
}
