package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"causeway/simulator/accounts"
	"causeway/simulator/wire"
	simulatedpaystack "causeway/simulator/wire/paystack"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// magic asks for a magic account, in process.
func magic(ctx context.Context, t *testing.T, w *wire.Wire, suffix string) (*http.Response, error) {
	t.Helper()
	target := "https://api.paystack.co/bank/resolve?bank_code=001&account_number=0000000" + suffix
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+simulatedpaystack.Key("NG"))
	return (&http.Client{Transport: w}).Do(r)
}

func closeIt(t *testing.T, r *http.Response) {
	t.Helper()
	if err := r.Body.Close(); err != nil {
		t.Error(err)
	}
}

func TestTransport_Latency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, start := wire.New(newWorld(t)), time.Now()
		r, err := magic(t.Context(), t, w, "202")
		if err != nil {
			t.Fatal(err)
		}
		defer closeIt(t, r)
		if took := time.Since(start); took != accounts.SlowDelay || r.StatusCode != http.StatusOK {
			t.Errorf("status %d after %v, want 200 after %v", r.StatusCode, took, accounts.SlowDelay)
		}
	})
}

func TestTransport_CanceledRequest(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{"202", "504"} {
		t.Run(suffix, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, start := wire.New(newWorld(t)), time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				r, err := magic(ctx, t, w, suffix)
				if err == nil {
					closeIt(t, r)
				}
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
					t.Errorf("after %v: %v, want the deadline after 1s", time.Since(start), err)
				}
				synctest.Wait() // the bubble ends only when the handler has left
			})
		})
	}
}

func TestTransport_Hang(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, start := wire.New(newWorld(t)), time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(24*time.Hour, cancel)
		r, err := magic(ctx, t, w, "504")
		if err == nil {
			closeIt(t, r)
		}
		if !errors.Is(err, context.Canceled) || time.Since(start) != 24*time.Hour {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

func TestTransport_EndedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := magic(ctx, t, wire.New(newWorld(t)), "200")
	if err == nil {
		closeIt(t, r)
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestTransport_BodyContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := magic(ctx, t, wire.New(newWorld(t)), "200")
	if err != nil {
		t.Fatal(err)
	}
	defer closeIt(t, r)
	one := make([]byte, 1)
	if _, err := io.ReadFull(r.Body, one); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(r.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("reading on: %v, want context.Canceled", err)
	}
}

func TestTransport_UnreadBody(t *testing.T) {
	t.Parallel()
	r, err := magic(t.Context(), t, wire.New(newWorld(t)), "200")
	if err != nil {
		t.Fatal(err)
	}
	closeIt(t, r) // goleak finds a handler that still waits for a reader
}

// bothWays asks for a magic account in process and over TCP.
func bothWays(t *testing.T, suffix string, check func(t *testing.T, r *http.Response, err error)) {
	t.Helper()
	w := wire.New(newWorld(t))
	t.Run("in process", func(t *testing.T) {
		t.Parallel()
		r, err := magic(t.Context(), t, w, suffix)
		if err == nil {
			defer closeIt(t, r)
		}
		check(t, r, err)
	})
	t.Run("over TCP", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewServer(w.Handler("paystack"))
		defer server.Close()
		q := question{target: "/bank/resolve?bank_code=001&account_number=0000000" + suffix, header: nigeria}
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		r, err := client.Do(q.request(t, server.URL))
		if err == nil {
			defer closeIt(t, r)
		}
		check(t, r, err)
	})
}

func TestTransport_Truncated(t *testing.T) {
	t.Parallel()
	bothWays(t, "206", func(t *testing.T, r *http.Response, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if !errors.Is(err, io.ErrUnexpectedEOF) || len(body) == 0 || int64(len(body)) >= r.ContentLength || json.Valid(body) {
			t.Errorf("%d of %d bytes, %v; want a part and io.ErrUnexpectedEOF", len(body), r.ContentLength, err)
		}
	})
}

func TestConnectionReset(t *testing.T) {
	t.Parallel()
	bothWays(t, "555", func(t *testing.T, _ *http.Response, err error) {
		t.Helper()
		if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF) { // a closed connection may be met either way
			t.Errorf("got %v, want a broken connection", err)
		}
	})
}

func TestUnknownHostIsNotFound(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	for _, host := range []string{"example.com", "paystack.co", "api.kraken.com.evil.test", ""} {
		r, err := w.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+host+":443/", http.NoBody))
		if err == nil {
			closeIt(t, r)
		}
		var dial *net.OpError
		var name *net.DNSError
		if !errors.As(err, &dial) || dial.Op != "dial" || !errors.As(err, &name) || !name.IsNotFound {
			t.Errorf("%q: %v, want a dial error", host, err)
		}
	}
}

func TestHostsInEverySpelling(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	for _, host := range []string{"API.Kraken.com", "api.kraken.com:443"} {
		r, err := w.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+host+"/0/public/Time", http.NoBody))
		if err != nil {
			t.Fatalf("%s: %v", host, err)
		}
		if r.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", host, r.StatusCode)
		}
		closeIt(t, r)
	}
}

// tracked is a request body that tells whether it was closed.
type tracked struct {
	io.Reader

	closed chan struct{}
}

func (b tracked) Close() error {
	close(b.closed)
	return nil
}

func TestRequestIsClosedAndLeftAlone(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"api.kraken.com", "nowhere.test"} {
		body := tracked{strings.NewReader("pair=XBTUSD"), make(chan struct{})}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+host+"/0/public/Time", body)
		if err != nil {
			t.Fatal(err)
		}
		response, err := wire.New(newWorld(t)).RoundTrip(r)
		if err == nil {
			if _, err := io.Copy(io.Discard, response.Body); err != nil {
				t.Error(err)
			}
			closeIt(t, response)
		}
		<-body.closed
		if len(r.Header) != 0 || r.RequestURI != "" || r.RemoteAddr != "" {
			t.Errorf("the request was changed: %+v", r)
		}
	}
}

func TestHeadHasNoBody(t *testing.T) {
	t.Parallel()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, "https://api.kraken.com/0/public/Time", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := wire.New(newWorld(t)).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer closeIt(t, response)
	body, err := io.ReadAll(response.Body)
	if err != nil || len(body) != 0 || response.ContentLength == 0 {
		t.Errorf("%d bytes, Content-Length %d, %v", len(body), response.ContentLength, err)
	}
}
