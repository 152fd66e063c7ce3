package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"causeway/adapters/httpapi"
	"causeway/core/pairs"
)

// event is one message of a stream.
type event struct {
	id                         uint64
	name, data, retry, comment string
}

// ids returns the IDs of the pairs of an event.
func (e event) ids(t testing.TB) []string {
	t.Helper()
	var list []struct{ ID string }
	if err := json.Unmarshal([]byte(e.data), &list); err != nil {
		t.Fatalf("%v in %+v", err, e)
	}
	out := []string{}
	for _, item := range list {
		out = append(out, item.ID)
	}
	return out
}

// stream is an open connection to the stream.
type stream struct {
	t      testing.TB
	header http.Header
	body   io.Closer
	lines  *bufio.Reader
}

func (s *stream) next() event {
	s.t.Helper()
	e, err := s.read()
	if err != nil {
		s.t.Fatalf("the stream ended: %v", err)
	}
	return e
}

func (s *stream) read() (event, error) {
	var e event
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return e, err
		}
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			return e, nil
		}
		field, value, _ := strings.Cut(line, ": ")
		switch field {
		case "id":
			if e.id, err = strconv.ParseUint(value, 10, 64); err != nil {
				return e, err
			}
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "retry":
			e.retry = value
		case "":
			e.comment = value
		default:
			return e, fmt.Errorf("line %q", line)
		}
	}
}

// follow opens a stream. header lines are "Name: value".
func follow(t testing.TB, client *http.Client, url string, header ...string) *stream {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		t.Fatalf("%s: %d %s", url, res.StatusCode, text)
	}
	return &stream{t: t, header: res.Header, body: res.Body, lines: bufio.NewReader(res.Body)}
}

// live has the machine's clock, which the deadlines of real connections need.
func live(c *httpapi.Config, _ *httpapi.Services) { c.Now = time.Now }

// following opens a stream of a live world over a real connection.
func following(t *testing.T, w *world, query string, header ...string) *stream {
	t.Helper()
	s := follow(t, &http.Client{}, "http://"+serving(t, w)+"/v1/pairs/stream"+query, header...)
	t.Cleanup(func() { _ = s.body.Close() })
	return s
}

// next is the snapshot with a number, in which all fresh quotes are updated and change is applied.
func next(id uint64, change ...func(*pairs.Snapshot)) *pairs.Snapshot {
	s := snapshot()
	s.ID, s.At = id, s.At.Add(time.Duration(id)*time.Second)
	for i := range s.Quotes {
		if s.Quotes[i].Status == pairs.Fresh {
			s.Quotes[i].UpdatedAt = s.At
		}
	}
	for _, f := range change {
		f(s)
	}
	return s
}

// buying changes the buy price of the quote at a place.
func buying(i int, price string) func(*pairs.Snapshot) {
	return func(s *pairs.Snapshot) { s.Quotes[i].Buy = dec(price) }
}

func TestStream_SnapshotThenChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, live)
	s := following(t, w, "?unknown=1&sort_by=nonsense")
	if h := s.header; h.Get("Content-Type") != "text/event-stream" || h.Get("Cache-Control") != "no-store" || h.Get("Content-Encoding") != "" || h.Get("X-Request-Id") == "" {
		t.Errorf("headers %v", h)
	}
	e := s.next()
	if list := w.get("/v1/pairs").Body.String(); e.name != "snapshot" || e.id != 7 || !strings.Contains(list, `"data":`+e.data+`}`) {
		t.Errorf("got %+v, and the list is %s", e, list)
	}
	w.pairs.publish(next(8)) // sends no event: only updated_at differs
	w.pairs.publish(next(9, buying(1, "93501695.37")))
	if e = s.next(); e.name != "change" || e.id != 9 || !slices.Equal(e.ids(t), []string{"BTCNGN"}) || !strings.Contains(e.data, `"93501695.37"`) {
		t.Errorf("got %+v", e)
	}
	w.pairs.publish(next(10, buying(1, "93501695.37"), func(s *pairs.Snapshot) {
		s.Quotes[0].Status = pairs.Stale
		s.Quotes = slices.Insert(s.Quotes, 1, quote("BTC", "KKK", "2", "1"))
	}))
	if e = s.next(); e.id != 10 || !slices.Equal(e.ids(t), []string{"BTCKES", "BTCKKK"}) {
		t.Errorf("got %+v", e)
	}
	w.pairs.publish(next(11, func(s *pairs.Snapshot) { s.Quotes[0].Status = pairs.Stale }))
	if e = s.next(); e.id != 11 || !slices.Equal(e.ids(t), []string{"BTCNGN"}) {
		t.Errorf("got %+v", e)
	}
}

