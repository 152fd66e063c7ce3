package contract_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/test/driver"
)

// line sends bytes to the sandbox and reads one answer, and whether the connection ended behind it.
func line(t *testing.T, request string) (r driver.Reply, ended bool) {
	t.Helper()
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(sandbox.API, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(3 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%.60q: no answer: %v", request, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%.60q: %v", request, err)
	}
	if resp.Close {
		_, err = in.ReadByte()
	}
	return driver.Reply{Status: resp.StatusCode, Header: resp.Header, Body: body}, errors.Is(err, io.EOF)
}

func TestRoutes_Asterisk(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"GET", "POST", "DELETE"} {
		r, _ := line(t, method+" * HTTP/1.1\r\nHost: x\r\n\r\n")
		wantError(t, r, http.StatusNotFound, "not_found")
	}
	r, _ := line(t, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")
	if r.Status/100 != 2 || r.Header.Get("X-Request-Id") == "" {
		t.Errorf("OPTIONS *: %d %v", r.Status, r.Header)
	}
	for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS"} {
		if !strings.Contains(r.Header.Get("Allow"), method) {
			t.Errorf("OPTIONS *: Allow is %q, want %s in it", r.Header.Get("Allow"), method)
		}
	}
}

// TestBodies_Incomplete checks that a request with a part of its body gets an error in the envelope and that the
// connection ends.
func TestBodies_Incomplete(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]struct {
		status int
		name   string
	}{
		"POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{":                                                     {400, "bad_request"},
		"POST /v1/validate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{":                                         {400, "bad_request"},
		"POST /v1/validate HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 70000\r\n\r\n" + strings.Repeat(" ", 60_000): {413, "payload_too_large"},
	} {
		t.Run(request[:40], func(t *testing.T) {
			t.Parallel()
			r, ended := line(t, request)
			wantError(t, r, want.status, want.name)
			if !ended {
				t.Errorf("%.90q: the connection does not end", request)
			}
		})
	}
}

// TestErrors_NoPrivateData checks that errors do not repeat an account number or a key in the wrong field.
func TestErrors_NoPrivateData(t *testing.T) {
	t.Parallel()
	const number, key = "0123456789", "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617" // a published test vector
	for _, field := range []string{"country_id", "currency_id", "channel", "bank_code"} {
		t.Run(field, func(t *testing.T) {
			if r := resolve(t, changed(t, published, "account_number", "1", field, number)); r.Status != 400 || strings.Contains(string(r.Body), number) {
				t.Errorf("got %d %s", r.Status, r.Body)
			}
		})
	}
	for field, status := range map[string]int{"type": 400, "currency": 400, "network": 400, "memo_type": 400, "address": 200, "memo": 200} {
		t.Run(field, func(t *testing.T) {
			r := send(t, http.MethodPost, "/v1/validate", question(t, "currency", "XRP", "address", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", field, key))
			if body := string(r.Body); r.Status != status || strings.Contains(strings.ToUpper(body), strings.ToUpper(key[:12])) ||
				status == 200 && !strings.Contains(body, `"`+field+`":"****"`) {
				t.Errorf("got %d %s", r.Status, body)
			}
		})
	}
}
