package contract_test

import (
	"bufio"
	"encoding/json"
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

// TestBodies_Incomplete: who promises a body and sends a part of it is answered, in the envelope,
// and let go.
func TestBodies_Incomplete(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]struct {
		status int
		name   string
	}{
		"POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{":                                                     {400, "bad_request"},
		"POST /v1/validate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{":                                         {400, "bad_request"},
		"POST " + resolvePath + " HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n":                                               {400, "bad_request"},
		"POST /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{":                                                      {404, "not_found"},
		"POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n{":                                                   {413, "payload_too_large"},
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

// TestErrors_NoPrivateData: what was put into the wrong field comes back from none.
func TestErrors_NoPrivateData(t *testing.T) {
	t.Parallel()
	const ( // published test vectors
		number = "0123456789"
		key    = "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617"
		seed   = "sn259rEFXrQrWyx3Q7XneWcwV6dfL"
		words  = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	)
	changed := func(object, field, value string) string {
		var fields map[string]string
		if err := json.Unmarshal([]byte(object), &fields); err != nil {
			t.Fatal(err)
		}
		fields[field] = value
		out, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for _, field := range []string{"country", "country_code", "currency", "channel", "bank_code"} {
		wrong := changed(changed(published, "account_number", "1"), field, number)
		if r := send(t, http.MethodPost, resolvePath, wrong); r.Status != 400 || strings.Contains(string(r.Body), number) {
			t.Errorf("%s: %d %s", field, r.Status, r.Body)
		}
	}
	const address = `{"type":"address","currency":"XRP","address":"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"}`
	for _, secret := range []string{key, seed, words, words + " 7"} {
		for _, field := range []string{"type", "address", "currency", "network", "memo", "memo_type"} {
			r := send(t, http.MethodPost, "/v1/validate", changed(address, field, secret))
			if shown := strings.ToUpper(string(r.Body)); strings.Contains(shown, strings.ToUpper(secret[:12])) {
				t.Errorf("%s: %d %s", field, r.Status, r.Body)
			}
			masked := field == "address" || field == "memo"
			if masked != (r.Status == 200) || masked && !strings.Contains(string(r.Body), `"`+field+`":"****"`) {
				t.Errorf("%s: %d %s", field, r.Status, r.Body)
			}
		}
	}
}
