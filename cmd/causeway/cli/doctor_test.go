package cli

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/storage"
	"causeway/cmd/causeway/app"
	"causeway/config"
	"causeway/core"
	"causeway/core/recipients"
	"causeway/simulator/accounts"
	"causeway/simulator/wire"
	"causeway/simulator/world"
	"causeway/test/testcert"
)

// roundTripper is a function as a transport.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// unplugged fails every request.
func unplugged(*http.Request) (*http.Response, error) {
	return nil, errors.New("connection reset by planted")
}

// newTestDoctor returns a doctor of a production configuration with credentials for every provider.
func newTestDoctor(t *testing.T, transport roundTripper, env ...string) *doctor {
	t.Helper()
	variables, err := upstreamEnv("http://unused.test")
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"CAUSEWAY_MODE=production", "CAUSEWAY_LISTEN=127.0.0.1:0", "CAUSEWAY_OPERATOR_LISTEN=127.0.0.1:0"}
	for name, value := range variables {
		if !strings.Contains(name, "__BASE_URLS__") {
			all = append(all, name+"="+value)
		}
	}
	cfg, err := config.Load(config.Sources{Env: append(all, env...)})
	if err != nil {
		t.Fatal(err)
	}
	outside := app.NewEnvironment(nil)
	outside.Transport = transport
	return newDoctor(cfg, nil, outside, false)
}

// newProviders returns a transport to simulated providers.
func newProviders(t *testing.T) roundTripper {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.RegistryConfig{Clock: time.Now, Banks: slices.Concat(catalog.Banks, accounts.MagicBanks(catalog.Countries)), Providers: wire.Offers(), Default: world.Options{Seed: "doctor"}})
	if err != nil {
		t.Fatal(err)
	}
	return wire.New(w).RoundTrip
}

// find returns the result of a check.
func find(t *testing.T, results []result, check string) result {
	t.Helper()
	i := slices.IndexFunc(results, func(r result) bool { return r.Check == check })
	if i < 0 {
		t.Fatalf("no %s in %+v", check, results)
	}
	return results[i]
}

func TestDoctor_Healthy(t *testing.T) {
	t.Parallel()
	results := newTestDoctor(t, newProviders(t)).run(t.Context())
	for _, r := range results {
		if r.State == failed {
			t.Errorf("%+v", r)
		}
	}
	for check, want := range map[string]string{
		"configuration": "mode production", "clock": "the clocks of providers",
		"provider paystack": "responds: 32 institutions of GH", "provider kraken": "3 of 3 markets", "provider daraja": "a login",
		"credential afriex.api_key": "the provider accepts it", "credential paystack.keys.ng": "test credential (sk_test_…)",
		"credential busha.api_key": "no harmless request",
	} {
		if r := find(t, results, check); !strings.Contains(r.Found, want) {
			t.Errorf("%+v, want %q", r, want)
		}
	}
	variables, err := upstreamEnv("http://unused.test")
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range variables {
		if regexp.MustCompile(`KEY|SECRET|APP_ID`).MatchString(name) && strings.Contains(fmt.Sprint(results), value) {
			t.Errorf("%s is shown: %+v", name, results)
		}
	}
}

