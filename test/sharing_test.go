package test_test

import (
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/adapters/redis/redistest"
	"causeway/test/driver"
)

// keysTool runs "causeway keys" with an environment and returns what it prints.
func keysTool(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"keys"}, args...)...)
	cmd.Env = append(driver.Clean(os.Environ()), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("keys %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// made reads what "causeway keys create" prints.
func made(t *testing.T, out string) (id, credential string) {
	t.Helper()
	credential = regexp.MustCompile(`ck_\w{10}_\w{52}`).FindString(out)
	if credential == "" {
		t.Fatalf("no key in %s", out)
	}
	return credential[3:13], credential
}

// another is a credential of the same key with another secret.
func another(credential string) string {
	last := "x"
	if strings.HasSuffix(credential, last) {
		last = "y"
	}
	return credential[:len(credential)-1] + last
}

// admits asks every replica n times for the banks with a key, and counts how often all of them together, and each, said yes.
func admits(t *testing.T, replicas []*driver.Instance, credential string, n int) (all int, each []int) {
	t.Helper()
	each = make([]int, len(replicas))
	for range n {
		for i, r := range replicas {
			switch got := driver.Get(t, r.API+"/v1/banks?country=KE", "Authorization", "Bearer "+credential); got.Status {
			case http.StatusOK:
				all, each[i] = all+1, each[i]+1
			case http.StatusTooManyRequests:
			default:
				t.Fatalf("a counted call: %d %s", got.Status, got.Body)
			}
		}
	}
	return all, each
}

// TestReplicasShareKeysAndLimits runs three production-mode processes that share a real Redis: a key made on the command line is good at all
// of them, and all of them together admit its calls; without Redis each counts by itself and knows the keys still; a Redis that forgot
// everything has the keys again, and a key that is revoked is refused everywhere.
func TestReplicasShareKeysAndLimits(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	env := append(upstreams(t, func(http.ResponseWriter, *http.Request) bool { return false }),
		"CAUSEWAY_REDIS__URL="+server.URL().Reveal(), "CAUSEWAY_PRIVACY__HASH_KEY=0123456789abcdef0123456789abcdef", "CAUSEWAY_REDIS__TIMEOUT=400ms",
		"CAUSEWAY_LIMITS__OPERATIONS__LIST_COUNTRIES=9/d")
	env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "CAUSEWAY_AUTH__KEYS=") })
	var replicas []*driver.Instance
	for range 3 {
		replicas = append(replicas, driver.Start(t, binary, env...))
	}
	id, credential := made(t, keysTool(t, env, "create", "--name", "payouts"))
	_, limited := made(t, keysTool(t, env, "create", "--name", "lists", "--scopes", "list-banks", "--rate", "12/d"))
	asks := func(r *driver.Instance, credential string) int {
		return driver.Do(t, http.MethodPost, r.API+resolvePath, resolvePublished, "Authorization", "Bearer "+credential).Status
	}
	everywhere := func(what string, credential string, status int) {
		t.Helper()
		began, said := time.Now(), make([]int, len(replicas))
		defer func() { t.Logf("%s: after %s it is %v", what, time.Since(began).Round(time.Millisecond), said) }()
		wait(t, what, func() bool {
			for i, r := range replicas {
				if said[i] != status { // whoever said it is not asked again: the key has few calls, and others may need time
					said[i] = asks(r, credential)
				}
			}
			return !slices.ContainsFunc(said, func(s int) bool { return s != status })
		})
	}
	everywhere("the key is good everywhere", credential, http.StatusOK)
	everywhere("so is the other one, for what it allows", limited, http.StatusForbidden)
	if got := asks(replicas[0], another(credential)); got != http.StatusUnauthorized {
		t.Errorf("another secret: %d", got)
	}

	if all, each := admits(t, replicas, limited, 6); all < 12 || all > 13 { // one, where Redis was too late for once
		t.Errorf("three replicas admitted %d calls of 12, %v", all, each)
	}
	countries := 0
	for i := range 12 {
		if driver.Get(t, replicas[i%3].API+"/v1/countries").Status == http.StatusOK {
			countries++
		}
	}
	if countries < 9 || countries > 10 {
		t.Errorf("three replicas admitted %d calls of 9 from one address", countries)
	}
	if text := server.Do("KEYS", "*127.0.0.1*"); strings.Contains(text, "127.0.0.1") {
		t.Errorf("Redis has the address of a caller: %s", text)
	}

	server.Kill()
	failures := counted(t, replicas[0], `causeway_redis_errors_total{use="limit"}`)
	all, each := admits(t, replicas, limited, 20)
	for i, n := range each {
		if n < 11 || n > 12 {
			t.Errorf("replica %d admitted %d calls by itself, want 12", i, n)
		}
	}
	if waited := counted(t, replicas[0], `causeway_redis_errors_total{use="limit"}`) - failures; waited > 5 {
		t.Errorf("%d calls waited for Redis", waited)
	}
	t.Logf("without Redis: %d calls admitted, %v", all, each)
	if got := driver.Get(t, replicas[1].API+"/v1/pairs"); got.Status != http.StatusOK {
		t.Errorf("prices without Redis: %d", got.Status)
	}
	stranger := "ck_" + strings.Repeat("0", 10) + "_" + strings.Repeat("0", 52)
	everywhere("without Redis nobody says that a new key is wrong", stranger, http.StatusServiceUnavailable)

	server.Start() // with nothing in it
	wait(t, "the keys are in Redis again", func() bool { return strings.Contains(server.Do("HGET", "causeway:{keys}", id), id) })
	everywhere("a stranger's key is wrong again", stranger, http.StatusUnauthorized)
	rotated, fresh := made(t, keysTool(t, env, "rotate", id, "--overlap", "1h"))
	everywhere("the new key is good everywhere", fresh, http.StatusOK)
	keysTool(t, env, "revoke", id)
	everywhere("the old key is refused everywhere", credential, http.StatusUnauthorized)
	if list := keysTool(t, env, "list"); !strings.Contains(list, id) || !strings.Contains(list, "revoked") || !strings.Contains(list, rotated) || strings.Contains(list, fresh) {
		t.Errorf("the list: %s", list)
	}
}
