package test_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"causeway/adapters/redis/redistest"
	"causeway/test/driver"
)

// TestReplicas_ShareLimitsAndNames runs three processes that share rate limits and resolved names in
// Redis. Without Redis each process has its own.
func TestReplicas_ShareLimitsAndNames(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	var lookups atomic.Int64
	var keys []string
	for i := range 10 {
		keys = append(keys, fmt.Sprintf("client-of-this-test-%d", i))
	}
	env := append(upstreams(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/resolve") {
			lookups.Add(1)
		}
		return false
	}), "CAUSEWAY_REDIS__URL="+server.URL().Reveal(), "CAUSEWAY_PRIVACY__HASH_KEY=0123456789abcdef0123456789abcdef",
		"CAUSEWAY_LIMITS__OPERATIONS__LIST_COUNTRIES=9/d", "CAUSEWAY_RECIPIENTS__CACHE__FOUND=1h",
		"CAUSEWAY_AUTH__KEYS="+strings.Join(append(slices.Clone(keys), bearer), ","))
	var replicas []*driver.Instance
	for range 3 {
		replicas = append(replicas, driver.Start(t, binary, env...))
	}
	for _, r := range replicas {
		wait(t, "Redis is connected", func() bool { return counted(t, r, "causeway_redis_up 1") == 1 })
	}

	allowed := func(r *driver.Instance, key string, calls int) (n int) {
		for range calls {
			if driver.Get(t, r.API+"/v1/countries", "Authorization", "Bearer "+key).Status == http.StatusOK {
				n++
			}
		}
		return n
	}
	if !slices.ContainsFunc(keys[1:], func(key string) bool { // on a busy machine some commands may exceed their timeout
		total := 0
		for _, r := range replicas {
			total += allowed(r, key, 5)
		}
		return total == 9
	}) {
		t.Error("three replicas never allowed exactly 9 calls of one key")
	}

	var name string
	resolve := func(r *driver.Instance, account string) int64 {
		body := strings.Replace(resolvePublished, "0123456789", account, 1)
		got := driver.Do(t, http.MethodPost, r.API+resolvePath, body, "Authorization", "Bearer "+bearer)
		if got.Status != http.StatusOK {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		data, _ := got.JSON(t)["data"].(map[string]any)
		name, _ = data["account_name"].(string)
		return lookups.Load()
	}
	if !slices.ContainsFunc([]string{"0123456789", "0123456780"}, func(account string) bool { // Redis may be too slow once
		return resolve(replicas[0], account) == resolve(replicas[1], account)
	}) {
		t.Error("no replica has the name that another one resolved")
	}

	all := server.Do("EVAL", `local out = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  out[#out + 1] = key
  if redis.call('TYPE', key).ok == 'string' then out[#out + 1] = redis.call('GET', key) end
end
return table.concat(out, ' ')`, "0")
	for _, clear := range []string{"127.0.0.1", "012345678", name} {
		if clear == "" || strings.Contains(all, clear) {
			t.Errorf("Redis has %q in clear text", clear)
		}
	}

	server.Kill()
	for i, r := range replicas {
		wait(t, "the outage is noticed", func() bool { return counted(t, r, "causeway_redis_up 1") == 0 })
		failures := counted(t, r, "causeway_redis_errors_total{")
		if n := allowed(r, keys[0], 20); n != 9 {
			t.Errorf("without Redis replica %d allowed %d calls, want 9", i, n)
		}
		if n := counted(t, r, "causeway_redis_errors_total{") - failures; n != 0 {
			t.Errorf("without Redis replica %d waited %d times for it", i, n)
		}
		resolve(r, "0123456789")
	}
}
