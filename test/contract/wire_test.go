package contract_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"causeway/test/driver"
)

// line sends bytes to the sandbox and reads one response.
func line(t *testing.T, request string) driver.Reply {
	t.Helper()
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(sandbox.API, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return driver.Reply{Status: resp.StatusCode, Header: resp.Header, Body: body}
}

func TestRoutes_Asterisk(t *testing.T) {
	t.Parallel()
	wantError(t, line(t, "GET * HTTP/1.1\r\nHost: x\r\n\r\n"), http.StatusNotFound, "not_found")
	r := line(t, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")
	if allow := r.Header.Get("Allow"); r.Status/100 != 2 || !strings.Contains(allow, "GET") || !strings.Contains(allow, "POST") {
		t.Errorf("OPTIONS *: %d %v", r.Status, r.Header)
	}
}

// TestErrors_NoPrivateData checks that errors do not repeat an account number in the wrong field.
func TestErrors_NoPrivateData(t *testing.T) {
	t.Parallel()
	const number = "0123456789"
	for _, field := range []string{"country_id", "currency_id", "channel", "bank_code"} {
		t.Run(field, func(t *testing.T) {
			if r := resolve(t, changed(t, published, "account_number", "1", field, number)); r.Status != 400 || strings.Contains(string(r.Body), number) {
				t.Errorf("got %d %s", r.Status, r.Body)
			}
		})
	}
}
