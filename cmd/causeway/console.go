package main

import (
	"context"
	"time"

	"causeway/core/pairs"
	"causeway/simulator"
	"causeway/simulator/console"
)

// newConsole makes the console of a sandbox. The origin is that of the public listener. Looked is called whenever somebody looks at the world of whoever
// names none, whose journal has only so many plain reads before that.
func newConsole(t *tenants, worlds *simulator.Worlds, looked func(), public string) (*console.Console, error) {
	return console.New(worlds, console.Config{
		Clock: time.Now, Public: public,
		Prices: func(ctx context.Context, w *simulator.World) ([]console.Price, error) {
			if w.ID() == simulator.DefaultWorld {
				looked()
			}
			book, err := t.watch(ctx, w)
			if err != nil {
				return nil, err
			}
			return rowsOf(book.Snapshot()), nil
		},
	})
}

// watch returns the prices of a world for somebody who looks at them, as of its now. It is no use of the world, which may end meanwhile.
func (t *tenants) watch(ctx context.Context, w *simulator.World) (*pairs.Service, error) {
	if w == t.at {
		return t.home.Pairs, nil
	}
	one := t.tenant(ctx, w)
	if one.err != nil {
		return nil, one.err
	}
	one.look(ctx)
	return one.pairs, nil
}

// rowsOf are the rows of the console's board; none before the first publication.
func rowsOf(s *pairs.Snapshot) []console.Price {
	if s == nil {
		return nil
	}
	out := make([]console.Price, 0, len(s.Quotes))
	for i := range s.Quotes {
		q := &s.Quotes[i]
		out = append(out, console.Price{
			Pair: q.Pair, Status: string(q.Status), Reason: string(q.Reason), Mid: q.Mid.Round(q.CounterDecimals).String(),
			Buy: q.Buy.String(), Sell: q.Sell.String(), Votes: votesBehind(s, q),
		})
	}
	return out
}
