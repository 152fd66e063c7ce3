package control

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

// worldBody is a world as the API shows it.
type worldBody struct {
	world.Options

	Clock     world.ClockState `json:"clock" doc:"The clock of the world"`
	CreatedAt time.Time        `json:"created_at" doc:"When the world was created, by the clock of the machine" example:"2026-11-16T12:00:00Z"`
	UsedAt    time.Time        `json:"used_at" doc:"When the world was last used, by the clock of the machine" example:"2026-11-16T12:00:00Z"`
	Markets   int              `json:"markets" doc:"Number of pairs with a setting" example:"0"`
	Accounts  int              `json:"accounts" doc:"Number of accounts that were set" example:"1"`
	Faults    int              `json:"faults" doc:"Number of active faults" example:"0"`
	Queued    int              `json:"queued" doc:"Number of outcomes that wait for requests" example:"0"`
	Journal   journal.State    `json:"journal" doc:"Size of the journal, and the fingerprint of the responses"`
}

func newWorldBody(w *world.World) worldBody {
	out := worldBody{
		Options: w.Options(), Clock: w.ClockState(), CreatedAt: w.Born().UTC(), UsedAt: w.Used(),
		Markets: len(w.Market().Settings(w.Now())), Accounts: len(w.Accounts().List()),
		Journal: w.Journal().State(),
	}
	for _, fault := range w.Faults().List() {
		if !fault.Over(w.Now()) {
			out.Faults++
		}
	}
	for _, queue := range w.Queue().List() {
		out.Queued += len(queue.Outcomes)
	}
	return out
}

// worldOr returns a world as the API shows it, unless there is an error.
func worldOr(w *world.World, err error) (worldBody, error) {
	if err != nil {
		return worldBody{}, err
	}
	return newWorldBody(w), nil
}

// WorldPath is the input of an operation about a world.
type WorldPath struct {
	ID string `path:"id" doc:"Name of the world" example:"TestCheckout/pays"`
}

func (p WorldPath) id() string { return p.ID }

type createWorldInput struct{ Body world.Options }

type forkWorldInput struct {
	WorldPath

	Body struct {
		ID string `json:"id" doc:"Name of the new world" example:"TestCheckout/fails"`
	}
}

type endedBody struct {
	ID string `json:"id" doc:"Name of the world that ended" example:"TestCheckout/pays"`
}

func (a *api) registerWorlds() {
	tags := []string{"Worlds"}
	register(a, huma.Operation{
		OperationID: "list-worlds", Method: http.MethodGet, Path: "/worlds", Tags: tags, Summary: "List worlds",
		Description: "Returns the worlds that are alive, by name. The world `default` always is.",
	}, "Worlds", func(context.Context, *struct{}) ([]worldBody, error) {
		out := []worldBody{}
		for _, w := range a.worlds.List() {
			out = append(out, newWorldBody(w))
		}
		return out, nil
	})
	register(a, huma.Operation{
		OperationID: "create-world", Method: http.MethodPost, Path: "/worlds", Tags: tags, Summary: "Create a world",
		Description: "A request with an unknown name in `Sim-World` creates a world, too, with its name as the seed. " +
			"Create it here to choose its seed, clock or options. The name of a world that ended can be used again.",
		DefaultStatus: http.StatusCreated, Errors: []int{http.StatusConflict, http.StatusTooManyRequests},
	}, "World created", func(_ context.Context, in *createWorldInput) (worldBody, error) {
		return worldOr(a.worlds.Create(in.Body))
	})
	registerInWorld(a, huma.Operation{
		OperationID: "get-world", Method: http.MethodGet, Tags: tags, Summary: "Show a world",
		Description: "Returns a world with its clock, the number of its settings and the state of its journal. " +
			"This call does not count as a use of the world.",
	}, "World", func(_ context.Context, w *world.World, _ *WorldPath) (worldBody, error) {
		return newWorldBody(w), nil
	})
	registerInWorld(a, huma.Operation{
		OperationID: "delete-world", Method: http.MethodDelete, Tags: tags, Summary: "Delete a world",
		Description: "Requests to the world get 410 `world_expired` until it is created again. The world `default` " +
			"cannot be deleted; reset it.",
	}, "World ended", func(_ context.Context, _ *world.World, in *WorldPath) (endedBody, error) {
		return endedBody{in.ID}, a.worlds.Delete(in.ID)
	})
	registerInWorld(a, huma.Operation{
		OperationID: "reset-world", Method: http.MethodPost, Path: "/reset", Tags: tags,
		Summary: "Reset a world",
		Description: "Restores the world as it was created, including its clock, with new caches, circuit breakers and " +
			"limits and an empty journal. Calls that wait for the journal get 410.",
	}, "World reset", func(_ context.Context, _ *world.World, in *WorldPath) (worldBody, error) {
		return worldOr(a.worlds.Reset(in.ID))
	})
	registerChange(a, huma.Operation{
		OperationID: "stop-all", Method: http.MethodPost, Path: "/stop", Tags: tags,
		Summary: "Stop everything in a world",
		Description: "Ends all faults, market settings and scenarios and drops the queued outcomes. The clock, the " +
			"accounts and the journal stay as they are.",
	}, "Everything stopped", func(ctx context.Context, w *world.World, _ *WorldPath) (worldBody, error) {
		w.Stop()
		a.worlds.Changed(ctx, w)
		return newWorldBody(w), nil
	})
	registerInWorld(a, huma.Operation{
		OperationID: "fork-world", Method: http.MethodPost, Path: "/fork", Tags: tags,
		Summary: "Copy a world",
		Description: "Creates a world with the seed, the clock and all settings, queues and faults of this one. " +
			"The journal and the caches are not copied, but a bundle of the new world has the requests to this one, too.",
		DefaultStatus: http.StatusCreated, Errors: []int{http.StatusConflict, http.StatusTooManyRequests},
	}, "World forked", a.forkWorld)
}

func (a *api) forkWorld(_ context.Context, _ *world.World, in *forkWorldInput) (worldBody, error) {
	if in.Body.ID == in.ID {
		return worldBody{}, core.InvalidField("id", "%s is the world itself; accepted: another name", core.Quoted(in.ID))
	}
	return worldOr(a.worlds.Fork(in.ID, in.Body.ID))
}