// TestStream_Resume checks that a client continues only from a publication that this process showed.
// Replicas that share prices show the same ones.
func TestStream_Resume(t *testing.T) {
	t.Parallel()
	w := newWorld(t, live)
	w.pairs.publish(next(20, buying(0, "13000000")))
	w.pairs.publish(next(30, buying(0, "13000000"), buying(1, "94000000")))
	w.pairs.publish(next(40, buying(0, "13000000"), buying(1, "94000000")))
	both := []string{"BTCKES", "BTCNGN"}
	for _, c := range []struct {
		last, query, name string
		want              []string
	}{
		{"7", "", "change", both},
		{"20", "", "change", []string{"BTCNGN"}},
		{"20", "?counter=KES", "", nil},
		{"30", "", "", nil},
		{"40", "", "", nil},
		{"6", "?base=BTC", "snapshot", both}, // before this process published
		{"25", "?base=BTC", "snapshot", both},
		{"41", "?base=BTC", "snapshot", both},
		{"-1", "?base=BTC", "snapshot", both},
		{"99999999999999999999", "?base=BTC", "snapshot", both},
		{"abc", "?base=BTC", "snapshot", both},
	} {
		e := following(t, w, c.query, "Last-Event-ID: "+c.last).next()
		if c.name == "" {
			if e.comment == "" || e.id != 0 || e.data != "" {
				t.Errorf("after %s%s: got %+v, want a comment", c.last, c.query, e)
			}
			continue
		}
		if got := e.ids(t); e.name != c.name || e.id != 40 || !slices.Equal(got, c.want) {
			t.Errorf("after %s%s: got %+v, want %s of %v", c.last, c.query, e, c.name, c.want)
		}
	}
}

// pipes is a listener in memory, for servers in synctest bubbles.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (*pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours, nil
}

// bubble is a server with the limits of the product, in a synctest bubble.
type bubble struct {
	*world
	server    *http.Server
	pipes     *pipes
	client    *http.Client
	transport *http.Transport
	served    chan error
}

func newBubble(t *testing.T) *bubble {
	t.Helper()
	w := newWorld(t, live)
	b := &bubble{world: w, pipes: newPipes(), served: make(chan error, 1)}
	b.server = &http.Server{Handler: w.handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute}
	b.server.RegisterOnShutdown(w.api.Close)
	b.transport = &http.Transport{DialContext: b.pipes.dial}
	b.client = &http.Client{Transport: b.transport}
	go func() { b.served <- b.server.Serve(b.pipes) }()
	return b
}

func (b *bubble) close(t *testing.T) {
	t.Helper()
	if err := b.server.Shutdown(t.Context()); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	if err := <-b.served; !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("served: %v", err)
	}
	b.transport.CloseIdleConnections()
}

func TestStream_OutlivesServerTimeouts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t)
		s := follow(t, b.client, "http://x/v1/pairs/stream")
		start := time.Now()
		if e := s.next(); e.name != "snapshot" {
			t.Fatalf("got %+v", e)
		}
		for i := range 240 {
			if e := s.next(); e.comment != "ping" || e.id != 0 || time.Since(start) != time.Duration(i+1)*15*time.Second {
				t.Fatalf("after %s: got %+v", time.Since(start), e)
			}
		}
		b.pairs.publish(next(8, buying(0, "13000000")))
		if e := s.next(); e.name != "change" || time.Since(start) != time.Hour {
			t.Errorf("after %s: got %+v", time.Since(start), e)
		}
		_ = s.body.Close()
		b.close(t)
	})
}

