package tickers

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	// statusEvery is the default time between two requests for the status of the markets.
	statusEvery = 30 * time.Second
	// statusLife is how long the last status counts if no newer one can be had. An outage of the
	// status alone must not take away all prices at once, but a market is not open for ever.
	statusLife = 5 * time.Minute
)

// OpenMarkets returns the symbols of the markets in which orders are matched now: of the requested
// ones, or of all. A market that is missing is paused, accepts cancellations only or is unknown.
type OpenMarkets func(ctx context.Context, c *upstream.Client, symbols []string) ([]string, error)

// Status says which markets are open, because a ticker goes on with the last quotes while a market
// is paused.
type Status struct {
	Open  OpenMarkets
	Every time.Duration // between two requests; 0: 30 s

	Symbol func(core.Pair) string
	Names  func(core.Pair) []string // that a market may have in a response; nil: its symbol

	mu       sync.Mutex
	markets  []core.Pair // of the last answer
	open     []string    // the names of the open ones
	asked    time.Time
	answered time.Time
}

// Filter leaves out quotes of markets that are not known to be open. It requests the status if the
// last one is old or lacks a market. If that fails, the last status counts for five minutes; after
// that Filter returns the error. The rate limits delay the request, so MinInterval ignores it.
func (s *Status) Filter(
	ctx context.Context, c *upstream.Client, quotes []core.Observation,
) ([]core.Observation, error) {
	if s == nil || len(quotes) == 0 {
		return quotes, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	every := s.Every
	if every == 0 {
		every = statusEvery
	}
	lacks := func(o core.Observation) bool { return !slices.Contains(s.markets, o.Pair) }
	if !within(every, s.asked, c.Now()) || slices.ContainsFunc(quotes, lacks) {
		s.asked = c.Now()
		if err := s.request(ctx, c, quotes); err != nil && !within(statusLife, s.answered, c.Now()) {
			return nil, err
		}
	}
	return slices.DeleteFunc(quotes, func(o core.Observation) bool { return !s.isOpen(o.Pair) }), nil
}

func (s *Status) isOpen(market core.Pair) bool {
	if s.Names == nil {
		return slices.Contains(s.open, s.Symbol(market))
	}
	return slices.ContainsFunc(s.Names(market), func(name string) bool { return slices.Contains(s.open, name) })
}

// within reports whether less than d has passed. A clock may be set back.
func within(d time.Duration, since, now time.Time) bool {
	age := now.Sub(since)
	return age >= 0 && age < d
}

// request stores the status of the markets of quotes.
func (s *Status) request(ctx context.Context, c *upstream.Client, quotes []core.Observation) error {
	markets, symbols := make([]core.Pair, len(quotes)), make([]string, len(quotes))
	for i, o := range quotes {
		markets[i], symbols[i] = o.Pair, s.Symbol(o.Pair)
	}
	slices.Sort(symbols)
	open, err := s.Open(ctx, c, slices.Compact(symbols))
	if err != nil {
		return err
	}
	s.markets, s.open, s.answered = markets, open, c.Now()
	return nil
}

// OpenRows returns an OpenMarkets that sends one request and reads a list of markets. A list without
// markets is a failure, and a market that cannot be decoded is not open.
func OpenRows[T any](
	request func(symbols []string) upstream.Request, rows func(upstream.Response) ([]json.RawMessage, error),
	open func(row T) (symbol string, trades bool),
) OpenMarkets {
	return func(ctx context.Context, c *upstream.Client, symbols []string) (names []string, err error) {
		err = c.Do(ctx, request(symbols), func(r upstream.Response) error {
			list, err := rows(r)
			if err == nil && len(list) == 0 {
				err = upstream.Fail(upstream.Malformed, "no markets")
			}
			names = nil
			for _, raw := range list {
				var row T
				if upstream.Decode(raw, &row) != nil {
					continue
				}
				if symbol, trades := open(row); trades {
					names = append(names, symbol)
				}
			}
			return err
		})
		return names, err
	}
}

// Rows reads a response that is a list, and not null.
func Rows(r upstream.Response) (rows []json.RawMessage, err error) {
	if err = r.Decode(&rows); err == nil && rows == nil {
		err = upstream.Fail(upstream.Malformed, "no list")
	}
	return rows, err
}

// StatusOperation is the name of requests for the status of markets, in metrics.
const StatusOperation = "status"

// At returns a request for the status of all markets.
func At(path string) func([]string) upstream.Request {
	return func([]string) upstream.Request { return upstream.Request{Op: StatusOperation, Path: path} }
}
