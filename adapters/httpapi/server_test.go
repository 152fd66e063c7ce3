package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap/zapcore"

	"causeway/adapters/httpapi"
	"causeway/core"
	"causeway/core/recipients"
)

func serving(t *testing.T, w *world) (address string) {
	t.Helper()
	server := httptest.NewServer(w.handler)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func panicking(p any) func(*httpapi.Config, *httpapi.Services) {
	return func(_ *httpapi.Config, s *httpapi.Services) {
		s.Recipients = &resolver{resolve: func(context.Context, recipients.Request) (core.Account, error) { panic(p) }}
	}
}

func TestPanic(t *testing.T) {
	t.Parallel()
	w := newWorld(t, panicking("secret of 0123456789"))
	const trace = "0af7651916cd43dd8448eb211c80319c"
	rec := w.post(resolvePath, goodRequest, "Traceparent: 00-"+trace+"-b7ad6b7169203331-00")
	if form := errorOf(t, rec.Body.Bytes()); rec.Code != http.StatusInternalServerError || form.Error.Message != "Internal error" {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
	panics := w.logs.FilterMessage("panic").All()
	if len(panics) != 1 || panics[0].Level != zapcore.ErrorLevel || panics[0].ContextMap()["stack"] == "" || panics[0].ContextMap()["request_id"] != rec.Header().Get("X-Request-Id") ||
		panics[0].ContextMap()["trace_id"] != trace {
		t.Errorf("logged %v", panics)
	}
	if lines := w.logs.FilterMessage("request").All(); len(lines) != 1 || lines[0].ContextMap()["status"] != int64(500) {
		t.Errorf("logged %v", lines)
	}
	if rec := w.post(resolvePath, goodRequest); rec.Code != http.StatusInternalServerError {
		t.Errorf("the next request: got %d", rec.Code)
	}
}

func TestPanic_AbortHandler(t *testing.T) {
	t.Parallel()
	w := newWorld(t, panicking(http.ErrAbortHandler))
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
			t.Errorf("recovered %v", err)
		}
		exports(t, w, "causeway_http_requests_in_flight 0")
	}()
	w.post(resolvePath, goodRequest)
	t.Error("the response was completed")
}

func TestAccessLog(t *testing.T) {
	t.Parallel()
	const trace = "0af7651916cd43dd8448eb211c80319c"
	w := newWorld(t)
	for _, c := range []struct {
		method, target, operation, label string
		header                           []string
		trace                            any
		status                           int64
	}{
		{"GET", "/v1/pairs?currency=NGN", "list-pairs", "GET", []string{"Traceparent: 00-" + trace + "-b7ad6b7169203331-01"}, trace, 200},
		{"GET", "/v1/pairs/BTCNGN", "get-pair", "GET", []string{"Traceparent: 00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01"}, nil, 200},
		{"GET", "/v1/banks?account_number=0123456785", "list-banks", "GET", []string{"Traceparent: 00-" + trace + "-b7ad6b7169203331-01-x"}, nil, 200},
		{"HEAD", "/v1/currencies", "list-currencies", "HEAD", []string{"Traceparent: cc-" + trace + "-b7ad6b7169203331-01-what"}, trace, 200},
		{"GET", "/v1/currencies/XYZ", "get-currency", "GET", []string{"Traceparent: 00-" + strings.ToUpper(trace) + "-b7ad6b7169203331-01"}, nil, 404},
		{"GET", "/v1/countries", "list-countries", "GET", []string{"Traceparent: ff-" + trace + "-b7ad6b7169203331-01"}, nil, 200},
		{"POST", "/v1/validate", "validate-address", "POST", []string{"Traceparent: garbage"}, nil, 400},
		{"POST", resolvePath, "resolve-account", "POST", nil, nil, 400},
		{"GET", "/docs", "docs", "GET", nil, nil, 200},
		{"GET", "/openapi.json", "openapi", "GET", nil, nil, 200},
		{"GET", "/errors/not_found", "errors", "GET", nil, nil, 200},
		{"GET", "/nothing/0123456789", "unknown", "GET", nil, nil, 404},
		{"BREW", "/v1/pairs", "unknown", "other", nil, nil, 405},
	} {
		w.logs.TakeAll()
		rec := w.do(c.method, c.target, "", c.header...)
		lines := w.logs.FilterMessage("request").All()
		if len(lines) != 1 {
			t.Errorf("%s %s: %d lines", c.method, c.target, len(lines))
			continue
		}
		line := lines[0].ContextMap()
		size := int64(rec.Body.Len())
		if c.method == http.MethodHead {
			size = 0 // net/http sends no body; httptest.ResponseRecorder records it
		}
		want := map[string]any{
			"operation": c.operation, "method": c.label, "status": c.status, "bytes": size, "duration": time.Duration(0),
			"request_id": rec.Header().Get("X-Request-Id"),
		}
		if c.trace != nil {
			want["trace_id"] = c.trace
		}
		if !maps.Equal(line, want) || lines[0].LoggerName != "httpapi" || lines[0].Level != zapcore.InfoLevel {
			t.Errorf("%s %s: logged %v, want %v", c.method, c.target, lines[0], want)
		}
	}
	got := counts(t, w)
	for series, n := range map[string]int{"list-pairs 200": 1, "get-currency 404": 1, "unknown 404": 1, "unknown 405": 1, "validate-address 400": 1, "list-pairs 500": 0} {
		if got[series] != n {
			t.Errorf("%s: counted %d, want %d", series, got[series], n)
		}
	}
}

