package test_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"causeway/adapters/storage/storagetest"
	"causeway/adapters/telemetry/telemetrytest"
	"causeway/clients/go/sandbox"
	"causeway/test/driver"
)

// bip84 is the account key of BIP 84.
const bip84 = "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs"

// sealKey is the setting of the key that seals deposit addresses.
const sealKey = "CAUSEWAY_PRIVACY__HASH_KEY=0123456789abcdef0123456789abcdef"

// deposits runs "causeway deposits" and returns everything that it prints.
func deposits(t *testing.T, env []string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"deposits"}, args...)...)
	cmd.Env = append(sandbox.Clean(os.Environ()), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// depositOf returns the first address that a key gets for a user, and the status.
func depositOf(t *testing.T, i *driver.Instance, key, profile, path string) (address string, status int) {
	t.Helper()
	r := driver.Get(t, i.API+path, "Authorization", "Bearer "+key, "X-BU-PROFILE-ID", profile)
	if r.Status == http.StatusOK {
		address = r.JSON(t)["data"].([]any)[0].(map[string]any)["address"].(string)
	}
	return address, r.Status
}

// An operator configures a key and a pool, confirms both, and two replicas assign addresses. Neither logs, metrics nor
// traces show users, addresses or the key.
func TestDeposits_Production(t *testing.T) {
	t.Parallel()
	const profile, request = "planted-profile-5c1d", "planted-request-9e2b"
	traces := telemetrytest.New(t)
	database := storagetest.Database(t)
	env := withoutStaticKeys(t, "CAUSEWAY_STORAGE__URL="+database.Reveal(), "CAUSEWAY_LOG__LEVEL=debug", sealKey,
		"CAUSEWAY_DEPOSITS__NEW_USERS_PER_DAY=3",
		"OTEL_EXPORTER_OTLP_ENDPOINT="+traces.URL, "CAUSEWAY_DEPOSITS__WALLETS__BTC="+bip84, "CAUSEWAY_DEPOSITS__WALLETS__SOL=pool")
	replicas := []*driver.Instance{driver.Start(t, binary, env...), driver.Start(t, binary, env...)}
	key := keysCommand(t, env, "create", "--name", "shop", "--scopes", "addresses:read,addresses:write")
	watcher := keysCommand(t, env, "create", "--name", "watcher", "--scopes", "addresses:owner")
	wait(t, "the key", func() bool {
		for _, r := range replicas {
			if _, status := depositOf(t, r, key, profile, "/v1/addresses/BTC"); status == http.StatusUnauthorized {
				return false
			}
		}
		return true
	})
	if _, status := depositOf(t, replicas[0], key, profile, "/v1/addresses/BTC"); status != http.StatusServiceUnavailable {
		t.Errorf("before the confirmation: got %d", status)
	}
	pool := filepath.Join(t.TempDir(), "pool.csv")
	write := func(text string) {
		if err := os.WriteFile(pool, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const program = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
	write(program + "\nnonsense\n" + program + "\n")
	if out, err := deposits(t, env, "import", "--wallet", "SOL", pool); err == nil || !strings.Contains(out, "line 2") || !strings.Contains(out, "line 3") {
		t.Errorf("an invalid pool: %v\n%s", err, out)
	}
	write(program + "\n")
	for _, args := range [][]string{
		{"import", "--wallet", "SOL", pool}, {"confirm", "SOL"}, {"status"}, {"confirm", "btc"}, {"confirm", "BTC"},
	} {
		if out, err := deposits(t, env, args...); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	first, status := depositOf(t, replicas[0], key, profile, "/v1/addresses/BTC")
	if status != http.StatusOK || first != "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu" {
		t.Errorf("got %s, %d", first, status)
	}
	if again, _ := depositOf(t, replicas[1], key, profile, "/v1/addresses/BTC"); again != first {
		t.Errorf("the other replica: got %s", again)
	}
	if second, _ := depositOf(t, replicas[1], key, profile+"2", "/v1/addresses/BTC"); second != "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g" {
		t.Errorf("another user: got %s", second)
	}
	restore := storagetest.Refuse(t, database)
	for _, user := range []string{profile, profile + "3"} {
		if _, status := depositOf(t, replicas[0], key, user, "/v1/addresses/BTC"); status != http.StatusServiceUnavailable {
			t.Errorf("without the database: got %d", status)
		}
	}
	restore()
	wait(t, "the database is back", func() bool {
		again, _ := depositOf(t, replicas[0], key, profile, "/v1/addresses/BTC")
		return again == first
	})
	if sol, _ := depositOf(t, replicas[0], key, profile, "/v1/addresses/SOL"); sol != program {
		t.Errorf("pool: got %s", sol)
	}
	if _, status := depositOf(t, replicas[0], key, profile+"2", "/v1/addresses/SOL"); status != http.StatusServiceUnavailable {
		t.Errorf("empty pool: got %d", status)
	}
	auth := []string{"Authorization", "Bearer " + key, "X-BU-PROFILE-ID", profile, "Idempotency-Key", request}
	renewed := driver.Do(t, http.MethodPost, replicas[0].API+"/v1/addresses/regenerate", `{"currency":"BTC"}`, auth...)
	if renewed.Status != http.StatusOK {
		t.Errorf("regenerate: %d %s", renewed.Status, renewed.Body)
	}
	reader := keysCommand(t, env, "create", "--name", "reader", "--scopes", "addresses:read")
	wait(t, "a key that only reads gets no address", func() bool {
		_, status := depositOf(t, replicas[0], reader, profile, "/v1/addresses/BTC")
		return status == http.StatusNotFound
	})
	for user, want := range map[string]int{profile: http.StatusOK, profile + "4": http.StatusTooManyRequests} {
		if _, status := depositOf(t, replicas[1], key, profile+"3", "/v1/addresses/BTC"); status != http.StatusOK {
			t.Errorf("the last new user of the day: got %d", status)
		}
		r := driver.Get(t, replicas[0].API+"/v1/addresses/BTC", "Authorization", "Bearer "+key, "X-BU-PROFILE-ID", user)
		if r.Status != want || (r.Header.Get("Retry-After") == "") != (want == http.StatusOK) {
			t.Errorf("user %s: got %d with Retry-After %q, want %d", user, r.Status, r.Header.Get("Retry-After"), want)
		}
	}
	owner := driver.Get(t, replicas[1].API+"/v1/addresses/owner?network=BTC&address="+first, "Authorization", "Bearer "+watcher)
	if owner.Status != http.StatusOK || !bytes.Contains(owner.Body, []byte(profile)) {
		t.Errorf("owner: %d %s", owner.Status, owner.Body)
	}
	if out, err := deposits(t, env, "verify"); err != nil || !strings.Contains(out, "5 addresses verified") {
		t.Errorf("verify: %v\n%s", err, out)
	}
	if out, err := deposits(t, env, "export"); err != nil || strings.Count(out, "\n") != 6 {
		t.Errorf("export: %v\n%s", err, out)
	}
	metrics := string(driver.Get(t, replicas[0].Operator+"/metrics").Body)
	if !strings.Contains(metrics, `causeway_deposits_addresses_refused_total{reason="exhausted",wallet="SOL"} 1`) {
		t.Error("the metrics do not show the empty pool")
	}
	logs := ""
	for _, r := range replicas {
		if err := r.Stop(); err != nil {
			t.Error(err)
		}
		logs += r.Log()
	}
	if !strings.Contains(logs, "get-addresses") || !bytes.Contains(traces.Raw(), []byte("get-addresses")) {
		t.Fatal("the log or the traces do not contain the requests")
	}
	for _, value := range []string{profile, request, first, program, bip84, bip84[4:40], key} {
		if strings.Contains(logs, value) || strings.Contains(metrics, value) || bytes.Contains(traces.Raw(), []byte(value)) {
			t.Errorf("%q is in the logs, metrics or traces", value)
		}
	}
}

// A process refuses a private key, without repeating it, and a wallet whose source is not the confirmed one.
func TestDeposits_ChangedSource(t *testing.T) {
	t.Parallel()
	const private = "xprv9xgqHN7yz9MwCkxsBPN5qetuNdQSUttZNKw1dcYTV4mkaAFiBVGQziHs3NRSWMkCzvgjEe3n9xV8oYywvM8at9yRqyaZVz6TYYhX98VjsUk"
	state := "CAUSEWAY_STATE__DIR=" + t.TempDir()
	if out, err := deposits(t, []string{state, "CAUSEWAY_DEPOSITS__WALLETS__BTC=wpkh(" + private + ")"}, "status"); err == nil ||
		!strings.Contains(out, "private extended key") || strings.Contains(out, private[4:30]) {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := deposits(t, []string{state, sealKey, "CAUSEWAY_DEPOSITS__WALLETS__BTC=" + bip84}, "confirm", "BTC"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	env := withoutStaticKeys(t, state, sealKey, "CAUSEWAY_DEPOSITS__WALLETS__BTC=wpkh("+bip84+"/1/*)")
	c := driver.Start(t, binary, env...)
	key := keysCommand(t, env, "create", "--name", "shop", "--scopes", "addresses:read,addresses:write")
	wait(t, "the key", func() bool {
		_, status := depositOf(t, c, key, "u", "/v1/addresses/BTC")
		return status == http.StatusServiceUnavailable
	})
	if metrics := string(driver.Get(t, c.Operator+"/metrics").Body); !strings.Contains(metrics, `causeway_deposits_wallet_up{wallet="BTC"} 0`) {
		t.Error("the metrics do not show that the wallet is down")
	}
	if !strings.Contains(c.Log(), "other_source") {
		t.Errorf("the log does not say why:\n%s", c.Log())
	}
	if out, err := deposits(t, env, "confirm", "BTC"); err == nil || !strings.Contains(out, "another source") {
		t.Errorf("%v\n%s", err, out)
	}
}
