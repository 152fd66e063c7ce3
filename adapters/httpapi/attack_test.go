package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"causeway/adapters/gcra"
	"causeway/adapters/httpapi"
	"causeway/core"
)

// narrow are connections whose system keeps little of what is on the way, so that who reads nothing soon stops who writes.
type narrow struct{ net.Listener }

func (n narrow) Accept() (net.Conn, error) {
	conn, err := n.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(4 << 10)
	}
	return conn, err
}

// arrives waits until somebody is being asked.
func arrives(t *testing.T, asked <-chan struct{}) {
	t.Helper()
	select {
	case <-asked:
	case <-time.After(patience):
		t.Fatal("nobody is asked")
	}
}

// TestWhoIsSlowOrGreedyKeepsNobodyOut: one address sends bodies and takes answers as slowly as it can, and has as many questions in the air as it may;
// another address is served all the while.
func TestWhoIsSlowOrGreedyKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	const places, own, slow = 4, 2, 12
	asked, answer := make(chan struct{}), make(chan struct{})
	w := newWorld(t, aged(0), crowding(httpapi.Crowd{Requests: places, RequestsPerAddress: own}), func(_ *httpapi.Config, s *httpapi.Services) {
		s.Recipients = whenTold(t, asked, answer)
	})
	server := httptest.NewUnstartedServer(w.handler)
	server.Listener = narrow{server.Listener}
	server.Start()
	t.Cleanup(server.Close)
	address := server.Listener.Addr().String()
	honest := &http.Client{Timeout: patience, Transport: &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).DialContext}}
	served := func(beside string) {
		t.Helper()
		resp, err := honest.Get("http://" + address + "/v1/pairs")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("beside %s another address got %d (%v)", beside, resp.StatusCode, err)
		}
	}

	for range slow {
		conn := dial(t, address)
		_, _ = io.WriteString(conn, "POST /v1/validate HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n")
		if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, " 100 ") { // it waits for the body
			t.Fatalf("%q, %v", line, err)
		}
		_, _ = io.WriteString(conn, "{")
	}
	served("slow bodies")
	for range slow {
		conn := dial(t, address)
		_, _ = io.WriteString(conn, strings.Repeat("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", 4))
		if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil { // the answer is on its way
			t.Fatal(err)
		}
	}
	served("slow readers")
	for tick, deadline := time.NewTicker(time.Millisecond), time.Now().Add(patience); !strings.Contains(scrape(t, w), "causeway_http_requests_in_flight 0\n"); <-tick.C {
		if time.Now().After(deadline) { // what is made of their answers holds places until it is
			t.Fatal("answers that nobody reads hold places")
		}
	}

	question := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", resolvePath, len(goodQuestion), goodQuestion)
	var inside []net.Conn
	for range own {
		conn := dial(t, address)
		_, _ = io.WriteString(conn, question)
		arrives(t, asked)
		inside = append(inside, conn)
	}
	before := refusals(t, w) // on a slow machine three slow readers may have been answered at once
	greedy := w.from("127.0.0.1:1", "/v1/pairs")
	if greedy.Code != http.StatusTooManyRequests || greedy.Header().Get("Retry-After") != "1" {
		t.Errorf("one more of an address got %d %s", greedy.Code, greedy.Body)
	}
	served("a greedy address")
	for range inside {
		answer <- struct{}{}
	}
	for _, conn := range inside { // in any order
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _ = resp.Body.Close(); resp.StatusCode != http.StatusNotFound {
			t.Errorf("one that was let in: %d", resp.StatusCode)
		}
	}
	if again := w.from("127.0.0.1:1", "/v1/pairs"); again.Code != http.StatusOK {
		t.Errorf("with room again: %d %s", again.Code, again.Body)
	}
	if text := scrape(t, w); refusals(t, w) == before || !strings.Contains(text, "causeway_http_requests_in_flight 0\n") {
		t.Errorf("counted, with %s before:\n%s", before, text)
	}
}

// refusals is how many requests were refused because of others of their address, as it is in the metrics.
func refusals(t *testing.T, w *world) string {
	t.Helper()
	_, after, _ := strings.Cut(scrape(t, w), "causeway_http_crowded_total{reason=\"address_requests\"} ")
	count, _, _ := strings.Cut(after, "\n")
	return count
}

// TestABodyThatArrivesWhenAllPlacesAreTaken is asked to come back, and its place is nobody's.
func TestABodyThatArrivesWhenAllPlacesAreTaken(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}), make(chan struct{})
	w := newWorld(t, aged(0), crowding(httpapi.Crowd{Requests: 1}), func(_ *httpapi.Config, s *httpapi.Services) {
		s.Recipients = whenTold(t, asked, answer)
	})
	conn := dial(t, serving(t, w))
	_, _ = fmt.Fprintf(conn, "POST /v1/validate HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(goodAddress))
	in := bufio.NewReader(conn)
	for range 2 { // of the go-ahead
		if line, err := in.ReadString('\n'); err != nil {
			t.Fatalf("%q, %v", line, err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.post(resolvePath, goodQuestion)
	}()
	arrives(t, asked)
	_, _ = io.WriteString(conn, goodAddress)
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "1" {
		t.Errorf("got %d %v", resp.StatusCode, resp.Header)
	}
	answer <- struct{}{}
	<-done
	if rec := w.post("/v1/validate", goodAddress); rec.Code != http.StatusOK {
		t.Errorf("with room again: %d", rec.Code)
	}
}

func TestPagesAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *httpapi.Config, _ *httpapi.Services) {
		c.Limits = httpapi.Limits{Default: core.RateLimit{Calls: 1, Per: time.Minute}, Limiter: gcra.New(func() time.Time { return noon })}
	})
	for _, page := range []string{"/docs", "/openapi.json", "/errors/not_found"} {
		if first, second := w.get(page).Code, w.get(page).Code; first != http.StatusOK || second != http.StatusTooManyRequests {
			t.Errorf("%s: %d, %d", page, first, second)
		}
	}
}
