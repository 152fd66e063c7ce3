package pairs

import (
	"context"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/ports"
)

const (
	changeOver  = 24 * time.Hour   // of the percentage that clients see
	changeSlack = 55 * time.Minute // so much further back will do where the exact point is missing
)

// period is a length of history that clients may ask for.
type period struct {
	name  string
	every time.Duration
	count int // of points: 300 at most
}

func periods() []period {
	return []period{
		{"1d", ports.FineStep, int(24 * time.Hour / ports.FineStep)},
		{"7d", ports.CoarseStep, int(7 * 24 * time.Hour / ports.CoarseStep)},
		{"30d", 2 * ports.CoarseStep, int(30 * 24 * time.Hour / (2 * ports.CoarseStep))},
	}
}

// History returns what a pair was worth over a period ("1d", "7d" or "30d") that ends now: middle prices at evenly spaced instants, oldest
// first; instants of which nothing is known are missing. It returns core.NotFound for an unknown pair, core.Invalid with the field
// "period" for an unknown period, and core.Unavailable where there is no history to ask.
func (s *Service) History(ctx context.Context, id, length string) ([]core.PricePoint, error) {
	l := s.present().listing(id)
	if l == nil {
		return nil, core.Errorf(core.NotFound, "There is no pair %s", id)
	}
	for _, p := range periods() {
		if p.name != length {
			continue
		}
		if s.history == nil {
			return nil, core.Errorf(core.Unavailable, "No history is kept")
		}
		last := s.now().Truncate(p.every)
		return s.history.Read(ctx, l.pair, last.Add(-time.Duration(p.count-1)*p.every), p.every, p.count)
	}
	var accepted []string
	for _, p := range periods() {
		accepted = append(accepted, p.name)
	}
	return nil, core.InvalidField("period", "%q; accepted: %s", length, strings.Join(accepted, ", "))
}

// past is what a listing knows of its own history.
type past struct {
	then     decimal.Decimal // its mid a day ago
	known    bool
	recorded time.Time // the step that has a point of it
}

// change is by how many per cent mid differs from the one a day before, to 2 decimals; zero when that is unknown.
func (p *past) change(mid decimal.Decimal) decimal.Decimal {
	if !p.known {
		return decimal.Zero
	}
	return percentage(p.then, mid)
}

// recall asks what every listing was worth a day ago, once in each step of the history. Where the history fails, the
// answers so far stay for this time.
func (s *Service) recall(ctx context.Context, now time.Time) {
	step := now.Truncate(ports.FineStep)
	if s.history == nil || s.recalled.Equal(step) {
		return
	}
	then := step.Add(-changeOver)
	for _, l := range s.book.listings {
		points, err := s.history.Read(ctx, l.pair, then, ports.FineStep, 1)
		if err == nil && len(points) == 0 {
			points, err = s.history.Read(ctx, l.pair, then.Add(-changeSlack), ports.FineStep, int(changeSlack/ports.FineStep))
		}
		if err != nil {
			return
		}
		if l.past.known = len(points) > 0; l.past.known {
			l.past.then = points[len(points)-1].Mid
		}
	}
	s.recalled = step
}

// remember records the first price of every listing in a step that was made anew and may be traded.
func (s *Service) remember(ctx context.Context, now time.Time, quotes []Quote) {
	if s.history == nil {
		return
	}
	step := now.Truncate(ports.FineStep)
	var mids []core.PairMid
	var of []*listing
	s.book.each(quotes, func(l *listing, q *Quote) {
		if q.Status == Halted || q.Reason == Refused || q.Reason == Apart || l.past.recorded.Equal(step) {
			return
		}
		mids, of = append(mids, core.PairMid{Pair: q.Pair, Mid: q.Mid}), append(of, l)
	})
	if len(mids) == 0 || s.history.Record(ctx, now, mids) != nil {
		return
	}
	for _, l := range of {
		l.past.recorded = step
	}
}
