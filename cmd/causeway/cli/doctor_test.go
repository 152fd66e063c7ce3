package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/adapters/storage"
	"causeway/adapters/upstream"
	"causeway/config"
	"causeway/core"
)

// bystander is a doctor of a production process that has credentials and no provider to ask.
func bystander(t *testing.T, env ...string) *Doctor {
	t.Helper()
	lines, err := UpstreamEnv("http://unused.test")
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"CAUSEWAY_MODE=production"}
	for _, v := range lines {
		if !strings.HasSuffix(v.Name, "_URL") {
			all = append(all, v.Name+"="+v.Value)
		}
	}
	cfg, err := config.Load(config.Sources{Env: append(all, env...)})
	if err != nil {
		t.Fatal(err)
	}
	return NewDoctor(Options{}, cfg, false)
}

// TestAClockIsJudgedByTheMedian puts our clock beside several others, each read within half a second.
func TestAClockIsJudgedByTheMedian(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ahead []time.Duration
		want  Verdict
		found string
	}{
		"right":                    {[]time.Duration{0, 100 * time.Millisecond}, Fine, "within"},
		"one provider is wrong":    {[]time.Duration{0, time.Hour, 0}, Fine, "within"},
		"within what can be told":  {[]time.Duration{1400 * time.Millisecond}, Fine, "within"},
		"one further than differs": {[]time.Duration{60000 * time.Hour * 24, 60000 * time.Hour * 24, 0, -60000 * time.Hour * 24, -60000 * time.Hour * 24}, Fine, "within"},
		"a little ahead":           {[]time.Duration{1600 * time.Millisecond}, Worrying, "ahead of"},
		"a little behind":          {[]time.Duration{-2400 * time.Millisecond}, Worrying, "behind"},
		"too far for fresh quotes": {[]time.Duration{-2600 * time.Millisecond, -3 * time.Second}, Broken, "behind"},
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
	credentials := credentialsOf(config.Default())
	ng := credentials[slices.IndexFunc(credentials, func(c credential) bool { return c.key == "paystack.keys.ng" })]
	for secret, want := range map[string]struct {
		state Verdict
		do    string
	}{
		"sk_live_planted": {Fine, ""}, "sk_test_planted": {Worrying, "sk_live_"}, "pk_live_planted": {Broken, "the one that is meant"},
		" sk_live_planted": {Broken, "copy it again"}, "sk_live_planted\n": {Broken, "copy it again"}, "\"sk_live_planted\"": {Broken, "leave them out"},
		"Bearer sk_live_planted": {Broken, "copy it again"}, "planted": {Worrying, "sk_live_"},
	} {
		got := ng.shape(secret)
		if got.State != want.state || !strings.Contains(got.Do, want.do) || strings.Contains(fmt.Sprint(got), "planted") {
			t.Errorf("%q: %+v", secret, got)
		}
	}
	known := map[string]bool{}
	for _, variable := range config.Variables() {
		known[variable] = true
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
	if err := errors.Join(os.WriteFile(file, []byte("no keys"), 0o600), os.Mkdir(open, 0o755), os.Mkdir(private, 0o700), os.Chmod(open, 0o755)); err != nil {
		t.Fatal(err)
	}
	expiring := "CAUSEWAY_STATE__DIR=" + databaseWith(t, core.Key{Name: "payouts", Scopes: []string{"*"}, Expires: time.Now().Add(24 * time.Hour)})
	for name, c := range map[string]struct {
		env         []string
		check       func(*Doctor, context.Context) []Finding
		want        Verdict
		found, todo string
	}{
		"no directory":            {nil, (*Doctor).stateDir, Skipped, "nothing survives", ""},
		"a directory":             {[]string{"CAUSEWAY_STATE__DIR=" + private}, (*Doctor).stateDir, Fine, "MB are free", ""},
		"an open directory":       {[]string{"CAUSEWAY_STATE__DIR=" + open}, (*Doctor).stateDir, Worrying, "open to others", "chmod 0700"},
		"a directory to be made":  {[]string{"CAUSEWAY_STATE__DIR=" + dir + "/new"}, (*Doctor).stateDir, Worrying, "does not exist", "causeway makes it"},
		"a directory in nowhere":  {[]string{"CAUSEWAY_STATE__DIR=" + dir + "/new/newer"}, (*Doctor).stateDir, Broken, "nor does", "make it"},
		"a file for a directory":  {[]string{"CAUSEWAY_STATE__DIR=" + file}, (*Doctor).stateDir, Broken, "no directory", "set state.dir"},
		"open resolution":         {[]string{"CAUSEWAY_AUTH__RESOLUTION=open"}, (*Doctor).resolution, Worrying, "open", "auth.resolution"},
		"resolution by key":       {[]string{expiring, "CAUSEWAY_AUTH__RESOLUTION=required"}, (*Doctor).resolution, Fine, "needs a key", ""},
		"no database":             {[]string{"CAUSEWAY_AUTH__RESOLUTION=open"}, (*Doctor).database, Worrying, "in memory", "state.dir"},
		"new database":            {[]string{"CAUSEWAY_STATE__DIR=" + private}, (*Doctor).database, Fine, "creates", ""},
		"database":                {[]string{expiring}, (*Doctor).database, Fine, "1 API keys, 0 points", ""},
		"PostgreSQL that is down": {[]string{"CAUSEWAY_STORAGE__URL=postgres://u:planted@127.0.0.1:1/x"}, (*Doctor).database, Broken, "cannot be reached", "503"},
		"damaged file":            {[]string{"CAUSEWAY_STATE__DIR=" + broke(t)}, (*Doctor).database, Broken, "restore a backup", "until then"},
		"resolution in a sandbox": {[]string{"CAUSEWAY_MODE=sandbox"}, (*Doctor).resolution, Skipped, "sandbox", ""},
		"a Redis that is away":    {[]string{"CAUSEWAY_REDIS__URL=redis://:planted@127.0.0.1:1", "CAUSEWAY_PRIVACY__HASH_KEY=" + strings.Repeat("k", 32)}, (*Doctor).redis, Broken, "connection refused", "without Redis"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := c.check(bystander(t, c.env...), t.Context())[0]
			if f.State != c.want || !strings.Contains(f.Found, c.found) || !strings.Contains(f.Do, c.todo) || strings.Contains(fmt.Sprint(f), "planted") {
				t.Errorf("got %+v, want %+v", f, c)
			}
		})
	}
}

