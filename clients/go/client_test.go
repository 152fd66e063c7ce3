package causeway_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	causeway "causeway/clients/go"
	"causeway/clients/go/api"
)

// server is a RoundTripper that sends one response after another, and the last one again.
type server struct {
	responses []response
	requests  []*http.Request
}

type response struct {
	status int
	header map[string]string
	body   string
	err    error     // of the connection
	then   io.Reader // follows the body
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	r := s.responses[min(len(s.requests), len(s.responses)-1)]
	s.requests = append(s.requests, req)
	if r.err != nil {
		return nil, r.err
	}
	body := io.Reader(strings.NewReader(r.body))
	if r.then != nil {
		body = io.MultiReader(body, r.then)
	}
	resp := &http.Response{StatusCode: r.status, Header: http.Header{}, Body: io.NopCloser(body), Request: req}
	for name, value := range r.header {
		resp.Header.Set(name, value)
	}
	return resp, nil
}

func newClient(t *testing.T, s http.RoundTripper, options ...causeway.Option) *causeway.Client {
	t.Helper()
	client, err := causeway.New("http://causeway.test/base",
		append(options, causeway.WithHTTPClient(&http.Client{Transport: s}))...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

const (
	unavailable = `{"error":{"name":"service_unavailable","message":"Retry later"},"request_id":"req_1"}`
	noBanks     = `{"status":"success","message":"Banks found","data":[]}`
)

func TestNew_InvalidServer(t *testing.T) {
	t.Parallel()
	for _, server := range []string{"", "localhost:8080", "ftp://localhost", "http://", "http://[::1"} {
		if _, err := causeway.New(server); err == nil || !strings.Contains(err.Error(), "http://localhost:8080") {
			t.Errorf("New(%q): %v", server, err)
		}
	}
}

func TestClient_Request(t *testing.T) {
	t.Parallel()
	s := &server{responses: []response{{status: 200, body: noBanks}}}
	client := newClient(t, s, causeway.WithKey("k1")).With(causeway.WithHeader("Sim-World", "w1"))
	banks, err := client.ListBanks(t.Context(), api.ListBanksParams{Country: "NG", Q: "first bank"})
	if err != nil || banks == nil || len(banks) != 0 {
		t.Fatal(banks, err)
	}
	req := s.requests[0]
	if got, want := req.URL.String(), "http://causeway.test/base/v1/banks?country=NG&q=first+bank"; got != want {
		t.Errorf("URL %s, want %s", got, want)
	}
	if req.Header.Get("Authorization") != "Bearer k1" || req.Header.Get("Sim-World") != "w1" {
		t.Errorf("header %v", req.Header)
	}
}

// TestClient_Options checks that a parameter or option of a call replaces the client's.
func TestClient_Options(t *testing.T) {
	t.Parallel()
	s := &server{responses: []response{{status: 200, body: `{"data":{}}`}}}
	client := newClient(t, s, causeway.WithUser("u1"))
	for _, c := range []struct {
		client *causeway.Client
		user   string // of the parameters
		want   string
	}{{client, "", "u1"}, {client, "u2", "u2"}, {client.With(causeway.WithUser("u3")), "", "u3"}} {
		t.Run(c.want, func(t *testing.T) {
			if _, err := c.client.GetBalance(t.Context(), "BTC", api.GetBalanceParams{User: c.user}); err != nil {
				t.Fatal(err)
			}
			if got := s.requests[len(s.requests)-1].Header.Get("X-BU-PROFILE-ID"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestClient_Operations checks that there is a method for every operation, named after its ID.
func TestClient_Operations(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../adapters/httpapi/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(text, &document); err != nil || len(document.Paths) == 0 {
		t.Fatal(err, len(document.Paths))
	}
	for _, operations := range document.Paths {
		for _, operation := range operations {
			name := ""
			for word := range strings.SplitSeq(operation.OperationID, "-") {
				name += strings.ToUpper(word[:1]) + word[1:]
			}
			if _, ok := reflect.TypeFor[*causeway.Client]().MethodByName(name); !ok {
				t.Errorf("the client has no method %s", name)
			}
		}
	}
}

func TestClient_GetAddressQr(t *testing.T) {
	t.Parallel()
	image := map[string]string{"Content-Type": "image/svg+xml"}
	for name, c := range map[string]struct {
		response response
		want     string
	}{
		"image":   {response{status: 200, header: image, body: "<svg/>"}, "<svg/>"},
		"foreign": {response{status: 200, header: map[string]string{"Content-Type": "text/html"}, body: "<html>"}, ""},
		"error":   {response{status: 400, body: unavailable}, ""},
	} {
		got, err := newClient(t, &server{responses: []response{c.response}}).GetAddressQr(t.Context(), "BTC", api.GetAddressQrParams{})
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, c.want)
		}
	}
}

func TestClient_Errors(t *testing.T) {
	t.Parallel()
	html := map[string]string{"Content-Type": "text/html"}
	for name, c := range map[string]struct {
		response response
		want     causeway.Error // without Message
		text     string         // part of the message
	}{
		"field": {
			response{status: 400, body: `{"error":{"name":"request_validation","message":"country is \"N\""},` +
				`"request_id":"req_2","fields":{"country":[{"reason":"is \"N\""}]}}`},
			causeway.Error{Status: 400, Name: "request_validation", RequestID: "req_2"}, `country is "N"`,
		},
		"unavailable": {
			response{status: 503, body: unavailable, header: map[string]string{"Retry-After": "7"}},
			causeway.Error{Status: 503, Name: "service_unavailable", RequestID: "req_1", RetryAfter: 7 * time.Second},
			"Retry later",
		},
		"page of a proxy": {
			response{status: 502, body: "<html>secret</html>", header: html},
			causeway.Error{Status: 502}, `sent "text/html"`,
		},
		"login page": {
			response{status: 200, body: "<html>secret</html>", header: html},
			causeway.Error{Status: 200}, "check the address",
		},
		"older server":    {response{status: 200, body: `{"banks":[]}`}, causeway.Error{Status: 200}, "server's version"},
		"other type":      {response{status: 200, body: `{"data":{"a":1}}`}, causeway.Error{Status: 200}, "server's version"},
		"error as a text": {response{status: 404, body: `{"error":"secret"}`}, causeway.Error{Status: 404}, "server's version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, &server{responses: []response{c.response}}, causeway.WithRetries(0))
			_, err := client.ListBanks(t.Context(), api.ListBanksParams{Country: "N"})
			var got *causeway.Error
			if !errors.As(err, &got) || got.Status != c.want.Status || got.Name != c.want.Name ||
				got.RequestID != c.want.RequestID || got.RetryAfter != c.want.RetryAfter {
				t.Fatalf("got %#v, want %#v", err, c.want)
			}
			if !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want a text with %s", err, c.text)
			}
			if c.want.Name == "request_validation" && got.Fields["country"][0].Reason != `is "N"` {
				t.Errorf("fields %v", got.Fields)
			}
		})
	}
}

func TestClient_ConnectionErrors(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]response{
		"refused": {err: errors.New("connection refused")},
		"cut off": {status: 200, body: `{"data":[{"co`, then: failing{}},
	} {
		client := newClient(t, &server{responses: []response{r}}, causeway.WithRetries(0))
		_, err := client.ListBanks(t.Context(), api.ListBanksParams{AccountNumber: "0123456789"})
		if err == nil || !strings.Contains(err.Error(), "GET causeway.test/base/v1/banks: ") ||
			strings.Contains(err.Error(), "0123456789") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestClient_Retries(t *testing.T) {
	t.Parallel()
	later := func(status, seconds int) response {
		return response{status: status, body: unavailable, header: map[string]string{"Retry-After": strconv.Itoa(seconds)}}
	}
	good := response{status: 200, body: noBanks}
	for name, c := range map[string]struct {
		responses   []response
		limit       time.Duration // of the context
		requests    int
		least, most time.Duration
		fails       bool
	}{
		"success":              {[]response{good}, time.Minute, 1, 0, 0, false},
		"Retry-After":          {[]response{later(429, 3), later(503, 4), good}, time.Minute, 3, 7 * time.Second, 7 * time.Second, false},
		"connection":           {[]response{{err: io.ErrUnexpectedEOF}, good}, time.Minute, 2, 125 * time.Millisecond, 250 * time.Millisecond, false},
		"gateway":              {[]response{{status: 502}, {status: 504}, good}, time.Minute, 3, 375 * time.Millisecond, 750 * time.Millisecond, false},
		"too many":             {[]response{later(503, 1)}, time.Minute, 4, 3 * time.Second, 3 * time.Second, true},
		"too long":             {[]response{later(503, 11), good}, time.Minute, 1, 0, 0, true},
		"longer than context":  {[]response{later(503, 5), good}, 4 * time.Second, 1, 0, 0, true},
		"not worth repeating":  {[]response{{status: 500, body: unavailable}, good}, time.Minute, 1, 0, 0, true},
		"end of the context":   {[]response{{err: io.ErrUnexpectedEOF}}, 100 * time.Millisecond, 1, 0, 100 * time.Millisecond, true},
		"invalid Retry-After":  {[]response{{status: 503, header: map[string]string{"Retry-After": "soon"}}, good}, time.Minute, 2, 0, time.Second, false},
		"Retry-After overflow": {[]response{{status: 503, header: map[string]string{"Retry-After": "99999999999999999999"}}, good}, time.Minute, 1, 0, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), c.limit)
				defer cancel()
				s, start := &server{responses: c.responses}, time.Now()
				_, err := newClient(t, s).ListBanks(ctx, api.ListBanksParams{})
				took := time.Since(start)
				if (err != nil) != c.fails || len(s.requests) != c.requests || took < c.least || took > c.most {
					t.Errorf("%d requests in %v: %v", len(s.requests), took, err)
				}
			})
		})
	}
}

