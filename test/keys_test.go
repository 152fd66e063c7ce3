package test_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"causeway/adapters/storage/storagetest"
	"causeway/clients/go/sandbox"
	"causeway/test/driver"
)

// keysCommand runs "causeway keys" and returns its standard output.
func keysCommand(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"keys"}, args...)...)
	cmd.Env = append(sandbox.Clean(os.Environ()), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("keys %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// keyID returns the ID of the key with a credential: ck_<ID>_<secret>.
func keyID(credential string) string { return strings.Split(credential, "_")[1] }

// resolveStatus resolves an account with a credential and returns the status.
func resolveStatus(t *testing.T, instance *driver.Instance, credential string) int {
	t.Helper()
	return driver.Do(t, http.MethodPost, instance.API+resolvePath, resolvePublished, "Authorization", "Bearer "+credential).Status
}

// withoutStaticKeys returns the environment of a production process whose keys are in a database.
func withoutStaticKeys(t *testing.T, more ...string) []string {
	t.Helper()
	env := upstreams(t, func(http.ResponseWriter, *http.Request) bool { return false })
	env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "CAUSEWAY_AUTH__KEYS=") })
	return append(env, more...)
}

// Two replicas share a PostgreSQL database: a key is valid, and after its revocation invalid, at both.
func TestKeys_Replicas(t *testing.T) {
	t.Parallel()
	env := withoutStaticKeys(t, "CAUSEWAY_STORAGE__URL="+storagetest.Database(t).Reveal())
	replicas := []*driver.Instance{driver.Start(t, binary, env...), driver.Start(t, binary, env...)}
	everywhere := func(what, credential string, want int) {
		t.Helper()
		start := time.Now()
		for _, r := range replicas {
			wait(t, what, func() bool { return resolveStatus(t, r, credential) == want })
		}
		t.Logf("%s after %s", what, time.Since(start).Round(time.Millisecond))
	}
	key := keysCommand(t, env, "create", "--name", "payouts")
	everywhere("key is valid", key, http.StatusOK)
	everywhere("key with another secret is unauthorized", key[:len(key)-4]+"2222", http.StatusUnauthorized)
	fresh := keysCommand(t, env, "rotate", keyID(key), "--overlap", "1h")
	everywhere("rotated key is valid", fresh, http.StatusOK)
	keysCommand(t, env, "revoke", keyID(key))
	everywhere("revoked key is unauthorized", key, http.StatusUnauthorized)
	if list := keysCommand(t, env, "list"); !strings.Contains(list, keyID(key)) || !strings.Contains(list, "revoked") || strings.Contains(list, fresh) {
		t.Errorf("keys list: %s", list)
	}
}

// A process that is killed leaves a database that the next one reads.
func TestKeys_Killed(t *testing.T) {
	t.Parallel()
	env := withoutStaticKeys(t, "CAUSEWAY_STATE__DIR="+filepath.Join(t.TempDir(), "state"))
	instance, err := driver.Run(binary, env...) // driver.Start would report the kill as a failure
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = instance.Process().Kill() })
	key := keysCommand(t, env, "create", "--name", "payouts")
	revoked := keysCommand(t, env, "create", "--name", "former")
	wait(t, "keys are valid", func() bool {
		return resolveStatus(t, instance, key) == http.StatusOK && resolveStatus(t, instance, revoked) == http.StatusOK
	})
	keysCommand(t, env, "revoke", keyID(revoked))
	if err := instance.Process().Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = instance.Wait() // killed
	next := driver.Start(t, binary, env...)
	for credential, want := range map[string]int{key: http.StatusOK, revoked: http.StatusUnauthorized} {
		got := 0
		wait(t, "the keys are loaded and the provider responds", func() bool {
			got = resolveStatus(t, next, credential)
			return got != http.StatusServiceUnavailable
		})
		if got != want {
			t.Errorf("key %s: got %d, want %d", keyID(credential), got, want)
		}
	}
}

// While PostgreSQL is down, a process starts and serves what needs no key. A key that may be valid is
// neither accepted nor called wrong.
func TestKeys_DatabaseDown(t *testing.T) {
	t.Parallel()
	env := withoutStaticKeys(t, "CAUSEWAY_STORAGE__URL=postgres://u:planted@127.0.0.1:1/x")
	instance := driver.Start(t, binary, env...)
	unknown := "ck_" + strings.Repeat("a", 10) + "_" + strings.Repeat("a", 26)
	for credential, want := range map[string]int{unknown: http.StatusServiceUnavailable, "malformed": http.StatusUnauthorized} {
		if got := resolveStatus(t, instance, credential); got != want {
			t.Errorf("%s: got %d, want %d", credential, got, want)
		}
	}
	if got := driver.Get(t, instance.API+"/v1/banks"); got.Status != http.StatusOK {
		t.Errorf("banks: %d", got.Status)
	}
	if strings.Contains(instance.Log(), "planted") {
		t.Error("the log has the password")
	}
}
