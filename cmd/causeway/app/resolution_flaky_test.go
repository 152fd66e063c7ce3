package app

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/config"
	"causeway/core"
	"causeway/simulator"
	"causeway/simulator/wire"
	"causeway/test/faults"
)

// flaky is a Paystack that spoils three in ten responses about accounts, in all ways of package
// faults.
type flaky struct {
	honest      http.Handler
	instead     substitute
	next        *stand // who is asked after it
	ways        []faults.Fault
	other, none string // numbers of resolveBody, and of nobody

	mu          sync.Mutex
	draws       *rand.Rand
	ruined, all int
}

func (f *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number := r.URL.Query().Get("account_number")
	switch {
	case number == "":
		f.honest.ServeHTTP(w, r)
		return
	case f.instead.set():
		f.instead.serve(w, r)
		return
	}
	f.mu.Lock()
	way, hit := f.ways[f.draws.IntN(len(f.ways))], f.draws.IntN(100) < 30
	f.all++
	if hit {
		f.ruined++
	}
	f.mu.Unlock()
	if !hit {
		f.honest.ServeHTTP(w, r)
		return
	}
	way.Play(faults.Scene{Provider: wire.Paystack, Number: number, Other: f.other, None: f.none, Honest: f.honest}, w, r, "")
}

// stand is a provider that a test can replace.
type stand struct {
	honest  http.Handler
	instead substitute
}

// substitute replaces a handler while it is set. It is safe for concurrent use.
type substitute struct{ handler atomic.Pointer[http.Handler] }

func (s *substitute) put(h http.Handler) {
	if h == nil {
		s.handler.Store(nil)
		return
	}
	s.handler.Store(&h)
}

func (s *substitute) set() bool { return s.handler.Load() != nil }

func (s *substitute) serve(w http.ResponseWriter, r *http.Request) {
	if h := s.handler.Load(); h != nil {
		(*h).ServeHTTP(w, r)
	}
}

func (s *stand) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.instead.set() && r.Method == http.MethodPost { // about an account
		s.instead.serve(w, r)
		return
	}
	s.honest.ServeHTTP(w, r)
}

// byHost is a transport that replaces some hosts.
type byHost struct {
	http.RoundTripper
	other map[string]http.RoundTripper
}

func (n byHost) RoundTrip(r *http.Request) (*http.Response, error) {
	if other := n.other[r.URL.Host]; other != nil {
		return other.RoundTrip(r)
	}
	return n.RoundTripper.RoundTrip(r)
}

// tally counts the results of many requests.
type tally struct{ right, wrong, denied, missing, invented, outage, late atomic.Int64 }

// TestResolution_FlakyProvider resolves many accounts while the first provider spoils three in ten
// responses. No wrong name is returned, and nearly all accounts are resolved within eight seconds.
func TestResolution_FlakyProvider(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const holders, workers = 5_000, 256
		api, w, f := flakily(t)
		gtb := w.Banks()[slices.IndexFunc(w.Banks(), func(b core.Bank) bool { return b.Country == "NG" && b.Code == "000013" })]
		var asked []string
		for i, known := 0, 0; known < holders; i++ {
			number := fmt.Sprintf("%010d", 1_000_000_000+(i*104_729)%8_999_999_999)
			switch asked = append(asked, number); w.Account(gtb, number).Outcome {
			case simulator.Found:
				known++
				f.other = number
			case simulator.Unknown:
				f.none = number
			default:
			}
		}
		var (
			working sync.WaitGroup
			next    atomic.Int64
			sum     tally
		)
		for range workers {
			working.Go(func() {
				for i := next.Add(1) - 1; i < int64(len(asked)); i = next.Add(1) - 1 {
					sum.ask(t, api, asked[i], w.Account(gtb, asked[i]))
				}
			})
		}
		working.Wait()
		ruined := float64(f.ruined) / float64(f.all)
		t.Logf("%d questions: %d right, %d outages, %d rightly denied; %.1f %% of %d answers ruined",
			len(asked), sum.right.Load(), sum.outage.Load(), sum.missing.Load(), 100*ruined, f.all)
		if sum.wrong.Load()+sum.denied.Load()+sum.invented.Load()+sum.late.Load() > 0 {
			t.Errorf("%d wrong names, %d holders denied, %d invented, %d answers after eight seconds", sum.wrong.Load(), sum.denied.Load(), sum.invented.Load(), sum.late.Load())
		}
		if sum.right.Load()*1000 < holders*999 {
			t.Errorf("%d of %d right; 999 in a thousand are wanted", sum.right.Load(), holders)
		}
		if f.all < len(asked)/2 || ruined < 0.28 || ruined > 0.32 {
			t.Errorf("%.3f of %d answers of the provider were ruined: this test would prove nothing", ruined, f.all)
		}
	})
}