func TestErrorLog_Cause(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err     error
		message string
		level   zapcore.Level
	}{
		{errDial, "request failed", zapcore.ErrorLevel},
		{core.Errorf(core.Internal, "A defect").With(errDial), "request failed", zapcore.ErrorLevel},
		{core.Errorf(core.Unavailable, "Not now").With(errDial), "request failed upstream", zapcore.WarnLevel},
	} {
		w := newWorld(t, resolving(c.err))
		for _, accept := range []string{"*/*", "application/problem+json"} {
			w.logs.TakeAll()
			rec := w.post(resolvePath, goodRequest, "Accept: "+accept, "Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
			if strings.Contains(rec.Body.String(), "10.1.2.3") || strings.Contains(rec.Body.String(), "sk_live") {
				t.Errorf("%v: the body shows it: %s", c.err, rec.Body)
			}
			lines := w.logs.FilterMessage(c.message).All()
			if len(lines) != 1 || lines[0].Level != c.level {
				t.Fatalf("%v: logged %v", c.err, lines)
			}
			line := lines[0].ContextMap()
			if line["error"] != c.err.Error() || line["operation"] != "resolve-account" || line["trace_id"] == nil {
				t.Errorf("%v: logged %v", c.err, line)
			}
		}
	}
}

func TestErrorLog_ClientErrors(t *testing.T) {
	t.Parallel()
	for _, quiet := range []error{core.Errorf(core.NotFound, "No account").With(errDial), core.InvalidField("channel", "is wrong"), context.Canceled} {
		w := newWorld(t, resolving(quiet))
		w.post(resolvePath, goodRequest)
		if lines := w.logs.All(); len(lines) != 1 || lines[0].Message != "request" {
			t.Errorf("%v: logged %v", quiet, lines)
		}
	}
}

func TestLog_NoPrivateValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t, production)
	planted := []string{"0123456785", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "ADAEZE", "key-of-alice", "key-of-mallory", "memo-of-alice"}
	w.get("/v1/banks?account_number=0123456785&q=ADAEZE")
	w.get("/v1/pairs/0123456785")
	w.get("/0123456785")
	w.post("/v1/validate", strings.Replace(goodAddress, "{", `{"memo":"memo-of-alice",`, 1))
	w.post("/v1/validate", `{"address":["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"]`)
	question := strings.Replace(goodRequest, "0123456789", "0123456785", 1)
	w.post(resolvePath, question, "Authorization: Bearer key-of-alice")
	w.post(resolvePath, question, "Authorization: Bearer key-of-mallory")
	for _, entry := range w.logs.All() {
		text, err := json.Marshal(entry.ContextMap())
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range planted {
			if strings.Contains(string(text)+entry.Message, secret) {
				t.Errorf("the log shows %s: %s", secret, text)
			}
		}
	}
	families, err := w.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, secret := range planted {
			if strings.Contains(family.String(), secret) {
				t.Errorf("the metrics show %s: %s", secret, family)
			}
		}
	}
}

func TestPairs_ConcurrentPublish(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 50 {
				for _, target := range []string{"/v1/pairs", "/v1/pairs?currency=NGN", "/v1/pairs?sort_by=market_cap", "/v1/pairs/BTCNGN", "/v1/pairs?type=crypto&currency=NGN"} {
					if rec := w.get(target, "Accept-Encoding: gzip"); rec.Code != http.StatusOK {
						t.Errorf("%s: got %d", target, rec.Code)
					}
				}
			}
		})
	}
	for range 50 {
		w.pairs.publish(snapshot())
	}
	readers.Wait()
}
