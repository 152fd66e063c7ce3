package simulator

import (
	"fmt"
	"slices"
	"strings"

	"causeway/core"
)

// board is what the markets of all worlds have in common: which assets there are, what they cost in the beginning, and who has a book of what.
// Nothing in it depends on a seed, and it is never changed: a world's own are the keys of its noises, which are derived from the digests here when
// they are needed.
type board struct {
	assets  map[string]*quoted
	venues  map[string]*trading
	magical bool // magic pairs are there
}

// quoted is an asset with what was worked out for it once.
type quoted struct {
	asset

	free      int // of two assets the one with the larger number moves against the other
	reference number
	par       number // in USD, before anything moves
	digest    uint64 // tells its path from others
}

// trading is a venue with the books that it keeps.
type trading struct {
	venue

	books map[core.Pair]*book
	pairs []core.Pair // of books, sorted
}

// book is one market of a venue.
type book struct {
	base, counter *quoted
	places        int
	half          int64  // half the spread, in parts per billion
	steady        bool   // without noise of its own, and never behind
	apart         int64  // by how much it is off once the world began, in parts per billion
	digest        uint64 // tells what is drawn for it from what is drawn for others
}

// newBoard sets up the assets and the venues, those of magic pairs too where they are asked for.
func newBoard(pairs []MagicPair) (*board, error) {
	rows := slices.Clone(assets)
	for i := range pairs {
		rows = append(rows, asset{code: pairs[i].Code, kind: magic, ref: pairs[i].at, peg: magicCounter, magic: &pairs[i]})
	}
	b := &board{assets: make(map[string]*quoted, len(rows)), venues: make(map[string]*trading, len(venues)), magical: len(pairs) > 0}
	for i, a := range rows {
		q := &quoted{asset: a, free: a.freedom()*len(rows) + i, reference: one, digest: digest("asset", a.code)}
		if a.ref != "" {
			var err error
			if q.reference, err = parseNumber(a.ref); err != nil {
				return nil, fmt.Errorf("reference of %s: %w", a.code, err)
			}
		}
		b.assets[a.code] = q
	}
	for _, q := range b.assets {
		q.par = b.worth(q)
	}
	for _, v := range venues {
		t, err := b.open(v, rows)
		if err != nil {
			return nil, err
		}
		b.venues[v.name] = t
	}
	return b, nil
}

// worth is the reference price in USD.
func (b *board) worth(q *quoted) number {
	switch q.kind {
	case crypto:
		return q.reference
	case stable:
		return b.worth(b.assets[q.peg])
	case fiat:
		return one.over(q.reference)
	case pegged:
		if q.code == q.peg {
			return one
		}
		return b.worth(b.assets[q.peg]).over(q.reference)
	case magic:
		return b.worth(b.assets[q.peg]).times(q.reference)
	}
	return one
}

// open makes the books of a venue from what it lists.
func (b *board) open(v venue, rows []asset) (*trading, error) {
	t := &trading{venue: v, books: map[core.Pair]*book{}}
	for _, a := range rows {
		counters := v.counters(a)
		if a.magic != nil && slices.Contains(a.magic.Venues, v.name) {
			counters = a.peg
		}
		for code := range strings.FieldsSeq(counters) {
			if code == "XBT" {
				code = "BTC"
			}
			base, counter := b.assets[a.code], b.assets[code]
			if counter == nil {
				return nil, fmt.Errorf("%s quotes %s in %s, which has no reference price", v.name, a.code, code)
			}
			if base.spread == 0 && a.magic == nil {
				return nil, fmt.Errorf("%s quotes %s, which has no spread", v.name, a.code)
			}
			pair := core.Pair{Base: a.code, Counter: code}
			t.books[pair] = newBook(v, base, counter)
			t.pairs = append(t.pairs, pair)
		}
	}
	slices.SortFunc(t.pairs, func(a, b core.Pair) int { return strings.Compare(a.String(), b.String()) })
	return t, nil
}

func newBook(v venue, base, counter *quoted) *book {
	par := base.par.over(counter.par)
	b := &book{
		base: base, counter: counter, digest: digest(v.name, base.code+counter.code),
		places: min(max(v.digits-1-par.magnitude(), v.minPlaces), v.maxPlaces),
		half:   v.half(base, counter),
	}
	if base.magic != nil {
		b.steady, b.half, b.apart = true, base.magic.half(), base.magic.apart[v.name]
	}
	return b
}

// half is half the spread of a market, in parts per billion.
func (v venue) half(base, counter *quoted) int64 {
	if v.retail != nil {
		return v.retail(base.asset) * bp / (2 * 10)
	}
	return max(base.spread, counter.spread) * v.depth * bp / (2 * 10 * 100)
}

// key is what is drawn for a book in the world of the market.
func (m *Market) key(b *book) uint64 { return mix(m.seed ^ b.digest) }

// offset is by how much a venue's own noise moves a price at an instant, in parts per billion.
func (m *Market) offset(b *book, key uint64, t instant) int64 {
	if b.steady {
		return 0
	}
	amplitude := minNoise + int64(mix(key)>>32)*(maxNoise-minNoise)>>32
	return amplitude * noise{mix(key + 1)}.layer(t, noiseLayer) / halfRange
}