func TestDoctor_Providers(t *testing.T) {
	t.Parallel()
	status := func(status int, body string) roundTripper {
		return func(*http.Request) (*http.Response, error) {
			rec := httptest.NewRecorder()
			rec.WriteHeader(status)
			_, _ = rec.WriteString(body)
			return rec.Result(), nil
		}
	}
	const all = ""
	for _, c := range []struct {
		name, host string
		transport  roundTripper
		check      string
		state      state
		found, do  string
	}{
		{"refused key", "api.paystack.co", status(401, `{"status":false,"message":"Invalid key"}`), "credential paystack.keys.gh", failed, "refuses it", "CAUSEWAY_PAYSTACK__KEYS__GH"},
		{"failed login", "api.safaricom.co.ke", status(400, ""), "credential daraja.consumer_key", failed, "refuses it", "CAUSEWAY_DARAJA__CONSUMER_KEY"},
		{"unknown app ID", "openexchangerates.org", status(401, `{"error":true,"status":401,"message":"invalid_app_id"}`), "credential open_exchange_rates.app_id", failed, "refuses it", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID"},
		{"provider down", "api.flutterwave.com", status(500, ""), "provider flutterwave", failed, "status 500", "status page"},
		{"lost connection", "api.korapay.com", unplugged, "provider korapay", failed, "connection failed", "firewall"},
		{"another server", "api.afriex.com", status(200, "<html>planted</html>"), "provider afriex", failed, "malformed", "base URL"},
		{"blocked country", "data-api.binance.vision", status(451, ""), "provider binance", warning, "status 451", "country"},
		{"venue down", "api.kraken.com", status(502, ""), "provider kraken", warning, "status 502", "status page"},
		{"throttled", "www.okx.com", status(429, ""), "provider okx", warning, "throttled", "wait"},
		{"moved provider", "openapi.quidax.io", status(301, ""), "provider quidax", warning, "status 301", "https://app.quidax.io/api/v1 or https://www.quidax.com/api/v1"},
		{"missing API", "openapi.quidax.io", status(404, ""), "provider quidax", warning, "status 404", "unset providers.base_urls.quidax"},
		{"no network", all, unplugged, "provider openexchangerates", failed, "connection failed", "firewall"},
		{"no clock", all, unplugged, "clock", skipped, "sent the time", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			providers := newProviders(t)
			results := newTestDoctor(t, func(r *http.Request) (*http.Response, error) {
				if c.host == all || r.URL.Host == c.host {
					return c.transport(r)
				}
				return providers(r)
			}).run(t.Context())
			r := find(t, results, c.check)
			if r.State != c.state || !strings.Contains(r.Found, c.found) || !strings.Contains(r.Do, c.do) {
				t.Errorf("got %+v, want %+v", r, c)
			}
			if text := fmt.Sprint(results); strings.Contains(text, "planted") {
				t.Errorf("a response is repeated: %s", text)
			}
			if want := map[state]int{failed: 1, warning: 3, skipped: 1}[c.state]; ExitCode(summary(results)) != want {
				t.Errorf("exit code %d, want %d", ExitCode(summary(results)), want)
			}
		})
	}
}

func TestDoctor_Timeout(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	hang := func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if r := find(t, newTestDoctor(t, hang).run(ctx), "provider openexchangerates"); r.State != failed {
		t.Errorf("%+v", r)
	}
}

