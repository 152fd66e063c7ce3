package pairs_test

import (
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

func TestNew_Invalid(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*pairs.Config)
		want   string
	}{
		"no entropy":                        {func(c *pairs.Config) { c.Entropy = nil }, "there is no entropy"},
		"a negative time-out":               {func(c *pairs.Config) { c.Timeout = -1 }, "timeout of polls"},
		"no listings":                       {func(c *pairs.Config) { c.Listings = nil }, "there are no listings"},
		"a currency twice":                  {func(c *pairs.Config) { c.Currencies = append(c.Currencies, c.Currencies[0]) }, `currency "BTC": every currency needs a code of its own`},
		"a market class twice":              {func(c *pairs.Config) { c.MarketClasses = append(c.MarketClasses, c.MarketClasses[0]) }, `market class "major": it is there twice`},
		"an unknown market class":           {func(c *pairs.Config) { c.Markets[0].Class = "x" }, `market BTC/USD: class "x" does not exist`},
		"a class without age":               {func(c *pairs.Config) { c.Markets[0].Class = "peg" }, `market BTC/USD: class "peg" has no max age`},
		"a source that does not exist":      {func(c *pairs.Config) { c.Markets[0].Sources = []string{"nobody"} }, `market BTC/USD: source "nobody" does not exist`},
		"a source named twice":              {func(c *pairs.Config) { c.Markets[0].Sources = []string{"alpha", "alpha"} }, `market BTC/USD: source "alpha" is named twice`},
		"a market without origin":           {func(c *pairs.Config) { c.Markets[0].Sources = nil }, "market BTC/USD: it has neither sources nor a fixed rate"},
		"a market with two origins":         {func(c *pairs.Config) { c.Markets[0].Fixed = dec("1") }, "market BTC/USD: it has a fixed rate and sources as well"},
		"a fixed rate that is no price":     {func(c *pairs.Config) { c.Markets[6].Fixed = dec("-1") }, "market EUR/XOF: the fixed rate -1 is no price"},
		"a market twice":                    {func(c *pairs.Config) { c.Markets = append(c.Markets, c.Markets[0]) }, "market BTC/USD: it is there already"},
		"a market the other way round":      {func(c *pairs.Config) { c.Markets[1].Pair = pair("USD/BTC") }, "market USD/BTC: it is there already, in this orientation or the other"},
		"a market of an unknown currency":   {func(c *pairs.Config) { c.Markets[1].Pair = pair("DOGE/USD") }, `market DOGE/USD: currency "DOGE" does not exist`},
		"a market of one currency":          {func(c *pairs.Config) { c.Markets[1].Pair = pair("USD/USD") }, "market USD/USD: both sides are the same"},
		"a listing class twice":             {func(c *pairs.Config) { c.ListingClasses = append(c.ListingClasses, c.ListingClasses[0]) }, `listing class "crypto": it is there twice`},
		"a margin that eats the price":      {func(c *pairs.Config) { c.ListingClasses[0].MarginBPS = 3333 }, `listing class "crypto": a margin of 3333`},
		"an unknown listing class":          {func(c *pairs.Config) { c.Listings[0].Class = "x" }, `listing BTC/USD: class "x" does not exist`},
		"a listing twice":                   {func(c *pairs.Config) { c.Listings = append(c.Listings, c.Listings[0]) }, "listing BTC/USD: the id BTCUSD is taken"},
		"a listing without a market":        {func(c *pairs.Config) { c.Listings[0].Pair = pair("BTC/NGN") }, "listing BTC/NGN: the leg BTC/NGN of its route is no market"},
		"an unknown leg":                    {func(c *pairs.Config) { c.Listings[3].Via = "XOF" }, "listing BTC/EUR: the leg BTC/XOF of its route is no market"},
		"an unknown second leg":             {func(c *pairs.Config) { c.Listings[3].Pair = pair("BTC/XOF") }, "listing BTC/XOF: the leg USD/XOF of its route is no market"},
		"a route through no currency":       {func(c *pairs.Config) { c.Listings[3].Via = "DOGE" }, "listing BTC/EUR: the leg BTC/DOGE of its route is no market"},
		"a route in a circle":               {func(c *pairs.Config) { c.Listings[3].Via = "BTC" }, "listing BTC/EUR: via BTC leads nowhere"},
		"a route in a circle at its end":    {func(c *pairs.Config) { c.Listings[3].Via = "EUR" }, "listing BTC/EUR: via EUR leads nowhere"},
		"a listing of one currency":         {func(c *pairs.Config) { c.Listings[3].Pair = pair("BTC/BTC") }, "listing BTC/BTC: both sides are the same"},
		"a listing of an unknown currency":  {func(c *pairs.Config) { c.Listings[3].Pair = pair("DOGE/EUR") }, `listing DOGE/EUR: currency "DOGE" does not exist`},
		"an interval of nothing":            {func(c *pairs.Config) { c.Sources[0].Interval = 0 }, `source "alpha": family "alpha", interval 0s`},
		"an interval above the max age":     {func(c *pairs.Config) { c.Sources[0].Interval = 30 * time.Second }, "market BTC/USD: polled every 30s at alpha"},
		"a source twice in the table":       {func(c *pairs.Config) { c.Sources = append(c.Sources, c.Sources[0]) }, `source "alpha": it is there twice`},
		"a source without a family":         {func(c *pairs.Config) { c.Sources[0].Family = "" }, `source "alpha": family ""`},
		"a source that nothing is known of": {func(c *pairs.Config) { c.Sources = c.Sources[1:] }, `market BTC/USD: source "alpha" is not in the table`},
		"a quorum above the families":       {func(c *pairs.Config) { c.Markets[0].Quorum = 4 }, "market BTC/USD: a quorum of 4 is not between 1 and its 3 families"},
		"a quorum of one family twice":      {func(c *pairs.Config) { c.Markets[0].Quorum, c.Sources[1].Family = 3, "alpha" }, "market BTC/USD: a quorum of 3 is not between 1 and its 2 families"},
		"a quorum of the last resort":       {func(c *pairs.Config) { c.Markets[0].Quorum, c.Sources[1].Kind = 3, core.MidSource }, "market BTC/USD: a quorum of 3 is not between 1 and its 2 families"},
		"no quorum at all":                  {func(c *pairs.Config) { c.MarketClasses[0].Quorum = 0 }, "market BTC/USD: a quorum of 0 is not between 1 and its 3 families"},
		"a peg without a limit":             {func(c *pairs.Config) { c.Markets[1].Peg = dec("1") }, `market USDT/USD: the peg 1 is no price, or its class "major" has no limit for one`},
		"a bound without a limit":           {func(c *pairs.Config) { c.Markets[2].Bound = "USD" }, `market USDT/NGN: it has a bound, and its class "street" has no limit for one`},
		"a bound without a market":          {func(c *pairs.Config) { c.Markets[2].Bound, c.MarketClasses[1].Bound = "XOF", dec("0.2") }, "market USDT/NGN: the leg USDT/XOF of its route is no market"},
		"a bound in a circle":               {func(c *pairs.Config) { c.Markets[2].Bound = "NGN" }, "market USDT/NGN: its bound through NGN leads nowhere"},
		"a bound in a circle at its start":  {func(c *pairs.Config) { c.Markets[2].Bound = "USDT" }, "market USDT/NGN: its bound through USDT leads nowhere"},
		"direct beside nothing":             {func(c *pairs.Config) { c.Listings[0].Direct = true }, "listing BTC/USD: direct and else say something only beside via"},
		"another route beside none":         {func(c *pairs.Config) { c.Listings[0].Else = "EUR" }, "listing BTC/USD: direct and else say something only beside via"},
		"another route in a circle":         {func(c *pairs.Config) { c.Listings[3].Else = "BTC" }, "listing BTC/EUR: via BTC leads nowhere"},
		"another route without a market":    {func(c *pairs.Config) { c.Listings[3].Else = "NGN" }, "listing BTC/EUR: the leg BTC/NGN of its route is no market"},
		"a market in both orientations": {func(c *pairs.Config) {
			c.Markets = append(c.Markets, core.Market{Pair: pair("USD/BTC"), Class: "major", Sources: []string{"alpha"}})
		}, "market USD/BTC: it is there already"},
		"two that stand in for each other": {func(c *pairs.Config) {
			c.Markets[0].StandIn = true
			c.Markets = append(c.Markets, core.Market{Pair: pair("USD/BTC"), Class: "major", Sources: []string{"alpha"}, StandIn: true})
		}, "market USD/BTC: it is there already"},
		"one that stands in for none":    {func(c *pairs.Config) { c.Markets[0].StandIn = true }, "market BTC/USD: there is no market USD/BTC before it to stand in for"},
		"a direct market that is none":   {func(c *pairs.Config) { c.Listings[3].Direct = true }, "listing BTC/EUR: the leg BTC/EUR of its route is no market"},
		"an order that nothing can size": {func(c *pairs.Config) { c.Currencies[3].Code = "USX" }, "to USD in at most two legs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config()
			_, sources := venuesOf(cfg, nil)
			test.change(&cfg)
			if name == "an order that nothing can size" {
				for i := range cfg.Markets {
					cfg.Markets[i].Pair = core.Pair{Base: renamed(cfg.Markets[i].Pair.Base), Counter: renamed(cfg.Markets[i].Pair.Counter)}
				}
			}
			_, err := pairs.New(cfg, sources, (&manualClock{now: noon}).Now)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want it to say %q", err, test.want)
			}
		})
	}
}

