package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/adapters/afriex"
	"causeway/adapters/busha"
	"causeway/adapters/daraja"
	"causeway/adapters/flutterwave"
	"causeway/adapters/history"
	"causeway/adapters/keyring"
	"causeway/adapters/monnify"
	"causeway/adapters/paystack"
	"causeway/adapters/redis"
	"causeway/adapters/upstream"
	"causeway/config"
	"causeway/core"
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
func patient(t *testing.T, w way, env ...string) *doctor {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	world, err := simulator.New(simulator.Config{Seed: "doctor"}, time.Now, slices.Concat(catalog.Banks, simulator.Banks(catalog.Countries)))
	if err != nil {
		t.Fatal(err)
	}
	w.next = wire.New(world)
	return bystander(t, w, env...)
}

// bystander is the same process where nobody is asked, or somebody else.
func bystander(t *testing.T, outside http.RoundTripper, env ...string) *doctor {
	t.Helper()
	lines, err := upstreamEnv("http://unused.test")
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"CAUSEWAY_MODE=production"}
	for _, v := range lines {
		if !strings.HasSuffix(v.name, "_URL") {
			all = append(all, v.name+"="+v.value)
		}
	}
	surroundings := network()
	surroundings.Transport = outside
	return newDoctor(settings(t, append(all, env...)...), surroundings, false)
}

