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

	"causeway/simulator/accounts"
	"causeway/simulator/world"
	"causeway/test/driver"
)

// caller asks a process with a key of its own.
type caller struct {
	process *driver.Instance
	key     string
	at      where
}

func (c caller) ask(t *testing.T, number string) driver.Reply {
	t.Helper()
	return driver.Do(t, http.MethodPost, c.process.API+resolvePath, c.at.question(number), "Authorization", "Bearer "+c.key)
}

// until asks about one number after the other until it is refused, and returns how many names it was told before that.
func (c caller) until(t *testing.T, numbers []string) (names int) {
	t.Helper()
	for _, number := range numbers {
		switch r := c.ask(t, number); r.Status {
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
	t.Errorf("%d questions and no refusal; %d names", len(numbers), names)
	return names
}

// numbers returns so many numbers with an outcome, far from each other.
func (p where) numbers(w *world.World, wanted accounts.Outcome, count, from int) []string {
	var out []string
	for i, knows := from, p.holders(w); len(out) < count; i++ {
		if number := p.number(i); knows(number).Outcome == wanted {
			out = append(out, number)
		}
	}
	return out
}

var guarded = where{"NG", "NGN", "bank_transfer", "000013", ""}

// TestGuard_Enumeration lets callers with keys of their own search in the ways that were seen, while another one pays a
// payroll out. It is production mode as it is by default.
func TestGuard_Enumeration(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := startLoaded(t, append(append(production(), served(t, w, accountProviders, nil)...), "CAUSEWAY_AUTH__KEYS=client-0123456789abcdef,row-0123456789abcdef,misses-0123456789abcdef,banks-0123456789abcdef", guarded.route("paystack"))...)

	row := make([]string, 150) // one account number after the other
	for i := range row {
		row[i] = fmt.Sprintf("%010d", 3_141_592_000+i*10)
	}
	if names := (caller{c, "row-0123456789abcdef", guarded}).until(t, row); names > 80 { // two blocks of 10,000
		t.Errorf("%d names from a row of numbers", names)
	}
	holders, nobody := guarded.numbers(w, accounts.Found, 400, 5000), guarded.numbers(w, accounts.Unknown, 60, 5000)
	var guesses []string // two in five do not exist
	for i := range 50 {
		guesses = append(guesses, holders[300+i], holders[350+i%50], nobody[i], nobody[(i+25)%50])
	}
	if names := (caller{c, "misses-0123456789abcdef", guarded}).until(t, slices.Compact(guesses)); names > 60 {
		t.Errorf("%d names by guessing", names)
	}
	searching := caller{c, "banks-0123456789abcdef", guarded}
	for i, bank := range []string{"000013", "000014", "000015", "000016", "000001", "000002", "000003", "000007", "000008", "000010"} {
		searching.at.bank = bank
		if r := searching.ask(t, holders[399]); r.Status == http.StatusTooManyRequests {
			break
		} else if i == 9 {
			t.Error("one number at ten banks, and no refusal")
		}
	}
	payroll := caller{c, "client-0123456789abcdef", guarded} // 300 people; three numbers in a hundred are wrong
	for i, number := range holders[:300] {
		if r := payroll.ask(t, number); r.Status != http.StatusOK {
			t.Fatalf("the payroll's number %d: %d %s", i, r.Status, r.Body)
		}
		if i%33 == 0 {
			if r := payroll.ask(t, nobody[50+i/33]); r.Status != http.StatusNotFound {
				t.Fatalf("a wrong number of the payroll: %d %s", r.Status, r.Body)
			}
		}
	}
	for _, key := range []string{"row-0123456789abcdef", "misses-0123456789abcdef", "banks-0123456789abcdef"} {
		if r := (caller{c, key, guarded}).ask(t, holders[1]); r.Status != http.StatusTooManyRequests {
			t.Errorf("%s is let in again: %d", key, r.Status)
		}
	}
	if r := (caller{c, "stranger-0123456789abcdef", guarded}).ask(t, holders[1]); r.Status != http.StatusUnauthorized {
		t.Errorf("a stranger: %d", r.Status)
	}
	metrics := string(driver.Get(t, c.Operator+"/metrics").Body)
	for _, want := range []string{
		`causeway_resolution_enumeration_suspected_total{reason="density"} 1`, `causeway_resolution_enumeration_suspected_total{reason="not_found"} 1`, `causeway_resolution_enumeration_suspected_total{reason="banks"} 1`,
		`causeway_resolution_refused_total{reason="density"}`, `causeway_resolution_attempts_total{channel="bank_transfer",country="NG",outcome="found",provider="paystack"}`,
		`causeway_resolutions_total{channel="bank_transfer",country="NG",outcome="refused"}`, `causeway_resolution_cache_total{result="miss"}`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	audited(t, c, append(append(row, holders...), nobody...))
}

// auditLine is a line of the log about one resolution.
type auditLine struct {
	Logger, Msg, At, Caller, Key, Country, Channel, Bank, Account, Outcome, Provider, Reason string
}

// audited checks the audit and the alarms of the log.
func audited(t *testing.T, c *driver.Instance, numbers []string) {
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
		asked := a.Outcome == "found" || a.Outcome == "not_found"
		if a.At == "" || a.Country != "NG" || !strings.HasPrefix(a.Key, "config_") || a.Channel != "bank_transfer" || len(a.Bank) != 6 || !hash.MatchString(a.Caller) || !hash.MatchString(a.Account) ||
			asked != (a.Provider == "paystack") || (a.Outcome == "refused") != (a.Reason != "") {
			t.Errorf("the audit has %s", line)
		}
	}
	if len(callers) != 4 || alarms != 3 || outcomes["found"] < 300 || outcomes["not_found"] < 10 || outcomes["refused"] < 6 {
		t.Errorf("the audit has %d callers and %v, with %d alarms", len(callers), outcomes, alarms)
	}
}

// TestGuard_ConfirmOnly hides the names from a caller who searches, and goes on telling whether a name is the holder's.
func TestGuard_ConfirmOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := startLoaded(t, append(append(production(), served(t, w, accountProviders, nil)...), "CAUSEWAY_RESOLUTION__GUARD__MODE=confirm_only", guarded.route("paystack"))...)
	knows := guarded.holders(w)
	hidden := 0
	for i := range 150 {
		number := fmt.Sprintf("%010d", 3_141_592_000+i*10)
		r := (caller{c, bearer, guarded}).ask(t, number)
		if r.Status == http.StatusBadRequest && strings.Contains(string(r.Body), `"account_name"`) {
			hidden++
		} else if hidden > 0 {
			t.Fatalf("a name is told again: %d %s", r.Status, r.Body)
		}
	}
	if hidden < 70 {
		t.Errorf("%d of 150 names were hidden", hidden)
	}
	number := guarded.numbers(w, accounts.Found, 1, 9000)[0]
	question := strings.Replace(guarded.question(number), `{`, `{"account_name":"`+knows(number).Name+`",`, 1)
	r := driver.Do(t, http.MethodPost, c.API+resolvePath, question, "Authorization", "Bearer "+bearer)
	if r.Status != http.StatusOK || !strings.Contains(string(r.Body), `"name_match":"match"`) || strings.Contains(string(r.Body), knows(number).Name) {
		t.Errorf("a claimed name: %d %s", r.Status, r.Body)
	}
}

// TestGuard_Budget spends the daily budget of one caller; another one has its own.
func TestGuard_Budget(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := startLoaded(t, append(append(production(), served(t, w, accountProviders, nil)...), "CAUSEWAY_AUTH__KEYS=client-0123456789abcdef,other-0123456789abcdef",
		"CAUSEWAY_RESOLUTION__GUARD__DAILY=10", guarded.route("paystack"))...)
	holders := guarded.numbers(w, accounts.Found, 30, 100)
	if names := (caller{c, "client-0123456789abcdef", guarded}).until(t, holders); names != 10 {
		t.Errorf("%d names for a budget of 10", names)
	}
	if names := (caller{c, "other-0123456789abcdef", guarded}).until(t, append(guarded.numbers(w, accounts.Unknown, 1, 100), holders...)); names != 0 {
		t.Errorf("%d names after a wrong number, which costs 20", names)
	}
	if metrics := string(driver.Get(t, c.Operator+"/metrics").Body); !strings.Contains(metrics, `causeway_resolution_refused_total{reason="budget"} 2`) || strings.Contains(metrics, "causeway_resolution_enumeration_suspected_total{") {
		t.Error("the metrics lack two refusals, or report a search")
	}
}
