package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"causeway/adapters/storage"
	"causeway/core"
)

func TestKeysCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "causeway.yaml")
	if err := os.WriteFile(file, []byte("mode: production\nstate: {dir: "+dir+"}\n"), 0o600); err != nil { // the secrets are missing
		t.Fatal(err)
	}
	keys := func(args ...string) (string, error) {
		out, err := run(t, "", append([]string{"keys", "--config", file}, args...)...)
		return out, err
	}
	out, err := keys("create", "--name", "payouts", "--rate", "60/m", "--expires", "48h")
	credential := core.Secret(strings.TrimSuffix(out, "\n"))
	if err != nil || !regexp.MustCompile(`^ck_\w{10}_\w{26}$`).MatchString(credential.Reveal()) {
		t.Fatalf("%s, %v", out, err)
	}
	store, err := storage.Open(t.Context(), storage.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	ring := storage.NewKeyRing(store, nil, nil, nil)
	find := func() (core.Key, error) {
		if err := ring.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		return ring.Find(t.Context(), credential)
	}
	key, err := find()
	if err != nil || key.Name != "payouts" || key.Limit.String() != "60/m" || time.Until(key.Expires) > 48*time.Hour {
		t.Fatalf("%+v, %v", key, err)
	}
	if out, err := keys("list"); err != nil || !strings.Contains(out, key.ID) || strings.Contains(out, credential.Reveal()) {
		t.Errorf("%s, %v", out, err)
	}
	for _, args := range [][]string{{"rotate", key.ID, "--overlap", "1h"}, {"revoke", key.ID}, {"create", "--name", "a", "--scopes", "list_pairs"}} {
		if out, err := keys(args...); err != nil {
			t.Errorf("%v: %s, %v", args, out, err)
		}
	}
	if _, err := find(); core.CodeOf(err) != core.Unauthorized {
		t.Errorf("a revoked key: %v", err)
	}
	for want, args := range map[string][]string{
		"--rate":                 {"create", "--name", "a", "--rate", "none"},
		"is not a rate":          {"create", "--name", "a", "--rate", "lots"},
		"name":                   {"create"},
		"see causeway keys list": {"revoke", "0000000000"},
		"--expires":              {"create", "--name", "a", "--expires", "-1h"},
		"overlap":                {"rotate", key.ID, "--overlap", "-1h"},
		"resolve-account, str":   {"create", "--name", "a", "--scopes", "list-pairs,resolve-acount"},
		"cannot be printed":      {"create", "--name", "a\nb\x1b[31m"},
		"a name of 1 to":         {"create", "--name", " "},
		"needs scopes":           {"create", "--name", "a", "--scopes", ""},
	} {
		code := 2
		if args[0] == "revoke" {
			code = 1
		}
		if out, err := keys(args...); ExitCode(err) != code || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %s, %v; want exit code %d and an error that says %q", args, out, err, code, want)
		}
	}
	if out, err := run(t, "", "keys", "list"); err == nil || !strings.Contains(err.Error(), "state.dir") {
		t.Errorf("without a database: %s, %v", out, err)
	}
}
