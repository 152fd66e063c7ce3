package pairs

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// peg is what became of a stablecoin's promise in the market that shows it. A coin that broke it is off until it is back within half the
// limit; then the operator's word is used up, too.
type peg struct {
	off          bool
	acknowledged bool // the operator saw it, and lets the coin be traded
}

// judge holds an accepted rate against the peg.
func (p *peg) judge(m *market, mid octaves) {
	if m.Peg.IsZero() {
		return
	}
	switch promised := octavesOf(m.Peg); {
	case m.terms.depeg.exceeded(promised, mid):
		p.off = true
	case p.off && !m.terms.repeg.exceeded(promised, mid):
		*p = peg{}
	}
}

// judge holds a stablecoin against its peg along a way that stands in for the market which shows what it is worth.
func (l *listing) judge(way route, now time.Time) {
	if l.promise != nil && way[0].market != l.promise && l.sure(way, now) {
		l.promise.peg.judge(l.promise, octavesOf(way.mid()))
	}
}

// sure reports whether a price along a known route is fresh, but for a stablecoin that is off its peg.
func (l *listing) sure(way route, now time.Time) bool {
	if way.apart(l.rules.LegsApart) || compare(way.doubt(), l.rules.Wide) > 0 {
		return false
	}
	var legs [2]Leg
	s := l.standing(way.along(legs[:0]), now)
	return s.margin == 1 && (s.status == Fresh || s.reason == Depegged)
}

// broken reports whether the market shows a stablecoin off its peg, and the operator has not acknowledged it.
func (m *market) broken() bool { return m.peg.off && !m.peg.acknowledged }

// Acknowledge lets a stablecoin be traded although it is off its peg, until it is back within half the limit of its class or the service
// is restarted without Restore.
// A market, such as USD/GHS, whose rate jumped and waits for somebody to confirm it, is let jump once: an official rate of one source alone has nobody
// else. To say it twice changes nothing. It returns core.NotFound where the currency has no peg here, or holds it, and where the market did not jump.
func (s *Service) Acknowledge(what string) error {
	s.computing.Lock()
	defer s.computing.Unlock()
	found := false
	for _, m := range s.book.markets {
		switch {
		case m.Pair.Base == what && m.peg.off:
			m.peg.acknowledged, found = true, true
		case m.Pair.String() == what && !m.guard.since.IsZero():
			m.guard.granted, m.changed, found = true, true, true
		}
	}
	if !found {
		return core.Errorf(core.NotFound, "%s is neither off its peg nor held for a jump", what)
	}
	s.mu.Lock()
	s.changed = true
	s.mu.Unlock()
	return nil
}

// Leapt lists the markets whose rate jumped and is not believed yet, by pair.
func (s *Service) Leapt() []core.Pair {
	s.computing.Lock()
	defer s.computing.Unlock()
	var out []core.Pair
	for _, m := range s.book.markets {
		if !m.guard.since.IsZero() {
			out = append(out, m.Pair)
		}
	}
	return out
}

// Depeg is a stablecoin that is off its peg.
type Depeg struct {
	Market       core.Pair // that shows it: the coin, and what it is pegged to
	Peg, Mid     decimal.Decimal
	Acknowledged bool // it is traded all the same
}

// Depegged lists the stablecoins that are off their peg, by code.
func (s *Service) Depegged() []Depeg {
	s.computing.Lock()
	defer s.computing.Unlock()
	var out []Depeg
	for _, m := range s.book.markets {
		if m.peg.off {
			out = append(out, Depeg{Market: m.Pair, Peg: m.Peg, Mid: m.rate.Mid, Acknowledged: m.peg.acknowledged})
		}
	}
	return out
}
