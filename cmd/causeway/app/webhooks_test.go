package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"causeway/core"
	"causeway/ports"
	"causeway/simulator/catalog"
	"causeway/simulator/control"
)

// shop is a server that receives webhooks and verifies them.
type shop struct {
	*httptest.Server

	verify *standardwebhooks.Webhook
	answer func(try int) int // status; nil: 204
	called func()            // while a webhook is handled; nil: nothing

	mu  sync.Mutex
	got []string // the type of each event, and what is wrong with it
}

func newShop(t *testing.T) *shop {
	t.Helper()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	verify, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{verify: verify}
	s.Server = httptest.NewServer(http.HandlerFunc(s.receive))
	t.Cleanup(s.Close)
	return s
}

func (s *shop) receive(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var event struct {
		ID, Type string
		Data     struct{ Status string }
	}
	what := ""
	if err := json.Unmarshal(body, &event); err != nil || event.ID != r.Header.Get("webhook-id") {
		what = " unreadable"
	} else if err := s.verify.Verify(body, r.Header); err != nil {
		what = ": " + err.Error()
	}
	s.mu.Lock()
	s.got = append(s.got, strings.TrimPrefix(event.Type, "transaction.")+what)
	try := len(s.got)
	s.mu.Unlock()
	if s.called != nil {
		s.called()
	}
	status := http.StatusNoContent
	if s.answer != nil {
		status = s.answer(try)
	}
	w.WriteHeader(status)
}

func (s *shop) expect(t *testing.T, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := gocmp.Diff(want, s.got); diff != "" {
		t.Error(diff)
	}
}

// webhookWorld is a world whose events a shop receives.
func (s *sandboxFixture) webhookWorld(t *testing.T, id string) (chainWorld, *shop) {
	t.Helper()
	w, receiver := s.chainWorld(id, "BTC", "BTC"), newShop(t)
	s.control(http.MethodPut, "/worlds/"+id+"/webhooks/shop",
		`{"url":"`+receiver.URL+`","secret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}`)
	t.Cleanup(func() { s.send(catalog.Request{Method: http.MethodDelete, Path: control.Prefix + "/worlds/" + id}) })
	return w, receiver
}

func (w chainWorld) fault(kind, more string) {
	w.t.Helper()
	w.control(http.MethodPost, "/worlds/"+w.id+"/faults",
		`{"match":{"plane":"webhook","operation":"transaction.pending"},"effect":{"kind":"`+kind+`"`+more+`},"when":{"max_hits":1}}`)
}

