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

// realm is a second world behind the API of a first one.
func realm(t *testing.T, w *world, object func(*http.Request, string) error) (*httpapi.Realm, *resolver) {
	t.Helper()
	book, people := &pairBook{known: map[string]bool{}}, newResolver()
	s := snapshot()
	s.Quotes = s.Quotes[:1]
	book.publish(s)
	return w.api.In(httpapi.Services{
		Pairs: book, Banks: w.banks, Recipients: people, Addresses: w.addresses, Currencies: currencies(), Countries: countries(),
	}, httpapi.Seams{Clock: func() time.Time { return noon }, Entropy: func() uint64 { return 7 }, Object: object}), people
}

func at(t *testing.T, handler http.Handler, target string) *httptest.ResponseRecorder {
	t.Helper()
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody))
	return rec
}

func TestRealmsAreApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other, people := realm(t, w, nil)
	id := snapshot().Quotes[1].ID
	if here, there := w.get("/v1/pairs/"+id), at(t, other, "/v1/pairs/"+id); here.Code != http.StatusOK || there.Code != http.StatusNotFound {
		t.Errorf("%s: %d here and %d there, want it here alone", id, here.Code, there.Code)
	}
	if here, there := w.get("/v1/banks").Body.String(), at(t, other, "/v1/banks").Body.String(); here != there {
		t.Error("the banks differ, though they are the same service's")
	}
	const question = `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`
	rec := httptest.NewRecorder()
	other.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/recipients/resolve-bank-account", strings.NewReader(question)))
	if rec.Code != http.StatusOK || people.asked.Load() == 0 && people.request.Country != "NG" || w.recipients.request.Country != "" {
		t.Errorf("got %d; the question went to %+v and %+v", rec.Code, people.request, w.recipients.request)
	}
}

func TestAPlayedErrorHasWhatARealOneHas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	play := func(name string) *httptest.ResponseRecorder {
		handler, _ := realm(t, w, func(*http.Request, string) error {
			err, _ := httpapi.Refusal(name, "played", 7*time.Second)
			return err
		})
		return at(t, handler, "/v1/banks")
	}
	if rec := play("request_validation"); !strings.Contains(rec.Body.String(), `"fields":{"sandbox":[{"reason":"played"}]}`) {
		t.Errorf("no field is named: %s", rec.Body)
	}
	if rec := play("service_unavailable"); !strings.Contains(rec.Body.String(), `"message":"Cannot be told right now. played"`) {
		t.Errorf("the message is not the usual one and the reason: %s", rec.Body)
	}
	if rec := play("method_not_allowed"); rec.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("no methods are named: %v", rec.Header())
	}
	if rec := play("too_many_requests"); rec.Header().Get("Retry-After") != "7" || rec.Header().Get("Ratelimit") != "" && !strings.HasSuffix(rec.Header().Get("Ratelimit"), ";r=0;t=7") {
		t.Errorf("the limit is not used up: %v", rec.Header())
	}
}

func TestObjections(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	refusal, known := httpapi.Refusal("too_many_requests", "", 7*time.Second)
	if !known {
		t.Fatal("an error of the contract is not known")
	}
	if _, known := httpapi.Refusal("nonsense", "", 0); known {
		t.Error("an error that the contract does not have is known")
	}
	other, _ := realm(t, w, func(_ *http.Request, operation string) error {
		if operation == "list-banks" {
			return refusal
		}
		return nil
	})
	rec := at(t, other, "/v1/banks")
	if rec.Code != http.StatusTooManyRequests || rec.Header().Get("Retry-After") != "7" || !strings.Contains(rec.Body.String(), `"too_many_requests"`) {
		t.Errorf("got %d, %s", rec.Code, rec.Body)
	}
	if rec := at(t, other, "/v1/countries"); rec.Code != http.StatusOK {
		t.Errorf("another operation: %d", rec.Code)
	}
	rec = httptest.NewRecorder()
	other.Refuse(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/banks", http.NoBody), core.Errorf(core.NotFound, "There is no such world"))
	if rec.Code != http.StatusNotFound || !strings.Contains(rec.Body.String(), "There is no such world") || rec.Header().Get("X-Request-Id") == "" {
		t.Errorf("got %d, %s", rec.Code, rec.Body)
	}
}
