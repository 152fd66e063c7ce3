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
	changeOver  = 24 * time.Hour     // of the percentage that clients see
	changeSlack = 55 * time.Minute   // how much older a point may be if the exact one is missing
	seedAge     = 7 * 24 * time.Hour // of a recorded price that the first rate after a start is compared with
)

// period is a length of history that clients may request.
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

// History returns the mid prices of a pair over a period ("1d", "7d" or "30d") that ends now,
// evenly spaced, oldest first; unknown ones are missing. It returns core.NotFound for an unknown
// pair, core.Invalid with the field "period" for an unknown period, and core.Unavailable without a
// history.
func (s *Service) History(ctx context.Context, id, length string) ([]core.PricePoint, error) {
	s.mu.Lock()
	l := s.book.listing(id)
	s.mu.Unlock()
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

// past is what a listing knows of its history.
type past struct {
	then     decimal.Decimal // its mid a day ago
	known    bool
	recorded time.Time // the last step with a recorded price
}

// change returns by how many per cent mid differs from the one a day before, to 2 decimals; zero if
// that is unknown.
func (p *past) change(mid decimal.Decimal) decimal.Decimal {
	if !p.known {
		return decimal.Zero
	}
	return percentage(p.then, mid)
}

// recall reads the price of every listing a day ago, once in each step of the history. If the
// history fails, the earlier results stay until the next time.
func (s *Service) recall(ctx context.Context, now time.Time) {
	step := now.Truncate(ports.FineStep)
	if s.history == nil || s.recalled.Equal(step) {
		return
	}
	if s.recalled.IsZero() {
		s.seed(ctx, now)
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

// seed takes the last recorded price of a pair as the rate that the first one of its market is
// compared with, if the listing is priced by this market alone.
func (s *Service) seed(ctx context.Context, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.book.listings {
		m := l.routes[0][0].market
		if len(l.routes[0]) > 1 || m.Pair != l.pair || m.Rate != nil || m.fixed {
			continue
		}
		for _, step := range []time.Duration{ports.CoarseStep, ports.FineStep} {
			span := map[time.Duration]time.Duration{ports.CoarseStep: seedAge, ports.FineStep: ports.CoarseStep}[step]
			points, err := s.history.Read(ctx, l.pair, now.Truncate(step).Add(-span), step, int(span/step)+1)
			if err == nil && len(points) > 0 {
				m.Anchor = points[len(points)-1].Mid
			}
		}
	}
}

// remember records the first tradable price of every listing in a step.
func (s *Service) remember(ctx context.Context, now time.Time, quotes []Quote) {
	if s.history == nil {
		return
	}
	step := now.Truncate(ports.FineStep)
	var mids []core.PairMid
	var of []*listing
	s.book.each(quotes, func(l *listing, q *Quote) {
		if q.Status == Halted || l.past.recorded.Equal(step) {
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
