package control

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
	"causeway/simulator/input"
	"causeway/simulator/world"
)

type setClockInput struct {
	WorldPath

	Body world.ClockSetting
}

type advanceInput struct {
	WorldPath

	Body struct {
		By *input.Duration `json:"by,omitempty" doc:"How far the clock moves"`
		To string          `json:"to,omitempty" doc:"A time such as 2026-11-16T13:00:00Z, or next-event"`
	}
}

// nextEvent is where a clock can be moved to besides a time.
const nextEvent = "next-event"

func (a *api) registerClocks() {
	tags := []string{"Time"}
	registerInWorld(a, huma.Operation{
		OperationID: "get-clock", Method: http.MethodGet, Path: "/clock", Tags: tags, Summary: "Show the clock",
		Description: "Returns the time of the world and how its clock runs.",
	}, "Clock", func(_ context.Context, w *world.World, _ *WorldPath) (world.ClockState, error) {
		return w.ClockState(), nil
	})
	registerChange(a, huma.Operation{
		OperationID: "set-clock", Method: http.MethodPut, Path: "/clock", Tags: tags, Summary: "Set the clock",
		Description: "Sets the time, stops or starts the clock, or changes its rate. Absent fields stay as they are, " +
			"except that a clock that gets a rate runs. A clock cannot be set back. The call returns when all work " +
			"that is due before the new time is done.",
	}, "Clock set", func(ctx context.Context, w *world.World, in *setClockInput) (world.ClockState, error) {
		if err := w.SetClock(ctx, in.Body); err != nil {
			return world.ClockState{}, err
		}
		return w.ClockState(), nil
	})
	registerChange(a, huma.Operation{
		OperationID: "advance-clock", Method: http.MethodPost, Path: "/clock/advance", Tags: tags,
		Summary: "Advance the clock",
		Description: "Moves the clock `by` a duration, or `to` a time or `next-event`. The call returns when all work " +
			"that is due on the way is done: prices are polled and age, settings and faults start and end.",
	}, "Clock advanced", advanceClock)
}

func advanceClock(ctx context.Context, w *world.World, in *advanceInput) (world.ClockState, error) {
	var err error
	switch by, to := in.Body.By, in.Body.To; {
	case (by != nil) == (to != ""):
		err = core.InvalidField("by", "or to is needed, not both; accepted: {\"by\":\"37s\"}, "+
			"{\"to\":\"2026-11-16T13:00:00Z\"} or {\"to\":%q}", nextEvent)
	case by != nil:
		_, err = w.Advance(ctx, time.Duration(*by))
	case to == nextEvent:
		_, err = w.AdvanceToNext(ctx)
	default:
		at, invalid := time.Parse(time.RFC3339Nano, to)
		if invalid != nil {
			return world.ClockState{}, core.InvalidField("to", "is %s; accepted: a time such as 2026-11-16T13:00:00Z, or %s; "+
				"by takes a duration such as 37s", core.Quoted(to), nextEvent)
		}
		_, err = w.AdvanceTo(ctx, at)
	}
	if err != nil {
		return world.ClockState{}, err
	}
	return w.ClockState(), nil
}
