package control

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
	"causeway/simulator/incidents"
	"causeway/simulator/market"
	"causeway/simulator/world"
)

// PairPath is the input of an operation about a pair of a world.
type PairPath struct {
	WorldPath

	Pair string `path:"pair" doc:"The pair, with or without a slash" example:"USDTNGN"`
}

type setMarketInput struct {
	PairPath

	Body market.Setting
}

type playInput struct {
	WorldPath

	Body struct {
		Scenario string `json:"scenario,omitempty" doc:"Name of the scenario; the catalog lists them" example:"dai-2020"`
		Speed    int64  `json:"speed,omitempty" minimum:"0" maximum:"3600" doc:"Above 1: rate of the clock of the world from now on" example:"1"`
	}
}

// playedBody is a scenario that was started.
type playedBody struct {
	world.Playing

	Verdicts []incidents.Verdict `json:"verdicts" doc:"Expected status of each pair"`
	Clock    world.ClockState    `json:"clock" doc:"The clock of the world"`
}

func (a *api) registerMarkets() {
	const pair = "/market/{pair}"
	tags := []string{"Market"}
	registerInWorld(a, huma.Operation{
		OperationID: "list-markets", Method: http.MethodGet, Path: "/market", Tags: tags,
		Summary: "List the market settings", Description: "Returns the pairs that have a setting.",
	}, "Markets", func(_ context.Context, w *world.World, _ *WorldPath) ([]market.PairView, error) {
		out := []market.PairView{}
		for pair := range w.Market().Settings(w.Now()) {
			out = append(out, w.Market().View(pair, w.Now()))
		}
		slices.SortFunc(out, func(x, y market.PairView) int { return strings.Compare(x.Pair, y.Pair) })
		return out, nil
	})
	registerInWorld(a, huma.Operation{
		OperationID: "get-market", Method: http.MethodGet, Path: pair, Tags: tags, Summary: "Show the market of a pair",
		Description: "Returns the reference price, the setting and the book of every venue. `GET /v1/pairs` of the public " +
			"API shows the price that Causeway computes from these.",
	}, "Market", func(_ context.Context, w *world.World, in *PairPath) (market.PairView, error) {
		pair, err := w.Market().Pair(strings.ToUpper(in.Pair))
		if err != nil {
			return market.PairView{}, err
		}
		return w.Market().View(pair, w.Now()), nil
	})
	registerChange(a, huma.Operation{
		OperationID: "set-market", Method: http.MethodPut, Path: pair, Tags: tags, Summary: "Set the market of a pair",
		Description: "Replaces the setting of the pair from now on. A pin is the reference price at all venues; it is " +
			"intentional, so the jump guard accepts it. The next response of the public API shows the effect, even if " +
			"the clock stands still.",
	}, "Market set", func(ctx context.Context, w *world.World, in *setMarketInput) (market.PairView, error) {
		if reflect.DeepEqual(in.Body, market.Setting{}) {
			return market.PairView{}, core.InvalidField("pin", "and all other fields are missing; accepted: at least one of "+
				"pin, jump_bps, drift, volatility, spread_bps, venues. DELETE removes a setting")
		}
		return a.changePair(ctx, w, in.Pair, func(pair core.Pair) error {
			return w.Market().Set(pair, in.Body, w.Now(), time.Time{})
		})
	})
	registerChange(a, huma.Operation{
		OperationID: "lift-market", Method: http.MethodDelete, Path: pair, Tags: tags,
		Summary: "Remove the market setting of a pair", Description: "Removes the present and future settings of the pair.",
	}, "Market lifted", func(ctx context.Context, w *world.World, in *PairPath) (market.PairView, error) {
		return a.changePair(ctx, w, in.Pair, func(pair core.Pair) error { return w.Market().Lift(pair, w.Now()) })
	})
	registerChange(a, huma.Operation{
		OperationID: "play-scenario", Method: http.MethodPost, Path: "/market/play", Tags: tags,
		Summary: "Play a scenario",
		Description: "Plays an incident of the library from the present time of the world on. With a `speed` above 1 the " +
			"clock of the world runs at that rate from then on.",
	}, "Scenario started", a.play)
}

// changePair changes the market of a pair and returns it.
func (a *api) changePair(
	ctx context.Context, w *world.World, name string, change func(core.Pair) error,
) (market.PairView, error) {
	pair, err := w.Market().Pair(strings.ToUpper(name))
	if err == nil {
		err = change(pair)
	}
	if err != nil {
		return market.PairView{}, err
	}
	a.worlds.Changed(ctx, w)
	return w.Market().View(pair, w.Now()), nil
}

func (a *api) play(ctx context.Context, w *world.World, in *playInput) (playedBody, error) {
	s, err := incidents.Get(in.Body.Scenario)
	if err != nil {
		return playedBody{}, err
	}
	if speed := in.Body.Speed; speed > 1 && w.ClockState().Frozen {
		return playedBody{}, core.InvalidField("speed", "is %d, but the clock of the world is frozen; accepted: 1, or a "+
			"clock that runs", speed)
	}
	playing, err := w.Play(s, w.Now())
	if err != nil {
		return playedBody{}, err
	}
	a.worlds.Changed(ctx, w)
	if in.Body.Speed > 1 {
		if err := w.SetClock(ctx, world.ClockSetting{Rate: &in.Body.Speed}); err != nil {
			return playedBody{}, err
		}
	}
	return playedBody{playing, s.Verdicts, w.ClockState()}, nil
}
