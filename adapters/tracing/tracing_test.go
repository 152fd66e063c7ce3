package tracing_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"causeway/adapters/tracing"
	"causeway/adapters/tracing/tracingtest"
	"causeway/core"
	"causeway/ports"
)

// desk is a tracer with what came out of it.
type desk struct {
	*tracing.Tracer

	log *observer.ObservedLogs
	reg *prometheus.Registry
	end func()
}

// open makes a tracer that records everything and keeps it going until end is called, or the test ends.
func open(t *testing.T, transport http.RoundTripper, changes ...func(*tracing.Config)) *desk {
	t.Helper()
	cfg := tracing.Default()
	cfg.URL, cfg.Ratio = "http://collector.test:4318", 1
	for _, change := range changes {
		change(&cfg)
	}
	seen, logs := observer.New(zapcore.DebugLevel)
	var drawn atomic.Uint64
	d := &desk{log: logs, reg: prometheus.NewRegistry()}
	var err error
	d.Tracer, err = tracing.New(cfg, tracing.Outside{
		Transport: transport, Clock: time.Now,
		Entropy: func() uint64 { return drawn.Add(1) * 0x9e3779b97f4a7c15 },
	}, "1.2.3", "sandbox", zap.New(seen), d.reg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Run(ctx)
	}()
	d.end = func() {
		cancel()
		<-done
	}
	t.Cleanup(d.end)
	return d
}

// count is the metric of spans.
func (d *desk) count(t *testing.T, outcome string) float64 {
	t.Helper()
	families, err := d.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if m.GetLabel()[0].GetValue() == outcome {
				return m.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("nothing is counted as %s", outcome)
	return 0
}

// one records a span.
func (d *desk) one(t *testing.T) {
	t.Helper()
	_, span := d.Start(t.Context(), ports.InternalSpan)
	span.End("work", false)
}

const (
	trace  = "0af7651916cd43dd8448eb211c80319c"
	caller = "b7ad6b7169203331"
)

func TestSpansComeWhole(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &tracingtest.Collector{}
		d := open(t, c, func(c *tracing.Config) {
			c.Headers = map[string]core.Secret{"x_api_key": "planted-secret"}
		})
		ctx, request := d.Join(t.Context(), ports.ServerSpan, "00-"+trace+"-"+caller+"-01")
		time.Sleep(time.Millisecond)
		under, question := d.Start(ctx, ports.ClientSpan)
		if d.Of(under) != question || d.Of(t.Context()) != nil {
			t.Error("a context does not know its span")
		}
		time.Sleep(2 * time.Millisecond)
		question.End("paystack resolve", true, ports.Attribute{Key: "causeway.outcome", Text: "timeout"}, ports.Attribute{Key: "http.response.status_code", Number: 504})
		request.End("POST /v1/x", false)
		time.Sleep(2 * time.Second) // of the bubble: the batch is sent
		spans := c.Spans()
		if len(spans) != 2 {
			t.Fatalf("%+v", spans)
		}
		q, r := spans[0], spans[1]
		if r.Trace != trace || r.Parent != caller || r.Kind != 2 || r.Failed || r.Name != "POST /v1/x" || r.End.Sub(r.Start) != 3*time.Millisecond {
			t.Errorf("the request: %+v", r)
		}
		if q.Trace != trace || q.Parent != r.ID || q.ID == r.ID || q.Kind != 3 || !q.Failed || q.Name != "paystack resolve" || q.End.Sub(q.Start) != 2*time.Millisecond {
			t.Errorf("the question: %+v", q)
		}
		if q.Attributes["causeway.outcome"] != "timeout" || q.Attributes["http.response.status_code"] != "504" || len(q.Attributes) != 2 {
			t.Errorf("its attributes: %v", q.Attributes)
		}
		if r.Resource["service.name"] != "causeway" || r.Resource["service.version"] != "1.2.3" || r.Resource["deployment.environment.name"] != "sandbox" || len(r.Resource["service.instance.id"]) != 16 {
			t.Errorf("whose they are: %v", r.Resource)
		}
		sent := c.Requests()[0]
		if sent.Method != http.MethodPost || sent.URL.String() != "http://collector.test:4318/v1/traces" || sent.Header.Get("Content-Type") != "application/x-protobuf" || sent.Header.Get("X-Api-Key") != "planted-secret" {
			t.Errorf("%s %s %v", sent.Method, sent.URL, sent.Header)
		}
		if got := d.count(t, "sent"); got != 2 || d.log.Len() != 0 {
			t.Errorf("%v sent, %d lines of log", got, d.log.Len())
		}
	})
}

