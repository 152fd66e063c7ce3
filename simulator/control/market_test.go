package control_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/simulator/incidents"
	"causeway/simulator/market"
)

type marketBody struct {
	Pair, ID, Reference string
	Setting             *market.Setting
	Venues              []struct{ Venue, State, Bid, Ask string }
}

func TestAMarketIsSetShownAndLifted(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a",`+frozen+`}`)
	before := decode[marketBody](t, l.do(http.MethodGet, "/worlds/a/market/USDTNGN", ""))
	if before.Pair != "USDT/NGN" || before.ID != "USDTNGN" || before.Setting != nil || len(before.Venues) != 3 || before.Reference == "" {
		t.Fatalf("%+v", before)
	}
	set := decode[marketBody](t, l.do(http.MethodPut, "/worlds/a/market/usdt%2Fngn", `{"pin":"1400.50","spread_bps":20,"venues":{"quidax":{"offset_bps":-150,"lag_ms":0},"busha":{"state":"down"}}}`))
	if set.Reference != "1400.5" || set.Setting == nil || set.Setting.Pin != "1400.50" || set.Venues[0].State != "down" || !strings.HasPrefix(set.Venues[2].Bid, "1378") {
		t.Errorf("%+v", set)
	}
	if all := decode[[]marketBody](t, l.do(http.MethodGet, "/worlds/a/market", "")); len(all) != 1 || all[0].ID != "USDTNGN" {
		t.Errorf("%+v", all)
	}
	replaced := decode[marketBody](t, l.do(http.MethodPut, "/worlds/a/market/USDTNGN", `{"volatility":0}`))
	if replaced.Setting == nil || replaced.Setting.Pin != "" || replaced.Venues[0].State != "up" {
		t.Errorf("the old setting stays: %+v", replaced)
	}
	lifted := decode[marketBody](t, l.do(http.MethodDelete, "/worlds/a/market/USDTNGN", ""))
	if lifted.Setting != nil || lifted.Reference != before.Reference {
		t.Errorf("%+v, before it was %+v", lifted, before)
	}
	l.refused(http.MethodDelete, "/worlds/a/market/USDTNGN", "", http.StatusNotFound, "not_found", "Nothing is set")
}

func TestMarketsThatCannotBeSet(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a",`+frozen+`}`)
	for body, word := range map[string]string{
		`{"pin":1400.50}`: "in quotes", `{"pin":"a lot"}`: "a decimal from", `{"pin":"0"}`: "a decimal from", `{"pin":"-3"}`: "a decimal from", `{"pin":"1e3"}`: "a decimal from", `{"pin":"1400","jump_bps":5}`: "either a pin or a jump",
		`{"price":"1"}`: "pin, jump_bps, drift, volatility, spread_bps, venues", `{"spread_bps":"20"}`: "a whole number", `{"spread_bps":1.5}`: "a whole number", `{"spread_bps":99999}`: "0 to 5000", `{"drift":123456789}`: "-100000 to 100000",
		`{"volatility":-1}`: "0 to 1000", `{"venues":{"nyse":{}}}`: "busha, luno, quidax", `{"venues":{"kraken":{"state":"down"}}}`: "busha, luno, quidax", `{"venues":{"busha":{"state":"asleep"}}}`: "up, down, paused, absent",
		`{"venues":{"busha":{"offset":1}}}`: "offset_bps, lag_ms, state", `{"venues":{"busha":{"lag_ms":-1}}}`: "0 to 3600000", `{"venues":[]}`: "an object", `{"venues":{"busha":"down"}}`: "an object with offset_bps, lag_ms, state",
		`{}`: "pin",
	} {
		l.refused(http.MethodPut, "/worlds/a/market/USDTNGN", body, http.StatusBadRequest, "request_validation", "accepted", word)
	}
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		l.refused(method, "/worlds/a/market/BTCXYZ", `{"pin":"1"}`, http.StatusBadRequest, "request_validation", "BTC/USDT")
		l.refused(method, "/worlds/a/market/TFLATNGN", `{"pin":"1"}`, http.StatusBadRequest, "request_validation", "accepted")
	}
	if w := decode[worldBody](t, l.do(http.MethodGet, "/worlds/a", "")); w.Markets != 0 {
		t.Errorf("%+v", w)
	}
}

func TestEveryIncidentIsPlayed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, name := range incidents.Names() {
		l.do(http.MethodPost, "/worlds", `{"id":"`+name+`",`+frozen+`}`)
		got := decode[struct {
			Scenario, Title string
			From, Until     time.Time
			Verdicts        []incidents.Verdict
		}](t, l.do(http.MethodPost, "/worlds/"+name+"/market/play", `{"scenario":"`+name+`","speed":1}`))
		if got.Scenario != name || got.Title == "" || !got.From.Equal(noon.Add(-time.Hour)) || !got.Until.After(got.From) || len(got.Verdicts) == 0 {
			t.Errorf("%+v", got)
		}
		l.do(http.MethodDelete, "/worlds/"+name, "")
	}
}

func TestAnIncidentMayBePlayedFaster(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"still",`+frozen+`}`)
	l.do(http.MethodPost, "/worlds", `{"id":"runs"}`)
	played := string(l.do(http.MethodPost, "/worlds/runs/market/play", `{"scenario":"luna-2022","speed":60}`))
	if c := decode[clock](t, l.do(http.MethodGet, "/worlds/runs/clock", "")); c.Rate != 60 || c.Frozen || !strings.Contains(played, `"rate":60`) {
		t.Errorf("%+v", c)
	}
	for body, word := range map[string]string{
		`{"scenario":"luna-2022","speed":60}`: "a clock that runs", `{"scenario":"luna-2022","speed":0.5}`: "a whole number", `{"scenario":"luna-2022","speed":-1}`: "1 to 3600", `{"scenario":"luna-2022","speed":3601}`: "1 to 3600",
		`{"scenario":"moon"}`: "dai-2020", `{}`: "dai-2020", `{"name":"dai-2020"}`: "scenario, speed",
	} {
		l.refused(http.MethodPost, "/worlds/still/market/play", body, http.StatusBadRequest, "request_validation", "accepted", word)
	}
	if c := decode[clock](t, l.do(http.MethodGet, "/worlds/still/clock", "")); c.NextEvent != nil || !c.Frozen {
		t.Errorf("something is to come: %+v", c)
	}
}

func TestTheInstitutionsAreListed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	type bank struct {
		Country, Code, Name string
		Aliases             []string
		Magic               bool
	}
	all := decode[[]bank](t, l.do(http.MethodGet, "/worlds/default/banks", ""))
	nigeria := decode[[]bank](t, l.do(http.MethodGet, "/worlds/default/banks?country=ng", ""))
	if len(all) <= len(nigeria) || len(nigeria) < 100 {
		t.Fatalf("%d, and %d of Nigeria", len(all), len(nigeria))
	}
	if !slices.ContainsFunc(nigeria, func(b bank) bool { return b.Code == "001" && b.Magic }) || slices.ContainsFunc(nigeria, func(b bank) bool { return b.Country != "NG" }) {
		t.Error("the magic one is not there, or others are")
	}
	i := slices.IndexFunc(nigeria, func(b bank) bool { return b.Code == "000013" })
	if i < 0 || !slices.Contains(nigeria[i].Aliases, "058") || nigeria[i].Magic {
		t.Errorf("%d of %+v", i, nigeria)
	}
	l.refused(http.MethodGet, "/worlds/default/banks?country=XX", "", http.StatusBadRequest, "request_validation", "NG")
}
