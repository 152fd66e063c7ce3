package app

import (
	"context"
	"net"
	"time"

	"causeway/cmd/causeway/operator"
	"causeway/config"
	"causeway/core/pairs"
	"causeway/simulator"
	"causeway/simulator/console"
	"causeway/simulator/control"
)

// registerOperator adds the control API and the console to the operator's handler.
func (s *sandbox) registerOperator(o *operator.Handler, cfg config.Config, version Version) error {
	api, err := control.New(s.worlds, control.Config{
		Version: string(version), Entropy: SystemEntropy, Log: s.log.Named("control"),
		Public: Origin(cfg.Listen), Watch: s.edge.Watch,
	})
	if err != nil {
		return err
	}
	page, err := s.newConsole(Origin(cfg.Listen))
	if err != nil {
		return err
	}
	o.Handle("/_sim/", "/_sim/v1/", api)
	o.Handle(console.Path, console.Path, page)
	o.Handle(console.Path+"/", "", page)
	o.OnClose(page.Close)
	return nil
}

// newConsole makes the console. The origin is that of the public listener.
func (s *sandbox) newConsole(origin string) (*console.Console, error) {
	return console.New(s.worlds, console.Config{
		Clock: time.Now, Public: origin,
		Prices: func(ctx context.Context, w *simulator.World) ([]console.Price, error) {
			if w.ID() == simulator.DefaultWorld {
				s.edge.Watch() // from now on its journal records every read
			}
			one, err := s.open(ctx, w)
			if err != nil {
				return nil, err
			}
			one.refresh(ctx)
			return consolePrices(one.Pairs.Snapshot()), nil
		},
	})
}

// consolePrices returns the rows of the console; none before the first publication.
func consolePrices(s *pairs.Snapshot) []console.Price {
	if s == nil {
		return nil
	}
	out := make([]console.Price, 0, len(s.Quotes))
	for i := range s.Quotes {
		q := &s.Quotes[i]
		out = append(out, console.Price{
			Pair: q.Pair, Status: string(q.Status), Reason: string(q.Reason),
			Mid: q.Mid.Round(q.CounterDecimals).String(), Buy: q.Buy.String(), Sell: q.Sell.String(), Votes: votesBehind(s, q),
		})
	}
	return out
}

// Origin returns the URL at which a listener is reached from this machine.
func Origin(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "http://" + address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