// A call of the control API returns when the webhooks that it caused have arrived.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	g := newSandboxEnv(t)
	for _, c := range []struct {
		name string
		do   func(w chainWorld, s *shop)
		want []string
	}{
		{"confirmed", func(w chainWorld, _ *shop) { w.mine(1); w.mine(3) }, []string{"pending", "completed"}},
		{"reversed", func(w chainWorld, _ *shop) {
			w.mine(4)
			w.change("reorganize", `{"depth":4}`)
			w.mine(3)
		}, []string{"pending", "completed", "reversed", "pending", "completed"}},
		{"repeated after a failure", func(w chainWorld, s *shop) {
			s.answer = func(try int) int { return cmp.Or(map[int]int{1: 500}[try], 204) }
			w.mine(1)
			w.advance("5s")
		}, []string{"pending", "pending"}},
		{"repeated after a redirect", func(w chainWorld, s *shop) {
			s.answer = func(try int) int { return cmp.Or(map[int]int{1: 301}[try], 204) }
			w.mine(1)
			w.advance("5s")
		}, []string{"pending", "pending"}},
		{"duplicate", func(w chainWorld, _ *shop) { w.fault("duplicate", ""); w.mine(1) }, []string{"pending", "pending"}},
		{"delay", func(w chainWorld, _ *shop) {
			w.fault("delay", `,"by":"10s"`)
			w.mine(1)
			w.mine(3)
			w.advance("10s")
		}, []string{"completed", "pending"}},
		{"reorder", func(w chainWorld, _ *shop) { w.fault("reorder", ""); w.mine(1); w.mine(3) }, []string{"completed", "pending"}},
		{
			"wrong signature", func(w chainWorld, _ *shop) { w.fault("wrong_signature", ""); w.mine(1) },
			[]string{"pending: unable to verify payload, err: no matching signature found"},
		},
		{
			"old timestamp", func(w chainWorld, _ *shop) { w.fault("old_timestamp", ""); w.mine(1) },
			[]string{"pending: unable to verify payload, err: message timestamp too old"},
		},
		{"calls back", func(w chainWorld, s *shop) {
			var called atomic.Bool
			s.called = func() {
				if !called.Swap(true) {
					w.mine(3)
				}
			}
			w.mine(1)
		}, []string{"pending", "completed"}},
		{"removed", func(w chainWorld, _ *shop) {
			w.control(http.MethodDelete, "/worlds/"+w.id+"/webhooks/shop", "")
			w.mine(1)
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			own := *g
			own.t = t
			w, receiver := own.webhookWorld(t, strings.ReplaceAll(c.name, " ", "-"))
			w.pay("0.5")
			c.do(w, receiver)
			receiver.expect(t, c.want...)
		})
	}
	t.Run("drop", func(t *testing.T) {
		own := *g
		own.t = t
		lost, receiver := own.webhookWorld(t, "drop")
		lost.pay("0.5")
		lost.fault("drop", "")
		lost.mine(1)
		lost.mine(3)
		receiver.expect(t, "completed")
		rec := g.ask(http.MethodGet, "/v1/events", "", "Sim-World", "drop")
		var events struct{ Data []struct{ ID, Type string } }
		if err := json.Unmarshal(rec.Body.Bytes(), &events); err != nil || len(events.Data) != 2 {
			t.Fatalf("got %v: %s, want the events that the webhooks hint at", err, rec.Body)
		}
		w, _ := g.Worlds.Find("drop")
		var got []string
		for seq := uint64(1); seq <= w.Journal().State().Last; seq++ {
			if e, ok := w.Journal().Entry(seq); ok && e.Webhook != nil {
				got = append(got, fmt.Sprint(e.Webhook.Type, " ", e.Webhook.Status, " ", e.Webhook.Effect))
			}
		}
		slices.Sort(got)
		if diff := gocmp.Diff([]string{"transaction.completed 204 ", "transaction.pending 0 drop"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A sandbox sends no webhook to a listener of its own, however the URL names it.
func TestWebhooks_OwnListeners(t *testing.T) {
	t.Parallel()
	public, operator := newShop(t), newShop(t)
	g := newSandboxEnv(t, "CAUSEWAY_LISTEN="+public.Listener.Addr().String(),
		"CAUSEWAY_OPERATOR_LISTEN="+operator.Listener.Addr().String())
	w := g.chainWorld("own", "BTC", "BTC")
	urls := map[string]string{
		"public": public.URL, "operator": operator.URL + "/_sim/v1/worlds",
		"name": strings.Replace(public.URL, "127.0.0.1", "localhost", 1),
		"ipv6": strings.Replace(public.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1),
	}
	for name, url := range urls {
		g.control(http.MethodPut, "/worlds/own/webhooks/"+name, `{"url":"`+url+`"}`)
	}
	t.Cleanup(func() { g.send(catalog.Request{Method: http.MethodDelete, Path: control.Prefix + "/worlds/own"}) })
	w.pay("0.5")
	w.mine(1)
	world, err := g.Worlds.Find("own")
	if err != nil {
		t.Fatal(err)
	}
	all, err := storesOf(world).transactions.Deliveries().Deliveries(t.Context(), ports.DeliveryQuery{Limit: len(urls) + 1})
	if err != nil || len(all) != len(urls) {
		t.Fatalf("got %d deliveries, %v; want %d", len(all), err, len(urls))
	}
	for _, d := range all {
		if d.Status != core.DeliveryPending || d.Tries != 1 || !strings.Contains(d.Problem, "resolves to ourselves") {
			t.Errorf("%s: got %+v, want a try that was refused", d.Endpoint, d)
		}
	}
	public.expect(t)
	operator.expect(t)
}

func TestWebhooks_BadReceivers(t *testing.T) {
	t.Parallel()
	g := newSandboxEnv(t)
	g.chainWorld("bad", "BTC", "BTC")
	for name, c := range map[string]struct{ path, body, want string }{
		"name":        {"Shop", `{"url":"http://127.0.0.1:1/"}`, `"name"`},
		"no URL":      {"shop", `{"url":""}`, `"url"`},
		"credentials": {"shop", `{"url":"http://a:planted@127.0.0.1:1/"}`, `"url"`},
		"secret":      {"shop", `{"url":"http://127.0.0.1:1/","secret":"planted"}`, `"secret"`},
		"type":        {"shop", `{"url":"http://127.0.0.1:1/","events":["transfer.done"]}`, `"events"`},
	} {
		t.Run(name, func(t *testing.T) {
			rec := g.send(catalog.Request{
				Method: http.MethodPut, Path: control.Prefix + "/worlds/bad/webhooks/" + c.path, Body: c.body,
			})
			if rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), c.want) ||
				strings.Contains(rec.Body.String(), "planted") {
				t.Errorf("got %d %s, want 400 with the field %s and no planted value", rec.Code, rec.Body, c.want)
			}
		})
	}
}
