package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"causeway/cmd/causeway/app"
	"causeway/cmd/causeway/cli/sim"
	"causeway/config"
	"causeway/simulator"
	"causeway/simulator/journal"
)

// newReplaySandbox makes a sandbox with the world of a bundle, at the time at which it began.
func newReplaySandbox(ctx context.Context, b journal.Bundle) (sim.Sandbox, error) {
	cfg := config.Default()
	options := simulator.Options{}
	if len(b.Options) > 0 {
		if err := json.Unmarshal(b.Options, &options); err != nil {
			return sim.Sandbox{}, fmt.Errorf("the bundle has options that this build does not read: %w", err)
		}
	}
	options.ID, options.Seed = b.World, b.Seed
	options.Clock = simulator.StartOptions{Now: &b.Clock.Now, Frozen: true}
	if b.World == simulator.DefaultWorld {
		cfg.Simulator.Seed = b.Seed
	}
	a, err := app.New(cfg, app.Version(version), zap.NewNop())
	if err != nil {
		return sim.Sandbox{}, err
	}
	worlds := a.Worlds
	if b.Dataset != worlds.Dataset() {
		return sim.Sandbox{}, fmt.Errorf("the bundle was recorded over other data, %s; this build has %s: its answers would differ", b.Dataset, worlds.Dataset())
	}
	freeze := func(at time.Time) error {
		w, err := worlds.Find(b.World)
		if err == nil && !w.Now().Equal(at) {
			w.Clock().Freeze(at)
		}
		return err
	}
	if b.World == simulator.DefaultWorld {
		err = freeze(b.Clock.Now)
	} else {
		_, err = worlds.Create(options)
	}
	if err != nil {
		return sim.Sandbox{}, err
	}
	var first sync.WaitGroup                 // as at the start of a process
	first.Go(func() { a.RefreshBanks(ctx) }) // of all worlds
	if b.World == simulator.DefaultWorld {
		first.Go(func() { a.RefreshPrices(ctx) })
	}
	first.Wait()
	return sim.Sandbox{Public: a.Handler, Control: a.Operator, Freeze: freeze}, nil
}
