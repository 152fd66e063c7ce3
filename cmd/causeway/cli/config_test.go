package cli

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestConfigCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if out, err := run(t, "", "config", "check", "--config", write("good.yaml", "pairs: {margins: {tail: 300}}")); err != nil || !strings.Contains(out, "is valid") {
		t.Errorf("%s, %v", out, err)
	}
	several := write("several.yaml", "log: {level: loud}\nlisten_: x\npairs: {margins: {naira: 2}}\n")
	_, err := run(t, "", "config", "check", "--config", several)
	for _, want := range []string{"log.level is", `unknown key "listen_"`, "line 3: pairs.margins.naira is the margin of no class"} {
		if err == nil || strings.Count(err.Error(), want) != 1 {
			t.Errorf("of several faults %q is not named once: %v", want, err)
		}
	}
	_, err = run(t, "", "config", "check", "--config", write("margin.yaml", "pairs: {margins: {tail: wide}}"))
	if err == nil || strings.Count(err.Error(), "pairs.margins.tail") != 1 {
		t.Errorf("a margin that is no number: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "tables"), 0o700); err != nil {
		t.Fatal(err)
	}
	table := write("tables/currencies.yaml", "source: [ours]\ndate: today\n")
	for want, text := range map[string]string{
		"bad.yaml line 2: log.level is": "log:\n  level: loud",
		"line 1: pairs.margins.toll is": "pairs: {margins: {toll: 300}}",
		table + ": date is":             "catalog: {dir: " + filepath.Dir(table) + "}",
	} {
		if out, err := run(t, "", "config", "check", "--config", write("bad.yaml", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v; want it to say %q", text, out, err, want)
		}
	}
}

// TestConfigCheck_StartErrors has settings that are valid one by one, and with which no process can start.
func TestConfigCheck_StartErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own := filepath.Join(dir, "tables")
	table, err := os.ReadFile("../../../config/catalog/pairs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	interval := regexp.MustCompile(`interval: \w+`)
	if !interval.Match(table) {
		t.Fatal("no source has an interval")
	}
	if err := errors.Join(os.Mkdir(own, 0o700), os.WriteFile(filepath.Join(own, "pairs.yaml"), interval.ReplaceAll(table, []byte("interval: 1ns")), 0o600)); err != nil {
		t.Fatal(err)
	}
	const production = "mode: production\nopen_exchange_rates: {app_id: x}\nauth: {recipients: open}\n"
	for want, text := range map[string]string{
		"interval":                 "catalog: {dir: " + own + "}",
		"/nope.crt":                "tls: {cert_file: /nope.crt, key_file: /nope.key}",
		"storage.url is not":       production + "paystack: {keys: {NG: sk}}\nstorage: {url: foo}",
		"storage.url is not a":     production + "paystack: {keys: {NG: sk}}\nstorage: {url: 'mysql://u:planted@h/d?x=1'}",
		"xx_bank_transfer":         "recipients: {routes: {xx_bank_transfer: [paystack]}}",
		"listen is \":99999\"":     "listen: ':99999'",
		"paystack: the value of h": production + "paystack: {keys: {NG: \"sk_live_planted\\nx\"}}",
	} {
		file := filepath.Join(t.TempDir(), "bad.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := run(t, "", "config", "check", "--config", file); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: %s, %v; want it to say %q", text, out, err, want)
		}
	}
}
