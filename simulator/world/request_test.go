package world_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/faults"
	"causeway/simulator/input"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

// calling is a call to a world with its context.
func calling(t testing.TB, w *world.World, operation, scenario string) (context.Context, *world.Request) {
	t.Helper()
	call, err := w.NewRequest(operation, scenario)
	if err != nil {
		t.Fatal(err)
	}
	return world.WithRequest(t.Context(), call), call
}

// TestRequest_PutsOutcomeBack ends calls that reached no provider, one of them after the queue was cleared.
func TestRequest_PutsOutcomeBack(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	w := use(t, ws, "a")
	if err := w.Queue().Add(core.OpResolveAccount, "unknown", "closed"); err != nil {
		t.Fatal(err)
	}
	_, first := calling(t, w, core.OpResolveAccount, "")
	_, second := calling(t, w, core.OpResolveAccount, "")
	second.Decide("next:closed")
	second.End()
	first.End()
	if got := w.Queue().List(); len(got) != 1 || !slices.Equal(got[0].Outcomes, []string{"unknown"}) {
		t.Errorf("%+v wait", got)
	}
	_, last := calling(t, w, core.OpResolveAccount, "")
	w.Queue().Clear("")
	last.End()
	if got := w.Queue().List(); len(got) != 0 {
		t.Errorf("%+v wait although all were forgotten", got)
	}
}

func TestRequest_Precedence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		scenario, next string
		bank           core.Bank
		number         string
		want           accounts.Outcome
		applied        string
	}{
		{"nobody", "", "", gtbank, "0123456789", accounts.Found, "none"},
		{"a magic number", "", "", simulated, "0000000404", accounts.Unknown, "magic:404"},
		{"an ordinary number at the magic bank", "", "", simulated, "0000000017", accounts.Found, "none"},
		{"what was set", "", "", gtbank, "0123456780", accounts.Dormant, "none"},
		{"the queue before a magic number", "", "closed", simulated, "0000000404", accounts.Closed, "next:closed"},
		{"the queue before what was set", "", "found", gtbank, "0123456780", accounts.Found, "next:found"},
		{"the scenario before the queue", "all_down", "closed", simulated, "0000000404", accounts.Down, "scenario:all_down"},
		{"the scenario before what was set", "slow", "", gtbank, "0123456780", accounts.Slow, "scenario:slow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ws, _ := registry(t, nil)
			w := use(t, ws, "a")
			if err := w.Accounts().Set("058", "0123456780", accounts.Overlay{Outcome: "dormant"}); err != nil {
				t.Fatal(err)
			}
			if c.next != "" {
				if err := w.Queue().Add(core.OpResolveAccount, c.next); err != nil {
					t.Fatal(err)
				}
			}
			ctx, call := calling(t, w, core.OpResolveAccount, c.scenario)
			if call.Applied() != "none" || call.Forced() != (c.scenario+c.next != "") {
				t.Errorf("before anybody was asked: %s, forced is %t", call.Applied(), call.Forced())
			}
			a := w.AccountAt(ctx, "paystack", core.BankTransfer, c.bank, c.number)
			if a.Outcome != c.want || call.Applied() != c.applied {
				t.Errorf("%s by %s, want %s by %s", a.Outcome, call.Applied(), c.want, c.applied)
			}
			if found := c.want == accounts.Found || c.want == accounts.Slow; found != fake.MatchString(a.Name) && c.bank.Code != accounts.MagicBank {
				t.Errorf("held by %q", a.Name)
			}
			call.Decide("fault:f1")
			if call.Applied() != c.applied && c.applied != "none" {
				t.Errorf("whoever came later decided: %s", call.Applied())
			}
			if waiting := len(w.Queue().List()) > 0; waiting != (c.scenario != "" && c.next != "") {
				t.Errorf("waiting is %v", w.Queue().List())
			}
		})
	}
}

