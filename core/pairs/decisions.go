package pairs

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// Acknowledge records an operator's decision that a market is right although the engine doubts it,
// for 24 hours at most. A currency (USDT) names a stablecoin off its peg: it is traded until it is
// back on the peg, or moves on by the limit of its class. A pair (USD/GHS) names a market: an
// unconfirmed jump is accepted; a dispute is priced to cover both sides. It returns core.NotFound
// if there is nothing to acknowledge.
func (s *Service) Acknowledge(what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := false
	for _, m := range s.book.markets {
		switch {
		case m.Pair.Base == what && m.OffPeg:
			m.Acknowledged, found = &Acknowledgement{s.now(), m.PegMid}, true
		case m.Pair.String() == what && m.Problem == Jump:
			m.Acknowledged, found = &Acknowledgement{s.now(), m.pending}, true
		case m.Pair.String() == what && m.Problem == Disputed:
			m.Acknowledged, found = &Acknowledgement{s.now(), m.Anchor}, true
		}
	}
	if !found {
		return core.Errorf(core.NotFound, "%s is neither off its peg, nor disputed, nor held because of a jump", what)
	}
	return nil
}

// Leapt lists the markets that wait for an operator: their rate jumped or is disputed. They are
// sorted by pair.
func (s *Service) Leapt() []core.Pair {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []core.Pair
	for _, m := range s.book.markets {
		if m.Problem == Jump || m.Problem == Disputed {
			out = append(out, m.Pair)
		}
	}
	return out
}

// Depeg is a stablecoin that is off its peg.
type Depeg struct {
	Market       core.Pair // the coin and the currency that it is pegged to
	Peg, Mid     decimal.Decimal
	Acknowledged bool // it is traded all the same
}

// Depegged lists the stablecoins that are off their peg, by code.
func (s *Service) Depegged() []Depeg {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Depeg
	for _, m := range s.book.markets {
		if m.OffPeg {
			out = append(out, Depeg{Market: m.Pair, Peg: m.Peg, Mid: m.PegMid, Acknowledged: !m.broken(s.now())})
		}
	}
	return out
}

// depegged reports whether a stablecoin along a route is off its peg. That of the currency in the
// middle counts only for a route through it.
func (l *listing) depegged(way route, now time.Time) bool {
	for _, m := range l.pegs {
		if m.broken(now) {
			return true
		}
	}
	for _, coin := range l.middle {
		for _, s := range way {
			if coin.broken(now) && (s.market.Pair.Base == coin.Pair.Base || s.market.Pair.Counter == coin.Pair.Base) {
				return true
			}
		}
	}
	return false
}
