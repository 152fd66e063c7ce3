package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/zap"

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
	var p parts
	app := fx.New(graph(cfg, zap.NewNop(), make(failures, 2)), fx.Invoke(func(all parts) { p = all }))
	if app.Err() != nil {
		return sim.Sandbox{}, dig.RootCause(app.Err())
	}
	worlds := p.Front.worlds
	if b.Dataset != worlds.Dataset() {
		return sim.Sandbox{}, fmt.Errorf("the bundle was recorded over other data, %s; this build has %s: its answers would differ", b.Dataset, worlds.Dataset())
	}
	control, err := newControl(p)
	if err != nil {
		return sim.Sandbox{}, err
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
	var first sync.WaitGroup               // as at the start of a process
	first.Go(func() { p.Banks.Tick(ctx) }) // of all worlds
	if b.World == simulator.DefaultWorld {
		first.Go(func() { p.Pairs.Tick(ctx) })
	}
	first.Wait()
	return sim.Sandbox{Public: p.Front, Control: control, Freeze: freeze}, nil
}