func TestRequest_FirstProviderOnly(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, func(s *world.RegistryConfig) {
		s.Order = func(country string, _ core.Channel) []string {
			return map[string][]string{"NG": {"monnify", "paystack"}}[country]
		}
	})
	w := use(t, ws, "a")
	usual := w.Accounts().Get(gtbank, "0123456789")
	for name, want := range map[string][2]accounts.Outcome{
		"first_fails": {accounts.Failed, accounts.Found}, "throttled": {accounts.Throttled, accounts.Found},
		"all_down": {accounts.Down, accounts.Down}, "renamed_second": {accounts.Found, accounts.Found},
	} {
		ctx, _ := calling(t, w, core.OpResolveAccount, name)
		first, second := w.AccountAt(ctx, "monnify", core.BankTransfer, gtbank, "0123456789"), w.AccountAt(ctx, "paystack", core.BankTransfer, gtbank, "0123456789")
		if first.Outcome != want[0] || second.Outcome != want[1] {
			t.Errorf("%s: %s, then %s", name, first.Outcome, second.Outcome)
		}
		if want[1] == accounts.Found && (second.Name == usual.Name) != (name != "renamed_second") {
			t.Errorf("%s: the second one names %q, it is %q", name, second.Name, usual.Name)
		}
	}
}

