package transactions

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"causeway/core"
	"causeway/ports"
)

// Query selects transactions of a user, the newest first.
type Query struct {
	User     core.DepositUser
	Currency string                 // empty: all
	Network  string                 // empty: all
	Status   core.TransactionStatus // empty: all
	Oldest   bool                   // the oldest first
	Limit    int                    // of the items of a page, above zero
	Cursor   string                 // of a page of the same query; empty: the first page
}

// Page is a part of the transactions of a query.
type Page struct {
	Items    []Item
	Next     string   // cursor of the page after it; empty: it is the last one
	Previous string   // cursor of the page before it; empty: it is the first one
	Delayed  []string // networks of the query whose deposits arrive late
}

// Item is a transaction as its user sees it.
type Item struct {
	core.Transaction

	Chain         core.Chain // of its network
	Confirmations int64      // blocks that confirm it, at most Chain.Confirmations
}

// unavailable returns an error of the store for the client.
func unavailable(err error) error {
	if code := core.CodeOf(err); code == core.NotFound || code == "" {
		return err
	}
	return core.Errorf(core.Unavailable, "Transactions are temporarily unavailable. Retry later.").With(err)
}

// List returns a page of the transactions of a user.
func (s *Service) List(ctx context.Context, q Query) (Page, error) {
	at, err := q.position()
	if err != nil {
		return Page{}, err
	}
	states, err := s.states(ctx)
	if err != nil {
		return Page{}, err
	}
	found, err := s.store.List(ctx, ports.TransactionQuery{
		User: q.User, Currency: q.Currency, Network: q.Network, Status: q.Status, Oldest: q.Oldest != at.Backward,
		After: at.TransactionPosition, Limit: q.Limit + 1,
	})
	if err != nil {
		return Page{}, unavailable(err)
	}
	more := len(found) > q.Limit
	found = found[:min(len(found), q.Limit)]
	if at.Backward {
		slices.Reverse(found)
	}
	page := Page{Delayed: slices.DeleteFunc(s.delayed(states), func(network string) bool {
		return q.Network != "" && network != q.Network
	})}
	for _, t := range found {
		page.Items = append(page.Items, s.item(t, states[t.Network].Tip.Height))
	}
	if len(found) == 0 {
		return page, nil
	}
	if more || at.Backward {
		page.Next = q.cursor(found[len(found)-1], false)
	}
	if q.Cursor != "" && (more || !at.Backward) {
		page.Previous = q.cursor(found[0], true)
	}
	return page, nil
}

// Get returns a transaction of a user.
func (s *Service) Get(ctx context.Context, user core.DepositUser, id string) (Item, error) {
	t, err := s.store.Find(ctx, user, id)
	if err != nil {
		return Item{}, unavailable(err)
	}
	states, err := s.states(ctx)
	return s.item(t, states[t.Network].Tip.Height), err
}

// Balances returns the balances of a user in the currencies with transactions, by currency.
func (s *Service) Balances(ctx context.Context, user core.DepositUser) ([]core.Balance, error) {
	all, err := s.store.Balances(ctx, user)
	return all, unavailable(err)
}

// item returns a transaction as its user sees it when a block with the height tip is the last one that was read.
func (s *Service) item(t core.Transaction, tip int64) Item {
	item := Item{Transaction: t, Chain: s.chains[t.Network]}
	item.Chain.Network = t.Network
	if t.Block.Hash != "" {
		item.Confirmations = min(max(0, tip-t.Block.Height+1), item.Chain.Confirmations)
	}
	return item
}

// position is a place in the order of a query, and the direction to go.
type position struct {
	ports.TransactionPosition

	Backward bool
}

// A cursor is a checksum of the query and the position, and the position.
const sumBytes = 8

// cursor returns the cursor of the page that begins after a transaction, or ends before it.
func (q Query) cursor(t core.Transaction, backward bool) string {
	at, _ := json.Marshal(position{ports.TransactionPosition{Created: t.Created, ID: t.ID}, backward}) // always possible
	return base64.RawURLEncoding.EncodeToString(append(q.sum(at), at...))
}

// position returns the position of the query's cursor.
func (q Query) position() (at position, err error) {
	if q.Cursor == "" {
		return at, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	if err == nil && len(raw) > sumBytes && bytes.Equal(q.sum(raw[sumBytes:]), raw[:sumBytes]) {
		return at, json.Unmarshal(raw[sumBytes:], &at)
	}
	return at, core.InvalidField("cursor",
		"is not a cursor of this query; send next_cursor or previous_cursor of a response with the same parameters")
}

// sum returns the checksum of a cursor of the query. It does not depend on the number of items.
func (q Query) sum(rest []byte) []byte {
	order := "newest"
	if q.Oldest {
		order = "oldest"
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{
		q.User.Account, q.User.Profile.Reveal(), q.Currency, q.Network, string(q.Status), order, string(rest),
	}, "\x00")))
	return sum[:sumBytes]
}
