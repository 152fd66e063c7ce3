package control

import (
	"net/http"
	"time"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
	"causeway/simulator/input"
	"causeway/simulator/world"
)

// clockView is a world's clock as the API shows it.
type clockView struct {
	world.ClockState

	NextEvent *time.Time `json:"next_event,omitempty"`
}

func clockOf(w *world.World) clockView {
	out := clockView{ClockState: w.ClockState()}
	if next, known := w.Next(); known {
		out.NextEvent = &next
	}
	return out
}

// advance says how far a clock is moved: either of the two.
type advance struct {
	By *input.Duration `json:"by,omitempty"`
	To string          `json:"to,omitempty"`
}

// nextEvent is where a clock may be moved to beside an instant.
const nextEvent = "next-event"

func aboutClocks() []operation {
	const tag = "Time"
	return []operation{
		{
			id: "get-clock", method: http.MethodGet, path: "/worlds/{id}/clock", tag: tag, summary: "Show a world's clock", said: "Clock", gives: exampleClock(),
			doc:    "`next_event` is when the next thing happens that the world knows of; absent where nothing is known to come.",
			handle: func(c *call) (any, error) { return clockOf(c.world), nil },
		},
		{
			id: "set-clock", method: http.MethodPut, path: "/worlds/{id}/clock", tag: tag, summary: "Set, stop, start or speed up a world's clock", said: "Clock set",
			takes: exampleFreeze(), more: []example{{"sixty times as fast", map[string]any{"rate": 60}}, {"stand still", map[string]any{"frozen": true}}},
			gives: exampleClock(), records: true, takesLong: true, ready: true,
			doc: "What is left out stays as it is, except that a clock that is given a rate runs. A clock is not set back. Where it is set ahead, the call returns when all work that " +
				"falls due on the way is done, as with `advance`.",
			errors: []apierror.Name{apierror.ServiceUnavailable}, handle: setClock,
		},
		{
			id: "advance-clock", method: http.MethodPost, path: "/worlds/{id}/clock/advance", tag: tag, summary: "Move a world's clock on", said: "Clock advanced",
			takes: advance{By: new(input.Duration(37 * time.Second))},
			more:  []example{{"to an instant", map[string]any{"to": "2026-11-16T13:00:00Z"}}, {"to the next event", map[string]any{"to": nextEvent}}},
			gives: exampleClock(), records: true, takesLong: true, ready: true,
			doc: "`by` a duration, or `to` an instant or `next-event`. Returns when all work that falls due on the way is done: prices are asked for and age, settings and faults begin and end, in their " +
				"order. A clock that runs goes on from there; one that stands still stands there.",
			errors: []apierror.Name{apierror.ServiceUnavailable}, handle: advanceClock,
		},
	}
}

func setClock(c *call) (any, error) {
	s, err := read[world.ClockSetting](c.body)
	if err != nil {
		return nil, err
	}
	if err := c.world.SetClock(c.r.Context(), s); err != nil {
		return nil, err
	}
	return clockOf(c.world), nil
}

func advanceClock(c *call) (any, error) {
	a, err := read[advance](c.body)
	if err != nil {
		return nil, err
	}
	switch {
	case (a.By != nil) == (a.To != ""):
		return nil, core.InvalidField("by", "and to: one of them is needed; accepted: {\"by\":\"37s\"}, {\"to\":\"2026-11-16T13:00:00Z\"} or {\"to\":%q}", nextEvent)
	case a.By != nil:
		_, err = c.world.Advance(c.r.Context(), time.Duration(*a.By))
	case a.To == nextEvent:
		_, err = c.world.AdvanceToNext(c.r.Context())
	default:
		at, unread := time.Parse(time.RFC3339Nano, a.To)
		if unread != nil {
			return nil, core.InvalidField("to", "%s; accepted: an instant such as 2026-11-16T13:00:00Z, or %s", core.Quoted(a.To), nextEvent)
		}
		_, err = c.world.AdvanceTo(c.r.Context(), at)
	}
	if err != nil {
		return nil, err
	}
	return clockOf(c.world), nil
}
