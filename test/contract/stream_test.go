package contract_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"causeway/test/driver"
)

// message is one event of a stream.
type message struct {
	name, retry string
}

// stream is an open connection to the stream of the price of BTCNGN.
type stream struct {
	t     *testing.T
	resp  *http.Response
	lines *bufio.Scanner
}

func follow(t *testing.T, api string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, api+"/v1/pairs/stream?id=BTCNGN", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = resp.Body.Close()
	})
	s := &stream{t: t, resp: resp, lines: bufio.NewScanner(resp.Body)}
	s.lines.Buffer(nil, 1<<20)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	return s
}

// next reads the next message, whatever comments come before it. It is false at the end of the
// stream.
func (s *stream) next() (message, bool) {
	s.t.Helper()
	var m message
	for s.lines.Scan() {
		field, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch field {
		case "id", "data":
		case "event":
			m.name = value
		case "retry":
			m.retry = value
		case "":
			if m.name != "" || m.retry != "" {
				return m, true
			}
		default:
			s.t.Fatalf("line %q", s.lines.Text())
		}
	}
	if err := s.lines.Err(); err != nil && !errors.Is(err, io.EOF) {
		s.t.Errorf("the stream broke: %v", err)
	}
	return m, false
}

func (s *stream) must(name string) {
	s.t.Helper()
	m, ok := s.next()
	if !ok || m.name != name {
		s.t.Fatalf("got %+v (%t), want %s", m, ok, name)
	}
}

// TestStream_ThousandClients checks that a thousand clients follow the prices, and that a process that stops tells
// twenty of them when to connect again.
func TestStream_ThousandClients(t *testing.T) {
	t.Parallel()
	instance, err := driver.Run(binary, append(slices.Clone(modeEnv), "CAUSEWAY_DRAIN__TIMEOUT=2m")...)
	if err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceValue(instance.Stop)
	t.Cleanup(func() { _ = stop() })
	streams := make([]*stream, 1000)
	for i := range streams {
		streams[i] = follow(t, instance.API)
		streams[i].must("snapshot")
	}
	if metrics := string(driver.Get(t, instance.Operator+"/metrics").Body); !strings.Contains(metrics, "causeway_http_streams 1000\n") {
		t.Error("not a thousand streams")
	}
	for _, s := range streams {
		s.must("change")
	}
	if metrics := string(driver.Get(t, instance.Operator+"/metrics").Body); !strings.Contains(metrics, `causeway_http_streams_ended_total{reason="slow"} 0`) {
		t.Error("some streams ended because their clients were slow")
	}
	for _, s := range streams[20:] {
		_ = s.resp.Body.Close()
	}
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	for _, s := range streams[:20] {
		m, ok := s.next()
		for ok && m.retry == "" { // changes from before the stop
			m, ok = s.next()
		}
		if wait, err := strconv.Atoi(m.retry); err != nil || wait < 1000 || wait > 10_000 {
			t.Errorf("retry is %q ms", m.retry)
		}
		if m, ok := s.next(); ok {
			t.Errorf("a stream continues after the retry field: %+v", m)
		}
	}
	if err := <-stopped; err != nil || strings.Contains(instance.Log(), "shutdown timed out") {
		t.Errorf("the process did not stop cleanly: %v\n%s", err, instance.Log())
	}
}
