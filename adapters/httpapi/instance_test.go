package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"causeway/adapters/httpapi"
	"causeway/core"
)

// otherWorld serves another Instance of a world's API to requests with the header Sim-World.
func otherWorld(w *world) *resolver {
	book, people := &pairBook{known: map[string]bool{}}, newResolver()
	s := snapshot()
	s.Quotes = s.Quotes[:1]
	book.publish(s)
	instance := w.api.NewInstance(httpapi.Services{
		Pairs: book, Banks: w.banks, Recipients: people, Addresses: w.addresses, Currencies: currencies()[:1], Countries: countries(),
	}, httpapi.InstanceConfig{Clock: func() time.Time { return noon }, Entropy: func() uint64 { return 7 }})
	w.handler = w.api.Handler(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			switch r.Header.Get("Sim-World") {
			case "other":
				r = r.WithContext(httpapi.WithInstance(r.Context(), instance))
			case "gone":
				httpapi.WriteError(rw, r, core.Errorf(core.Expired, "The world has ended"))
				return
			}
			next.ServeHTTP(rw, r)
		})
	})
	return people
}

func TestInstances(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	people := otherWorld(w)
	id := snapshot().Quotes[1].ID
	if here, there := w.get("/v1/pairs/"+id), w.get("/v1/pairs/"+id, "Sim-World: other"); here.Code != 200 || there.Code != 404 {
		t.Errorf("%s: %d in the default instance, %d in the other", id, here.Code, there.Code)
	}
	if here, there := w.get("/v1/banks").Body.String(), w.get("/v1/banks", "Sim-World: other").Body.String(); here != there {
		t.Error("the banks of one service differ")
	}
	if rec := w.get("/v1/currencies/BTC", "Sim-World: other"); rec.Code != 404 {
		t.Errorf("a currency of the default instance: %d", rec.Code)
	}
	w.api.Instance().SetCurrencies(currencies()[:1])
	if rec := w.get("/v1/currencies/BTC"); rec.Code != 404 {
		t.Errorf("a currency that was removed: %d", rec.Code)
	}
	rec := w.post(resolvePath, goodRequest, "Sim-World: other")
	if rec.Code != 200 || people.request.Country != "NG" || w.recipients.request.Country != "" {
		t.Errorf("%d; the request reached %+v and %+v", rec.Code, people.request, w.recipients.request)
	}
	if rec = w.get("/v1/pairs", "Sim-World: gone"); rec.Code != 410 || errorOf(t, rec.Body.Bytes()).RequestID == "" {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if lines := w.logs.FilterMessage("request").All(); lines[len(lines)-1].ContextMap()["status"] != int64(410) {
		t.Error("a refusal of the sandbox is not in the access log")
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *httpapi.Config, _ *httpapi.Services) {
		c.Outcome = func(r *http.Request) httpapi.Outcome {
			return httpapi.Outcome{Error: r.Header.Get("Sim-Scenario"), Name: "requested", RetryAfter: 7 * time.Second}
		}
	})
	for name, check := range map[string]func(*httptest.ResponseRecorder) bool{
		"nonsense":            func(rec *httptest.ResponseRecorder) bool { return rec.Code == 200 },
		"service_unavailable": func(rec *httptest.ResponseRecorder) bool { return rec.Header().Get("Retry-After") == "7" },
		"method_not_allowed":  func(rec *httptest.ResponseRecorder) bool { return rec.Header().Get("Allow") == "GET, HEAD, OPTIONS" },
		"request_validation": func(rec *httptest.ResponseRecorder) bool {
			return strings.Contains(rec.Body.String(), `"fields":{"sandbox":`)
		},
	} {
		if rec := w.get("/v1/banks", "Sim-Scenario: "+name); !check(rec) {
			t.Errorf("%s: %d %v %s", name, rec.Code, rec.Header(), rec.Body)
		}
	}
}