// told is the finding of a check.
func told(t *testing.T, found []finding, check string) finding {
	t.Helper()
	at := slices.IndexFunc(found, func(f finding) bool { return f.Check == check })
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
	found := patient(t, way{}).examine(t.Context())
	for _, f := range found {
		if f.State == broken {
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
		state       verdict
		found, todo string
	}{
		"a refused key":               {to("api.paystack.co", status(401, `{"status":false,"message":"Invalid key"}`)), "credential paystack.keys.gh", broken, "refuses it", "CAUSEWAY_PAYSTACK__KEYS__GH"},
		"a provider that is down":     {to("api.flutterwave.com", status(500, "")), "provider flutterwave", broken, "status 500", "status page"},
		"a lost connection":           {to("api.korapay.com", fails(errors.New("connection reset by planted"))), "provider korapay", broken, "connection failed", "firewall"},
		"something else in its place": {to("api.afriex.com", status(200, "<html>planted</html>")), "provider afriex", broken, "malformed", "base_url"},
		"a login that fails":          {to("api.safaricom.co.ke", status(400, "")), "credential daraja.consumer_key", broken, "refuses it", "CAUSEWAY_DARAJA__CONSUMER_KEY"},
		"an unknown app id":           {to("openexchangerates.org", status(401, `{"error":true,"status":401,"message":"invalid_app_id"}`)), "credential open_exchange_rates.app_id", broken, "refuses it", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID"},
		"a venue that is blocked":     {to("data-api.binance.vision", status(451, "")), "provider binance", worrying, "status 451", "country"},
		"a venue that is down":        {to("api.kraken.com", status(502, "")), "provider kraken", worrying, "status 502", "status page"},
		"a venue that throttles":      {to("www.okx.com", status(429, "")), "provider okx", worrying, "throttled", "wait"},
		"no venue answers":            {fails(errors.New("unplugged")), "prices", broken, "no rate source", "see the providers"},
		"nobody names accounts":       {fails(errors.New("unplugged")), "account names", broken, "no account provider", "see the providers"},
		"nobody tells the time":       {fails(errors.New("unplugged")), "clock", skipped, "told the time", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := patient(t, way{cross: c.cross}, "CAUSEWAY_UPSTREAM__RETRIES=0").examine(t.Context())
			f := told(t, found, c.check)
			if f.State != c.state || !strings.Contains(f.Found, c.found) || !strings.Contains(f.Do, c.todo) {
				t.Errorf("got %+v, want %+v", f, c)
			}
			if text := fmt.Sprint(found); strings.Contains(text, "planted") {
				t.Errorf("it repeats what a provider said: %s", text)
			}
			if err := diagnosis(found); c.state == broken && err == nil {
				t.Error("all is well")
			}
		})
	}
}

// TestDoctorAsksNobodyWithoutCredentials examines what has an account at one provider alone.
func TestDoctorAsksNobodyWithoutCredentials(t *testing.T) {
	t.Parallel()
	d := patient(t, way{})
	d.cfg.Paystack, d.cfg.Flutterwave, d.cfg.Monnify, d.cfg.Afriex, d.cfg.Daraja, d.cfg.Busha = paystack.Config{}, flutterwave.Config{}, monnify.Config{}, afriex.Config{}, daraja.Config{}, busha.Config{}
	found := d.examine(t.Context())
	for _, f := range found {
		if strings.Contains(f.Check, "daraja") || strings.Contains(f.Check, "paystack") || f.State == broken {
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
	found := patient(t, way{cross: hang}).examine(ctx)
	if f := told(t, found, "prices"); f.State != broken {
		t.Errorf("%+v", f)
	}
}

func TestDoctorComparesClocks(t *testing.T) {
	t.Parallel()
	for ahead, want := range map[time.Duration]verdict{
		0: fine, 3 * time.Hour: broken, -time.Minute: broken, 10 * time.Second: broken,
	} {
		f := told(t, patient(t, way{ahead: ahead}).examine(t.Context()), "clock")
		if f.State != want || (want == broken) != strings.Contains(f.Do, "chrony") {
			t.Errorf("%s ahead: %+v", ahead, f)
		}
	}
}

// TestAClockIsJudgedByTheMedian puts our clock beside several others, each read within half a second.
func TestAClockIsJudgedByTheMedian(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ahead []time.Duration
		want  verdict
		found string
	}{
		"right":                    {[]time.Duration{0, 100 * time.Millisecond}, fine, "within"},
		"one provider is wrong":    {[]time.Duration{0, time.Hour, 0}, fine, "within"},
		"within what can be told":  {[]time.Duration{1400 * time.Millisecond}, fine, "within"},
		"one further than differs": {[]time.Duration{60000 * time.Hour * 24, 60000 * time.Hour * 24, 0, -60000 * time.Hour * 24, -60000 * time.Hour * 24}, fine, "within"},
		"a little ahead":           {[]time.Duration{1600 * time.Millisecond}, worrying, "ahead of"},
		"a little behind":          {[]time.Duration{-2400 * time.Millisecond}, worrying, "behind"},
		"too far for fresh quotes": {[]time.Duration{-2600 * time.Millisecond, -3 * time.Second}, broken, "behind"},
	} {
		w := &witness{seen: map[string]sight{}}
		for i, ahead := range c.ahead {
			w.seen[fmt.Sprint(i)] = sight{ahead, 500 * time.Millisecond}
		}
		if got := w.skew(); got.State != c.want || !strings.Contains(got.Found, c.found) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestCredentialsAreJudgedByTheirLooks(t *testing.T) {
	t.Parallel()
	ng := credentials[slices.IndexFunc(credentials, func(c credential) bool { return c.key == "paystack.keys.ng" })]
	for secret, want := range map[string]struct {
		state verdict
		do    string
	}{
		"sk_live_planted": {fine, ""}, "sk_test_planted": {worrying, "sk_live_"}, "pk_live_planted": {broken, "the one that is meant"},
		" sk_live_planted": {broken, "copy it again"}, "sk_live_planted\n": {broken, "copy it again"}, "\"sk_live_planted\"": {broken, "leave them out"},
		"Bearer sk_live_planted": {broken, "copy it again"}, "planted": {worrying, "sk_live_"},
	} {
		got := ng.shape(secret)
		if got.State != want.state || !strings.Contains(got.Do, want.do) || strings.Contains(fmt.Sprint(got), "planted") {
			t.Errorf("%q: %+v", secret, got)
		}
	}
	known := map[string]bool{}
	for _, k := range config.Keys() {
		known[k.Env] = true
	}
	for _, c := range credentials {
		variable := variableOf(c.key)
		if c.provider == "paystack" {
			variable = variable[:strings.LastIndex(variable, "__")] + "__<NAME>"
		}
		if !known[variable] {
			t.Errorf("%s is no variable", variable)
		}
	}
}

func TestDoctorLooksAtTheMachine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	open := filepath.Join(dir, "open")
	private := filepath.Join(dir, "private")
	keyFile := filepath.Join(dir, "keys.json")
	if err := errors.Join(os.WriteFile(file, []byte("no keys"), 0o600), os.Mkdir(open, 0o755), os.Mkdir(private, 0o700), os.Chmod(open, 0o755)); err != nil {
		t.Fatal(err)
	}
	keeper := keyring.NewKeeper(keyring.File(keyFile), time.Now, systemEntropy)
	if _, _, err := keeper.Create(t.Context(), core.Key{Name: "payouts", Scopes: []string{"*"}, Expires: time.Now().Add(24 * time.Hour)}); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(dir, "none.json")
	if err := os.WriteFile(none, []byte(`{"keys":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env         []string
		check       func(*doctor, context.Context) []finding
		want        verdict
		found, todo string
	}{
		"no directory":               {nil, (*doctor).stateDir, skipped, "nothing survives", ""},
		"a directory":                {[]string{"CAUSEWAY_STATE__DIR=" + private}, (*doctor).stateDir, fine, "MB are free", ""},
		"an open directory":          {[]string{"CAUSEWAY_STATE__DIR=" + open}, (*doctor).stateDir, worrying, "open to others", "chmod 0700"},
		"a directory to be made":     {[]string{"CAUSEWAY_STATE__DIR=" + dir + "/new"}, (*doctor).stateDir, worrying, "does not exist", "causeway makes it"},
		"a directory in nowhere":     {[]string{"CAUSEWAY_STATE__DIR=" + dir + "/new/newer"}, (*doctor).stateDir, broken, "nor does", "make it"},
		"a file for a directory":     {[]string{"CAUSEWAY_STATE__DIR=" + file}, (*doctor).stateDir, broken, "no directory", "set state.dir"},
		"history in memory":          {nil, (*doctor).history, worrying, "in memory", "state.dir"},
		"history to be made":         {[]string{"CAUSEWAY_STATE__DIR=" + private}, (*doctor).history, fine, "will make it", ""},
		"no keys are needed":         {[]string{"CAUSEWAY_AUTH__RESOLUTION=open"}, (*doctor).keys, skipped, "no operation needs one", ""},
		"open resolution":            {[]string{"CAUSEWAY_AUTH__RESOLUTION=open"}, (*doctor).resolution, worrying, "open", "auth.resolution"},
		"open with a file of keys":   {[]string{"CAUSEWAY_AUTH__KEY_FILE=" + keyFile, "CAUSEWAY_AUTH__RESOLUTION=open"}, (*doctor).resolution, worrying, "open", "auth.resolution"},
		"resolution by key":          {[]string{"CAUSEWAY_AUTH__KEY_FILE=" + keyFile, "CAUSEWAY_AUTH__RESOLUTION=required"}, (*doctor).resolution, fine, "needs a key", ""},
		"resolution in a sandbox":    {[]string{"CAUSEWAY_MODE=sandbox"}, (*doctor).resolution, skipped, "sandbox", ""},
		"keys that expire":           {[]string{"CAUSEWAY_AUTH__KEY_FILE=" + keyFile, "CAUSEWAY_AUTH__RESOLUTION=required"}, (*doctor).keys, worrying, "1 of 1 are good; soon to expire", "causeway keys rotate"},
		"no file of keys":            {[]string{"CAUSEWAY_AUTH__KEY_FILE=" + dir + "/nokeys"}, (*doctor).keys, worrying, "does not exist", "causeway keys create"},
		"a file that has no keys":    {[]string{"CAUSEWAY_AUTH__KEY_FILE=" + file}, (*doctor).keys, broken, "not what", "restore it"},
		"a file without a good one":  {[]string{"CAUSEWAY_AUTH__KEY_FILE=" + none, "CAUSEWAY_AUTH__RESOLUTION=required"}, (*doctor).keys, broken, "0 of 0", "causeway keys create"},
		"keys of the configuration":  {[]string{"CAUSEWAY_AUTH__KEYS=planted", "CAUSEWAY_AUTH__RESOLUTION=required"}, (*doctor).keys, fine, "1 are in the configuration", ""},
		"a Redis that is away":       {[]string{"CAUSEWAY_REDIS__URL=redis://:planted@127.0.0.1:1", "CAUSEWAY_RESOLUTION__KEY=" + strings.Repeat("k", 32)}, (*doctor).redis, broken, "nobody listens", "redis.url"},
		"a PostgreSQL that is away":  {[]string{"CAUSEWAY_HISTORY__URL=postgres://u:planted@127.0.0.1:1/x"}, (*doctor).history, broken, "nobody listens", "history.url"},
		"a file that is no database": {[]string{"CAUSEWAY_STATE__DIR=" + broke(t)}, (*doctor).history, broken, "history.db", "move it aside"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := c.check(bystander(t, nil, c.env...), t.Context())[0]
			if f.State != c.want || !strings.Contains(f.Found, c.found) || !strings.Contains(f.Do, c.todo) || strings.Contains(fmt.Sprint(f), "planted") {
				t.Errorf("got %+v, want %+v", f, c)
			}
		})
	}
}

// broke makes a directory with a history that is none.
func broke(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "history.db"), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestKeysThatOthersReadAreComplainedOf(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keys.json")
	if err := errors.Join(os.WriteFile(file, []byte(`{"keys":[]}`), 0o600), os.Chmod(file, 0o644)); err != nil {
		t.Fatal(err)
	}
	f := bystander(t, nil, "CAUSEWAY_AUTH__KEY_FILE="+file).keys(t.Context())[0]
	if f.State != worrying || !strings.Contains(f.Do, "chmod 0600") {
		t.Errorf("%+v", f)
	}
}

func TestWhatIsJudgedByNumbers(t *testing.T) {
	t.Parallel()
	seen := redis.Report{Engine: "redis", Version: "7.0.15", Policy: "noeviction", Latency: time.Millisecond}
	change := func(f func(*redis.Report)) finding {
		r := seen
		f(&r)
		return judgeRedis("redis", r, 100*time.Millisecond)
	}
	ready := history.Report{Prepared: true, Points: 3, Newest: time.Now()}
	for name, c := range map[string]struct {
		got  finding
		want verdict
	}{
		"a good Redis":              {change(func(*redis.Report) {}), fine},
		"a new Valkey":              {change(func(r *redis.Report) { r.Engine, r.Version = "valkey", "8.0" }), fine},
		"a replica":                 {change(func(r *redis.Report) { r.ReadOnly = true }), broken},
		"a slow one":                {change(func(r *redis.Report) { r.Latency = 30 * time.Millisecond }), worrying},
		"one that is too slow":      {change(func(r *redis.Report) { r.Latency = 100 * time.Millisecond }), broken},
		"one that forgets keys":     {change(func(r *redis.Report) { r.Policy = "allkeys-lru" }), worrying},
		"a full one":                {change(func(r *redis.Report) { r.Used, r.Most = 100<<20, 100<<20 }), broken},
		"one that is nearly full":   {change(func(r *redis.Report) { r.Used, r.Most = 90<<20, 100<<20 }), worrying},
		"one with room":             {change(func(r *redis.Report) { r.Used, r.Most = 89<<20, 100<<20 }), fine},
		"one without a limit":       {change(func(r *redis.Report) { r.Used = 100 << 20 }), fine},
		"a full one that forgets":   {change(func(r *redis.Report) { r.Used, r.Most, r.Policy = 100<<20, 100<<20, "volatile-ttl" }), fine},
		"an old one":                {change(func(r *redis.Report) { r.Version = "5.0.3" }), worrying},
		"a history":                 {judgeHistory("h", "x", ready), fine},
		"one that is read only":     {judgeHistory("h", "x", history.Report{ReadOnly: true}), broken},
		"one that may not be made":  {judgeHistory("h", "x", history.Report{}), broken},
		"few files":                 {judgeFiles(2048), worrying},
		"too few files":             {judgeFiles(256), broken},
		"files":                     {judgeFiles(65536), fine},
		"all memory":                {judgeMemory(0), fine},
		"memory":                    {judgeMemory(512 << 20), fine},
		"little memory":             {judgeMemory(128 << 20), worrying},
		"too little memory":         {judgeMemory(64 << 20), broken},
		"an answer nobody expected": {finding{State: first(ailment(errors.New("planted"), true))}, worrying},
		"a provider that undecided": {finding{State: first(ailment(upstream.Fail(upstream.Undecided, ""), true))}, worrying},
		"a provider out of time":    {finding{State: first(ailment(upstream.Fail(upstream.TimedOut, ""), true))}, broken},
	} {
		if c.got.State != c.want || (c.want == broken || c.want == worrying) && c.got.Check != "" && c.got.Do == "" {
			t.Errorf("%s: %+v", name, c.got)
		}
	}
}

func first(v verdict, _, _ string) verdict { return v }

func TestDoctorRefusesWhatIsNoDatabaseWithoutAsking(t *testing.T) {
	t.Parallel()
	d := bystander(t, nil, "CAUSEWAY_HISTORY__URL=mysql://u:planted@127.0.0.1/x?a=1")
	d.offline = true
	if f := d.history(t.Context())[0]; f.State != broken || !strings.Contains(f.Found, "history.url") || strings.Contains(f.Found, "planted") {
		t.Errorf("%+v", f)
	}
	d = bystander(t, nil, "CAUSEWAY_HISTORY__URL=postgres://u:planted@127.0.0.1/x")
	d.offline = true
	if f := d.history(t.Context())[0]; f.State != skipped {
		t.Errorf("%+v", f)
	}
}

func TestDoctorOnTheCommandLine(t *testing.T) {
	t.Parallel()
	out, err := said(t, "doctor", "--offline", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0", "-o", "json")
	if !strings.Contains(out, `"state": "ok"`) {
		t.Errorf("%s, %v", out, err)
	}
	var code *exitError
	out, err = said(t, "doctor", "--listen", "nowhere")
	if !errors.As(err, &code) || code.code != 1 || !strings.Contains(out, "FAIL") || !strings.Contains(out, "→ correct it") || !strings.Contains(out, `listen is "nowhere"`) {
		t.Errorf("%s, %v", out, err)
	}
	for _, args := range [][]string{{"doctor", "-o", "xml"}, {"doctor", "--timeout", "0s"}, {"doctor", "all"}} {
		if _, err := said(t, args...); err == nil || errors.As(err, &code) && code.code == exitWorrying {
			t.Errorf("%v: %v", args, err)
		}
	}
}