func renamed(code string) string {
	if code == "USD" {
		return "USX"
	}
	return code
}

func TestNew_MissingDependencies(t *testing.T) {
	t.Parallel()
	cfg := config()
	_, sources := venuesOf(cfg, nil)
	_, noClock := pairs.New(cfg, sources, nil)
	_, noSources := pairs.New(cfg, nil, (&manualClock{}).Now)
	_, twins := pairs.New(cfg, append(sources, newVenue("alpha", nil)), (&manualClock{}).Now)
	_, nameless := pairs.New(cfg, append(sources, newVenue("", nil)), (&manualClock{}).Now)
	for want, err := range map[string]error{
		"there is no clock":                                    noClock,
		"there are no rate sources":                            noSources,
		`source "alpha": every source needs a name of its own`: twins,
		`source "": every source needs a name of its own`:      nameless,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
}

func TestNew_ReportsAllFaults(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.Markets[0].Sources = []string{"nobody"}
	cfg.Markets[1].Class = "x"
	cfg.Listings[0].Class = "y"
	cfg.ListingClasses[2].MarginBPS = -1
	_, err := pairs.New(cfg, []ports.RateSource{newVenue("alpha", nil)}, nil)
	if err == nil {
		t.Fatal("got no error")
	}
	for _, want := range []string{"no clock", `source "nobody"`, `source "beta"`, `class "x"`, `class "y"`, "margin of -1"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
}

func TestPoll_RequestsOwnMarkets(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := s.venues["beta"].asked
	if len(got) != 2 || got[0] != pair("BTC/USD") || got[1] != pair("USDT/NGN") {
		t.Errorf("beta was asked for %v", got)
	}
}

func TestPoll_SkipsIdleSources(t *testing.T) {
	t.Parallel()
	cfg := config()
	clock := &manualClock{now: noon}
	venues, sources := venuesOf(cfg, clock.Now)
	quoted(venues)
	idle := newVenue("idle", clock.Now)
	s, err := pairs.New(cfg, append(sources, idle), clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	s.Tick(t.Context())
	if idle.polled() != 0 {
		t.Error("it was polled")
	}
	if names := s.Sources(); names[0].Name != "alpha" || names[len(names)-1].Name != "idle" {
		t.Errorf("the sources are not sorted by name: %v", names)
	}
}
