package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"causeway/adapters/keyring"
	"causeway/config"
	"causeway/core"
)

// said runs a command line and returns what it printed.
func said(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := command()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SetArgs(args)
	err := cmd.Execute()
	return out.String(), err
}

func TestKeysOnTheCommandLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys.json")
	out, err := said(t, "keys", "create", "--file", path, "--name", "payouts", "--rate", "60/m", "--expires", "48h")
	credential := core.Secret(regexp.MustCompile(`ck_\w{10}_\w{52}`).FindString(out))
	if err != nil || credential == "" || !strings.Contains(out, "allows resolve-account") {
		t.Fatalf("%s, %v", out, err)
	}
	ring, err := keyring.Open(t.Context(), keyring.File(path), nil, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ring.Find(t.Context(), credential)
	if err != nil || key.Name != "payouts" || key.Limit.String() != "60/m" || time.Until(key.Expires) > 48*time.Hour {
		t.Fatalf("%+v, %v", key, err)
	}
	if out, err := said(t, "keys", "list", "--file", path); err != nil || !strings.Contains(out, key.ID) || !strings.Contains(out, "good until") || strings.Contains(out, credential.Reveal()) {
		t.Errorf("%s, %v", out, err)
	}
	out, err = said(t, "keys", "rotate", key.ID, "--file", path, "--overlap", "1h")
	if err != nil || !strings.Contains(out, "good for another 1h") {
		t.Errorf("%s, %v", out, err)
	}
	if out, err := said(t, "keys", "revoke", key.ID, "--file", path); err != nil || !strings.Contains(out, "refused from now on") {
		t.Errorf("%s, %v", out, err)
	}
	if err := ring.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := ring.Find(t.Context(), credential); core.CodeOf(err) != core.Unauthorized {
		t.Errorf("a revoked key: %v", err)
	}
	for want, args := range map[string][]string{
		"no store of keys":       {"keys", "list"},
		"a key is always":        {"keys", "create", "--file", path, "--name", "a", "--rate", "none"},
		"is not a rate":          {"keys", "create", "--file", path, "--name", "a", "--rate", "lots"},
		"a key needs a name":     {"keys", "create", "--file", path},
		"see causeway keys list": {"keys", "revoke", "0000000000", "--file", path},
		"--expires -1h0m0s":      {"keys", "create", "--file", path, "--name", "a", "--expires", "-1h"},
		"--expires 0s":           {"keys", "create", "--file", path, "--name", "a", "--expires", "0"},
		"good for -1h0m0s":       {"keys", "rotate", key.ID, "--file", path, "--overlap", "-1h"},
		"resolve-account, str":   {"keys", "create", "--file", path, "--name", "a", "--scopes", "list-pairs,resolve-acount"},
		"cannot be printed":      {"keys", "create", "--file", path, "--name", "a\nb\x1b[31m"},
		"is no file of keys":     {"keys", "list", "--file", path + ".typo"},
		"no file of keys ":       {"keys", "revoke", key.ID, "--file", path + ".typo"},
	} {
		if out, err := said(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %s, %v; want an error that says %q", args, out, err, want)
		}
	}
	if out, err := said(t, "keys", "create", "--file", path, "--name", "a", "--scopes", "list_pairs"); err != nil || !strings.Contains(out, "allows list-pairs") {
		t.Errorf("an id with an underscore: %s, %v", out, err)
	}
}

func TestWarningsAboutKeys(t *testing.T) {
	t.Parallel()
	production := []string{"CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=k", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=k"}
	with := func(more ...string) config.Config { return settings(t, append(more, production...)...) }
	for name, c := range map[string]struct {
		cfg    config.Config
		stored int
		want   string // in the only warning; empty: there is none
	}{
		"a file without keys": {with("CAUSEWAY_AUTH__KEY_FILE=/nowhere/keys.json"), 0, "no key of a caller"},
		"a file with a key":   {with("CAUSEWAY_AUTH__KEY_FILE=/nowhere/keys.json"), 1, ""},
		"a static key":        {with("CAUSEWAY_AUTH__KEYS=0123456789abcdef"), 0, ""},
		"resolution is open":  {with("CAUSEWAY_AUTH__RESOLUTION=open"), 0, ""},
		"a sandbox":           {settings(t), 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logs, told := observer.New(zap.DebugLevel)
			warnOfKeys(c.cfg, c.stored, zap.New(logs))
			warnings := told.FilterLevelExact(zap.WarnLevel).FilterMessageSnippet(c.want)
			if want := min(1, len(c.want)); told.Len() != want || warnings.Len() != want {
				t.Errorf("told %v, want %q", told.All(), c.want)
			}
		})
	}
}

// Keys that cannot be read are an error; that nobody can say when they were used is not.
func TestFaultsOfKeysAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "keys.json")
		_, credential, err := keyring.NewKeeper(keyring.File(path), time.Now, systemEntropy).Create(t.Context(), core.Key{Name: "a", Scopes: []string{"*"}})
		if err != nil {
			t.Fatal(err)
		}
		logs, told := observer.New(zap.DebugLevel)
		reg := prometheus.NewRegistry()
		ring, err := newKeys(settings(t, "CAUSEWAY_AUTH__KEY_FILE="+path), shared{}, zap.New(logs), reg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ring.Find(t.Context(), credential); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); ring.Run(ctx) }()
		defer func() { cancel(); <-ended }()
		if err := errors.Join(os.Remove(path+".lock"), os.Mkdir(path+".lock", 0o700)); err != nil { // where a directory is no file can be locked
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if told.Len() != 1 || told.FilterLevelExact(zap.WarnLevel).FilterMessageSnippet("last used").Len() != 1 {
			t.Errorf("told %v, want one warning", told.TakeAll())
		}
		told.TakeAll()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if told.Len() != 1 || told.FilterLevelExact(zap.ErrorLevel).FilterMessageSnippet("cannot be read").Len() != 1 {
			t.Errorf("told %v, want one error", told.All())
		}
		if n := reading(t, reg, "causeway_keys_failures_total", ""); n != 2 {
			t.Errorf("counted %v, want 2", n)
		}
	})
}
