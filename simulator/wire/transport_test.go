package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"causeway/simulator/accounts"
	"causeway/simulator/wire"
)

// magic returns the exchange about the magic account of Paystack with an end.
func magic(t *testing.T, suffix string) exchange {
	t.Helper()
	e := golden(t, "paystack", "magic_found")
	return e.with("/bank/resolve?bank_code=001&account_number=0000000" + suffix)
}

func TestTransport_Delay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, start := wire.New(newWorld(t)), time.Now()
		r := send(w, magic(t, "202").request(t, ""))
		if took := time.Since(start); took != accounts.SlowDelay || r.StatusCode != http.StatusOK {
			t.Errorf("got %d, %v after %v, want 200 after %v", r.StatusCode, r.err, took, accounts.SlowDelay)
		}
	})
}

// TestTransport_Cancel cancels requests whose handlers wait. The bubble ends only when the handlers
// have returned.
func TestTransport_Cancel(t *testing.T) {
	t.Parallel()
	for _, e := range []exchange{magic(t, "202"), magic(t, "504"), {
		provider: "korapay", method: http.MethodPost, target: "/merchant/api/v1/misc/banks/resolve",
		body:   `{"bank":"001","account":"0000000504","currency":"NGN"}`,
		header: golden(t, "korapay", "magic_found").header,
	}} {
		synctest.Test(t, func(t *testing.T) {
			w, start := wire.New(newWorld(t)), time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			r := send(w, e.request(t, "").WithContext(ctx))
			if !errors.Is(r.err, context.DeadlineExceeded) || time.Since(start) != time.Second {
				t.Errorf("got %v after %v, want the deadline after 1s", r.err, time.Since(start))
			}
		})
	}
}

func TestTransport_CanceledContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, base := range []string{"", "https://nowhere.test"} {
		if r := send(wire.New(newWorld(t)), magic(t, "200").request(t, base).WithContext(ctx)); !errors.Is(r.err, context.Canceled) {
			t.Errorf("%q: got %v", base, r.err)
		}
	}
}

func TestTransport_UnreadBody(t *testing.T) {
	t.Parallel()
	r, err := wire.New(newWorld(t)).RoundTrip(magic(t, "200").request(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Body.Close(); err != nil { // goleak finds a handler that waits for a reader
		t.Error(err)
	}
}

func TestTransport_BrokenResponses(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	r := send(w, magic(t, "206").request(t, ""))
	if !errors.Is(r.err, io.ErrUnexpectedEOF) || len(r.body) == 0 || int64(len(r.body)) >= r.ContentLength || json.Valid(r.body) {
		t.Errorf("got %d of %d bytes, %v", len(r.body), r.ContentLength, r.err)
	}
	if r := send(w, magic(t, "555").request(t, "")); !errors.Is(r.err, io.EOF) {
		t.Errorf("got %v, want a broken connection", r.err)
	}
}

// TestLoopback_Request checks what a handler sees.
func TestLoopback_Request(t *testing.T) {
	t.Parallel()
	type key struct{}
	var got *http.Request
	transport := wire.Loopback(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r }))
	e := exchange{method: http.MethodPost, target: "/path?query", body: "body", header: http.Header{"X-Test": {"1"}}}
	r := e.request(t, "https://any.test")
	r = r.WithContext(context.WithValue(r.Context(), key{}, "value"))
	if response := send(transport, r); response.err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("got %d, %v", response.StatusCode, response.err)
	}
	body, err := io.ReadAll(got.Body)
	if err != nil || string(body) != e.body || got.Context().Value(key{}) != "value" || got.Host != "any.test" ||
		got.RequestURI != e.target || len(got.Header) != 2 || got.Header.Get("Content-Length") == "" {
		t.Errorf("got %+v with body %q, %v", got, body, err)
	}
	if len(r.Header) != 1 {
		t.Errorf("the request of the client has changed: %v", r.Header)
	}
}
