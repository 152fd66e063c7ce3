package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"causeway/adapters/keyring"
	"causeway/cmd/causeway/cli"
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
	err := cli.Execute(t.Context(), cmd)
	return out.String(), err
}

func TestKeysOnTheCommandLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys.json")
	out, err := said(t, "keys", "create", "--file", path, "--name", "payouts", "--rate", "60/m", "--expires", "48h")
	credential := core.Secret(regexp.MustCompile(`ck_\w{10}_\w{52}`).FindString(out))
	if err != nil || credential == "" || !strings.Contains(out, "may call resolve-account") {
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
	if out, err := said(t, "keys", "list", "--file", path); err != nil || !strings.Contains(out, key.ID) || !strings.Contains(out, "valid") || strings.Contains(out, credential.Reveal()) {
		t.Errorf("%s, %v", out, err)
	}
	out, err = said(t, "keys", "rotate", key.ID, "--file", path, "--overlap", "1h")
	if err != nil || !strings.Contains(out, "valid for another 1h") {
		t.Errorf("%s, %v", out, err)
	}
	if out, err := said(t, "keys", "revoke", key.ID, "--file", path); err != nil || !strings.Contains(out, "is revoked") {
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
		"--expires is -1h":       {"keys", "create", "--file", path, "--name", "a", "--expires", "-1h"},
		"--expires is 0s":        {"keys", "create", "--file", path, "--name", "a", "--expires", "0s"},
		"--overlap is -1h":       {"keys", "rotate", key.ID, "--file", path, "--overlap", "-1h"},
		"resolve-account, str":   {"keys", "create", "--file", path, "--name", "a", "--scopes", "list-pairs,resolve-acount"},
		"cannot be printed":      {"keys", "create", "--file", path, "--name", "a\nb\x1b[31m"},
		"is no file of keys":     {"keys", "list", "--file", path + ".typo"},
		"no file of keys ":       {"keys", "revoke", key.ID, "--file", path + ".typo"},
	} {
		if out, err := said(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %s, %v; want an error that says %q", args, out, err, want)
		}
	}
	if out, err := said(t, "keys", "create", "--file", path, "--name", "a", "--scopes", "list_pairs"); err != nil || !strings.Contains(out, "may call list-pairs") {
		t.Errorf("an id with an underscore: %s, %v", out, err)
	}
}
