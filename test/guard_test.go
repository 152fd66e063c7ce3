package test_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"causeway/adapters/redis/redistest"
	"causeway/adapters/storage/storagetest"
	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/world"
	"causeway/test/driver"
)

// bank is an institution of Nigeria by its code.
type bank string

const guardedBank bank = "000013"

// guardedRoute resolves accounts at Nigerian banks through Paystack alone.
const guardedRoute = "CAUSEWAY_RECIPIENTS__ROUTES__NG_BANK_TRANSFER=paystack"

// caller is a client with a key of its own.
type caller struct {
	process *driver.Instance
	key     string
}

// resolve resolves an account. Members are added to the request: "name":"value",
func (c caller) resolve(t *testing.T, at bank, number, members string) driver.Reply {
	t.Helper()
	return driver.Do(t, http.MethodPost, c.process.API+resolvePath,
		`{`+members+`"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"`+string(at)+`","account_number":"`+number+`"}`,
		"Authorization", "Bearer "+c.key)
}

// namesUntilRefused resolves one number after the other and returns how many names it got before it
// was refused.
func (c caller) namesUntilRefused(t *testing.T, numbers []string) (names int) {
	t.Helper()
	for _, number := range numbers {
		switch r := c.resolve(t, guardedBank, number, ""); r.Status {
		case http.StatusOK:
			names++
		case http.StatusNotFound:
		case http.StatusTooManyRequests:
			if wait, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || wait < 30 || !strings.Contains(string(r.Body), `"name":"too_many_requests"`) {
				t.Errorf("refused with Retry-After %q: %s", r.Header.Get("Retry-After"), r.Body)
			}
			return names
		default:
			t.Fatalf("%d %s", r.Status, r.Body)
		}
	}
	t.Errorf("%d requests without a refusal, %d names", len(numbers), names)
	return names
}

// account returns the account at the guarded bank with a number.
func account(w *world.World, number string) accounts.Account {
	banks := w.Banks()
	i := slices.IndexFunc(banks, func(b core.Bank) bool { return b.Country == "NG" && b.Known(string(guardedBank)) })
	return w.Accounts().Get(banks[i], number)
}

// numbersWith returns account numbers with an outcome that are far from each other.
func numbersWith(w *world.World, outcome accounts.Outcome, count, from int) []string {
	var out []string
	for i := from; len(out) < count; i++ {
		number := fmt.Sprintf("3%09d", (i+1)*7368787%1000000000) // a prime: no two numbers are neighbours
		if account(w, number).Outcome == outcome {
			out = append(out, number)
		}
	}
	return out
}

