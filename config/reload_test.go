package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"causeway/config"
)

func TestConfig_Again(t *testing.T) {
	t.Parallel()
	path := file(t, "log: {level: warn}\npairs: {margins: {tail: 300}}\n")
	sources := config.Sources{File: path, Env: []string{"CAUSEWAY_LISTEN=:1"}, Flags: map[string]string{"mode": "sandbox"}}
	cfg, err := config.Load(sources)
	if err != nil {
		t.Fatal(err)
	}
	const changed = "log: {level: debug}\nlisten: :9\ndrain: {delay: 9s}\npairs: {margins: {tail: 301, major: 1}}\n"
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	next, err := cfg.Again()
	if err != nil || next.Log.Level != "debug" || next.Listen != ":1" || next.Pairs.Margins["tail"] != 301 {
		t.Fatalf("got %s %s %v, %v", next.Log.Level, next.Listen, next.Pairs.Margins, err)
	}
	taken, restart := cfg.Changed(next)
	if !slices.Equal(taken, []string{"log.level", "pairs.margins"}) || !slices.Equal(restart, []string{"drain.delay"}) {
		t.Errorf("taken %v, after a restart %v", taken, restart)
	}
	now := cfg.Taking(next)
	if taken, restart = now.Changed(next); len(taken) > 0 || !slices.Equal(restart, []string{"drain.delay"}) {
		t.Errorf("afterwards: taken %v, after a restart %v", taken, restart)
	}
	if _, err := (config.Config{}).Again(); err == nil {
		t.Error("a configuration that was not loaded was loaded again")
	}
}

func TestLoadCatalog_OwnTables(t *testing.T) {
	t.Parallel()
	pairs, err := os.ReadFile(filepath.Join("catalog", "pairs.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	tables := func(files map[string]string) config.Config {
		dir := t.TempDir()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return config.Config{Catalog: config.CatalogFiles{Dir: dir}}
	}
	confirmations := func(network string, blocks int64) (c config.Config) {
		c.Deposits.Confirmations = map[string]int64{network: blocks}
		return c
	}
	own := strings.Replace(string(pairs), "name: tail, margin_bps: 250", "name: tail, margin_bps: 240", 1)
	catalog, err := tables(map[string]string{"pairs.yaml": own, "notes.txt": "ours"}).LoadCatalog()
	if err != nil || margin(catalog, "tail") != 240 || len(catalog.Banks) != len(load(t).Banks) {
		t.Errorf("a table of pairs: margin %d, %d banks, %v", margin(catalog, "tail"), len(catalog.Banks), err)
	}
	if catalog, err := (config.Config{}).LoadCatalog(); err != nil || margin(catalog, "tail") != 250 {
		t.Errorf("without tables: margin %d, %v", margin(catalog, "tail"), err)
	}
	for want, cfg := range map[string]config.Config{
		"/pairs.yaml: line 1":                     tables(map[string]string{"pairs.yaml": "a: [1\nb: 2"}),
		"catalog.dir has pair.yaml; accepted: ba": tables(map[string]string{"pair.yaml": own}),
		"no such file or directory":               {Catalog: config.CatalogFiles{Dir: "/nowhere"}},
		"pairs.margins.toll is the margin of no":  {Pairs: config.Pairs{Margins: map[string]int64{"toll": 100}}},
		"pairs.margins.tail is 0; accepted: 1 to": {Pairs: config.Pairs{Margins: map[string]int64{"tail": 0}}},
		"pairs.margins.tail is 5000; accepted":    {Pairs: config.Pairs{Margins: map[string]int64{"tail": 5000}}},

		"deposits.confirmations.sol is for no network of chains.yaml; accepted: ARBITRUM": confirmations("sol", 1),
		"deposits.confirmations.BTC is 0; accepted: 1 to 10000":                           confirmations("BTC", 0),
		"deposits.confirmations.BSC is -1; accepted: 0 to 10000":                          confirmations("BSC", -1),
	} {
		_, err := cfg.LoadCatalog()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
	path := file(t, "pairs:\n  margins:\n    tail: 5000\n    toll: 1\n")
	loaded, err := config.Load(config.Sources{File: path})
	if err != nil {
		t.Fatal(err)
	}
	_, err = loaded.LoadCatalog()
	for _, want := range []string{path + " line 3: pairs.margins.tail is 5000", path + " line 4: pairs.margins.toll is"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
	cfg := config.Config{Pairs: config.Pairs{Margins: map[string]int64{"tail": 300}}}
	if catalog, err := cfg.LoadCatalog(); err != nil || margin(catalog, "tail") != 300 || margin(catalog, "major") != 150 {
		t.Errorf("with a margin: %d, %v", margin(catalog, "tail"), err)
	}
}

func margin(c config.Catalog, class string) int64 {
	for _, l := range c.ListingClasses {
		if l.Name == class {
			return l.MarginBPS
		}
	}
	return 0
}