func TestWhoeverBeginsATraceDecides(t *testing.T) {
	t.Parallel()
	all, none := open(t, &tracingtest.Collector{}), open(t, &tracingtest.Collector{}, func(c *tracing.Config) { c.Ratio, c.Propagate = 0, true })
	for _, c := range []struct {
		name, parent string
		of           *desk
		recorded     bool
		trace        string
	}{
		{"the caller records", "00-" + trace + "-" + caller + "-01", none, true, trace},
		{"the caller does not", "00-" + trace + "-" + caller + "-00", all, false, trace},
		{"nobody asks, all are recorded", "", all, true, ""},
		{"nobody asks, none is", "", none, false, ""},
		{"a parent that is none", "00-" + trace + "-xyz", none, false, ""},
		{"a parent with letters in it", strings.ReplaceAll("00-"+trace+"-"+caller+"-01", "b7", "zz"), all, true, ""},
	} {
		ctx, span := c.of.Join(t.Context(), ports.ServerSpan, c.parent)
		if span.Recorded() != c.recorded || c.trace != "" && span.TraceID() != c.trace || len(span.TraceID()) != 32 || c.trace == "" && span.TraceID() == trace {
			t.Errorf("%s: recorded %v in %s", c.name, span.Recorded(), span.TraceID())
		}
		_, part := c.of.Start(ctx, ports.ClientSpan)
		if part.Recorded() != c.recorded || part.TraceID() != span.TraceID() {
			t.Errorf("%s: the part is recorded %v in %s", c.name, part.Recorded(), part.TraceID())
		}
	}
}

func TestProvidersAreToldOnlyWhereThatIsConfigured(t *testing.T) {
	t.Parallel()
	parents := map[string]string{"-01": "-01", "-00": "-00"}
	quiet := open(t, &tracingtest.Collector{})
	loud := open(t, &tracingtest.Collector{}, func(c *tracing.Config) { c.Propagate = true })
	for flags, want := range parents {
		parent := "00-" + trace + "-" + caller + flags
		if _, span := quiet.Join(t.Context(), ports.ServerSpan, parent); span.Traceparent() != "" {
			t.Errorf("told %s", span.Traceparent())
		}
		_, span := loud.Join(t.Context(), ports.ServerSpan, parent)
		got := span.Traceparent()
		if len(got) != len(parent) || !strings.HasPrefix(got, "00-"+trace+"-") || !strings.HasSuffix(got, want) || strings.Contains(got, caller) {
			t.Errorf("told %s", got)
		}
	}
}

func TestAShareOfTracesIsRecorded(t *testing.T) {
	t.Parallel()
	d := open(t, &tracingtest.Collector{}, func(c *tracing.Config) { c.Ratio = 0.25 })
	const all = 4000
	picked := 0
	for range all {
		if _, span := d.Join(t.Context(), ports.ServerSpan, ""); span.Recorded() {
			picked++
		}
	}
	if share := float64(picked) / all; math.Abs(share-0.25) > 0.05 {
		t.Errorf("%v of them", share)
	}
}

// errAway is what a connection to nobody gives.
var errAway = errors.New("connection refused")

type away struct{ tried atomic.Int64 }

