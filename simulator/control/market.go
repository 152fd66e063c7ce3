package control

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
	"causeway/simulator/incidents"
	"causeway/simulator/market"
	"causeway/simulator/world"
)

// marketView is the market of a pair at the world's now.
type marketView struct {
	Pair      string          `json:"pair"`
	ID        string          `json:"id"`
	Reference string          `json:"reference"`
	Setting   *market.Setting `json:"setting,omitempty"`
	Venues    []venueView     `json:"venues"`
}

type venueView struct {
	Venue string       `json:"venue"`
	State market.State `json:"state"`
	Bid   string       `json:"bid"`
	Ask   string       `json:"ask"`
}

// playing says which incident is played.
type playing struct {
	Scenario string `json:"scenario"`
	Speed    int64  `json:"speed,omitempty"`
}

// played is an incident that is under way.
type played struct {
	Scenario string              `json:"scenario"`
	Title    string              `json:"title"`
	From     time.Time           `json:"from"`
	Until    time.Time           `json:"until"`
	Verdicts []incidents.Verdict `json:"verdicts"`
	Clock    clockView           `json:"clock"`
}

func aboutMarkets() []operation {
	const tag = "Market"
	return []operation{
		{
			id: "list-markets", method: http.MethodGet, path: "/worlds/{id}/market", tag: tag, summary: "List the pairs that something is done to", said: "Markets",
			doc: "At the world's now.", gives: []marketView{exampleMarket()}, handle: listMarkets,
		},
		{
			id: "get-market", method: http.MethodGet, path: "/worlds/{id}/market/{pair}", tag: tag, summary: "Show the market of a pair", said: "Market",
			doc: "The reference price, what is done to it, and the book of every venue that has one. These are the venues' prices; `GET /v1/pairs` of the public API shows what the " +
				"price engine makes of them.",
			gives: exampleMarket(), handle: func(c *call) (any, error) {
				return aboutPair(c, func(*market.Market, core.Pair) error { return nil })
			},
		},
		{
			id: "set-market", method: http.MethodPut, path: "/worlds/{id}/market/{pair}", tag: tag, summary: "Do something to the market of a pair", said: "Market set",
			takes: exampleSetting(),
			more: []example{
				{"ten per cent down", map[string]any{"jump_bps": -1000}},
				{"drift", map[string]any{"drift": 25, "volatility": 10}},
				{"one venue is down", map[string]any{"venues": map[string]any{"kraken": map[string]any{"state": "down"}}}},
			},
			doc: "From the world's now on, in place of what was set for the pair. A pin is the reference price at all venues at once, and it is meant: no jump and no bound holds it back. The next answer of " +
				"the public API is made of what the sources tell then, whether the world's clock stands still or runs.",
			gives: exampleMarket(), records: true, ready: true, changes: true, handle: setMarket,
		},
		{
			id: "lift-market", method: http.MethodDelete, path: "/worlds/{id}/market/{pair}", tag: tag, summary: "Lift what is done to the market of a pair", said: "Market lifted",
			doc: "And what was going to be done to it.", gives: exampleMarket(), records: true, changes: true,
			handle: func(c *call) (any, error) {
				return aboutPair(c, func(m *market.Market, pair core.Pair) error { return m.Lift(pair, c.world.Now()) })
			},
		},
		{
			id: "play-scenario", method: http.MethodPost, path: "/worlds/{id}/market/play", tag: tag, summary: "Play an incident", said: "Scenario begun",
			takes: playing{Scenario: "dai-2020", Speed: 1}, gives: examplePlayed(), records: true, takesLong: true, ready: true, changes: true,
			doc: "From the world's now on. The catalog lists the incidents. With a `speed` above 1 the world's clock runs so many times as fast from then on, as by `PUT …/clock`; it stays as it is where " +
				"`speed` is left out or 1. The verdicts say what must come of it.",
			errors: []apierror.Name{apierror.ServiceUnavailable}, handle: play,
		},
	}
}

// aboutPair does something to the market of the path's pair, and shows it.
func aboutPair(c *call, do func(*market.Market, core.Pair) error) (any, error) {
	m := c.world.Market()
	pair, err := m.Pair(strings.ToUpper(c.r.PathValue("pair")))
	if err != nil {
		return nil, err
	}
	if err := do(m, pair); err != nil {
		return nil, err
	}
	return marketOf(c.world, pair), nil
}

func marketOf(w *world.World, pair core.Pair) marketView {
	m, now := w.Market(), w.Now()
	out := marketView{Pair: pair.String(), ID: pair.ID(), Venues: []venueView{}}
	if price, known := m.Reference(pair, now); known {
		out.Reference = price.Trimmed()
	}
	if s, set := m.Settings(now)[pair]; set {
		out.Setting = &s
	}
	for _, venue := range slices.Sorted(maps.Keys(w.Faults().Offers())) {
		if book, listed := m.Book(venue, pair, now); listed {
			out.Venues = append(out.Venues, venueView{Venue: venue, State: m.State(venue, pair, now), Bid: book.Bid.String(), Ask: book.Ask.String()})
		}
	}
	return out
}

func listMarkets(c *call) (any, error) {
	set := c.world.Market().Settings(c.world.Now())
	out := []marketView{}
	for _, pair := range slices.SortedFunc(maps.Keys(set), func(a, b core.Pair) int { return strings.Compare(a.String(), b.String()) }) {
		out = append(out, marketOf(c.world, pair))
	}
	return out, nil
}

func setMarket(c *call) (any, error) {
	s, err := read[market.Setting](c.body)
	if err != nil {
		return nil, err
	}
	if reflect.DeepEqual(s, market.Setting{}) {
		return nil, core.InvalidField("pin", "and all else is missing; accepted: one of %s at least; DELETE lifts what is set", strings.Join(membersOf(reflect.TypeOf(s)), ", "))
	}
	return aboutPair(c, func(m *market.Market, pair core.Pair) error { return m.Set(pair, s, c.world.Now(), time.Time{}) })
}

func play(c *call) (any, error) {
	p, err := read[playing](c.body)
	if err != nil {
		return nil, err
	}
	s, err := incidents.Get(p.Scenario)
	if err != nil {
		return nil, err
	}
	const fastest = 3600
	switch {
	case p.Speed < 0 || p.Speed > fastest:
		return nil, core.InvalidField("speed", "%d; accepted: 1 to %d", p.Speed, fastest)
	case p.Speed > 1 && c.world.ClockState().Frozen:
		return nil, core.InvalidField("speed", "%d, while the world's clock stands still; accepted: 1, or a clock that runs", p.Speed)
	}
	from := c.world.Now()
	if err := c.world.Play(s, from); err != nil {
		return nil, err
	}
	if p.Speed > 1 {
		if err := c.world.SetClock(c.r.Context(), world.ClockSetting{Rate: &p.Speed}); err != nil {
			return nil, err
		}
	}
	return played{Scenario: s.Name, Title: s.Title, From: from, Until: from.Add(time.Duration(s.Lasts)), Verdicts: s.Verdicts, Clock: clockOf(c.world)}, nil
}
