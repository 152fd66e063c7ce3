package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/adapters/providers/all"
	"causeway/cmd/causeway/app"
	"causeway/cmd/causeway/cli"
	"causeway/config"
	"causeway/simulator"
	"causeway/simulator/wire"
)

// crossing changes what becomes of a question on its way; nil: it passes.
type crossing func(r *http.Request) (*http.Response, error)

// way is the transport of a simulated world in which something is wrong.
type way struct {
	next  http.RoundTripper
	cross crossing
	ahead time.Duration // of the providers' clocks
}

// RoundTrip asks the world, or does not.
func (w way) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.cross != nil {
		if response, err := w.cross(r); response != nil || err != nil {
			return response, err
		}
	}
	response, err := w.next.RoundTrip(r)
	if err == nil && w.ahead != 0 {
		response.Header.Set("Date", time.Now().Add(w.ahead).UTC().Format(http.TimeFormat))
	}
	return response, err
}

// say answers with a status and a body.
func say(status int, body string) *http.Response {
	rec := httptest.NewRecorder()
	rec.WriteHeader(status)
	_, _ = rec.WriteString(body)
	return rec.Result()
}

// patient is a production process with an account at every provider, in a simulated world.
func patient(t *testing.T, w way, env ...string) *cli.Doctor {
	t.Helper()
	w.next = simulatedProviders(t)
	return examined(settingsOfPatient(t, env...), w)
}

func simulatedProviders(t *testing.T) http.RoundTripper {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	world, err := simulator.New(simulator.Config{Seed: "doctor"}, time.Now, slices.Concat(catalog.Banks, simulator.Banks(catalog.Countries)))
	if err != nil {
		t.Fatal(err)
	}
	return wire.New(world)
}

// examined returns a doctor of a configuration whose providers are behind a transport.
func examined(cfg config.Config, outside http.RoundTripper) *cli.Doctor {
	o := options()
	o.NewProviders = func(cfg config.Config, wrap func(http.RoundTripper) http.RoundTripper) (cli.Providers, error) {
		s := app.NewEnvironment(nil)
		s.Transport = outside
		return assemble(cfg, s, wrap)
	}
	return cli.NewDoctor(o, cfg, false)
}

// settingsOfPatient has credentials of all providers.
func settingsOfPatient(t *testing.T, env ...string) config.Config {
	t.Helper()
	lines, err := cli.UpstreamEnv("http://unused.test")
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"CAUSEWAY_MODE=production"}
	for _, v := range lines {
		if !strings.HasSuffix(v.Name, "_URL") {
			all = append(all, v.Name+"="+v.Value)
		}
	}
	return settings(t, append(all, env...)...)
}

// told is the finding of a check.
func told(t *testing.T, found []cli.Finding, check string) cli.Finding {
	t.Helper()
	at := slices.IndexFunc(found, func(f cli.Finding) bool { return f.Check == check })
	if at < 0 {
		t.Fatalf("nothing is said of %s in %+v", check, found)
	}
	return found[at]
}

// to lets what goes to a host meet with something.
func to(host string, meet crossing) crossing {
	return func(r *http.Request) (*http.Response, error) {
		if r.URL.Host != host {
			return nil, nil
		}
		return meet(r)
	}
}

func TestDoctorFindsNothingWhereNothingIsWrong(t *testing.T) {
	t.Parallel()
	found := patient(t, way{}).Examine(t.Context())
	for _, f := range found {
		if f.State == cli.Broken {
			t.Errorf("%+v", f)
		}
	}
	for check, want := range map[string]string{
		"provider paystack": "answers: 32 institutions of GH", "provider kraken": "3 of 3 markets", "provider daraja": "a login", "clock": "within ",
		"credential afriex.api_key": "the provider takes it", "credential paystack.keys.ng": "it is one for tests (sk_test_…); the provider takes it",
		"credential busha.api_key": "nothing harmless to ask",
	} {
		if f := told(t, found, check); !strings.Contains(f.Found, want) {
			t.Errorf("%+v, want %q", f, want)
		}
	}
}