func TestRequest_QueueOrder(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	w := use(t, ws, "a")
	for _, q := range [][]string{{core.OpResolveAccount, "unknown", "all_down"}, {"list-banks", "error:forbidden"}, {core.OpResolveAccount, "error:conflict"}} {
		if err := w.Queue().Add(q[0], q[1:]...); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(w.Queue().List()); got != "[{list-banks [error:forbidden]} {resolve-account [unknown all_down error:conflict]}]" {
		t.Errorf("waiting are %s", got)
	}
	var took []string
	for _, operation := range []string{"list-pairs", core.OpResolveAccount, core.OpResolveAccount, "list-banks", core.OpResolveAccount, core.OpResolveAccount} {
		_, call := calling(t, w, operation, "")
		ctx := world.WithRequest(t.Context(), call)
		w.AccountAt(ctx, "paystack", core.BankTransfer, gtbank, "0123456789")
		call.Fail()
		took = append(took, strings.TrimPrefix(call.Applied(), "next:"))
	}
	if want := []string{"none", "unknown", "all_down", "error:forbidden", "error:conflict", "none"}; !slices.Equal(took, want) {
		t.Errorf("took %v, want %v", took, want)
	}
	if len(w.Queue().List()) > 0 {
		t.Errorf("waiting are %v", w.Queue().List())
	}
}

func TestRequest_InvalidOutcomes(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	w := use(t, ws, "a")
	_, err := w.NewRequest(core.OpResolveAccount, "nonsense")
	wantCode(t, err, core.Invalid, "Sim-Scenario ", `"nonsense"`, "all_down", "error:conflict")
	_, err = w.NewRequest("list-pairs", "unknown")
	wantCode(t, err, core.Invalid, "Sim-Scenario ")
	if text := err.Error(); strings.Contains(text, "all_down") {
		t.Errorf("prices are not asked for one request: %s", text)
	}
	_, err = w.NewRequest("", "unknown")
	wantCode(t, err, core.Invalid, "not an operation")
	if len(w.Queue().List()) > 0 {
		t.Errorf("waiting are %v", w.Queue().List())
	}
	many := slices.Repeat([]string{"unknown"}, 9_999)
	if err := w.Queue().Add(core.OpResolveAccount, many...); err != nil {
		t.Fatal(err)
	}
	wantCode(t, w.Queue().Add("list-pairs", "error:conflict", "error:conflict"), core.Invalid, "10000")
	if err := w.Queue().Add("list-pairs", "error:conflict"); err != nil {
		t.Error(err)
	}
	w.Queue().Clear(core.OpResolveAccount)
	if err := w.Queue().Add(core.OpResolveAccount, many...); err != nil || len(w.Queue().List()) != 2 {
		t.Errorf("forgotten ones count: %v", err)
	}
	w.Queue().Clear("")
	if len(w.Queue().List()) > 0 {
		t.Errorf("waiting are %v", w.Queue().List())
	}
}

func TestRequest_Fail(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	w := use(t, ws, "a")
	for _, operation := range core.OperationIDs() {
		_, call := calling(t, w, operation, "error:service_unavailable")
		s, fails := call.Fail()
		if !fails || s.Error != "service_unavailable" || s.Status != 503 || call.Applied() != "scenario:error:service_unavailable" {
			t.Errorf("%s: %+v, %t, by %s", operation, s, fails, call.Applied())
		}
	}
	ctx, call := calling(t, w, core.OpResolveAccount, "unknown")
	if _, fails := call.Fail(); fails || call.Applied() != "none" {
		t.Error("what befalls an account is taken for the answer")
	}
	if world.RequestFrom(ctx) != call {
		t.Error("the context has another call")
	}
}

// TestRequest_Attempts checks when attempts began, how long they took, and what is recorded as their outcome.
func TestRequest_Attempts(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	type step struct {
		after   time.Duration
		send    bool
		try     string // outcome of the request to the provider; empty: it goes on
		attempt string // outcome of all requests so far; empty: the provider cannot tell
		done    bool
	}
	for name, c := range map[string]struct {
		steps []step
		want  []journal.Attempt
	}{
		"retried": {
			[]step{{after: 2 * ms, send: true}, {after: 5 * ms, try: "unavailable"}, {after: 10 * ms, send: true}, {after: ms, try: "ok", attempt: "found", done: true}},
			[]journal.Attempt{{Start: 2, Took: 5, Outcome: "unavailable"}, {Start: 17, Took: 1, Outcome: "found"}},
		},
		"cannot tell": {
			[]step{{send: true}, {after: 3 * ms, try: "malformed", done: true}},
			[]journal.Attempt{{Took: 3, Outcome: "malformed"}},
		},
		"answered without a name": {
			[]step{{send: true}, {after: 3 * ms, try: "ok", done: true}},
			[]journal.Attempt{{Took: 3, Outcome: "undecided"}},
		},
		"not sent": {
			[]step{{after: 4 * ms, try: "open", done: true}},
			[]journal.Attempt{{Start: 4, Outcome: "open"}},
		},
		"no response": {
			[]step{{after: ms, send: true}, {after: 6 * ms, done: true}},
			[]journal.Attempt{{Start: 1, Took: 6, Outcome: "timeout", Operation: "resolve"}},
		},
		"not waited for": {
			[]step{{after: ms, send: true}, {after: 6 * ms, attempt: "abandoned", done: true}},
			[]journal.Attempt{{Start: 1, Took: 6, Outcome: "abandoned", Operation: "resolve"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ws, machine := registry(t, nil)
			w := use(t, ws, "a")
			_, call := calling(t, w, core.OpResolveAccount, "")
			for _, s := range c.steps {
				machine.pass(s.after)
				if s.send {
					call.Send("paystack")
				}
				if s.try != "" {
					call.Try(journal.Attempt{Provider: "paystack", Outcome: s.try})
				}
				if s.done {
					call.Attempted("paystack", s.attempt, false)
				}
			}
			entry := w.Journal().Begin(core.OpResolveAccount, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/x", http.NoBody))
			call.Record(entry)
			for i := range c.want {
				c.want[i].Provider = "paystack"
			}
			if diff := cmp.Diff(c.want, entry.Attempts); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRequest_Nil(t *testing.T) {
	t.Parallel()
	call := world.RequestFrom(t.Context())
	call.Decide("fault:f1")
	_, fails := call.Fail()
	if call != nil || call.Forced() || fails || call.Applied() != "none" {
		t.Errorf("%+v", call)
	}
}

func TestRequest_FailWith(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		effect string
		status int
		name   string
	}{
		{`{"kind":"status","status":503}`, 503, "service_unavailable"},
		{`{"kind":"status","status":400}`, 400, "bad_request"},
		{`{"kind":"status","status":400,"code":"request_validation"}`, 400, "request_validation"},
		{`{"kind":"status","status":429,"retry_after":"7s"}`, 429, "too_many_requests"},
	} {
		w := newWorld(t, "causeway")
		rule := faults.Rule{Match: faults.Match{Plane: faults.Edge}}
		if err := json.Unmarshal([]byte(c.effect), &rule.Effect); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Faults().Add(rule, noon); err != nil {
			t.Fatal(err)
		}
		call, err := w.NewRequest("list-pairs", "")
		if err != nil {
			t.Fatal(err)
		}
		hit, _ := call.EdgeFault(http.Header{})
		if _, fails := call.Fail(); fails {
			t.Error("it fails without a fault")
		}
		call.FailWith(hit)
		got, fails := call.Fail()
		if !fails || got.Status != c.status || got.Error != c.name || input.Duration(got.RetryAfter) != rule.Effect.RetryAfter || got.Name != "fault:f1" {
			t.Errorf("%s: %+v", c.effect, got)
		}
	}
}
