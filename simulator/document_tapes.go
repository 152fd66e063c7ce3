package simulator

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"causeway/core"
)

// TapeState is a tape with the time from which it is played, as a document has it.
type TapeState struct {
	ID   string    `json:"id"`
	From time.Time `json:"from"`

	Tape
}

// state returns the tapes as a document has them.
func (ts *Tapes) state() []TapeState {
	var out []TapeState
	for _, s := range ts.list() {
		out = append(out, TapeState{ID: s.id, From: s.from, Tape: s.tape.plain()})
	}
	return out
}

// restore plays tapes as they were played elsewhere. Nobody has seen them yet.
func (ts *Tapes) restore(tapes []TapeState) error {
	if len(tapes) > mostTapes {
		return core.InvalidField("tapes", "are %d; accepted: up to %d", len(tapes), mostTapes)
	}
	var list []*spool
	for i, t := range tapes {
		at := fmt.Sprintf("tapes.%d.", i)
		n, err := strconv.ParseUint(strings.TrimPrefix(t.ID, "t"), 10, 32)
		if err != nil || t.ID != "t"+strconv.FormatUint(n, 10) || n <= ts.made {
			return core.InvalidField(at+"id", "%s; accepted: such as t3, each once, in their order", core.Quoted(t.ID))
		}
		if !inTime(t.From) {
			return core.InvalidField(at+"from", "%s; accepted: %s", t.From.Format(time.RFC3339), times())
		}
		s, err := newSpool(t.ID, t.Tape, t.From, ts.offers())
		if err != nil {
			return within(at, err)
		}
		ts.made = n
		list = append(list, s)
	}
	if len(list) > 0 {
		ts.playing.Store(&list)
	}
	return nil
}

// copy plays what is played elsewhere: tapes do not change, so that both may have them. Counts begin anew.
func (ts *Tapes) copy(from *Tapes) {
	from.changing.Lock()
	defer from.changing.Unlock()
	ts.made = from.made
	var list []*spool
	for _, s := range from.list() {
		list = append(list, &spool{id: s.id, from: s.from, tape: s.tape, entries: s.entries, providers: s.providers, bytes: s.bytes})
	}
	ts.playing.Store(&list)
}
