package simulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"causeway/core"
)

// documentFormat is the version of Document. It grows when an older reader would misread one.
const documentFormat = 1

// Document is a world as text: everything that its answers depend on, apart from what its services have learned. A world that is imported from
// it goes on as the one that was exported would have. Journals, timers and open connections are not part of it.
type Document struct {
	Format   int              `json:"format" doc:"Version of the format" example:"1"`
	Dataset  string           `json:"dataset" doc:"Version of the simulated data"`
	World    Options          `json:"world" doc:"Options with which the world was created"`
	Clock    ClockState       `json:"clock" doc:"The clock"`
	Draws    uint64           `json:"draws" doc:"Random numbers drawn so far" example:"0"`
	Market   []SettingState   `json:"market" doc:"Settings of the market"`
	Faults   FaultsState      `json:"faults" doc:"Fault rules with their counts"`
	Accounts []AccountSetting `json:"accounts" doc:"Accounts that were set"`
	Next     []Queued         `json:"next" doc:"Queued outcomes"`
}

// ParseDocument reads what Export has written as JSON. Members that it does not know are refused, and so is a format that it does not.
func ParseDocument(text []byte) (Document, error) {
	var head struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(text, &head) == nil && head.Format != documentFormat {
		return Document{}, core.InvalidField("format", "%d; accepted: %d", head.Format, documentFormat)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var d Document
	if err := decoder.Decode(&d); err != nil {
		return Document{}, core.Errorf(core.Invalid, "The document is no world: %s", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return Document{}, core.Errorf(core.Invalid, "The document has something behind its end")
	}
	return d, nil
}

// Export returns a world as a document. It waits for a move of the world's clock to end.
func (ws *Worlds) Export(id string) (Document, error) {
	w, err := ws.Find(id)
	if err != nil {
		return Document{}, err
	}
	return w.document(), nil
}

func (w *World) document() Document {
	w.agenda.moving <- struct{}{}
	defer w.release()
	return Document{
		Format: documentFormat, Dataset: w.ground.dataset(), World: w.options, Clock: w.ClockState(), Draws: w.entropy.Load(),
		Market: w.market.state(), Faults: w.faults.state(), Accounts: w.Accounts(), Next: w.Pending(),
	}
}

// Import makes a world of a document, in the place of the one that is alive under its id, if there is one. Where anything in it is not accepted the
// error says what, and nothing is changed.
func (ws *Worlds) Import(d Document) (*World, error) {
	if err := d.check(ws.Dataset()); err != nil {
		return nil, err
	}
	return ws.put(d.World, ws.shared.Clock(), replacing, func(w *World) error { return w.restore(d) })
}

func (d Document) check(dataset string) error {
	if d.Format != documentFormat {
		return core.InvalidField("format", "%d; accepted: %d", d.Format, documentFormat)
	}
	if d.Dataset != dataset {
		return core.InvalidField("dataset", "%s: the world was exported where names, prices and institutions are made of other data; accepted: %s, that of this build and its catalog",
			shown(d.Dataset), dataset)
	}
	if err := d.World.Check(); err != nil {
		return err
	}
	var c checker
	c.need(inTime(d.Clock.Now), "clock.now", d.Clock.Now.Format(time.RFC3339), times())
	c.need(d.Clock.Rate >= 1 && d.Clock.Rate <= mostRate, "clock.rate", d.Clock.Rate, fmt.Sprintf("1 to %d", mostRate))
	return c.err()
}

// restore brings a world that nobody has seen into the state of a document.
func (w *World) restore(d Document) error {
	w.clock.start(d.Clock.Now, d.Clock.Frozen, d.Clock.Rate)
	w.market.began = w.clock.Now()
	w.entropy.Store(d.Draws)
	if err := w.market.restore(d.Market); err != nil {
		return err
	}
	if err := w.faults.restore(d.Faults); err != nil {
		return err
	}
	for i, a := range d.Accounts {
		if err := w.SetAccount(a.Bank, a.Number, a.Overlay); err != nil {
			return within(fmt.Sprintf("accounts.%d.", i), err)
		}
	}
	for i, q := range d.Next {
		if err := w.QueueNext(q.Operation, q.Outcomes...); err != nil {
			return within(fmt.Sprintf("next.%d.", i), err)
		}
	}
	return nil
}

// within says where in a document the fields of an error are.
func within(place string, err error) error {
	e, ok := errors.AsType[*core.Error](err)
	if !ok || len(e.Fields) == 0 {
		return err
	}
	var faults []core.FieldError
	for _, f := range e.Fields {
		faults = append(faults, core.FieldError{Field: place + f.Field, Reason: f.Reason})
	}
	return core.InvalidFields(faults...)
}

// Fork makes a new world in the state that another one is in: its seed, its clock, what is set, queued and goes wrong, with all counts. From then on
// they have nothing to do with each other. It is core.Conflict where the new id is alive.
func (ws *Worlds) Fork(id, newID string) (*World, error) {
	w, err := ws.Find(id)
	if err != nil {
		return nil, err
	}
	o := w.options
	o.ID = newID
	if err := o.Check(); err != nil {
		return nil, err
	}
	return ws.put(o, ws.shared.Clock(), explicit, func(fork *World) error { return fork.copy(w) })
}

// copy brings a world that nobody has seen into the state of another one of the same seed and board. It waits for a move of that one's clock to end.
func (w *World) copy(from *World) error {
	from.agenda.moving <- struct{}{}
	defer from.release()
	w.clock.setting.Store(from.clock.setting.Load())
	w.market.began = w.clock.Now()
	w.market.line.Store(from.market.line.Load())
	w.entropy.Store(from.entropy.Load())
	from.accounts.mu.RLock()
	w.accounts.rows = maps.Clone(from.accounts.rows)
	from.accounts.mu.RUnlock()
	from.next.mu.Lock()
	w.next.lines, w.next.count = make(map[string][]*Scripted, len(from.next.lines)), from.next.count
	for operation, line := range from.next.lines {
		w.next.lines[operation] = slices.Clone(line)
	}
	from.next.mu.Unlock()
	return w.faults.restore(from.faults.state())
}