// broke makes a directory with a damaged database.
func broke(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "causeway.db"), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// databaseWith makes a directory with a database that has a key.
func databaseWith(t *testing.T, key core.Key) string {
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
	d := bystander(t, "CAUSEWAY_STATE__DIR=/unused", "CAUSEWAY_AUTH__RESOLUTION=required")
	now := time.Now()
	for name, c := range map[string]struct {
		keys  []core.Key
		want  Verdict
		found string
	}{
		"none":            {nil, Worrying, "0 of 0"},
		"valid":           {[]core.Key{{ID: "a"}, {ID: "b", Revoked: now}}, Fine, "1 of 2"},
		"expires soon":    {[]core.Key{{ID: "a", Expires: now.Add(time.Hour)}}, Worrying, "soon to expire: a"},
		"none of several": {[]core.Key{{ID: "a", Expires: now.Add(-time.Hour)}}, Worrying, "0 of 1"},
	} {
		if f := d.keys(c.keys)[0]; f.State != c.want || !strings.Contains(f.Found, c.found) || c.want != Fine && f.Do == "" {
			t.Errorf("%s: got %+v", name, f)
		}
	}
}

func TestWhatIsJudgedByNumbers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		got  Finding
		want Verdict
	}{
		"fast Redis":                {judgeRedis("redis", time.Millisecond, 100*time.Millisecond), Fine},
		"slow Redis":                {judgeRedis("redis", 50*time.Millisecond, 100*time.Millisecond), Worrying},
		"Redis beyond its timeout":  {judgeRedis("redis", 100*time.Millisecond, 100*time.Millisecond), Broken},
		"few files":                 {judgeFiles(2048), Worrying},
		"too few files":             {judgeFiles(256), Broken},
		"files":                     {judgeFiles(65536), Fine},
		"all memory":                {judgeMemory(0), Fine},
		"memory":                    {judgeMemory(512 << 20), Fine},
		"little memory":             {judgeMemory(128 << 20), Worrying},
		"too little memory":         {judgeMemory(64 << 20), Broken},
		"an answer nobody expected": {Finding{State: first(ailment(errors.New("planted"), true))}, Worrying},
		"a provider that undecided": {Finding{State: first(ailment(upstream.Fail(upstream.Undecided, ""), true))}, Worrying},
		"a provider out of time":    {Finding{State: first(ailment(upstream.Fail(upstream.TimedOut, ""), true))}, Broken},
	} {
		if c.got.State != c.want || (c.want == Broken || c.want == Worrying) && c.got.Check != "" && c.got.Do == "" {
			t.Errorf("%s: %+v", name, c.got)
		}
	}
}

func TestDoctor_OfflineDatabase(t *testing.T) {
	t.Parallel()
	d := bystander(t, "CAUSEWAY_STORAGE__URL=postgres://u:planted@127.0.0.1/x")
	d.offline = true
	if f := d.database(t.Context())[0]; f.State != Skipped {
		t.Errorf("got %+v", f)
	}
}

func first(v Verdict, _, _ string) Verdict { return v }

func TestDoctorWarnsOfProvidersWithoutTLS(t *testing.T) {
	t.Parallel()
	f := bystander(t, "CAUSEWAY_PAYSTACK__BASE_URL=http://proxy.test").plain()[0]
	if f.State != Worrying || f.Check != "paystack.base_url" {
		t.Errorf("%+v", f)
	}
}