func TestStream_SlowClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t)
		quick := follow(t, b.client, "http://x/v1/pairs/stream")
		quick.next()
		slow, _ := b.pipes.dial(t.Context(), "", "")
		if _, err := io.WriteString(slow, "GET /v1/pairs/stream HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		exports(t, b.world, "causeway_http_streams 2")
		for i := range 9 { // the slow client delays no other one
			time.Sleep(time.Second)
			b.pairs.publish(next(8+uint64(i), buying(0, fmt.Sprint(13000000+i))))
			if e := quick.next(); e.name != "change" || e.id != 8+uint64(i) {
				t.Errorf("got %+v", e)
			}
		}
		time.Sleep(time.Second)
		synctest.Wait()
		exports(t, b.world, "causeway_http_streams 1", `causeway_http_streams_ended_total{reason="slow"} 1`,
			`causeway_http_streams_ended_total{reason="client"} 0`)
		_ = slow.Close()
		_ = quick.body.Close()
		b.transport.CloseIdleConnections()
		synctest.Wait()
		exports(t, b.world, `causeway_http_streams_ended_total{reason="client"} 1`)
		b.close(t)
	})
}

func TestStream_MergesChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t)
		conn, _ := b.pipes.dial(t.Context(), "", "")
		if _, err := io.WriteString(conn, "GET /v1/pairs/stream HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // its writes block: the client does not read
		b.pairs.publish(next(8, buying(0, "13000000")))
		b.pairs.publish(next(9, buying(0, "13000000"), buying(1, "94000000")))
		b.pairs.publish(next(10, buying(0, "13000001"), buying(1, "94000000")))
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &stream{t: t, lines: bufio.NewReader(res.Body)}
		if e := s.next(); e.name != "snapshot" || e.id != 7 {
			t.Errorf("got %+v", e)
		}
		if e := s.next(); e.name != "change" || e.id != 10 || !slices.Equal(e.ids(t), []string{"BTCKES", "BTCNGN"}) || !strings.Contains(e.data, "13000001") {
			t.Errorf("got %+v", e)
		}
		_ = conn.Close()
		_ = res.Body.Close()
		b.close(t)
	})
}

func TestStream_Shutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t)
		var streams []*stream
		for range 5 {
			s := follow(t, b.client, "http://x/v1/pairs/stream?currency=NGN")
			s.next()
			streams = append(streams, s)
		}
		start := time.Now()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			b.close(t)
		}()
		waits := map[string]bool{}
		for _, s := range streams {
			e := s.next()
			wait, err := strconv.Atoi(e.retry)
			if err != nil || wait < 1000 || wait >= 5000 || e.name != "" {
				t.Errorf("got %+v", e)
			}
			waits[e.retry] = true
			if _, err := s.read(); !errors.Is(err, io.EOF) {
				t.Errorf("the stream did not end whole: %v", err)
			}
			_ = s.body.Close()
		}
		<-ended
		if len(waits) < 2 {
			t.Error("all come back at once")
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("the shutdown took %s", took)
		}
		exports(t, b.world, `causeway_http_streams_ended_total{reason="shutdown"} 5`)
		b.api.Close() // again
		rec := b.get("/v1/pairs/stream")
		if form := errorOf(t, rec.Body.Bytes()); rec.Code != http.StatusServiceUnavailable || form.Error.Name != "service_unavailable" || rec.Header().Get("Retry-After") != "1" {
			t.Errorf("a stream afterwards: %d %s", rec.Code, rec.Body)
		}
		if rec := b.get("/v1/pairs"); rec.Code != http.StatusOK {
			t.Errorf("the list afterwards: %d", rec.Code)
		}
	})
}
