package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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
		_, credential, err := keyring.NewKeeper(keyring.File(path), time.Now, SystemEntropy).Create(t.Context(), core.Key{Name: "a", Scopes: []string{"*"}})
		if err != nil {
			t.Fatal(err)
		}
		logs, told := observer.New(zap.DebugLevel)
		reg := prometheus.NewRegistry()
		ring, err := newKeys(settings(t, "CAUSEWAY_AUTH__KEY_FILE="+path), nil, zap.New(logs), reg)
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
