package wire_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/faults"
	"causeway/simulator/input"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// faulted returns a wire with a rule.
func faulted(t *testing.T, r faults.Rule) *wire.Wire {
	t.Helper()
	sim := newWorld(t)
	w := wire.New(sim)
	if _, err := sim.Faults().Add(r, noon); err != nil {
		t.Fatal(err)
	}
	return w
}

func rule(provider string, e faults.Effect) faults.Rule {
	return faults.Rule{Match: faults.Match{Provider: provider}, Effect: e}
}

// operations returns an exchange for each operation of a provider that succeeds and has the values
// that faults change.
func operations(t *testing.T, sim *world.World, w *wire.Wire, provider string) map[string]exchange {
	t.Helper()
	candidates := slices.DeleteFunc(exchanges(t), func(e exchange) bool { return e.provider != provider })
	preferred := []string{
		"magic_found", "wallet_found", "validated", "tickers", "resolve", "rates", "book_ticker_many", "block_latest",
	}
	slices.SortStableFunc(candidates, func(a, b exchange) int {
		return cmp.Compare(position(preferred, a.name), position(preferred, b.name))
	})
	found := map[string]exchange{}
	for _, operation := range sim.Faults().Providers()[provider].Operations {
		r := rule(provider, faults.Effect{Kind: faults.Status, Status: http.StatusTeapot})
		r.Match.Operation = operation
		for _, e := range candidates {
			id, err := sim.Faults().Add(r, noon)
			if err != nil {
				t.Fatal(err)
			}
			matched := send(w, e.request(t, "")).StatusCode == http.StatusTeapot
			if err := sim.Faults().Remove(id); err != nil {
				t.Fatal(err)
			}
			if matched && send(w, e.request(t, "")).StatusCode/100 == 2 {
				found[operation] = e
				break
			}
		}
		if found[operation].target == "" {
			t.Errorf("no exchange of operation %s of %s", operation, provider)
		}
	}
	return found
}

// position returns the index of a name, or the index of the end.
func position(names []string, name string) int {
	if i := slices.Index(names, name); i >= 0 {
		return i
	}
	return len(names)
}

// TestFaults_ChangeResponses applies every fault that changes responses to every operation of every
// provider. A fault that is accepted changes the response; one that would change nothing is
// refused, or does not match if the rule is about all operations.
func TestFaults_ChangeResponses(t *testing.T) {
	t.Parallel()
	for _, provider := range wire.New(newWorld(t)).Providers() {
		if strings.HasPrefix(provider, "evm-") && provider != "evm-bsc" {
			continue // the same for another network
		}
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			sim := newWorld(t)
			w := wire.New(sim)
			for operation, e := range operations(t, sim, w, provider) {
				respond := func() string {
					r := send(w, e.request(t, ""))
					return fmt.Sprint(r.StatusCode, r.Header.Get("Content-Type"), r.err, string(r.body))
				}
				plain := respond()
				for _, name := range faults.Kinds() {
					kind := faults.Kind(name)
					if !kind.Alters() {
						continue
					}
					r := rule(provider, faults.Effect{Kind: kind})
					switch kind {
					case faults.HugeBody:
						r.Effect.Bytes = 100
					case faults.Times:
						r.Effect.Factor = 100
					default:
					}
					r.Match.Operation = operation
					_, err := sim.Faults().Add(r, noon)
					if err != nil && !strings.Contains(err.Error(), " fit") {
						t.Fatal(err)
					}
					if err != nil {
						r.Match.Operation = ""
						_, _ = sim.Faults().Add(r, noon)
					}
					changed, hits := respond() != plain, uint64(0)
					for _, f := range sim.Faults().List() {
						hits += f.Hits
					}
					if accepted := err == nil; changed != accepted || (hits == 1) != accepted {
						t.Errorf("%s of %s, accepted %t: %d hits, changed %t", kind, operation, accepted, hits, changed)
					}
					sim.Faults().Reset()
				}
			}
		})
	}
}