func (a *away) RoundTrip(*http.Request) (*http.Response, error) {
	a.tried.Add(1)
	return nil, errAway
}

func TestACollectorThatIsAwayCostsAMetricAndALine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		nobody := &away{}
		d := open(t, nobody, func(c *tracing.Config) { c.Queue = 64 })
		for range 50 {
			for range 100 {
				d.one(t) // never waits
			}
			time.Sleep(10 * time.Second)
		}
		if lines := d.log.FilterMessageSnippet("the collector does not take traces").Len(); lines != 1 || d.log.Len() != 1 {
			t.Errorf("%d lines of %d", lines, d.log.Len())
		}
		if got := d.count(t, "lost"); got < 4000 || d.count(t, "sent") != 0 {
			t.Errorf("%v lost", got)
		}
		if tried := nobody.tried.Load(); tried < 10 || tried > 40 { // 500 s at 30 s each in the end
			t.Errorf("tried %d times in 500 s", tried)
		}
		before := time.Now()
		d.end()
		if took := time.Since(before); took > 3*time.Second {
			t.Errorf("the end took %s", took)
		}
		if sum := d.count(t, "lost"); sum != 5000 {
			t.Errorf("%v of 5000 are accounted for", sum)
		}
	})
}

func TestSpansWaitForACollectorThatIsBack(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]struct {
		status int
		header http.Header
		calls  int // in the first ten seconds
	}{
		"throttled, with a time": {429, http.Header{"Retry-After": {"7"}}, 2},
		"unavailable":            {503, nil, 4},
		"a bad gateway":          {502, nil, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var back atomic.Bool
				c := &tracingtest.Collector{Answer: func(int) (int, http.Header, []byte) {
					if back.Load() {
						return 0, nil, nil
					}
					return answer.status, answer.header, nil
				}}
				d := open(t, c)
				d.one(t)
				time.Sleep(10*time.Second - time.Millisecond)
				if got := len(c.Requests()); got != answer.calls {
					t.Errorf("%d calls, want %d", got, answer.calls)
				}
				d.one(t)
				back.Store(true)
				time.Sleep(time.Minute)
				if len(c.Spans()) != 2 || d.count(t, "sent") != 2 || d.count(t, "lost") != 0 || d.count(t, "refused") != 0 {
					t.Errorf("%d came", len(c.Spans()))
				}
				if d.log.Len() != 2 || d.log.FilterMessage("the collector takes traces again").Len() != 1 {
					t.Errorf("the log: %v", d.log.All())
				}
			})
		})
	}
}

func TestWhatIsRefusedIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status        int
		header        http.Header
		body          []byte
		sent, refused float64
		lines         int
	}{
		"a bad request":            {400, nil, nil, 0, 3, 1},
		"a key that is not good":   {401, nil, nil, 0, 3, 1},
		"a redirect":               {307, http.Header{"Location": {"http://elsewhere.test/"}}, nil, 0, 3, 1},
		"two of them":              {200, nil, []byte{0x0a, 0x02, 0x08, 0x02}, 1, 2, 0},
		"more than there were":     {200, nil, []byte{0x0a, 0x02, 0x08, 0x7f}, 0, 3, 0},
		"an answer that is none":   {200, nil, []byte("<html>"), 3, 0, 0},
		"an answer that is broken": {200, nil, []byte{0x0a, 0x7f}, 3, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				at := &tracingtest.Collector{Answer: func(int) (int, http.Header, []byte) { return c.status, c.header, c.body }}
				d := open(t, at)
				for range 3 {
					d.one(t)
				}
				time.Sleep(time.Minute)
				if n := len(at.Requests()); n != 1 || d.count(t, "sent") != c.sent || d.count(t, "refused") != c.refused || d.log.Len() != c.lines {
					t.Errorf("%d calls, %v sent, %v refused, the log: %v", n, d.count(t, "sent"), d.count(t, "refused"), d.log.All())
				}
			})
		})
	}
}

func TestWhatIsLeftIsSentInTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &tracingtest.Collector{}
		d := open(t, c)
		for range 1300 {
			d.one(t)
		}
		d.end()
		if len(c.Spans()) != 1300 || len(c.Requests()) != 3 {
			t.Errorf("%d spans in %d requests", len(c.Spans()), len(c.Requests()))
		}
	})
}

// busy is a collector that is still reading its first request when the process ends, and takes the next.
type busy struct {
	*tracingtest.Collector

	asked atomic.Bool
}

func (b *busy) RoundTrip(r *http.Request) (*http.Response, error) {
	if !b.asked.Swap(true) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return b.Collector.RoundTrip(r)
}

func TestWhatTheEndInterruptsIsNoFailureOfTheCollector(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &busy{Collector: &tracingtest.Collector{}}
		d := open(t, c)
		d.one(t)
		time.Sleep(time.Second + time.Millisecond) // it is being sent
		d.end()
		if len(c.Spans()) != 1 || d.log.Len() != 0 {
			t.Errorf("%d spans, and the log says %v", len(c.Spans()), d.log.All())
		}
	})
}

func TestTheLogShowsNoHeader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := open(t, &away{}, func(c *tracing.Config) { c.Headers = map[string]core.Secret{"authorization": "planted-secret"} })
		d.one(t)
		time.Sleep(time.Minute)
		line := d.log.All()[0]
		if text, _ := line.ContextMap()["error"].(string); text != "it cannot be reached: connection refused" {
			t.Errorf("%v", line.ContextMap())
		}
	})
}

func TestBadSettings(t *testing.T) {
	t.Parallel()
	bad := tracing.Config{
		URL: "http://user:planted@x", Ratio: math.NaN(), Queue: 1, Timeout: time.Hour, Headers: map[string]core.Secret{"a b": "x", "good": "planted\nline"},
	}
	err := bad.Check()
	for _, want := range []string{
		"tracing.url is not the URL", "tracing.ratio is NaN; accepted: 0 to 1", "tracing.queue is 1; accepted: 64 to 65536", "tracing.timeout is 1h0m0s",
		`tracing.headers has "a b"`, "tracing.headers.good has control characters",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "planted") {
		t.Errorf("it shows a secret: %v", err)
	}
	for _, url := range []string{"collector:4318", "ftp://x", "http://", "http://x?a=b", "http://x#a"} {
		if cfg := (tracing.Config{URL: url, Queue: 64, Timeout: 1}); cfg.Check() == nil {
			t.Errorf("%s is taken", url)
		}
	}
	if err := tracing.Default().Check(); err != nil {
		t.Error(err)
	}
	if _, err := tracing.New(tracing.Default(), tracing.Outside{}, "", "", zap.NewNop(), nil); err == nil {
		t.Error("a tracer without a collector")
	}
}

// FuzzAnswers reads what a collector may say.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte{0x0a, 0x02, 0x08, 0x02})
	f.Add([]byte{0x0a, 0x7f})
	f.Add([]byte{0x0a, 0x0b, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(_ *testing.T, answer []byte) { tracing.Rejected(answer) })
}

// FuzzParents joins the traces of whatever callers may send.
func FuzzParents(f *testing.F) {
	f.Add("00-" + trace + "-" + caller + "-01")
	f.Add("00-" + trace)
	cfg := tracing.Default()
	cfg.URL = "http://collector.test"
	tracer, err := tracing.New(cfg, tracing.Outside{Transport: &away{}, Clock: time.Now, Entropy: func() uint64 { return 7 }}, "", "", zap.NewNop(), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, parent string) {
		if _, span := tracer.Join(t.Context(), ports.ServerSpan, parent); len(span.TraceID()) != 32 {
			t.Errorf("%q: %q", parent, span.TraceID())
		}
	})
}
