package main

import (
	"os"
	"path/filepath"
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
	if out, err := said(t, "config", "check", "--config", write("good.yaml", "prices: {margins: {tail: 300}}")); err != nil || !strings.Contains(out, "in order") {
		t.Errorf("%s, %v", out, err)
	}
	keys := write("keys.json", `{"keys":[{}]}`)
	if err := os.Mkdir(filepath.Join(dir, "tables"), 0o700); err != nil {
		t.Fatal(err)
	}
	table := write("tables/currencies.yaml", "source: [ours]\ndate: today\n")
	for want, text := range map[string]string{
		"bad.yaml line 2: log.level is":  "log:\n  level: loud",
		"line 1: prices.margins.toll is": "prices: {margins: {toll: 300}}",
		"has no id of 10 characters":     "auth: {key_file: " + keys + "}",
		table + ": date is":              "catalog: {dir: " + filepath.Dir(table) + "}",
	} {
		if out, err := said(t, "config", "check", "--config", write("bad.yaml", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v; want it to say %q", text, out, err, want)
		}
	}
}
