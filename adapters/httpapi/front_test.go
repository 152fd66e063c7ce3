package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/adapters/httpapi"
)

// withKeys has the lists need a key, too.
func withKeys(c *httpapi.Config, s *httpapi.Services) {
	production(c, s)
	c.Auth.Operations = append(c.Auth.Operations, "list-banks", "list-pairs")
}

// behindADoor is the API of a sandbox, which somebody stands before.
func behindADoor(c *httpapi.Config, _ *httpapi.Services) {
	c.CORSOrigins = []string{origin}
	c.Front = httpapi.Front{
		Asks: []httpapi.Header{{Name: "Door-Room", Doc: "which room"}}, Tells: []httpapi.Header{{Name: "Door-Time", Doc: "what time"}}, Errors: []string{"world_expired"},
	}
}

// TestNobodyElseGetsWhatAKeyIsNeededFor: a shared cache may give away what is public, also where the request had a key.
func TestNobodyElseGetsWhatAKeyIsNeededFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withKeys)
	for _, path := range []string{"/v1/banks", "/v1/pairs", "/v1/banks?country=NG", "/v1/pairs?currency=NGN"} {
		rec := w.get(path, "Authorization: Bearer key-of-alice")
		cache := rec.Header().Get("Cache-Control")
		if rec.Code != http.StatusOK || !strings.HasPrefix(cache, "private, ") || !strings.Contains(cache, "max-age=") {
			t.Errorf("%s: %d, %q", path, rec.Code, cache)
		}
	}
	if cache := w.get("/v1/countries").Header().Get("Cache-Control"); !strings.HasPrefix(cache, "public, ") {
		t.Errorf("of what needs none: %q", cache)
	}
}

// TestCachesTellApartWhatADoorTellsApart: and pages of other origins can knock at it.
func TestCachesTellApartWhatADoorTellsApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, behindADoor)
	h := w.get("/v1/pairs", "Origin: "+origin).Header()
	if vary := h.Values("Vary"); !slices.Contains(vary, "Door-Room") || !strings.HasPrefix(vary[0], "Accept-Encoding") {
		t.Errorf("Vary: %q", vary)
	}
	if shown := h.Get("Access-Control-Expose-Headers"); !strings.HasSuffix(shown, ", Door-Time") || !strings.Contains(shown, "ETag") {
		t.Errorf("exposed: %q", shown)
	}
	preflight := w.ask("OPTIONS", "/v1/validate", "", "Origin: "+origin, "Access-Control-Request-Method: POST").Header()
	if allowed := preflight.Get("Access-Control-Allow-Headers"); !strings.HasSuffix(allowed, ", Door-Room") || !strings.Contains(allowed, "Authorization") {
		t.Errorf("allowed: %q", allowed)
	}
	if vary := newWorld(t).get("/v1/pairs").Header().Values("Vary"); len(vary) != 1 {
		t.Errorf("without a door: %q", vary)
	}
}

// TestTheDocumentSaysWhatAllOperationsHaveInCommon looks at every operation, in each of the ways in which an API is made.
func TestTheDocumentSaysWhatAllOperationsHaveInCommon(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set    func(*httpapi.Config, *httpapi.Services)
		keyed  []string
		door   bool
		limits bool
	}{
		"a sandbox":           {set: behindADoor, door: true},
		"production":          {set: withKeys, keyed: []string{"resolve-account", "list-banks", "list-pairs"}},
		"one that has limits": {set: limited, keyed: []string{"resolve-account"}, limits: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, _ := served(t, newWorld(t, c.set))
			for path, item := range doc.Paths.Map() {
				for method, op := range item.Operations() {
					at := method + " " + path
					has := func(status string) bool { return op.Responses.Value(status) != nil }
					keyed := slices.Contains(c.keyed, op.OperationID)
					if !has("429") || !has("500") || !has("503") || keyed != (op.Security != nil && len(*op.Security) == 1) || keyed && (!has("401") || !has("403")) || c.door != has("410") {
						t.Errorf("%s: statuses %v, security %v", at, op.Responses.Map(), op.Security)
					}
					for status, response := range op.Responses.Map() {
						told := response.Value.Headers
						if (told["Door-Time"] != nil) != c.door || (told["RateLimit"] != nil) != (c.limits && op.OperationID != "list-banks") {
							t.Errorf("%s %s: headers %v", at, status, told)
						}
					}
					if room := op.Parameters.GetByInAndName("header", "Door-Room"); (room != nil) != c.door {
						t.Errorf("%s: parameters %v", at, op.Parameters)
					}
				}
			}
		})
	}
}
