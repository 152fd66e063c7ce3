package journal_test

import (
	"slices"
	"testing"

	"causeway/simulator/journal"
)

// seqs are the numbers of entries.
func seqs(list []journal.Entry) []uint64 {
	out := []uint64{}
	for _, e := range list {
		out = append(out, e.Seq)
	}
	return out
}

func TestMatch(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	story(j) // 1 list-banks, 2 control, 3 resolve-account, 4 explain-price, 5 validate-address
	for _, c := range []struct {
		name  string
		match journal.Match
		want  []uint64
	}{
		{"nothing asked", journal.Match{}, []uint64{1, 3, 4, 5}},
		{"the control API", journal.Match{Control: true}, []uint64{2}},
		{"after an entry", journal.Match{After: 3}, []uint64{4, 5}},
		{"after the last", journal.Match{After: 5}, []uint64{}},
		{"after what is to come", journal.Match{After: 99}, []uint64{}},
		{"an operation", journal.Match{Operation: "resolve-account"}, []uint64{3}},
		{"an id", journal.Match{ID: "req_000000000002", Control: true}, []uint64{2}},
		{"a method", journal.Match{Method: "POST"}, []uint64{3, 5}},
		{"a path", journal.Match{Path: "/v1/banks"}, []uint64{1}},
		{"a pattern", journal.Match{Path: "/v1/*"}, []uint64{1, 5}},
		{"a pattern of two parts", journal.Match{Path: "/v1/pairs/*/price"}, []uint64{4}},
		{"a parameter", journal.Match{Query: map[string]string{"country": "NG"}}, []uint64{1}},
		{"a private parameter, as it was sent", journal.Match{Query: map[string]string{"account_number": bankAccount}}, []uint64{1}},
		{"another parameter that looks the same", journal.Match{Query: map[string]string{"account_number": "0113456789"}}, []uint64{}},
		{"a header that looks the same", journal.Match{Headers: map[string]string{"if-none-match": `"8c7dd922ad47494e"`}}, []uint64{}},
		{"a header, whatever its case", journal.Match{Headers: map[string]string{"sim-world": "TestX/one"}}, []uint64{3}},
		{"a private header", journal.Match{Headers: map[string]string{"if-none-match": `"8c7dd922ad47494f"`}}, []uint64{1}},
		{"members of the body", journal.Match{Members: map[string]string{"bank_code": "058", "account_name": holder}}, []uint64{3}},
		{"another member of the body", journal.Match{Members: map[string]string{"bank_code": "058", "account_name": "Bola Ade"}}, []uint64{}},
		{"what was applied", journal.Match{Applied: "next"}, []uint64{3}},
		{"all of what was applied", journal.Match{Applied: "scenario:all_down"}, []uint64{5}},
		{"a hit", journal.Match{Cache: journal.Hit}, []uint64{1}},
		{"a status", journal.Match{Status: 503}, []uint64{5}},
		{"an error", journal.Match{Error: "service_unavailable"}, []uint64{5}},
		{"a provider", journal.Match{Provider: "korapay"}, []uint64{3}},
		{"a provider and its outcome", journal.Match{Provider: "korapay", Outcome: "ok"}, []uint64{3}},
		{"a provider and another's outcome", journal.Match{Provider: "korapay", Outcome: "unavailable"}, []uint64{}},
		{"the attempt that meets the most", journal.Match{Provider: "paystack", Breaker: "closed"}, []uint64{3}},
		{"the state of a breaker", journal.Match{Breaker: "closed"}, []uint64{3}},
		{"the path of a world", journal.Match{Path: "/_sim/v1/worlds/TestX%2Fone/*", Control: true}, []uint64{2}},
		{"no such fault", journal.Match{Fault: "f1"}, []uint64{}},
		{"a source", journal.Match{Source: "okx"}, []uint64{4}},
		{"two that never meet", journal.Match{Operation: "resolve-account", Status: 503}, []uint64{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := seqs(find(t, j, c.match)); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestMatch_PrivatePath(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	record(j, "a", request("GET", "/v1/accounts/"+bankAccount+"/x"), "", 404)
	for path, want := range map[string]int{
		"/v1/accounts/" + bankAccount + "/x": 1, "/v1/accounts/*/x": 1, "/v1/*/" + bankAccount + "/?": 1,
		"/v1/accounts/9123456789/x": 0, "/v1/accounts/0113456789/x": 0, "/v1/accounts/" + bankAccount: 0,
	} {
		if got := find(t, j, journal.Match{Path: path}); len(got) != want {
			t.Errorf("%s: got %d entries, want %d", path, len(got), want)
		}
	}
}

func TestMatch_BodyLiterals(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	record(j, "a", request("POST", "/"), `{"x":true,"y":null,"status":503,"n":1234567890,"list":["a"]}`, 200)
	record(j, "b", request("POST", "/"), `["x"]`, 200)
	for name, text := range map[string]string{"x": "true", "y": "null", "status": "503", "n": "1234567890"} {
		if got := find(t, j, journal.Match{Members: map[string]string{name: text}}); len(got) != 1 {
			t.Errorf("%s %s: got %d entries", name, text, len(got))
		}
	}
	if got := find(t, j, journal.Match{Members: map[string]string{"n": "1134567890"}}); len(got) != 0 {
		t.Error("another number that looks the same matches")
	}
	record(j, "c", request("POST", "/"), `{"in":{"account_number":"0123456789"},"account_number":"0113456789"}`, 200)
	for text, want := range map[string]int{bankAccount: 0, "0113456789": 1} {
		if got := find(t, j, journal.Match{Members: map[string]string{"account_number": text}}); len(got) != want {
			t.Errorf("%s: got %d entries, want %d", text, len(got), want)
		}
	}
}
