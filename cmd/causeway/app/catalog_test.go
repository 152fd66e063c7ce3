package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"causeway/simulator"
	"causeway/simulator/control"
)

// playground is a whole sandbox without listeners, both sides of it.
type playground struct {
	*App

	t *testing.T
}

// newPlayground makes one. Where currencies are named there are no others in its catalog, so that many worlds are a short test.
func newPlayground(t *testing.T, currencies ...string) *playground {
	t.Helper()
	g := &playground{newTestApp(t, settings(t), zap.NewNop(), withCurrencies(currencies)), t}
	g.RefreshPrices(t.Context())
	g.RefreshBanks(t.Context())
	return g
}

// send sends a request of the catalog to the side that it is for.
func (g *playground) send(r simulator.Request) (rec *httptest.ResponseRecorder) {
	g.t.Helper()
	sent := httptest.NewRequestWithContext(g.t.Context(), r.Method, r.Path, strings.NewReader(r.Body))
	for name, value := range r.Headers {
		sent.Header.Set(name, value)
	}
	ctx, cancel := context.WithTimeout(g.t.Context(), time.Minute) // of a client who waits for no longer
	defer cancel()
	rec = httptest.NewRecorder()
	rec.Code = 0 // unless it is answered
	defer func() {
		if fault := recover(); fault != nil && fault != http.ErrAbortHandler { //nolint:errorlint // the connection breaks: net/http compares it this way
			panic(fault)
		}
	}()
	if strings.HasPrefix(r.Path, control.Prefix) {
		g.Operator.ServeHTTP(rec, sent.WithContext(ctx))
	} else {
		g.Handler.ServeHTTP(rec, sent.WithContext(ctx))
	}
	return rec
}

// does sends a request to the control API that must succeed.
func (g *playground) does(method, path, body string) {
	g.t.Helper()
	if rec := g.send(simulator.Request{Method: method, Path: control.Prefix + path, Body: body}); rec.Code >= http.StatusBadRequest {
		g.t.Errorf("%s %s %s: %d %s", method, path, body, rec.Code, rec.Body)
	}
}

// in puts the id of a world into a request.
func in(world string, r simulator.Request) simulator.Request {
	const placeholder = "{world}"
	r.Path = strings.ReplaceAll(r.Path, placeholder, url.PathEscape(world))
	r.Body = strings.ReplaceAll(r.Body, placeholder, world)
	headers := map[string]string{}
	for name, value := range r.Headers {
		headers[name] = strings.ReplaceAll(value, placeholder, world)
	}
	r.Headers = headers
	return r
}

// tried does what a sample says, in a world of its own, and compares what comes of it.
func (g *playground) tried(what string, s simulator.Sample) {
	g.t.Helper()
	world := "catalog/" + what
	for _, r := range s.Setup {
		if rec := g.send(in(world, r)); rec.Code >= http.StatusBadRequest {
			g.t.Errorf("%s: %s %s: %d %s", what, r.Method, r.Path, rec.Code, rec.Body)
			return
		}
	}
	rec := g.send(in(world, s.Request))
	var got struct {
		Data  json.RawMessage
		Error struct{ Name string }
	}
	err := json.Unmarshal(rec.Body.Bytes(), &got)
	if want := s.Want; want.Broken {
		if err == nil || rec.Code != want.Status || want.Applied != rec.Header().Get("Sim-Applied") {
			g.t.Errorf("%s: %d %.200q, applied %q; want %+v", what, rec.Code, rec.Body, rec.Header().Get("Sim-Applied"), want)
		}
		return
	}
	if err != nil && !strings.HasPrefix(rec.Header().Get("Content-Type"), "text/event-stream") {
		g.t.Errorf("%s: %v in %s", what, err, rec.Body)
		return
	}
	want := s.Want
	if rec.Code != want.Status || got.Error.Name != want.Error || want.Applied != "" && rec.Header().Get("Sim-Applied") != want.Applied {
		g.t.Errorf("%s: %d %q, applied %q; want %d %q, applied %q\n%s", what, rec.Code, got.Error.Name, rec.Header().Get("Sim-Applied"), want.Status, want.Error, want.Applied, rec.Body)
		return
	}
	if named := s.Request.Headers["Sim-World"] != "" && want.Error != "world_expired"; named && rec.Header().Get("Sim-World") != world {
		g.t.Errorf("%s: it came from the world %q", what, rec.Header().Get("Sim-World"))
	}
	if want.Valid == nil && want.Reason == "" && want.Warning == "" && want.PairStatus == nil {
		return
	}
	var data struct {
		Valid          *bool
		Reason, Status string
		Warnings       []string
	}
	if err := json.Unmarshal(got.Data, &data); err != nil {
		g.t.Errorf("%s: %v in %s", what, err, got.Data)
		return
	}
	if want.Valid != nil && (data.Valid == nil || *data.Valid != *want.Valid) || data.Reason != want.Reason || want.Warning != "" && !slices.Contains(data.Warnings, want.Warning) ||
		want.PairStatus != nil && !slices.Contains(want.PairStatus, data.Status) {
		g.t.Errorf("%s: %s, want %+v", what, got.Data, want)
	}
}

// TestCatalog_Entries sends the request of each entry to a whole sandbox, as whoever reads the catalog would. The clock of the machine is
// that of a bubble, so that nobody waits for answers that are late or never come.
func TestCatalog_Entries(t *testing.T) {
	t.Parallel()
	catalog := simulator.NewCatalog()
	groups := map[string]func(g *playground){
		"accounts": func(g *playground) {
			for _, e := range catalog.Accounts {
				g.tried(e.Suffix, e.Try)
			}
		},
		"pairs": func(g *playground) {
			for _, e := range catalog.Pairs {
				g.tried(e.ID, e.Try)
			}
		},
		"outcomes": func(g *playground) {
			for _, e := range catalog.Outcomes {
				g.tried(e.Name, e.Try)
			}
		},
		"errors": func(g *playground) {
			for _, e := range catalog.Errors {
				g.tried(e.Name, e.Try)
			}
		},
		"addresses": func(g *playground) {
			for i, e := range catalog.Addresses {
				g.tried(fmt.Sprintf("%s %d", e.Code, i), e.Try)
			}
		},
		"faults": func(g *playground) {
			for _, e := range catalog.Faults {
				g.tried(string(e.Kind), e.Try)
				if e.TryEdge != nil {
					g.tried(string(e.Kind)+"/edge", *e.TryEdge)
				}
			}
		},
		"presets": func(g *playground) {
			for _, e := range catalog.Presets {
				g.tried(strings.NewReplacer("<", "(", ">", ")").Replace(e.Name), e.Try)
			}
		},
		"tapes": func(g *playground) {
			for _, e := range catalog.Tapes {
				g.tried(e.Name, e.Try)
			}
		},
		"scenarios": func(g *playground) {
			for _, e := range catalog.Scenarios {
				g.tried(e.Name, e.Try)
			}
		},
	}
	for name, try := range groups {
		currencies := []string{"BTC", "USDT", "USD", "NGN"}
		if name == "scenarios" {
			currencies = append(currencies, "ETH", "TRX", "USDC", "EUR")
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { try(newPlayground(t, currencies...)) })
		})
	}
}
