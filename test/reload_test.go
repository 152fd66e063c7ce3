package test_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"causeway/test/driver"
)

// reloading is a production-mode process with a configuration file, read all the time.
type reloading struct {
	*reader
	t        *testing.T
	file     string
	outcomes map[string]int
}

// reload writes the file, sends SIGHUP and waits until the process says the outcome: applied or rejected.
func (r *reloading) reload(text, outcome string) {
	r.t.Helper()
	if err := os.WriteFile(r.file, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	if err := r.Process().Signal(syscall.SIGHUP); err != nil {
		r.t.Fatal(err)
	}
	r.outcomes[outcome]++
	wait(r.t, "the reload is "+outcome, func() bool {
		return counted(r.t, r.Instance, fmt.Sprintf("causeway_config_reloads_total{outcome=%q}", outcome)) == r.outcomes[outcome]
	})
}

// margin is the margin of the pair's price, while the price is fresh.
func (r *reloading) margin(id string) any {
	r.t.Helper()
	got := driver.Get(r.t, r.API+"/v1/pairs/"+id+"/price")
	data, _ := got.JSON(r.t)["data"].(map[string]any)
	if data["status"] != "fresh" {
		return nil
	}
	return data["margin"]
}

// said waits for a line of the log that has all of the texts.
func (r *reloading) said(texts ...string) {
	r.t.Helper()
	wait(r.t, fmt.Sprintf("the log says %q", texts), func() bool {
		for line := range strings.Lines(r.Log()) {
			if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(line, text) }) {
				return true
			}
		}
		return false
	})
}

// logs reports whether a request leaves a line in the log.
func (r *reloading) logs(id string) bool {
	r.t.Helper()
	driver.Get(r.t, r.API+"/v1/countries", "X-Request-Id", id)
	return strings.Contains(r.Log(), id)
}

// TestReload changes the configuration of a running process by SIGHUP, well and badly, while it is read.
func TestReload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, tables := filepath.Join(dir, "causeway.yaml"), filepath.Join(dir, "tables")
	if err := os.Mkdir(tables, 0o700); err != nil {
		t.Fatal(err)
	}
	head := "catalog: {dir: " + tables + "}\n"
	if err := os.WriteFile(file, []byte(head+"auth: {keys: [alice-0123456789abcdef]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := slices.DeleteFunc(upstreamsWithPrices(t), func(v string) bool {
		return strings.HasPrefix(v, "CAUSEWAY_AUTH__KEYS=")
	})
	r := &reloading{reader: read(t, append(env, "CAUSEWAY_CONFIG="+file, "CAUSEWAY_LIMITS__DEFAULT=none")), t: t, file: file, outcomes: map[string]int{}}
	wait(t, "there is a price", func() bool { return r.margin("BTCNGN") == "0.015" })
	if resolveStatus(t, r.Instance, "alice-0123456789abcdef") != http.StatusOK || resolveStatus(t, r.Instance, "bob-0123456789abcdef") != http.StatusUnauthorized {
		t.Fatal("the keys differ from the file")
	}

	r.reload(head+"pairs: {margins: {major: 200}}\nauth: {keys: [bob-0123456789abcdef]}\ndrain: {timeout: 19s}\n", "applied")
	wait(t, "the price has the new margin", func() bool { return r.margin("BTCNGN") == "0.02" })
	r.said("need a restart", "drain.timeout")
	if resolveStatus(t, r.Instance, "alice-0123456789abcdef") != http.StatusUnauthorized || resolveStatus(t, r.Instance, "bob-0123456789abcdef") != http.StatusOK {
		t.Error("the keys differ from the new file")
	}
	if r.margin("USDTNGN") == "0.02" {
		t.Error("another class of pairs has the margin too")
	}

	bad := head + "pairs:\n  margins:\n    major: 100\n    minor: 100\nauth: {keys: [carol-0123456789abcdef]}\n"
	r.reload(bad, "rejected")
	r.said("configuration not reloaded", file+" line 5: pairs.margins.minor is")
	r.reload(head+"auth: {keys: [carol-0123456789abcdef]}\nlog:\n  level: loud\n", "rejected")
	r.said("configuration not reloaded", file+" line 4", "log.level is")
	r.reload(head+"auth: [\n", "rejected")
	r.said("configuration not reloaded", file+" is not YAML", "line ")
	table := filepath.Join(tables, "banks.yaml")
	if err := os.WriteFile(table, []byte("source: [ours]\ndate: 2026-11-21\nbanks:\n  NG: [{\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.reload(head+"auth: {keys: [carol-0123456789abcdef]}\n", "rejected")
	r.said("configuration not reloaded", table, "line ")
	if resolveStatus(t, r.Instance, "carol-0123456789abcdef") != http.StatusUnauthorized || resolveStatus(t, r.Instance, "bob-0123456789abcdef") != http.StatusOK || r.margin("BTCNGN") == "0.015" {
		t.Error("a rejected configuration was partly applied")
	}

	builtIn, err := os.ReadFile("../config/catalog/banks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	own := strings.Replace(string(builtIn), `"000015", name: Zenith Bank,`, `"000015", name: Zenith Bank of Ours,`, 1)
	if err := os.WriteFile(table, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	r.reload(head+"pairs: {margins: {major: 200}}\nauth: {keys: [bob-0123456789abcdef]}\nlog: {level: error}\n", "applied")
	if r.logs("req_quietquietquiet") {
		t.Error("at the level of errors requests are logged")
	}
	r.reload(head+"auth: {keys: [bob-0123456789abcdef]}\n", "applied")
	wait(t, "requests are logged", func() bool { return r.logs("req_loudloudloudloud") })
	wait(t, "the price has its margin of before", func() bool { return r.margin("BTCNGN") == "0.015" })
	if got := driver.Get(t, r.API+"/v1/banks?country=NG&q=ours"); !strings.Contains(string(got.Body), "Zenith Bank of Ours") {
		t.Errorf("banks: %s", got.Body)
	}
	if r.failed.Load() > 0 || r.reads.Load() == 0 {
		t.Errorf("%d of %d reads failed", r.failed.Load(), r.reads.Load())
	}
}