func TestDoctor_Clock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ahead []time.Duration // of this machine, by provider
		want  state
		found string
	}{
		"right":                {[]time.Duration{0}, passed, "of providers"},
		"one provider wrong":   {[]time.Duration{time.Hour, 0}, passed, "of providers"},
		"ahead":                {[]time.Duration{3 * time.Hour, 4 * time.Hour}, failed, "ahead of"},
		"behind":               {[]time.Duration{-time.Minute}, failed, "behind"},
		"no provider responds": {nil, skipped, "sent the time"},
	} {
		clock := clockCheck{}
		for _, ahead := range c.ahead {
			clock.next = roundTripper(func(*http.Request) (*http.Response, error) {
				date := time.Now().Add(-ahead).UTC().Format(http.TimeFormat)
				return &http.Response{Header: http.Header{"Date": {date}}}, nil
			})
			_, _ = clock.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://x.test", http.NoBody))
		}
		if r := clock.judge(); r.State != c.want || !strings.Contains(r.Found, c.found) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestDoctor_CredentialForm(t *testing.T) {
	t.Parallel()
	for secret, want := range map[string]struct {
		state state
		do    string
	}{
		"sk_live_planted":        {passed, ""},
		"sk_test_planted":        {warning, "sk_live_"},
		"planted":                {warning, "sk_live_"},
		"pk_live_planted":        {failed, "the right one"},
		" sk_live_planted":       {failed, "copy it again"},
		"sk_live_planted\n":      {failed, "copy it again"},
		"Bearer sk_live_planted": {failed, "copy it again"},
		`"sk_live_planted"`:      {failed, "copy it again"},
	} {
		r := judgeCredential(provider.Credential{
			Value: core.Secret(secret), Live: "sk_live_", Test: "sk_test_", Mistaken: "pk_",
		}, "CAUSEWAY_PAYSTACK__KEYS__NG", nil)
		if r.State != want.state || !strings.Contains(r.Do, want.do) || strings.Contains(fmt.Sprint(r), "planted") {
			t.Errorf("%q: %+v", secret, r)
		}
	}
}

func TestDoctor_Machine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	private, file, damaged := filepath.Join(dir, "private"), filepath.Join(dir, "file"), t.TempDir()
	if err := errors.Join(
		os.Mkdir(private, 0o700), os.WriteFile(file, nil, 0o600),
		os.WriteFile(filepath.Join(damaged, "causeway.db"), []byte(strings.Repeat("no database ", 1000)), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	const dirs, redisURL = "CAUSEWAY_STATE__DIR=", "CAUSEWAY_REDIS__URL=redis://:planted@127.0.0.1:1"
	hashKey := "CAUSEWAY_PRIVACY__HASH_KEY=" + strings.Repeat("k", 32)
	expiring := dirs + newDatabase(t, core.Key{Name: "shop", Expires: time.Now().Add(time.Hour), Scopes: []string{"*"}})
	for name, c := range map[string]struct {
		env       []string
		check     func(*doctor, context.Context) result
		want      state
		found, do string
	}{
		"no directory":         {nil, (*doctor).stateDir, skipped, "does not survive", ""},
		"directory":            {[]string{dirs + private}, (*doctor).stateDir, passed, "writable", ""},
		"new directory":        {[]string{dirs + dir + "/new"}, (*doctor).stateDir, warning, "does not exist", "causeway creates it"},
		"file for a directory": {[]string{dirs + file}, (*doctor).stateDir, failed, "not a directory", "make it a directory"},
		"no database":          {nil, (*doctor).database, warning, "in memory", "state.dir"},
		"new database":         {[]string{dirs + private}, (*doctor).database, passed, "creates", ""},
		"expiring key":         {[]string{expiring}, (*doctor).database, warning, "1 of 1 API keys are valid; 0 points of price history; these keys expire soon", "rotate"},
		"PostgreSQL down":      {[]string{"CAUSEWAY_STORAGE__URL=postgres://u:planted@127.0.0.1:1/x"}, (*doctor).database, failed, "cannot be reached", "503"},
		"damaged file":         {[]string{dirs + damaged}, (*doctor).database, failed, "restore a backup", "until then"},
		"no Redis":             {nil, (*doctor).redis, skipped, "none", ""},
		"Redis down":           {[]string{redisURL, hashKey}, (*doctor).redis, failed, "connection refused", "alone"},
		"no certificate":       {nil, (*doctor).certificate, skipped, "plain HTTP", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := c.check(newTestDoctor(t, unplugged, c.env...), t.Context())
			if r.State != c.want || !strings.Contains(r.Found, c.found) || !strings.Contains(r.Do, c.do) || strings.Contains(fmt.Sprint(r), "planted") {
				t.Errorf("got %+v, want %+v", r, c)
			}
		})
	}
}

// newDatabase returns a directory with a database that has a key.
func newDatabase(t *testing.T, key core.Key) string {
	t.Helper()
	dir := t.TempDir()
	store, err := storage.Open(t.Context(), storage.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = store.Keys().Create(t.Context(), key)
	if err := errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDoctor_Keys(t *testing.T) {
	t.Parallel()
	d := newTestDoctor(t, unplugged, "CAUSEWAY_STATE__DIR=/unused", "CAUSEWAY_AUTH__RECIPIENTS=required")
	d.cfg.Auth.Keys = nil
	now := time.Now()
	for name, c := range map[string]struct {
		keys  []core.Key
		want  state
		found string
	}{
		"none":          {nil, warning, "0 of 0"},
		"valid":         {[]core.Key{{ID: "a"}, {ID: "b", Revoked: now}}, passed, "1 of 2"},
		"expires soon":  {[]core.Key{{ID: "a", Expires: now.Add(time.Hour)}}, warning, "expire soon: a"},
		"none is valid": {[]core.Key{{ID: "a", Expires: now.Add(-time.Hour)}}, warning, "0 of 1"},
	} {
		if r := d.judgeDatabase(storage.Status{Keys: c.keys}); r.State != c.want || !strings.Contains(r.Found, c.found) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// newCertificate returns a self-signed certificate for api.test and its key, in PEM.
func newCertificate(t *testing.T, expires time.Time) (cert, key []byte) {
	t.Helper()
	return testcert.Issue(t, &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"api.test"}, NotBefore: expires.Add(-100 * 24 * time.Hour), NotAfter: expires,
	})
}

func TestDoctor_Certificate(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		lasts  time.Duration // it is valid for 100 days until then
		newKey bool
		want   state
		found  string
	}{
		"expires soon":   {13 * day, false, warning, "for api.test, until"},
		"expired":        {-time.Minute, false, failed, "expired"},
		"not yet valid":  {101 * day, false, failed, "not valid before"},
		"key of another": {9 * day, true, failed, "private key does not match"},
		"valid":          {60 * day, false, passed, "for api.test, until"},
	} {
		cert, key := newCertificate(t, time.Now().Add(c.lasts))
		if c.newKey {
			_, key = newCertificate(t, time.Now())
		}
		dir := t.TempDir()
		certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
		if err := errors.Join(os.WriteFile(certFile, cert, 0o600), os.WriteFile(keyFile, key, 0o600)); err != nil {
			t.Fatal(err)
		}
		r := newTestDoctor(t, unplugged, "CAUSEWAY_TLS__CERT_FILE="+certFile, "CAUSEWAY_TLS__KEY_FILE="+keyFile).certificate(t.Context())
		if r.State != c.want || !strings.Contains(r.Found, c.found) || (r.State != passed) != (r.Do != "") || strings.Contains(r.Found, "\n") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestDoctor_FaultyConfiguration checks that all other checks run.
func TestDoctor_FaultyConfiguration(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"sandbox", "production"} {
		out, err := run(t, "", "doctor", "--offline", "--mode", mode, "--listen", "nowhere", "-o", "json")
		var report struct{ Checks []result }
		if jsonErr := json.Unmarshal([]byte(out), &report); jsonErr != nil || ExitCode(err) != exitFail {
			t.Fatalf("%v, %v: %s", jsonErr, err, out)
		}
		if r := find(t, report.Checks, "configuration"); r.State != failed || !strings.Contains(r.Found, `listen is "nowhere"`) {
			t.Errorf("%+v", r)
		}
		for check, want := range map[string]state{"providers": skipped, "certificate": skipped, "database": warning} {
			if r := find(t, report.Checks, check); r.State != want {
				t.Errorf("%s: %+v, want %s", mode, r, want)
			}
		}
	}
	out, err := run(t, "", "doctor", "--offline", "--listen", "nowhere")
	if ExitCode(err) != exitFail || !strings.Contains(out, "FAIL") || !strings.Contains(out, "→ correct it") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestDoctor_Offline(t *testing.T) {
	t.Parallel()
	d := newTestDoctor(t, unplugged, "CAUSEWAY_STORAGE__URL=postgres://u:planted@127.0.0.1/x", "CAUSEWAY_PROVIDERS__BASE_URLS__PAYSTACK=http://proxy.test")
	d.offline = true
	results := d.run(t.Context())
	for check, want := range map[string]state{"database": skipped, "providers": skipped, "providers.base_urls.paystack": warning} {
		if r := find(t, results, check); r.State != want {
			t.Errorf("%+v", r)
		}
	}
}

func TestDoctorResolve(t *testing.T) {
	t.Parallel()
	const number, key = "0000000200", "sk_test_ng_simulated"
	ask := func(transport roundTripper, o resolveOptions) map[string]providerAnswer {
		t.Helper()
		d := newTestDoctor(t, transport)
		d.env.Banks = accounts.MagicBanks([]core.Country{{Code: "NG", Currencies: []string{"NGN"}}, {Code: "ZA", Currencies: []string{"ZAR"}}})
		answers, err := resolveEverywhere(t.Context(), d.cfg, d.env, o)
		if err != nil {
			t.Fatal(err)
		}
		byName := map[string]providerAnswer{}
		for _, a := range answers {
			byName[a.Provider] = a
		}
		return byName
	}
	providers := newProviders(t)
	broken := roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path == "/v3/accounts/resolve" {
			rec := httptest.NewRecorder()
			rec.WriteHeader(http.StatusBadGateway)
			return rec.Result(), nil
		}
		return providers(r)
	})
	nigeria := resolveOptions{account: number, request: recipients.Request{Country: "ng", Channel: "bank_transfer", BankCode: "001"}}
	got := ask(broken, nigeria)
	if p := got["paystack"]; p.Outcome != "found" || p.Status != 200 || !strings.Contains(p.Name, "****") {
		t.Errorf("paystack: %+v", p)
	}
	if f := got["flutterwave"]; f.Outcome != "cannot_tell" || f.Status != 502 || !strings.Contains(f.Detail, "502") || f.Name != "" {
		t.Errorf("flutterwave: %+v", f)
	}
	if len(got) < 3 || strings.Contains(fmt.Sprint(got), number) || strings.Contains(fmt.Sprint(got), key) {
		t.Errorf("got %+v", got)
	}
	nigeria.show, nigeria.account = true, "0000000306"
	if p := ask(providers, nigeria)["paystack"]; p.Name != "TESTPERSON" {
		t.Errorf("shown: %+v", p)
	}
	for suffix, want := range map[string]string{"404": "not_found", "409": "closed", "503": "cannot_tell"} {
		nigeria.account = "0000000" + suffix
		if p := ask(providers, nigeria)["paystack"]; p.Outcome != want || p.certain() != (want != "cannot_tell") {
			t.Errorf("%s: %+v", suffix, p)
		}
	}
	lists := func(status int) roundTripper {
		return func(r *http.Request) (*http.Response, error) {
			if r.URL.Host != "api.paystack.co" || r.URL.Path != "/bank" {
				return providers(r)
			}
			rec := httptest.NewRecorder()
			rec.WriteHeader(status)
			_, _ = rec.WriteString(`{"status":true,"message":"Banks retrieved","data":[{"name":"Zenith Bank","code":"057","type":"nuban"}]}`)
			return rec.Result(), nil
		}
	}
	nigeria.account, nigeria.request.BankCode = "0000000404", "000014"
	if p, asked := ask(lists(200), nigeria)["paystack"]; asked {
		t.Errorf("asked about a bank that it does not list: %+v", p)
	}
	nigeria.request.BankCode = "001"
	if p := ask(lists(500), nigeria)["paystack"]; p.Outcome != "doubtful" || p.certain() || !strings.Contains(p.Detail, "list") {
		t.Errorf("without its list: %+v", p)
	}
	south := resolveOptions{account: number, name: "Ann Bron", document: "8001015009087", request: recipients.Request{
		Country: "ZA", Channel: "bank_transfer", BankCode: "001", DocumentType: "identity_number",
	}}
	if p := ask(providers, south)["paystack"]; p.Outcome != "match" {
		t.Errorf("South Africa: %+v", p)
	}
	d := newTestDoctor(t, providers)
	for _, o := range []resolveOptions{{}, {account: "12", request: nigeria.request}} {
		if _, err := resolveEverywhere(t.Context(), d.cfg, d.env, o); ExitCode(err) != 2 {
			t.Errorf("got %v", err)
		}
	}
}
