package openexchangerates_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/openexchangerates"
	"causeway/adapters/upstream/upstreamtest"
)

const base = "https://openexchangerates.org/api/latest.json"

// open makes the source over an Open Exchange Rates.
func open(t testing.TB, transport http.RoundTripper) (*openexchangerates.Source, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	source, err := openexchangerates.New(openexchangerates.Config{AppID: key}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return source, world
}

func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	return upstreamtest.Saying(t, base, answer)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		quota    int
		interval time.Duration
		want     string // "": it fits
	}{
		"the free plan, every hour":         {0, time.Hour, ""},
		"the free plan, every ten minutes":  {0, 10 * time.Minute, "openexchangerates: polled every 10m0s it would use 4464 calls of 1000 in 744h0m0s"},
		"a plan of 10000, every 10 minutes": {10_000, 10 * time.Minute, ""},
		"a plan of 10000, every 5 minutes":  {10_000, 5 * time.Minute, "poll every 5m35s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			world := upstreamtest.OpenLimited(t, saying(t, upstreamtest.File(t, "latest.json")), upstreamtest.Noon)
			source, err := openexchangerates.New(openexchangerates.Config{AppID: key, MonthlyQuota: c.quota}, world.Factory)
			if err != nil {
				t.Fatal(err)
			}
			err = source.Fits(c.interval, len(markets))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	t.Run("refuses a quota below zero", func(t *testing.T) {
		t.Parallel()
		_, err := openexchangerates.New(openexchangerates.Config{AppID: key, MonthlyQuota: -1}, upstreamtest.Open(t, httpmock.NewMockTransport()).Factory)
		if err == nil || !strings.Contains(err.Error(), "openexchangerates: monthly_quota is -1; accepted: 0 or more") {
			t.Errorf("got %v", err)
		}
	})
}

// TestTheKeyStaysInside plants the key where failures can pick it up (the URL, the answer's body,
// the transport's error), and looks for it in everything that comes out.
func TestTheKeyStaysInside(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]httpmock.Responder{
		"a body with the key":  upstreamtest.Text(401, `{"error":true,"message":"`+key+`","description":"`+key+`"}`),
		"a page with the key":  upstreamtest.Text(200, "<html>"+key),
		"a key as a number":    upstreamtest.Text(200, `{"timestamp":"`+key+`"}`),
		"a redirect with it":   upstreamtest.Text(302, "", "Location", "https://elsewhere.test/?app_id="+key),
		"a broken redirect":    upstreamtest.Text(302, "", "Location", "%zz"+key),
		"an error with it":     httpmock.NewErrorResponder(http.ErrNotSupported),
		"a 503 that is asked":  upstreamtest.Text(503, key),
		"a throttled question": upstreamtest.Text(429, key, "Retry-After", "1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, world := open(t, saying(t, answer))
			_, err := source.Observe(t.Context(), markets)
			if err == nil {
				t.Fatal("got no error")
			}
			for _, secret := range []string{key, "app_id", "openexchangerates.org"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%s is in the error: %v", secret, err)
				}
				if out := world.Printed(t); strings.Contains(out, secret) {
					t.Errorf("%s is in the logs or metrics: %s", secret, out)
				}
			}
		})
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	t.Run("needs a key", func(t *testing.T) {
		t.Parallel()
		if _, err := openexchangerates.New(openexchangerates.Config{}, factory); err == nil {
			t.Error("got no error")
		}
	})
	t.Run("refuses a bad URL", func(t *testing.T) {
		t.Parallel()
		_, err := openexchangerates.New(openexchangerates.Config{AppID: key, BaseURL: "https://oxr.test/?app_id=" + key}, factory)
		if err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("got %v", err)
		}
	})
}