// flakily builds a production process with two providers, the first one flaky.
func flakily(t *testing.T) (*httpapi.API, *simulator.World, *flaky) {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	w, err := simulator.New(simulator.Config{Seed: "flaky"}, time.Now, catalog.Banks)
	if err != nil {
		t.Fatal(err)
	}
	shown := wire.New(w)
	f := &flaky{honest: shown.Handler(wire.Paystack), next: &stand{honest: shown.Handler(wire.Flutterwave)}, ways: faults.All(), draws: rand.New(rand.NewPCG(5, 30))}
	network := byHost{shown, map[string]http.RoundTripper{
		"api.paystack.co": wire.Loopback(f), "api.flutterwave.com": wire.Loopback(f.next),
	}}
	cfg := settings(t, "CAUSEWAY_MODE=production", "CAUSEWAY_AUTH__KEYS=client-0123456789abcdef", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID="+wire.AppID,
		"CAUSEWAY_PAYSTACK__KEYS__NG="+wire.PaystackKey("NG"), "CAUSEWAY_FLUTTERWAVE__SECRET_KEY="+wire.FlutterwaveKey,
		"CAUSEWAY_RESOLUTION__GUARD__MODE=off", "CAUSEWAY_LIMITS__OPERATIONS__RESOLVE_ACCOUNT=1000000/s",
		"CAUSEWAY_UPSTREAM__MAX_CONCURRENT=1024")
	cfg.Upstream.MaxBody = 256 << 10
	a := newTestApp(t, cfg, zap.NewNop(), withEnvironment(func(env *Environment) { env.Transport = network }))
	a.RefreshBanks(t.Context())
	return a.api, w, f
}

// ask resolves an account and counts the result.
func (s *tally) ask(t *testing.T, api *httpapi.API, number string, known simulator.Account) {
	question := `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"` + number + `"}`
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/recipients/resolve-bank-account", strings.NewReader(question))
	r.Header.Set("Authorization", "Bearer client-0123456789abcdef")
	answer, began := httptest.NewRecorder(), time.Now()
	api.Handler().ServeHTTP(answer, r)
	if time.Since(began) >= 8*time.Second {
		s.late.Add(1)
	}
	exists := known.Outcome == simulator.Found
	switch {
	case answer.Code == http.StatusOK && !exists:
		s.invented.Add(1)
	case answer.Code == http.StatusOK:
		var said struct {
			Data struct {
				Name string `json:"account_name"`
			} `json:"data"`
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &said); err != nil || said.Data.Name != known.Name {
			s.wrong.Add(1)
			return
		}
		s.right.Add(1)
	case answer.Code == http.StatusNotFound && exists:
		s.denied.Add(1)
	case answer.Code == http.StatusNotFound:
		s.missing.Add(1)
	case answer.Code == http.StatusServiceUnavailable:
		s.outage.Add(1)
	default:
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

// TestResolution_SilentProviders checks the time limit while one provider, or both, do not answer.
func TestResolution_SilentProviders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		silent := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		api, w, f := flakily(t)
		question := `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`
		gtb := w.Banks()[slices.IndexFunc(w.Banks(), func(b core.Bank) bool { return b.Country == "NG" && b.Code == "000013" })]
		for _, one := range []struct {
			next   http.Handler // nil: well
			status int
			least  time.Duration // of the wait: the first one's turn is half of 7.5 seconds
		}{{nil, http.StatusOK, 3750 * time.Millisecond}, {silent, http.StatusServiceUnavailable, 7500 * time.Millisecond}} {
			f.instead.put(silent)
			f.next.instead.put(one.next)
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/recipients/resolve-bank-account", strings.NewReader(question))
			r.Header.Set("Authorization", "Bearer client-0123456789abcdef")
			answer, began := httptest.NewRecorder(), time.Now()
			api.Handler().ServeHTTP(answer, r)
			if took := time.Since(began); took < one.least || took >= 8*time.Second || answer.Code != one.status {
				t.Errorf("%d %s after %s", answer.Code, answer.Body, took)
			}
			if answer.Code == http.StatusOK && !strings.Contains(answer.Body.String(), w.Account(gtb, "0123456789").Name) {
				t.Errorf("another name: %s", answer.Body)
			}
			question = strings.Replace(question, "0123456789", "0123456781", 1)
		}
	})
}