func TestDoctorSaysWhatIsWrongWithProviders(t *testing.T) {
	t.Parallel()
	status := func(status int, body string) crossing {
		return func(*http.Request) (*http.Response, error) { return say(status, body), nil }
	}
	fails := func(err error) crossing {
		return func(*http.Request) (*http.Response, error) { return nil, err }
	}
	for name, c := range map[string]struct {
		cross       crossing
		check       string
		state       cli.Verdict
		found, todo string
	}{
		"a refused key":               {to("api.paystack.co", status(401, `{"status":false,"message":"Invalid key"}`)), "credential paystack.keys.gh", cli.Broken, "refuses it", "CAUSEWAY_PAYSTACK__KEYS__GH"},
		"a provider that is down":     {to("api.flutterwave.com", status(500, "")), "provider flutterwave", cli.Broken, "status 500", "status page"},
		"a lost connection":           {to("api.korapay.com", fails(errors.New("connection reset by planted"))), "provider korapay", cli.Broken, "connection failed", "firewall"},
		"something else in its place": {to("api.afriex.com", status(200, "<html>planted</html>")), "provider afriex", cli.Broken, "malformed", "base_url"},
		"a login that fails":          {to("api.safaricom.co.ke", status(400, "")), "credential daraja.consumer_key", cli.Broken, "refuses it", "CAUSEWAY_DARAJA__CONSUMER_KEY"},
		"an unknown app id":           {to("openexchangerates.org", status(401, `{"error":true,"status":401,"message":"invalid_app_id"}`)), "credential open_exchange_rates.app_id", cli.Broken, "refuses it", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID"},
		"a venue that is blocked":     {to("data-api.binance.vision", status(451, "")), "provider binance", cli.Worrying, "status 451", "country"},
		"a venue that is down":        {to("api.kraken.com", status(502, "")), "provider kraken", cli.Worrying, "status 502", "status page"},
		"a venue that throttles":      {to("www.okx.com", status(429, "")), "provider okx", cli.Worrying, "throttled", "wait"},
		"no venue answers":            {fails(errors.New("unplugged")), "prices", cli.Broken, "no rate source", "see the providers"},
		"nobody names accounts":       {fails(errors.New("unplugged")), "account names", cli.Broken, "no account provider", "see the providers"},
		"nobody tells the time":       {fails(errors.New("unplugged")), "clock", cli.Skipped, "told the time", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := patient(t, way{cross: c.cross}, "CAUSEWAY_UPSTREAM__RETRIES=0").Examine(t.Context())
			f := told(t, found, c.check)
			if f.State != c.state || !strings.Contains(f.Found, c.found) || !strings.Contains(f.Do, c.todo) {
				t.Errorf("got %+v, want %+v", f, c)
			}
			if text := fmt.Sprint(found); strings.Contains(text, "planted") {
				t.Errorf("it repeats what a provider said: %s", text)
			}
			if err := cli.Diagnosis(found); c.state == cli.Broken && err == nil {
				t.Error("all is well")
			}
		})
	}
}

// TestDoctorAsksNobodyWithoutCredentials examines what has an account at one provider alone.
func TestDoctorAsksNobodyWithoutCredentials(t *testing.T) {
	t.Parallel()
	cfg := settingsOfPatient(t)
	for _, name := range []string{"paystack", "flutterwave", "monnify", "afriex", "daraja", "busha"} {
		described, _ := all.Find(name)
		cfg.Providers[name] = described.Settings()
	}
	found := examined(cfg, way{next: simulatedProviders(t)}).Examine(t.Context())
	for _, f := range found {
		if strings.Contains(f.Check, "daraja") || strings.Contains(f.Check, "paystack") || f.State == cli.Broken {
			t.Errorf("%+v", f)
		}
	}
	if f := told(t, found, "configuration"); !strings.Contains(f.Found, "account providers: 1") {
		t.Errorf("%+v", f)
	}
}

func TestDoctorGivesUpOnWhoIsSilent(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // its time is over
	hang := func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	found := patient(t, way{cross: hang}).Examine(ctx)
	if f := told(t, found, "prices"); f.State != cli.Broken {
		t.Errorf("%+v", f)
	}
}

func TestDoctorComparesClocks(t *testing.T) {
	t.Parallel()
	for ahead, want := range map[time.Duration]cli.Verdict{
		0: cli.Fine, 3 * time.Hour: cli.Broken, -time.Minute: cli.Broken, 10 * time.Second: cli.Broken,
	} {
		f := told(t, patient(t, way{ahead: ahead}).Examine(t.Context()), "clock")
		if f.State != want || (want == cli.Broken) != strings.Contains(f.Do, "chrony") {
			t.Errorf("%s ahead: %+v", ahead, f)
		}
	}
}

func TestDoctorOnTheCommandLine(t *testing.T) {
	t.Parallel()
	out, err := said(t, "doctor", "--offline", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0", "-o", "json")
	if !strings.Contains(out, `"state": "ok"`) {
		t.Errorf("%s, %v", out, err)
	}
	var code *cli.ExitError
	out, err = said(t, "doctor", "--listen", "nowhere")
	if !errors.As(err, &code) || code.Code != 1 || !strings.Contains(out, "FAIL") || !strings.Contains(out, "→ correct it") || !strings.Contains(out, `listen is "nowhere"`) {
		t.Errorf("%s, %v", out, err)
	}
	for _, args := range [][]string{{"doctor", "-o", "xml"}, {"doctor", "--timeout", "0s"}, {"doctor", "all"}} {
		if _, err := said(t, args...); cli.ExitCode(err) != 2 {
			t.Errorf("%v: %v", args, err)
		}
	}
}
