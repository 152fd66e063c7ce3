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
)

// exchangeDeadline bounds one exchange over a connection.
const exchangeDeadline = 5 * time.Minute

// dial connects to a server.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(exchangeDeadline)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// response reads a response and its body.
func response(t *testing.T, in *bufio.Reader) (*http.Response, []byte) {
	t.Helper()
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatalf("no response: %v", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Errorf("the body of %s: %v", res.Status, err)
	}
	return res, body
}

// TestStalledBody: a client that does not send its body gets a response, and its connection is closed.
func TestStalledBody(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(newWorld(t, live).handler)
	server.Config.ReadTimeout = 50 * time.Millisecond
	server.Start()
	t.Cleanup(server.Close)
	address := server.Listener.Addr().String()
	for _, c := range []struct {
		name, request string
		status        int
	}{
		{"a part", "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", 400},
		{"nothing", "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n", 400},
		{"a part of a chunk", "POST /v1/validate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{", 400},
		{"no last chunk", "POST /v1/validate/batch HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", 400},
		{"too large", "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n{", 413},
		{"expects to continue", "POST /v1/validate HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 70000\r\n\r\n", 413},
		{"unknown path", "POST /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", 404},
		{"wrong method", "PUT /v1/pairs HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", 405},
		{"encoded", "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n{", 415},
		{"of a GET", "GET /v1/banks HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, address)
			_, _ = io.WriteString(conn, c.request)
			in := bufio.NewReader(conn)
			res, body := response(t, in)
			if res.StatusCode != c.status {
				t.Errorf("got %d %s, want %d", res.StatusCode, body, c.status)
			}
			if c.status >= 400 && errorOf(t, body).RequestID != res.Header.Get("X-Request-Id") {
				t.Errorf("not in the envelope: %s", body)
			}
			if _, err := in.ReadByte(); err == nil {
				t.Error("the connection is still open")
			}
		})
	}
}

// TestFoldedHeader: net/http reads a folded line with a space in place of the fold, so two credentials
// stay two.
func TestFoldedHeader(t *testing.T) {
	t.Parallel()
	address := serving(t, newWorld(t, production))
	for credential, want := range map[string]int{
		"Bearer\r\n key-of-alice": 200, "Bearer key-of-alice\r\n key-of-bob": 401,
		"Bearer key-of-alice,\r\n\tBearer key-of-bob": 400,
	} {
		conn := dial(t, address)
		_, _ = io.WriteString(conn, "POST "+resolvePath+" HTTP/1.1\r\nHost: x\r\nAuthorization: "+credential+
			"\r\nContent-Length: "+strconv.Itoa(len(goodRequest))+"\r\n\r\n"+goodRequest)
		if res, _ := response(t, bufio.NewReader(conn)); res.StatusCode != want {
			t.Errorf("%q: got %d, want %d", credential, res.StatusCode, want)
		}
	}
}

// TestBody_KeepsConnection: the deadline of a body does not affect the next request.
func TestBody_KeepsConnection(t *testing.T) {
	t.Parallel()
	conn := dial(t, serving(t, newWorld(t, live)))
	in := bufio.NewReader(conn)
	for range 2 {
		_, _ = io.WriteString(conn, "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: "+strconv.Itoa(len(goodAddress))+"\r\n\r\n"+goodAddress)
		if res, _ := response(t, in); res.StatusCode != http.StatusOK || res.Close {
			t.Errorf("got %d, close %t", res.StatusCode, res.Close)
		}
	}
}

// TestUnreadBody_ResponseArrives: a connection that the client wants closed ends in order although nothing read its body.
func TestUnreadBody_ResponseArrives(t *testing.T) {
	t.Parallel()
	address := serving(t, newWorld(t, live))
	for target, want := range map[string]int{"/v1/validate": 413, "/v1/nothing": 404, "/v1/pairs": 405} {
		conn := dial(t, address)
		size := 100_000
		_, _ = io.WriteString(conn, "POST "+target+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: "+strconv.Itoa(size)+"\r\n\r\n"+strings.Repeat(" ", size))
		in := bufio.NewReader(conn)
		res, body := response(t, in)
		if res.StatusCode != want || errorOf(t, body).Error.Name == "" {
			t.Errorf("%s: got %d %s, want %d", target, res.StatusCode, body, want)
		}
		if _, err := in.ReadByte(); err != io.EOF {
			t.Errorf("%s: the connection ended with %v", target, err)
		}
	}
}
