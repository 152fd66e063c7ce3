package httpapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sameAsGolden compares with a golden file, or rewrites it.
func sameAsGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("differs from %s\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

// exchange is a request and its response, as the golden files have them.
type exchange struct {
	Request  string            `json:"request"`
	Headers  []string          `json:"request_headers,omitempty"`
	Sent     string            `json:"request_body,omitempty"`
	Status   int               `json:"status"`
	Received map[string]string `json:"headers"`
	Body     json.RawMessage   `json:"body"`
}

func record(t *testing.T, method, target, body string, header []string, rec *httptest.ResponseRecorder) []byte {
	t.Helper()
	e := exchange{Request: method + " " + target, Headers: header, Sent: body, Status: rec.Code, Received: map[string]string{}}
	for name := range rec.Header() {
		if name == "Content-Length" { // net/http sets it where huma does not
			continue
		}
		e.Received[name] = strings.Join(rec.Header()[name], " | ")
	}
	e.Body = rec.Body.Bytes()
	if rec.Body.Len() == 0 {
		e.Body = json.RawMessage(`null`)
	} else if !json.Valid(e.Body) {
		e.Body, _ = json.Marshal(rec.Body.String())
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(e); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
