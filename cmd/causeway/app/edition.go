package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"

	"causeway/config"
	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

// editionFormat is to be raised with every change of what a snapshot is made of, or of how it is written: processes of two formats do not share
// a book.
const editionFormat = 1

// editions turns snapshots into the bytes that replicas share, and back. Each edition is signed with a secret that the replicas have in
// common, together with its place in the book: who can write to the book, and does not know that, cannot make prices.
type editions struct{ key []byte }

// newEditions signs with a key that is made of a secret.
func newEditions(secret core.Secret) editions {
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	_, _ = mac.Write([]byte("the book of prices")) // never fails
	return editions{mac.Sum(nil)}
}

// bookName tells books apart whose prices are made in another way, so that a new release with another catalog can stand beside the old one.
func bookName(catalog config.Catalog) (string, error) {
	type currency struct {
		Code, Name string
		Type       core.CurrencyType
		Decimals   int32
		Rank       int
	}
	type source struct{ Name, Family, Kind string }
	made := struct {
		Format         int
		Currencies     []currency
		Sources        []source
		Rules          core.PriceRules
		MarketClasses  []core.MarketClass
		Markets        []core.Market
		ListingClasses []core.ListingClass
		Listings       []core.Listing
	}{editionFormat, nil, nil, catalog.Rules, catalog.MarketClasses, catalog.Markets, catalog.ListingClasses, catalog.Listings}
	for _, c := range catalog.Currencies {
		made.Currencies = append(made.Currencies, currency{c.Code, c.Name, c.Type, c.Decimals, c.Rank})
	}
	for _, s := range catalog.Sources {
		made.Sources = append(made.Sources, source{s.Name, s.Family, string(s.Kind)})
	}
	text, err := json.Marshal(made)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}

// What a snapshot is written as: every rate once, with the places of those who share it.
type (
	snapshotBody struct {
		*pairs.Snapshot
		Rates   []*pairs.Rate
		Quotes  []quoteBody
		Markets []marketBody
	}
	quoteBody struct {
		*pairs.Quote
		Legs []legBody
	}
	legBody struct {
		Rate     int
		Inverted bool
	}
	marketBody struct {
		*pairs.MarketState
		Rate int
	}
)

// write makes an edition of a snapshot that has its place in the book.
func (e editions) write(s *pairs.Snapshot) ([]byte, error) {
	body := snapshotBody{Snapshot: s, Quotes: make([]quoteBody, len(s.Quotes)), Markets: make([]marketBody, len(s.Markets))}
	places := map[*pairs.Rate]int{}
	place := func(r *pairs.Rate) int {
		at, known := places[r]
		if !known {
			at = len(body.Rates)
			places[r], body.Rates = at, append(body.Rates, r)
		}
		return at
	}
	for i := range s.Markets {
		body.Markets[i] = marketBody{&s.Markets[i], place(s.Markets[i].Rate)}
	}
	for i := range s.Quotes {
		q := quoteBody{Quote: &s.Quotes[i]}
		for _, leg := range s.Quotes[i].Legs {
			q.Legs = append(q.Legs, legBody{place(leg.Rate), leg.Inverted})
		}
		body.Quotes[i] = q
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return append(e.sign(ports.Mark{Term: s.Term, Number: s.ID}, text), text...), nil
}

// sign says that somebody who knows the secret wrote a text, and where in the book.
func (e editions) sign(at ports.Mark, text []byte) []byte {
	mac := hmac.New(sha256.New, e.key)
	_, _ = mac.Write(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, at.Term), at.Number)) // never fails
	_, _ = mac.Write(text)
	return mac.Sum(nil)
}

var (
	errUnsigned   = errors.New("the edition is not signed with our secret (privacy.hash_key)")
	errUnreadable = errors.New("the edition cannot be read")
)

// read makes a snapshot of an edition. What it says is not checked beyond who said it.
func (e editions) read(edition ports.Edition) (*pairs.Snapshot, error) {
	if len(edition.Body) < sha256.Size {
		return nil, errUnsigned
	}
	signature, text := edition.Body[:sha256.Size], edition.Body[sha256.Size:]
	if !hmac.Equal(signature, e.sign(edition.Mark, text)) {
		return nil, errUnsigned
	}
	var body snapshotBody
	if json.Unmarshal(text, &body) != nil || body.Snapshot == nil {
		return nil, errUnreadable
	}
	s := body.Snapshot
	s.Term, s.ID = edition.Term, edition.Number
	if !body.resolve(s) {
		return nil, errUnreadable
	}
	return s, nil
}

// resolve fills in a snapshot's markets and quotes with the rates that they refer to.
func (b *snapshotBody) resolve(s *pairs.Snapshot) bool {
	for _, m := range b.Markets {
		if m.MarketState == nil || m.Rate < 0 || m.Rate >= len(b.Rates) {
			return false
		}
		m.MarketState.Rate = b.Rates[m.Rate]
		s.Markets = append(s.Markets, *m.MarketState)
	}
	for _, q := range b.Quotes {
		if q.Quote == nil {
			return false
		}
		for _, leg := range q.Legs {
			if leg.Rate < 0 || leg.Rate >= len(b.Rates) {
				return false
			}
			q.Quote.Legs = append(q.Quote.Legs, pairs.Leg{Rate: b.Rates[leg.Rate], Inverted: leg.Inverted})
		}
		s.Quotes = append(s.Quotes, *q.Quote)
	}
	return true
}
