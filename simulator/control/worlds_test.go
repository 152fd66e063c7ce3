package control_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"causeway/simulator/control"
)

var controlConfigWithoutAPI = control.Config{NoAPI: true}

// worldBody is what these tests read of a world.
type worldBody struct {
	ID    string
	Seed  string
	Clock struct {
		Now    time.Time
		Frozen bool
	}
	TTL                               string
	MagicPairs                        bool `json:"magic_pairs"`
	Markets, Accounts, Faults, Queued int
	Journal                           struct{ Last int }
}

func TestWorlds_Lifecycle(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const id = "TestCheckout/pays in 100 ms (NG)"
	place := "/worlds/" + url.PathEscape(id)
	r := f.ask(http.MethodPost, "/worlds", `{"id":"`+id+`","seed":"s","ttl":"90m","magic_pairs":true,`+frozen+`}`)
	created := decode[worldBody](t, r.Data)
	if r.status != http.StatusCreated || created.ID != id || created.Seed != "s" || created.TTL != "1h30m0s" || !created.MagicPairs || !created.Clock.Frozen {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if all := decode[[]worldBody](t, f.do(http.MethodGet, "/worlds", "")); len(all) != 2 || all[0].ID != id || all[1].ID != "default" {
		t.Errorf("got %+v", all)
	}
	f.rejected(http.MethodPost, "/worlds", `{"id":"`+id+`"}`, http.StatusConflict, "conflict", "alive")
	f.do(http.MethodDelete, place, "")
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		f.rejected(method, place, "", http.StatusGone, "world_expired", "Create it again")
	}
	f.do(http.MethodPost, "/worlds", `{"id":"`+id+`"}`)
	if shown := decode[worldBody](t, f.do(http.MethodGet, place, "")); shown.Seed != id || shown.Clock.Frozen {
		t.Errorf("created again: %+v", shown)
	}
	for i := range 18 {
		f.do(http.MethodPost, "/worlds", fmt.Sprintf(`{"id":"w%d"}`, i))
	}
	f.rejected(http.MethodPost, "/worlds", `{"id":"one more"}`, http.StatusTooManyRequests, "too_many_requests", "20 worlds")
	if r := f.ask(http.MethodPost, "/worlds/w0/fork", `{"id":"one more"}`); r.status != http.StatusTooManyRequests || r.header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", r.status, r.header, r.body)
	}
}

// fill changes a bit of everything in a world.
func (f *fixture) fill(place string) {
	f.t.Helper()
	f.do(http.MethodPost, place+"/clock/advance", `{"by":"37s"}`)
	f.do(http.MethodPut, place+"/market/USDTNGN", `{"pin":"1400.50"}`)
	f.do(http.MethodPut, place+"/accounts/000013/0123456780", `{"account_name":"TEST ADA"}`)
	f.do(http.MethodPost, place+"/faults", `{"match":{"provider":"kraken"},"effect":{"kind":"inverted"}}`)
	f.do(http.MethodPost, place+"/next", `{"operation":"resolve-account","outcomes":["unknown","all_down"]}`)
}

func TestWorlds_ResetAndStop(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.frozenWorld("a")
	f.fill("/worlds/a")
	full := decode[worldBody](t, f.do(http.MethodGet, "/worlds/a", ""))
	if full.Markets != 1 || full.Accounts != 1 || full.Faults != 1 || full.Queued != 2 || full.Journal.Last != 5 {
		t.Fatalf("got %+v", full)
	}
	stopped := decode[worldBody](t, f.do(http.MethodPost, "/worlds/a/stop", ""))
	if stopped.Markets+stopped.Faults+stopped.Queued != 0 || stopped.Accounts != 1 || stopped.Clock != full.Clock {
		t.Errorf("stopped: %+v", stopped)
	}
	for _, r := range []json.RawMessage{f.do(http.MethodPost, "/worlds/a/reset", ""), f.do(http.MethodGet, "/worlds/a", "")} {
		w := decode[worldBody](t, r)
		if w.Markets+w.Accounts+w.Faults+w.Queued+w.Journal.Last != 0 || w.Clock.Now != noon.Add(-time.Hour) || w.Seed != "a" {
			t.Errorf("reset: %+v", w)
		}
	}
	f.do(http.MethodPost, "/worlds/default/reset", "")
}

// state is what was set in a world.
func (f *fixture) state(id string) string {
	f.t.Helper()
	var out strings.Builder
	for _, part := range []string{"/clock", "/market", "/accounts", "/next", "/faults"} {
		out.Write(f.do(http.MethodGet, "/worlds/"+id+part, ""))
	}
	return out.String()
}

func TestWorlds_OnlyChangesKeepAlive(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.do(http.MethodPost, "/worlds", `{"id":"read","ttl":"1m"}`)
	f.do(http.MethodPost, "/worlds", `{"id":"changed","ttl":"1m"}`)
	for range 3 {
		f.elapsed.Add(int64(25 * time.Second))
		f.ask(http.MethodGet, "/worlds/read", "")
		f.do(http.MethodPut, "/worlds/changed/market/USDTNGN", `{"pin":"1400"}`)
	}
	f.rejected(http.MethodGet, "/worlds/read", "", http.StatusGone, "world_expired")
	f.do(http.MethodGet, "/worlds/changed", "")
}