// TestGuard_Enumeration lets callers search for names in several ways while another one pays out a
// payroll, in production mode with the default settings.
func TestGuard_Enumeration(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := startLoaded(t, append(append(production(), serveProviders(t, w, accountProviders, nil)...), "CAUSEWAY_AUTH__KEYS=client-0123456789abcdef,row-0123456789abcdef,misses-0123456789abcdef,banks-0123456789abcdef", guardedRoute)...)

	row := make([]string, 150) // one account number after the other
	for i := range row {
		row[i] = fmt.Sprintf("%010d", 3_141_592_000+i*10)
	}
	if names := (caller{c, "row-0123456789abcdef"}).namesUntilRefused(t, row); names > 80 { // two blocks of 10,000
		t.Errorf("%d names from a row of numbers", names)
	}
	holders, unknown := numbersWith(w, accounts.Found, 400, 5000), numbersWith(w, accounts.Unknown, 60, 5000)
	var guesses []string // two in five do not exist
	for i := range 50 {
		guesses = append(guesses, holders[300+i], holders[350+i%50], unknown[i], unknown[(i+25)%50])
	}
	if names := (caller{c, "misses-0123456789abcdef"}).namesUntilRefused(t, slices.Compact(guesses)); names > 60 {
		t.Errorf("%d names by guessing", names)
	}
	searching := caller{c, "banks-0123456789abcdef"}
	for i, at := range []bank{"000013", "000014", "000015", "000016", "000001", "000002", "000003", "000007", "000008", "000010"} {
		if r := searching.resolve(t, at, holders[399], ""); r.Status == http.StatusTooManyRequests {
			break
		} else if i == 9 {
			t.Error("one number at ten banks without a refusal")
		}
	}
	payroll := caller{c, "client-0123456789abcdef"} // 300 people; three numbers in a hundred are wrong
	for i, number := range holders[:300] {
		if r := payroll.resolve(t, guardedBank, number, ""); r.Status != http.StatusOK {
			t.Fatalf("payroll number %d: %d %s", i, r.Status, r.Body)
		}
		if i%33 == 0 {
			if r := payroll.resolve(t, guardedBank, unknown[50+i/33], ""); r.Status != http.StatusNotFound {
				t.Fatalf("a wrong number in the payroll: %d %s", r.Status, r.Body)
			}
		}
	}
	for _, key := range []string{"row-0123456789abcdef", "misses-0123456789abcdef", "banks-0123456789abcdef"} {
		if r := (caller{c, key}).resolve(t, guardedBank, holders[1], ""); r.Status != http.StatusTooManyRequests {
			t.Errorf("%s is admitted again: %d", key, r.Status)
		}
	}
	if r := (caller{c, "stranger-0123456789abcdef"}).resolve(t, guardedBank, holders[1], ""); r.Status != http.StatusUnauthorized {
		t.Errorf("an unknown key: %d", r.Status)
	}
	metrics := string(driver.Get(t, c.Operator+"/metrics").Body)
	for _, want := range []string{
		`causeway_recipients_enumeration_suspected_total{reason="density"} 1`, `causeway_recipients_enumeration_suspected_total{reason="not_found"} 1`, `causeway_recipients_enumeration_suspected_total{reason="banks"} 1`,
		`causeway_recipients_refused_total{reason="density"}`, `causeway_recipients_attempts_total{channel="bank_transfer",country="NG",outcome="found",provider="paystack"}`,
		`causeway_recipients_resolutions_total{channel="bank_transfer",country="NG",outcome="refused"}`, `causeway_recipients_cache_total{result="miss"}`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	checkAudit(t, c, append(append(row, holders...), unknown...))
}

// auditLine is a record of one resolution in the log.
type auditLine struct {
	Logger, Msg, At, Caller, Key, Country, Channel, Bank, Account, Outcome, Provider, Reason string
}

// checkAudit checks the audit records and the alarms in the log.
func checkAudit(t *testing.T, c *driver.Instance, numbers []string) {
	t.Helper()
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	hash := regexp.MustCompile(`^[0-9a-f]{32}$`)
	callers, outcomes, alarms := map[string]int{}, map[string]int{}, 0
	for line := range strings.Lines(c.Log()) {
		for _, number := range numbers {
			if strings.Contains(line, number) {
				t.Fatalf("an account number is in the log: %s", line)
			}
		}
		if strings.Contains(line, "suspected of enumerating account numbers") && strings.Contains(line, `"level":"error"`) && strings.Contains(line, `"key":"config_`) {
			alarms++
		}
		var a auditLine
		if !strings.Contains(line, `"audit"`) || json.Unmarshal([]byte(line), &a) != nil {
			continue
		}
		callers[a.Caller]++
		outcomes[a.Outcome]++
		resolved := a.Outcome == "found" || a.Outcome == "not_found"
		if a.At == "" || a.Country != "NG" || !strings.HasPrefix(a.Key, "config_") || a.Channel != "bank_transfer" || len(a.Bank) != 6 || !hash.MatchString(a.Caller) || !hash.MatchString(a.Account) ||
			resolved != (a.Provider == "paystack") || (a.Outcome == "refused") != (a.Reason != "") {
			t.Errorf("invalid audit record: %s", line)
		}
	}
	if len(callers) != 4 || alarms != 3 || outcomes["found"] < 300 || outcomes["not_found"] < 10 || outcomes["refused"] < 6 {
		t.Errorf("audit records of %d callers with outcomes %v, and %d alarms", len(callers), outcomes, alarms)
	}
}

// TestGuard_ConfirmOnly hides names from a caller that searches and still confirms claimed names.
func TestGuard_ConfirmOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := startLoaded(t, append(append(production(), serveProviders(t, w, accountProviders, nil)...), "CAUSEWAY_RECIPIENTS__GUARD__MODE=confirm_only", guardedRoute)...)
	client, hidden := caller{c, bearer}, 0
	for i := range 150 {
		r := client.resolve(t, guardedBank, fmt.Sprintf("%010d", 3_141_592_000+i*10), "")
		if r.Status == http.StatusBadRequest && strings.Contains(string(r.Body), `"account_name"`) {
			hidden++
		} else if hidden > 0 {
			t.Fatalf("a name is disclosed again: %d %s", r.Status, r.Body)
		}
	}
	if hidden < 70 {
		t.Errorf("%d of 150 names were hidden", hidden)
	}
	number := numbersWith(w, accounts.Found, 1, 9000)[0]
	name := account(w, number).Name
	r := client.resolve(t, guardedBank, number, `"account_name":"`+name+`",`)
	if r.Status != http.StatusOK || !strings.Contains(string(r.Body), `"name_match":"match"`) || strings.Contains(string(r.Body), name) {
		t.Errorf("a claimed name: %d %s", r.Status, r.Body)
	}
}