// TestClient_RetriesBody checks that a retry repeats the body and the idempotency key.
func TestClient_RetriesBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{responses: []response{{status: 503}, {status: 200, body: `{"data":{}}`}}}
		_, err := newClient(t, s).RegenerateAddress(t.Context(), api.RegenerateAddressParams{User: "u1"},
			api.RegenerateInput{Currency: "BTC"})
		if err != nil || len(s.requests) != 2 {
			t.Fatal(err, len(s.requests))
		}
		key := s.requests[0].Header.Get("Idempotency-Key")
		body, _ := io.ReadAll(s.requests[1].Body)
		if key == "" || s.requests[1].Header.Get("Idempotency-Key") != key || string(body) != `{"currency":"BTC"}` {
			t.Errorf("key %q, then %v with %s", key, s.requests[1].Header, body)
		}
	})
}

var sse = map[string]string{"Content-Type": "text/event-stream"}

// event returns an event as the server sends it.
func event(id, name, pairs string) string {
	return "id: " + id + "\nevent: " + name + "\ndata: " + pairs + "\n\n"
}

// TestClient_StreamPairs loses connections in every way, and ends when the server rejects the request.
func TestClient_StreamPairs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := &server{responses: []response{
			{status: 503, body: unavailable},
			{status: 200, header: sse, body: event("1", "snapshot", `[{"id":"BTCNGN"},{"id":"ETHNGN"}]`) + "id: 2\nevent: cha"},
			{status: 200, header: sse, body: ": ping\n\n" + event("3", "change", `[{"id":"ETHNGN"}]`), then: failing{}},
			{status: 502, header: map[string]string{"Content-Type": "text/html"}, body: "<html>"},
			{status: 200, header: sse, body: ": ping\n\n", then: &silent{}},
			{status: 400, body: `{"error":{"name":"request_validation","message":"currency is gone"},"request_id":"req_3"}`},
		}}
		var got []string
		for event, err := range newClient(t, s).StreamPairs(ctx, api.StreamPairsParams{Currency: "NGN"}) {
			if err != nil {
				got = append(got, err.Error())
				continue
			}
			got = append(got, event.ID+" "+event.Event+" "+strconv.Itoa(len(event.Pairs)))
		}
		want := "1 snapshot 2; 3 change 1; causeway: request_validation: currency is gone (req_3)"
		if strings.Join(got, "; ") != want {
			t.Errorf("got %q, want %s", got, want)
		}
		ids := make([]string, len(s.requests))
		for i, req := range s.requests {
			ids[i] = req.Header.Get("Last-Event-ID")
		}
		if strings.Join(ids, ",") != ",,1,3,3,3" {
			t.Errorf("Last-Event-ID %q", ids)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// TestClient_StreamPairsOutage stops the server after the first event.
func TestClient_StreamPairsOutage(t *testing.T) {
	t.Parallel()
	for _, outage := range []time.Duration{4 * time.Second, time.Minute, time.Hour} {
		t.Run(outage.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start, s := time.Now(), &server{responses: []response{
					{status: 200, header: sse, body: event("1", "snapshot", "[]")},
					{status: 200, header: sse, body: event("2", "change", "[]")},
				}}
				client := newClient(t, roundTripper(func(req *http.Request) (*http.Response, error) {
					if len(s.requests) > 0 && time.Since(start) < outage {
						return nil, errors.New("connection refused")
					}
					return s.RoundTrip(req)
				}))
				var ids []string
				for event, err := range client.StreamPairs(t.Context(), api.StreamPairsParams{}) {
					if err != nil {
						t.Fatal(err)
					}
					if ids = append(ids, event.ID); len(ids) == 2 {
						break
					}
				}
				late, last := time.Since(start)-outage, s.requests[1].Header.Get("Last-Event-ID")
				if ids[1] != "2" || last != "1" || late > 10*time.Second {
					t.Errorf("events %v, Last-Event-ID %q, %v late", ids, last, late)
				}
			})
		})
	}
}