// TestFaults_BrokenResponses sends requests in process and over TCP.
func TestFaults_BrokenResponses(t *testing.T) {
	t.Parallel()
	e := get("kraken", "/0/public/Ticker?pair=XBTUSD")
	plain := send(wire.New(newWorld(t)), e.request(t, "")).body
	ok := func(check func(r result) bool) func(result) bool {
		return func(r result) bool { return r.err == nil && r.StatusCode == http.StatusOK && check(r) }
	}
	same := ok(func(r result) bool { return bytes.Equal(r.body, plain) })
	broken := func(r result) bool { return errors.Is(r.err, syscall.ECONNRESET) || errors.Is(r.err, io.EOF) }
	slowDown := faults.Effect{
		Kind: faults.Status, Status: 429, Code: "slow_down", RetryAfter: input.Duration(30 * time.Second),
	}
	for name, c := range map[string]struct {
		effect faults.Effect
		want   func(result) bool
	}{
		"status": {slowDown, func(r result) bool {
			const body = `{"code":"slow_down","message":"Too Many Requests"}`
			return r.StatusCode == 429 && r.Header.Get("Retry-After") == "30" && string(r.body) == body
		}},
		"redirect": {faults.Effect{Kind: faults.Redirect}, func(r result) bool {
			return r.StatusCode == 302 && strings.HasPrefix(r.Header.Get("Location"), "https://")
		}},
		"html": {faults.Effect{Kind: faults.HTML}, ok(func(r result) bool {
			return strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") && bytes.Contains(r.body, []byte("<html>"))
		})},
		"empty": {faults.Effect{Kind: faults.Empty}, ok(func(r result) bool { return len(r.body) == 0 })},
		"truncate": {faults.Effect{Kind: faults.Truncate}, func(r result) bool {
			return errors.Is(r.err, io.ErrUnexpectedEOF) && len(r.body) == len(plain)/2
		}},
		"malformed": {faults.Effect{Kind: faults.Malformed}, ok(func(r result) bool {
			return string(r.body)+"}" == string(plain) && !json.Valid(r.body)
		})},
		"slow headers": {faults.Effect{Kind: faults.SlowHeaders, MS: 20}, same},
		"dribble":      {faults.Effect{Kind: faults.Dribble, MS: 20}, same},
		"content type": {faults.Effect{Kind: faults.WrongContentType}, ok(func(r result) bool {
			return strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") && bytes.Equal(r.body, plain)
		})},
		"huge body": {faults.Effect{Kind: faults.HugeBody}, ok(func(r result) bool {
			return len(r.body) == 5<<20+len(plain) && bytes.Equal(bytes.TrimLeft(r.body, " "), plain)
		})},
		"duplicate": {faults.Effect{Kind: faults.Duplicate}, ok(func(r result) bool {
			return string(r.body) == string(plain)+string(plain)
		})},
		"unknown fields": {faults.Effect{Kind: faults.UnknownFields}, ok(func(r result) bool {
			return bytes.Count(r.body, []byte(`"unannounced":`)) > 1 && json.Valid(r.body)
		})},
		"reset":  {faults.Effect{Kind: faults.Reset}, broken},
		"refuse": {faults.Effect{Kind: faults.Refuse}, broken},
	} {
		for _, phase := range []faults.Phase{faults.Before, faults.After} {
			if c.effect.Kind == faults.Refuse && phase == faults.After {
				continue // not accepted
			}
			t.Run(name+" "+string(phase), func(t *testing.T) {
				t.Parallel()
				r := rule("kraken", c.effect)
				r.Phase = phase
				w := faulted(t, r)
				server := httptest.NewServer(w.Handler("kraken"))
				defer server.Close()
				for _, got := range []result{
					send(w, e.request(t, "")), send(&http.Transport{DisableKeepAlives: true}, e.request(t, server.URL)),
				} {
					if !c.want(got) {
						t.Errorf("got %d, %v, %v: %.300s", got.StatusCode, got.Header, got.err, got.body)
					}
				}
			})
		}
	}
}

func TestFaults_NothingToChange(t *testing.T) {
	t.Parallel()
	w := faulted(t, rule("binance", faults.Effect{Kind: faults.Times, Factor: 1000}))
	if r := send(w, golden(t, "binance", "book_ticker_unknown").request(t, "")); !strings.Contains(string(r.body), "-1121") {
		t.Errorf("got %d, %v: %s", r.StatusCode, r.err, r.body)
	}
	w = faulted(t, rule("frankfurter", faults.Effect{Kind: faults.Zero}))
	if r := send(w, golden(t, "frankfurter", "rates").request(t, "")); r.Header.Get("Etag") != "" {
		t.Errorf("a changed response has the tag of the original: %v", r.Header)
	}
}

// underCall sends a request for a call of the service.
func underCall(t *testing.T, sim *world.World, w *wire.Wire, scenario string, e exchange) (result, string) {
	t.Helper()
	call, err := sim.NewRequest(core.OpResolveAccount, scenario)
	if err != nil {
		t.Fatal(err)
	}
	r := e.request(t, "")
	return send(w, r.WithContext(world.WithRequest(r.Context(), call))), call.Applied()
}

// TestAccounts_Scenarios checks the precedence of outcomes that a call demands, faults and magic
// numbers.
func TestAccounts_Scenarios(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"paystack", "flutterwave", "korapay", "monnify", "afriex", "daraja", "busha"} {
		e, sim := golden(t, provider, "magic_found"), newWorld(t)
		w := wire.New(sim)
		effect := faults.Effect{Kind: faults.Status, Status: http.StatusTeapot}
		id, err := sim.Faults().Add(rule(provider, effect), noon)
		if err != nil {
			t.Fatal(err)
		}
		if got, by := underCall(t, sim, w, "", e); got.StatusCode != http.StatusTeapot || by != "fault:"+id {
			t.Errorf("%s: a fault: got %d by %s", provider, got.StatusCode, by)
		}
		closed, by := underCall(t, sim, w, "closed", e)
		if closed.StatusCode == http.StatusTeapot || by != "scenario:closed" {
			t.Errorf("%s: a scenario: got %d by %s", provider, closed.StatusCode, by)
		}
		if hits := sim.Faults().List()[0].Hits; hits != 1 {
			t.Errorf("%s: the fault has %d hits", provider, hits)
		}
		sim.Faults().Reset()
		if found, by := underCall(t, sim, w, "", e); bytes.Equal(found.body, closed.body) || by != "magic:200" {
			t.Errorf("%s: a magic number: got %s by %s", provider, found.body, by)
		}
		if got, _ := underCall(t, sim, w, "reset", e); got.err == nil {
			t.Errorf("%s: the connection does not break", provider)
		}
	}
}

// TestAccounts_Set sets an account by an alias of its bank.
func TestAccounts_Set(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"paystack", "flutterwave", "korapay", "monnify", "afriex", "busha"} {
		sim, name := newWorld(t), "TEST SET BY HAND"
		if err := sim.Accounts().Set("gtbingla", "0123456789", accounts.Overlay{AccountName: &name}); err != nil {
			t.Fatal(err)
		}
		got, by := underCall(t, sim, wire.New(sim), "", golden(t, provider, "resolved"))
		if !bytes.Contains(got.body, []byte(name)) || by != "none" {
			t.Errorf("%s: got %s, by %s", provider, got.body, by)
		}
	}
}
