package pairs

import (
	"slices"
	"time"
)

// hold writes the last published quote to q in place of one that cannot be published, if there is one. Its mid, confidence and base amounts
// stay; its margin is never below what has become of it asks for. Where there is no price at that margin it is halted, as is one that
// was too uncertain to be traded from the first.
func (l *listing) hold(now time.Time, q *Quote, why Reason) bool {
	if l.last == nil {
		*q = Quote{}
		return false
	}
	l.stay(q)
	s := l.standing(q.Legs, now)
	if s.status == Fresh {
		s.reason = why
	}
	switch {
	case s.status == Halted:
	case wide(q, l.rules.Wide):
		s.status, s.reason = Halted, Wide
	case !l.widen(q, l.tariff.margins[s.margin-1]):
		s.status, s.reason = Halted, why
	}
	l.stand(q, s, now)
	return true
}

// widen gives a held quote a margin, unless its own is as large. It reports whether there is a price at that margin; where there is none the
// quote stays as it was.
func (l *listing) widen(q *Quote, m margin) bool {
	if compare(q.Margin, m.ratio) >= 0 {
		return true
	}
	wider := *q
	l.places = q.CounterDecimals
	l.spread(&wider, m, &size{min: q.MinBuy.Base, max: q.MaxBuy.Base})
	if !wider.sound() {
		return false
	}
	*q = wider
	return true
}

// stay writes the last published quote to q. Its legs keep the votes that it was made of, and show what is the matter with them now.
func (l *listing) stay(q *Quote) {
	*q = *l.last
	q.Legs = slices.Clone(q.Legs)
	for i, leg := range q.Legs {
		now := leg.market.rate
		if now == leg.Rate {
			continue
		}
		then := *leg.Rate
		then.Reason, then.Excluded = now.Reason, now.Excluded
		q.Legs[i].Rate = &then
	}
}