// silent is a connection on which nothing arrives until the client gives up.
type silent struct{}

func (*silent) Read([]byte) (int, error) {
	time.Sleep(45 * time.Second) // in the bubble of synctest
	return 0, context.Canceled
}

func TestClient_StreamPairsEnds(t *testing.T) {
	t.Parallel()
	snapshot := response{status: 200, header: sse, body: event("1", "snapshot", "[]")}
	for name, c := range map[string]struct {
		response response
		want     string // error of the last value; empty: the loop ends first
	}{
		"loop":         {snapshot, ""},
		"no server":    {response{err: errors.New("refused")}, "refused"},
		"login page":   {response{status: 200, header: map[string]string{"Content-Type": "text/html"}}, "check the address"},
		"no event":     {response{status: 200, header: sse}, "unexpected EOF"},
		"no pairs":     {response{status: 200, header: sse, body: event("1", "change", "hello")}, "check the address"},
		"other events": {response{status: 200, header: sse, body: event("1", "news", "hello")}, "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{responses: []response{c.response}}
			for _, err := range newClient(t, s, causeway.WithRetries(0)).StreamPairs(t.Context(), api.StreamPairsParams{}) {
				if c.want == "" && err == nil {
					break
				}
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %s", err, c.want)
				}
			}
			if len(s.requests) != 1 {
				t.Errorf("%d requests", len(s.requests))
			}
		})
	}
}

func TestClient_StreamPairsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		events, last := 0, error(nil)
		s := &server{responses: []response{{status: 200, header: sse, body: event("1", "snapshot", "[]")}}}
		for _, err := range newClient(t, s).StreamPairs(ctx, api.StreamPairsParams{}) {
			events++
			last = err
		}
		if events < 2 || !errors.Is(last, context.DeadlineExceeded) {
			t.Errorf("%d events, then %v", events, last)
		}
	})
}
