package coingecko_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/coingecko"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
)

// open makes the source over a CoinGecko.
func open(t testing.TB, transport http.RoundTripper, cfg ...coingecko.Config) *coingecko.Source {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	source, err := coingecko.New(append(cfg, coingecko.Config{})[0], world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	return upstreamtest.Saying(t, base, answer)
}

// TestLimits holds the limits of each kind of access against a schedule.
func TestLimits(t *testing.T) {
	t.Parallel()
	const pro = "https://pro-api.coingecko.com"
	for name, c := range map[string]struct {
		cfg      coingecko.Config
		interval time.Duration
		want     string // "": it fits
	}{
		"nobody in particular, every minute":    {coingecko.Config{}, time.Minute, ""},
		"nobody in particular, every 6 seconds": {coingecko.Config{}, 6 * time.Second, "calls of 10 in 1m0s"},
		"the free plan, every minute":           {coingecko.Config{APIKey: key}, time.Minute, "calls of 10000 in 744h0m0s; 80 % may be used: poll every 5m35s or less often"},
		"the free plan, every 6 minutes":        {coingecko.Config{APIKey: key}, 6 * time.Minute, ""},
		"a paid plan, every 3 seconds":          {coingecko.Config{APIKey: key, BaseURL: pro}, 3 * time.Second, ""},
		"a paid plan, every second":             {coingecko.Config{APIKey: key, BaseURL: pro}, time.Second, "calls of 30 in 1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, err := coingecko.New(c.cfg, upstreamtest.OpenLimited(t, httpmock.NewMockTransport(), upstreamtest.Noon).Factory)
			if err != nil {
				t.Fatal(err)
			}
			err = source.Fits(c.interval, 100)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestSource_NoKey(t *testing.T) {
	t.Parallel()
	source := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
		if len(r.Header.Values("X-Cg-Demo-Api-Key"))+len(r.Header.Values("X-Cg-Pro-Api-Key")) > 0 {
			t.Error("a key was sent without one in the settings")
		}
		return upstreamtest.File(t, "simple_price.json")(r)
	}))
	observe(t, source, markets, markets...)
}

// TestTheKeyGoesWhereItsHostWantsIt: each refuses the other's.
func TestTheKeyGoesWhereItsHostWantsIt(t *testing.T) {
	t.Parallel()
	for host, header := range map[string]string{
		"https://api.coingecko.com":     "X-Cg-Demo-Api-Key",
		"https://pro-api.coingecko.com": "X-Cg-Pro-Api-Key",
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			calls := 0
			source := open(t, upstreamtest.Saying(t, host, func(r *http.Request) (*http.Response, error) {
				calls++
				if got := r.Header.Values(header); !slices.Equal(got, []string{key}) || strings.Contains(r.URL.String(), key) {
					t.Errorf("got %v in %s, URL %s", got, header, r.URL)
				}
				return upstreamtest.File(t, "simple_price.json")(r)
			}), coingecko.Config{BaseURL: host, APIKey: key})
			observe(t, source, markets, markets...)
			if calls != 1 {
				t.Errorf("%d calls", calls)
			}
		})
	}
}

// observe checks which markets are quoted.
func observe(t *testing.T, source *coingecko.Source, of []core.Pair, want ...core.Pair) {
	t.Helper()
	got, err := source.Observe(t.Context(), of)
	pairs := make([]core.Pair, 0, len(got))
	for _, o := range got {
		pairs = append(pairs, o.Pair)
	}
	if err != nil || !slices.Equal(pairs, want) {
		t.Errorf("got %v, %v; want %v", pairs, err, want)
	}
}
