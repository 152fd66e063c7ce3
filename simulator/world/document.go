package world

import (
	"context"
	"fmt"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/faults"
	"causeway/simulator/input"
	"causeway/simulator/market"
)

// documentFormat is the version of Document. It grows when an older reader would misread one.
const documentFormat = 1

// Document is a world as data: everything that its responses depend on, except what its services have learned. The
// journal is not part of it.
type Document struct {
	Format   int                   `json:"format" doc:"Version of the format" example:"1"`
	Dataset  string                `json:"dataset" doc:"Version of the simulated data"`
	World    Options               `json:"world" doc:"Options with which the world was created"`
	Clock    ClockState            `json:"clock" doc:"The clock"`
	Draws    uint64                `json:"draws" doc:"Random numbers drawn so far" example:"0"`
	Market   []market.SettingState `json:"market" doc:"Settings of the market"`
	Faults   faults.SetState       `json:"faults" doc:"Fault rules with their counts"`
	Accounts []accounts.Setting    `json:"accounts" doc:"Accounts that were set"`
	Next     []accounts.Queued     `json:"next" doc:"Queued outcomes"`
}

// Export returns a world as a document. It waits until a move of its clock ends.
func (r *Registry) Export(id string) (Document, error) {
	w, err := r.Find(id)
	if err != nil {
		return Document{}, err
	}
	_ = w.lockClock(context.Background()) // never canceled
	defer w.unlockClock()
	return Document{
		Format: documentFormat, Dataset: r.Dataset(), World: w.options, Clock: w.ClockState(), Draws: w.entropy.Load(),
		Market: w.market.Export(), Faults: w.faults.Export(), Accounts: w.accounts.List(), Next: w.queue.List(),
	}, nil
}

// Import makes a world of a document, in the place of the alive one of its ID. If anything in it is invalid,
// nothing changes.
func (r *Registry) Import(d Document) (*World, error) {
	return r.restore(d, replace, func(*World) {})
}

// Fork makes a new world in the present state of another one. It returns core.Conflict if the new ID is alive.
func (r *Registry) Fork(id, newID string) (*World, error) {
	origin, err := r.Find(id)
	if err != nil {
		return nil, err
	}
	d, err := r.Export(id)
	if err != nil {
		return nil, err
	}
	d.World.ID = newID
	return r.restore(d, create, func(w *World) { w.clock.setting.Store(origin.clock.setting.Load()) })
}

// restore makes a world of a document. adjust changes its clock before the market begins.
func (r *Registry) restore(d Document, how mode, adjust func(*World)) (*World, error) {
	if err := d.CheckFormat(); err != nil {
		return nil, err
	}
	if d.Dataset != r.Dataset() {
		return nil, core.InvalidField("dataset", "%s: the world was exported with other names, prices or institutions; accepted: %s",
			input.Quoted(d.Dataset), r.Dataset())
	}
	if err := d.World.Check(); err != nil {
		return nil, err
	}
	var e input.Errors
	e.Require(input.ValidTime(d.Clock.Now), "clock.now", d.Clock.Now.Format(time.RFC3339), input.AcceptedTimes)
	e.Require(d.Clock.Rate >= 1 && d.Clock.Rate <= maxRate, "clock.rate", d.Clock.Rate, fmt.Sprintf("1 to %d", maxRate))
	if err := e.Err(); err != nil {
		return nil, err
	}
	return r.put(d.World, how, func(w *World) error {
		w.clock.start(d.Clock.Now, d.Clock.Frozen, d.Clock.Rate)
		adjust(w)
		return w.restore(d)
	})
}

// CheckFormat returns an error if the document has another format.
func (d Document) CheckFormat() error {
	if d.Format != documentFormat {
		return core.InvalidField("format", "%d; accepted: %d", d.Format, documentFormat)
	}
	return nil
}

// restore brings a new world into the state of a document, apart from its clock.
func (w *World) restore(d Document) error {
	w.entropy.Store(d.Draws)
	if err := w.market.Import(d.Market, w.clock.Now()); err != nil {
		return err
	}
	if err := w.faults.Import(d.Faults); err != nil {
		return err
	}
	for i, a := range d.Accounts {
		if err := w.accounts.Set(a.Bank, a.Number, a.Overlay); err != nil {
			return input.Within(fmt.Sprintf("accounts.%d.", i), err)
		}
	}
	for i, q := range d.Next {
		if err := w.queue.Add(q.Operation, q.Outcomes...); err != nil {
			return input.Within(fmt.Sprintf("next.%d.", i), err)
		}
	}
	return nil
}