// TestGuard_Replicas checks that three replicas share the budget of a caller, that neither the loss
// of Redis nor a restart returns it, and that a dump of Redis and of the database reveals no
// account number.
func TestGuard_Replicas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server, database := redistest.Open(t), storagetest.Database(t)
	env := append(append(production(), serveProviders(t, w, accountProviders, nil)...), guardedRoute,
		"CAUSEWAY_RECIPIENTS__GUARD__DAILY=15", "CAUSEWAY_PRIVACY__HASH_KEY=0123456789abcdef0123456789abcdef",
		"CAUSEWAY_REDIS__URL="+server.URL().Reveal(), "CAUSEWAY_STORAGE__URL="+database.Reveal())
	replicas := []*driver.Instance{startLoaded(t, env...), startLoaded(t, env...), startLoaded(t, env...)}
	for _, r := range replicas {
		waitForRedis(t, r, true)
	}
	holders := numbersWith(w, accounts.Found, 40, 20_000)
	names := 0
	for i, number := range holders[:20] {
		if r := (caller{replicas[i%3], bearer}).resolve(t, guardedBank, number, ""); r.Status == http.StatusOK {
			names++
		}
	}
	if names != 15 {
		t.Errorf("three replicas: got %d names, want 15", names)
	}
	refused := func(what string, r *driver.Instance) {
		t.Helper()
		if got := (caller{r, bearer}).resolve(t, guardedBank, holders[30], ""); got.Status != http.StatusTooManyRequests {
			t.Errorf("%s: got %d, want 429", what, got.Status)
		}
	}
	saved := func() string {
		return storagetest.Query(t, database, `SELECT string_agg(record, ' ') FROM lookup_log`)
	}
	wait(t, "the lookups are saved", func() bool { return len(saved()) > 0 })
	for name, dump := range map[string]string{"Redis": server.Do("XRANGE", "causeway:lookups", "-", "+"), "PostgreSQL": saved()} {
		for _, number := range holders {
			if strings.Contains(dump, number) || strings.Contains(dump, number[1:9]) {
				t.Errorf("%s holds an account number", name)
			}
		}
	}
	server.Kill()
	for _, r := range replicas {
		waitForRedis(t, r, false)
		refused("without Redis", r)
	}
	server.Start() // empty
	for _, r := range replicas {
		waitForRedis(t, r, true)
		refused("with an empty Redis", r)
	}
	if err := replicas[0].Stop(); err != nil {
		t.Error(err)
	}
	refused("after a restart", startLoaded(t, env...))
}

// waitForRedis waits until a process has noticed that Redis is up or down.
func waitForRedis(t *testing.T, r *driver.Instance, up bool) {
	t.Helper()
	state := map[bool]string{true: "causeway_redis_up 1\n", false: "causeway_redis_up 0\n"}[up]
	wait(t, state, func() bool { return strings.Contains(string(driver.Get(t, r.Operator+"/metrics").Body), state) })
}
