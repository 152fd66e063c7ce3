package httpapi_test

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/core"
	"causeway/core/recipients"
)

// crowding bounds who may be inside.
func crowding(most httpapi.Crowd) func(*httpapi.Config, *httpapi.Services) {
	return func(c *httpapi.Config, _ *httpapi.Services) { c.Crowd = most }
}

// unhurried finds no account, after a wait.
type unhurried struct {
	*resolver
	wait func()
}

// whenTold makes one who tells that he was asked, and waits until he is told to answer, or the test ends.
func whenTold(t *testing.T, asked chan<- struct{}, answer <-chan struct{}) unhurried {
	t.Helper()
	return unhurried{newResolver(), func() {
		select {
		case asked <- struct{}{}:
		case <-t.Context().Done():
		}
		select {
		case <-answer:
		case <-t.Context().Done():
		}
	}}
}

// Resolve waits.
func (u unhurried) Resolve(context.Context, recipients.Request) (core.Account, error) {
	u.wait()
	return core.Account{}, core.Errorf(core.NotFound, "No account")
}

func TestOneRequestTooManyIsAskedToComeBack(t *testing.T) {
	t.Parallel()
	const most = 3
	asked, answer := make(chan struct{}), make(chan struct{})
	w := newWorld(t, crowding(httpapi.Crowd{Requests: most}), func(c *httpapi.Config, s *httpapi.Services) {
		c.Limits.Default = core.RateLimit{Calls: 600, Per: time.Minute}
		s.Recipients = whenTold(t, asked, answer)
	})
	for range 2 { // who was refused leaves nothing behind
		var inside sync.WaitGroup
		for range most {
			inside.Go(func() {
				if rec := w.post(resolvePath, goodQuestion); rec.Code != http.StatusNotFound {
					t.Errorf("got %d %s", rec.Code, rec.Body)
				}
			})
			<-asked
		}
		for _, target := range []string{"/v1/pairs", "/v1/pairs/stream", "/nothing", "/docs"} {
			rec := w.get(target)
			form := errorOf(t, rec.Body.Bytes())
			if rec.Code != http.StatusServiceUnavailable || form.Error.Name != "service_unavailable" || rec.Header().Get("Retry-After") != "1" || form.RequestID != rec.Header().Get("X-Request-Id") {
				t.Errorf("%s: got %d %s, Retry-After %q", target, rec.Code, rec.Body, rec.Header().Get("Retry-After"))
			}
			if h := rec.Result().Header; h.Get("RateLimit") != `"default";r=0;t=1` || h.Get("RateLimit-Policy") != `"default";q=600;w=60` || h.Get("X-Rate-Limit") != "600" {
				t.Errorf("%s: the limit is told as %v", target, h)
			}
			if lines := w.logs.FilterMessage("request").All(); lines[len(lines)-1].ContextMap()["caller"] == nil {
				t.Errorf("%s: the log does not say who was sent away: %v", target, lines[len(lines)-1])
			}
		}
		for range most {
			answer <- struct{}{}
		}
		inside.Wait()
		if rec := w.get("/v1/pairs"); rec.Code != http.StatusOK {
			t.Errorf("with room again: got %d", rec.Code)
		}
	}
	text := scrape(t, w)
	for _, line := range []string{`causeway_http_crowded_total{reason="requests"} 8`, "causeway_http_requests_in_flight 0", `causeway_http_requests_total{operation="crowded",status="503"} 8`} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no %s in\n%s", line, text)
		}
	}
}

func TestStreamsAreCountedApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, production, live, crowding(httpapi.Crowd{Requests: 1, Streams: 3, StreamsPerCaller: 2}))
	url := "http://" + serving(t, w) + "/v1/pairs/stream"
	const alice, bob = "Authorization: Bearer key-of-alice", "Authorization: Bearer key-of-bob"
	client := &http.Client{}
	var open []*stream
	for _, caller := range []string{alice, alice, bob} {
		s := follow(t, client, url, caller)
		s.next()
		open = append(open, s)
		if rec := w.get("/v1/pairs"); rec.Code != http.StatusOK { // one request at a time, beside the streams
			t.Errorf("beside %d streams: got %d %s", len(open), rec.Code, rec.Body)
		}
	}
	refused := func(caller string, status int, name string) {
		t.Helper()
		rec := w.get("/v1/pairs/stream", caller)
		if rec.Code != status || errorOf(t, rec.Body.Bytes()).Error.Name != name || rec.Header().Get("Retry-After") != "5" {
			t.Errorf("one more: got %d %s, Retry-After %q", rec.Code, rec.Body, rec.Header().Get("Retry-After"))
		}
		if _, key, _ := strings.Cut(caller, "key-of-"); w.logs.FilterField(zap.Int("status", status)).FilterField(zap.String("key", key)).Len() != 1 {
			t.Errorf("the log does not say that %s was sent away", key)
		}
	}
	refused(bob, http.StatusServiceUnavailable, "service_unavailable")
	if rec := w.ask(http.MethodHead, "/v1/pairs/stream", "", bob); rec.Code != http.StatusOK {
		t.Errorf("HEAD follows nothing: got %d", rec.Code)
	}
	_ = open[2].body.Close()
	for deadline := time.Now().Add(patience); !strings.Contains(scrape(t, w), "causeway_http_streams 2\n"); {
		if time.Now().After(deadline) {
			t.Fatal("a stream that was closed is still counted")
		}
		runtime.Gosched()
	}
	refused(alice, http.StatusTooManyRequests, "too_many_requests")
	follow(t, client, url, bob).next()
	text := scrape(t, w)
	for _, line := range []string{
		`causeway_http_crowded_total{reason="streams"} 1`, `causeway_http_crowded_total{reason="caller_streams"} 1`, `causeway_http_crowded_total{reason="requests"} 0`,
		"causeway_http_streams 3", "causeway_http_requests_in_flight 0",
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no %s in\n%s", line, text)
		}
	}
}
