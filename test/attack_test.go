package test_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"causeway/test/driver"
)

// responses reads all responses of a connection until the server closes it. Status -1 is a reset.
func responses(t *testing.T, conn net.Conn) (statuses []int, bodies []string) {
	t.Helper()
	in := bufio.NewReader(conn)
	for {
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			if errors.Is(err, syscall.ECONNRESET) {
				statuses = append(statuses, -1)
			} else if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("neither a response nor a closed connection: %v", err)
			}
			return statuses, bodies
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		statuses, bodies = append(statuses, resp.StatusCode), append(bodies, string(body))
	}
}

// underLoad returns the address of a process and starts honest clients. At the
// end of the test it checks that all honest requests were answered.
func underLoad(t *testing.T) (address string) {
	t.Helper()
	c := unlimitedSandbox.get(t)
	honest := (&load{stop: make(chan struct{}), retry: true}).begin(t, c.API, 2)
	t.Cleanup(func() {
		honest.more(t, 20)
		honest.end()
		if n := honest.failed.Load(); n > 0 {
			t.Errorf("%d of %d honest requests failed, the first with %s", n, n+honest.answered.Load(), *honest.first.Load())
		}
	})
	return strings.TrimPrefix(c.API, "http://")
}

// TestHTTP_Malformed sends requests that a proxy and a server may interpret differently (request
// smuggling). The server must reject each, and must not answer the second request in the same bytes
// ("GET /smuggled").
func TestHTTP_Malformed(t *testing.T) {
	t.Parallel()
	const (
		post     = "POST /v1/validate HTTP/1.1\r\nHost: x\r\n"
		smuggled = "GET /v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
		closing  = "Connection: close\r\n"
	)
	address := underLoad(t)
	many := strings.Repeat("X-Filler: "+strings.Repeat("x", 1000)+"\r\n", 64)
	var connections sync.WaitGroup
	for name, c := range map[string]struct {
		sent string
		want []int
	}{
		"two different lengths":               {post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}   " + smuggled, []int{400}},
		"a list of lengths":                   {post + "Content-Length: 5, 6\r\n\r\n{}   " + smuggled, []int{400}},
		"a signed length":                     {post + "Content-Length: +5\r\n\r\n{}   " + smuggled, []int{400}},
		"a negative length":                   {post + "Content-Length: -5\r\n\r\n{}   " + smuggled, []int{400}},
		"a length in hex":                     {post + "Content-Length: 0x5\r\n\r\n{}   " + smuggled, []int{400}},
		"a length beyond all numbers":         {post + "Content-Length: 99999999999999999999\r\n\r\n" + smuggled, []int{400}},
		"chunks and a length":                 {post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, []int{400}}, // of the chunks, which are no JSON; then cut off
		"chunks twice":                        {post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, []int{501}},
		"chunks and something else":           {post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + smuggled, []int{501}},
		"an unknown encoding":                 {post + "Transfer-Encoding: xchunked\r\n\r\n" + smuggled, []int{501}},
		"chunks behind a blank":               {post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + smuggled, []int{400}},
		"chunks behind a tabulator":           {post + "Transfer-Encoding:\tchunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n" + smuggled, []int{400}},
		"chunks in a folded line":             {post + "X-A: b\r\n Transfer-Encoding: chunked\r\n" + closing + "Content-Length: 0\r\n\r\n", []int{400}},
		"a folded first line":                 {"GET /v1/pairs HTTP/1.1\r\n Host: x\r\n\r\n", []int{400}},
		"a chunk size that is no number":      {post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n" + smuggled, []int{400}},
		"a chunk of too large a size":         {post + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n" + smuggled, []int{400}},
		"a chunk that goes on behind its end": {post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n" + smuggled, []int{400}},
		"much beside the chunks":              {post + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1;"+strings.Repeat("x", 4000)+"\r\n{\r\n", 30) + "0\r\n\r\n" + smuggled, []int{400}},
		"a bare line feed in a chunk":         {post + "Transfer-Encoding: chunked\r\n\r\n2;a\n\r\n{}\r\n0\r\n\r\n" + smuggled, []int{400}},
		"a NUL in a header":                   {"GET /v1/pairs HTTP/1.1\r\nHost: x\r\nX-A: a\x00b\r\n\r\n" + smuggled, []int{400}},
		"a carriage return in a header":       {"GET /v1/pairs HTTP/1.1\r\nHost: x\r\nX-A: a\rX-B: b\r\n\r\n" + smuggled, []int{400}},
		"a blank in a header's name":          {"GET /v1/pairs HTTP/1.1\r\nHost: x\r\nX A: b\r\n\r\n" + smuggled, []int{400}},
		"no host":                             {"GET /v1/pairs HTTP/1.1\r\n\r\n" + smuggled, []int{400}},
		"two hosts":                           {"GET /v1/pairs HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n" + smuggled, []int{400}},
		"a host with a blank":                 {"GET /v1/pairs HTTP/1.1\r\nHost: x y\r\n\r\n" + smuggled, []int{400}},
		"no version":                          {"GET /v1/pairs\r\n\r\n" + smuggled, []int{400}},
		"another version":                     {"GET /v1/pairs HTTP/3.0\r\nHost: x\r\n\r\n" + smuggled, []int{505}},
		"the preface of HTTP/2":               {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []int{404}},
		"a greeting in TLS":                   {"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03", []int{400}},
		"a header that is too large":          {"GET /v1/pairs HTTP/1.1\r\nHost: x\r\n" + many + "\r\n", []int{431}},
		"a path that is too long":             {"GET /v1/pairs?q=" + strings.Repeat("x", 64<<10) + " HTTP/1.1\r\nHost: x\r\n\r\n", []int{431}},
		"a body that is too large":            {post + "Content-Length: 10000000\r\n\r\n" + strings.Repeat(" ", 100_000), []int{413}},
		"a body that is nested too deeply":    {post + closing + "Content-Length: 40000\r\n\r\n" + strings.Repeat("[", 40_000), []int{400}},
		"an unknown expectation":              {post + "Expect: the-unexpected\r\nContent-Length: 2\r\n\r\n{}" + smuggled, []int{417}},
	} {
		conn := connect(t, address, "")
		connections.Go(func() {
			_, _ = io.WriteString(conn, c.sent) // which the server may end in the middle
			got, bodies := responses(t, conn)
			got = slices.DeleteFunc(got, func(status int) bool { return status < 0 })
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: got %v %.300q, want %v", name, got, bodies, c.want)
			}
			for _, body := range bodies {
				if strings.Contains(body, "<html") || strings.Contains(body, ".go:") {
					t.Errorf("%s: got %.300q", name, body)
				}
			}
		})
	}
	connections.Wait()
}

// TestHTTP_Unusual sends requests that are rare and valid.
func TestHTTP_Unusual(t *testing.T) {
	t.Parallel()
	address := underLoad(t)
	const chunked = "POST /v1/validate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
	asked := "5a;ext=\"x\"\r\n" + judged + "\r\n0\r\nX-Trailer: y\r\n\r\n"
	if len(judged) != 0x5a {
		t.Fatalf("the chunk has %#x bytes", len(judged))
	}
	get, last := "GET /v1/pairs/BTCNGN HTTP/1.1\r\nHost: x\r\n\r\n", "GET /v1/pairs/BTCNGN HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	var connections sync.WaitGroup
	for name, c := range map[string]struct {
		sent string
		want []int
	}{
		"chunks with extensions and a trailer": {chunked + "\r\n" + asked + last, []int{200}},
		"lines that end in a line feed alone":  {strings.ReplaceAll(last, "\r\n", "\n"), []int{200}},
		"the same length twice":                {"POST /v1/validate HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 90\r\nContent-Length: 90\r\n\r\n" + judged, []int{200}},
		"a pipeline":                           {strings.Repeat(get, 50) + last, append(slices.Repeat([]int{200}, 50), 200)},
		"HTTP/1.0":                             {"GET /v1/pairs/BTCNGN HTTP/1.0\r\n\r\n", []int{200}},
		"HTTP/1.0 with keep-alive":             {"GET /v1/pairs/BTCNGN HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + last, []int{200}},
		"HTTP/1.0 with chunks":                 {"GET /v1/pairs/BTCNGN HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n" + last, []int{200}},
		"HTTP/1.0 with chunks and a length":    {"POST /v1/validate HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\nContent-Length: 90\r\n\r\n" + judged + last, []int{200}},
		"an unsupported upgrade":               {"GET /v1/pairs/BTCNGN HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n", []int{200}},
	} {
		conn := connect(t, address, c.sent)
		connections.Go(func() {
			if got, bodies := responses(t, conn); !slices.Equal(got, c.want) {
				t.Errorf("%s: got %v %.300q, want %v", name, got, bodies, c.want)
			}
		})
	}
	conn := connect(t, address, get)
	if tcp, ok := conn.(*net.TCPConn); !ok || tcp.CloseWrite() != nil {
		t.Fatal("the sending side of the connection cannot be closed")
	}
	if got, _ := responses(t, conn); !slices.Equal(got, []int{200}) {
		t.Errorf("a client that closed its half: got %v", got)
	}
	connections.Wait()
}

// TestHTTP_SlowClients sends headers and bodies byte by byte, or not at all. The server closes each
// connection after its timeout.
func TestHTTP_SlowClients(t *testing.T) {
	t.Parallel()
	const each = 30
	address := underLoad(t)
	type slow struct {
		name, begins, drip string
		want               []int
	}
	var connections sync.WaitGroup
	for _, a := range []slow{
		{"nothing", "", "", nil},
		{"a header that never ends", "GET /v1/pairs HTTP/1.1\r\nHost: x\r\n", "X-A: b\r\n", nil},
		{"a first line that never ends", "GET /v1/pairs?q=", "x", []int{400}},
		{"a body that never ends", "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n", " ", []int{400}},
		{"chunks that never end", "POST /v1/validate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n", []int{400}},
		{"a body for an unknown path", "POST /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n", " ", []int{404}},
		{"a second header that never ends", "GET /v1/pairs/BTCNGN HTTP/1.1\r\nHost: x\r\n\r\nGET /v1", "x", []int{200, 400}},
	} {
		for range each {
			conn := connect(t, address, a.begins)
			go drip(conn, a.drip)
			connections.Go(func() {
				got, bodies := responses(t, conn)
				if got = slices.DeleteFunc(got, func(status int) bool { return status < 0 }); !slices.Equal(got, a.want) {
					t.Errorf("%s: got %v %.300q, want %v", a.name, got, bodies, a.want)
				}
			})
		}
	}
	connections.Wait()
}

// TestHTTP_OneStranger opens several times as many connections from one address as a process accepts,
// and sends half of a request on each. Clients at other addresses must not wait until these time out,
// which takes a minute in total.
func TestHTTP_OneStranger(t *testing.T) {
	t.Parallel()
	const connections, probes, patience = 1500, 24, 20 * time.Second
	for name, half := range map[string]string{
		"headers": "GET /v1/pairs HTTP/1.1\r\nHost: x\r\n",
		"bodies":  "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := driver.Start(t, binary, fmt.Sprintf("GOMEMLIMIT=%d", 200<<20)) // 133 connections
			address := strings.TrimPrefix(c.API, "http://")
			stranger := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
			for range connections {
				conn, err := stranger.DialContext(t.Context(), "tcp", address)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = conn.Close() })
				_, _ = io.WriteString(conn, half) // which the server may have closed
			}
			other := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 3)}}
			client := http.Client{
				Transport: &http.Transport{DialContext: other.DialContext, DisableKeepAlives: true}, Timeout: patience,
			}
			var waiting sync.WaitGroup
			for range probes {
				waiting.Go(func() {
					resp, err := client.Get(c.API + "/v1/pairs/BTCNGN")
					if err != nil {
						t.Error(err)
						return
					}
					_ = resp.Body.Close()
				})
			}
			waiting.Wait()
			if metrics := string(driver.Get(t, c.Operator+"/metrics").Body); !strings.Contains(metrics, `causeway_http_connections_refused_total{listener="public"} 1`) {
				t.Error("no connection was refused")
			}
		})
	}
}

// drip sends a few bytes, again and again, until the connection is closed.
func drip(conn net.Conn, what string) {
	if what == "" {
		return
	}
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if _, err := io.WriteString(conn, what); err != nil {
			return
		}
	}
}
