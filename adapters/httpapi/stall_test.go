package httpapi_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"causeway/adapters/httpapi"
)

// patience is how long a test waits for what must come at once.
const patience = 3 * time.Minute

// dial connects to a server. Whatever is not there after patience fails to be read.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// aged makes every request begin so long before its body, on the machine's clock.
func aged(by time.Duration) func(*httpapi.Config, *httpapi.Services) {
	return func(c *httpapi.Config, _ *httpapi.Services) {
		c.Stopwatch = func() time.Time { return time.Now().Add(-by) }
	}
}

// TestBodiesThatStall: a client that promises a body and does not send it is answered all the same, and its connection ends.
func TestBodiesThatStall(t *testing.T) {
	t.Parallel()
	address := serving(t, newWorld(t, aged(httpapi.BodyDeadline-50*time.Millisecond)))
	for _, c := range []struct {
		name, request string
		status        int
	}{
		{"a length and one byte", "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", 400},
		{"a length and nothing", "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n", 400},
		{"half a chunk", "POST /v1/validate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{", 400},
		{"a chunk and no end", "POST /v1/validate/batch HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", 400},
		{"too long, one byte of it", "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n{", 413},
		{"to no operation", "POST /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", 404},
		{"by a wrong method", "PUT /v1/pairs HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", 405},
		{"in a coding", "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n{", 415},
		{"with a GET", "GET /v1/banks HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, address)
			if _, err := io.WriteString(conn, c.request); err != nil {
				t.Fatal(err)
			}
			in := bufio.NewReader(conn)
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatalf("no answer: %v", err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != c.status || !res.Close {
				t.Errorf("got %d %s (%v), close %t; want %d and the end of the connection", res.StatusCode, body, err, res.Close, c.status)
			}
			if c.status >= 400 && errorOf(t, body).RequestID != res.Header.Get("X-Request-Id") {
				t.Errorf("not in the envelope: %s", body)
			}
			if _, err := in.ReadByte(); err != io.EOF {
				t.Errorf("the connection is still open: %v", err)
			}
		})
	}
}

// TestAConnectionGoesOnAfterAWholeBody: the time for the body is not left behind.
func TestAConnectionGoesOnAfterAWholeBody(t *testing.T) {
	t.Parallel()
	address := serving(t, newWorld(t, aged(0)))
	conn := dial(t, address)
	in := bufio.NewReader(conn)
	for range 2 {
		if _, err := io.WriteString(conn, "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: "+strconv.Itoa(len(goodAddress))+"\r\n\r\n"+goodAddress); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK || res.Close {
			t.Errorf("got %d, close %t", res.StatusCode, res.Close)
		}
	}
}

// TestAnEarlyAnswerIsNotTakenBack: a connection that its client wants closed, and on which more is coming than is read, ends in order
// and not by a reset.
func TestAnEarlyAnswerIsNotTakenBack(t *testing.T) {
	t.Parallel()
	address := serving(t, newWorld(t, aged(0)))
	for target, want := range map[string]int{"/v1/validate": 413, "/v1/nothing": 404, "/v1/pairs": 405} {
		for _, framing := range []string{"Content-Length: 4000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n3d0900\r\n"} {
			t.Run(target+" "+framing[:14], func(t *testing.T) {
				t.Parallel()
				conn := dial(t, address)
				sent := "POST " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + framing + strings.Repeat(" ", 100_000)
				if _, err := io.WriteString(conn, sent); err != nil {
					t.Fatal(err)
				}
				in := bufio.NewReader(conn)
				res, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatalf("no answer: %v", err)
				}
				defer res.Body.Close()
				body, err := io.ReadAll(res.Body)
				if err != nil || res.StatusCode != want || errorOf(t, body).Error.Name == "" {
					t.Errorf("got %d %s (%v), want %d", res.StatusCode, body, err, want)
				}
				if _, err := in.ReadByte(); err != io.EOF {
					t.Errorf("the connection ended with %v", err)
				}
			})
		}
	}
}

// TestTheAsteriskIsAPathLikeAnyOther but for OPTIONS, which asks about all of them with it.
func TestTheAsteriskIsAPathLikeAnyOther(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(newWorld(t).handler)
	server.Config.DisableGeneralOptionsHandler = true // as the public listener has it
	server.Start()
	t.Cleanup(server.Close)
	for _, method := range []string{"GET", "POST", "PUT", "DELETE", "BREW"} {
		got := raw(t, server.Listener.Addr().String(), method+" * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		if got.status != http.StatusNotFound || errorOf(t, []byte(got.body)).Error.Name != "not_found" {
			t.Errorf("%s *: got %+v", method, got)
		}
	}
	got := raw(t, server.Listener.Addr().String(), "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if got.status != http.StatusNoContent || got.header.Get("Allow") != "GET, HEAD, OPTIONS, POST" || got.header.Get("X-Request-Id") == "" {
		t.Errorf("OPTIONS *: got %+v", got)
	}
}
