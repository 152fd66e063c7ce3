package recipients_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"causeway/core"
	"causeway/core/recipients"
	"causeway/core/recipients/guard"
	"causeway/core/recipients/names"
	"causeway/ports"
)

// southAfrica returns a service whose only providers in South Africa are confirmers.
func southAfrica(t testing.TB, confirmers ...ports.AccountConfirmer) *recipients.Service {
	t.Helper()
	return open(t, southAfricaConfig(t, confirmers...))
}

func southAfricaConfig(t testing.TB, confirmers ...ports.AccountConfirmer) recipients.Config {
	t.Helper()
	elsewhere := unasked(t)
	elsewhere.resolves = func(country string, _ core.Channel, _ core.Bank) bool { return country != "ZA" }
	all := append(countries(), core.Country{Code: "ZA", Name: "South Africa", Currencies: []string{"ZAR"}, Channels: []core.ChannelRule{
		rule(core.BankTransfer, "ZAR", "7 to 11 digits", `^\d{7,11}$`, "1234567890", false),
	}})
	cfg := configOf(all, elsewhere)
	cfg.Confirmers = confirmers
	cfg.Registry.Find = func(_, code string) (core.Bank, error) {
		return core.Bank{Country: "ZA", Code: code, Name: "Absa", Channels: []core.Channel{core.BankTransfer}}, nil
	}
	return cfg
}

func southAfrican(claimed core.Private) recipients.Request {
	return recipients.Request{
		Currency: "ZAR", Country: "ZA", Channel: "bank_transfer", BankCode: "632005", AccountNumber: "4048195297", Claimed: claimed,
		DocumentType: "identity_number", Document: "8001015009087",
	}
}

func TestService_Confirmers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		confirmers []ports.AccountConfirmer
		match      core.NameMatch
		code       core.Code
	}{
		"match":            {[]ports.AccountConfirmer{confirms("a", core.Match, nil)}, core.Match, ""},
		"no match":         {[]ports.AccountConfirmer{confirms("a", core.NoMatch, nil), confirms("b", core.Match, nil)}, core.NoMatch, ""},
		"outage, then yes": {[]ports.AccountConfirmer{confirms("a", "", errDown), confirms("b", core.Match, nil)}, core.Match, ""},
		"no result":        {[]ports.AccountConfirmer{confirms("a", "", nil), confirms("b", core.CloseMatch, nil), confirms("c", core.Match, nil)}, core.Match, ""},
		"not found":        {[]ports.AccountConfirmer{confirms("a", "", errUnknown), confirms("b", core.Match, nil)}, "", core.NotFound},
		"outage":           {[]ports.AccountConfirmer{confirms("a", "", errDown), confirms("b", "", errors.New("odd"))}, "", core.Unavailable},
	} {
		got, err := southAfrica(t, c.confirmers...).Resolve(t.Context(), southAfrican(" Ada Obi\n"))
		if core.CodeOf(err) != c.code || got.Document != c.match || got.Match != "" || got.Holder != "" {
			t.Errorf("%s: got %q, %q, %v; want %q, %q", name, got.Document, got.Holder.Reveal(), err, c.match, c.code)
		}
	}
	one := confirms("a", core.Match, nil)
	one.confirm = func(_ context.Context, q core.AccountQuery, claim core.HolderClaim) (core.NameMatch, error) {
		want := core.HolderClaim{Name: "Ada Obi", Document: core.Document{Type: core.IdentityNumber, Number: "8001015009087"}}
		if claim != want || q.Number != "4048195297" {
			t.Errorf("called with %q, %q at %q", claim.Name.Reveal(), claim.Document.Number.Reveal(), q.Number.Reveal())
		}
		return core.Match, nil
	}
	s := southAfrica(t, one)
	req := southAfrican(" Ada Obi\n")
	req.DocumentType, req.Document = "IDENTITY_NUMBER ", " 800101 5009 087"
	if _, err := s.Resolve(t.Context(), req); err != nil {
		t.Error(err)
	}
	bank := core.Bank{Country: "ZA", Code: "632005", Channels: []core.Channel{core.BankTransfer}}
	if s.Survey([]core.Bank{bank}); !s.Resolvable(bank) || !s.Covers("ZA", core.BankTransfer) ||
		!s.NeedsDocument("ZA", core.BankTransfer) || s.NeedsDocument("NG", core.BankTransfer) {
		t.Error("a bank with a confirmer is not resolvable with a document")
	}
}

// Without a document nothing is compared, so the client has to send one.
func TestService_Document(t *testing.T) {
	t.Parallel()
	s := southAfrica(t, confirms("a", core.Match, nil))
	const types = "accepted: identity_number, passport_number, business_registration_number"
	for name, c := range map[string]struct {
		claimed  core.Private
		kind     string
		document core.Private
		want     map[string]string
	}{
		"nothing": {" \t", "", "", map[string]string{
			"account_name":    "is required in ZA. Send the name of the account's holder",
			"document_type":   "is required in ZA; " + types,
			"document_number": "is required: banks of ZA disclose no names and compare a document instead. Send the number of the holder's document",
		}},
		"no type":   {"Ada Obi", "", "8001015009087", map[string]string{"document_type": "is required with document_number; " + types}},
		"no number": {"Ada Obi", "passport_number", " ", map[string]string{"document_number": "is required with document_type"}},
		"a number as type": {"Ada Obi", "8001015009087", "1", map[string]string{
			"document_type": "(a value with 13 digits) is not a document type; " + types,
		}},
		"too long": {"Ada Obi", "passport_number", core.Private(strings.Repeat("1", 33)), map[string]string{
			"document_number": "is longer than 32 characters",
		}},
		"another script": {"Ada Obi", "passport_number", "M٠٠1", map[string]string{
			"document_number": "has unusual characters; accepted: letters A to Z, digits, hyphens and slashes",
		}},
	} {
		req := southAfrican(c.claimed)
		req.DocumentType, req.Document = c.kind, c.document
		if got := fieldErrors(t, s.Check(req)); !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// Results for one document say nothing about another one, and guessing documents is a search.
func TestService_GuessedDocuments(t *testing.T) {
	t.Parallel()
	calls := 0
	one := confirms("a", core.NoMatch, nil)
	one.confirm = func(context.Context, core.AccountQuery, core.HolderClaim) (core.NameMatch, error) {
		calls++
		return core.NoMatch, nil
	}
	cfg := southAfricaConfig(t, one)
	cfg.Settings.Guard = guard.Settings{Mode: guard.Block, Daily: 1000}
	s := open(t, cfg)
	for i := range 20 {
		req := southAfrican("Ada Obi")
		req.Document = core.Private(fmt.Sprintf("80010150090%02d", i))
		if _, err := s.Resolve(t.Context(), req); core.CodeOf(err) == core.TooMany {
			if i != calls || i < 4 {
				t.Errorf("refused after %d documents and %d calls", i, calls)
			}
			return
		}
	}
	t.Error("twenty documents for one account are not refused")
}

// A confirmer is called only where no resolver is available.
func TestService_ResolverBeforeConfirmer(t *testing.T) {
	t.Parallel()
	cfg := configOf(countries(), answers("r", "ADA OBI", nil))
	cfg.Confirmers = []ports.AccountConfirmer{confirms("a", core.NoMatch, nil)}
	req := nigerian()
	req.Claimed = "Ada Obi"
	if got, err := open(t, cfg).Resolve(t.Context(), req); err != nil || got.Match != core.Match || got.Holder != "ADA OBI" {
		t.Errorf("got %q, %q, %v", got.Match, got.Holder.Reveal(), err)
	}
}

func TestService_ClaimedName(t *testing.T) {
	t.Parallel()
	s := service(t, answers("one", "OKAFOR ADAEZE", nil))
	for claimed, want := range map[core.Private]struct {
		match core.NameMatch
		fault string
	}{
		"": {}, " \t\n": {}, " Adaeze Okafor ": {match: core.Match}, "Bola Tinubu": {match: core.NoMatch},
		core.Private("Adaeze Okafor" + strings.Repeat(" ", 500)): {match: core.Match},
		core.Private(strings.Repeat("é", 201)):                   {fault: "has 201 characters; at most 200 are accepted"},
		"0123456789":                                             {fault: "has no letters; accepted: the name of the account's holder, a person's or a company's"},
		"A B C D E Okafor":                                       {fault: "has 5 single letters; at most 4 are accepted"},
		core.Private(strings.Repeat("ADA ", 13)):                 {fault: "has 13 words; at most 12 are accepted"},
	} {
		req := nigerian()
		req.Claimed = claimed
		got, err := s.Resolve(t.Context(), req)
		if want.fault != "" {
			if reason := fieldErrors(t, err)["account_name"]; reason != want.fault {
				t.Errorf("got %q, want %q", reason, want.fault)
			}
		} else if err != nil || got.Match != want.match || got.Holder != "OKAFOR ADAEZE" {
			t.Errorf("%q: got %q, %v; want %q", claimed.Reveal(), got.Match, err, want.match)
		}
	}
}

func TestService_ConfirmOnly(t *testing.T) {
	t.Parallel()
	c := newCaching(t, func(cfg *recipients.Config) { cfg.Settings.ConfirmOnly = true })
	if got := fieldErrors(t, c.Check(nigerian())); !strings.HasPrefix(got["account_name"], "is required: names are only confirmed here") {
		t.Errorf("got %v", got)
	}
	for i, claimed := range []core.Private{"Ada Obi", "Bola Tinubu", "Ada Obi"} {
		req := nigerian()
		req.Claimed = claimed
		got, err := c.Resolve(t.Context(), req)
		if want := names.Compare(claimed, "ADA OBI"); err != nil || got.Match != want || got.Holder != "" || !c.events[i].Hidden {
			t.Errorf("got %q, %q, %v; want %q", got.Holder.Reveal(), got.Match, err, want)
		}
	}
}

// The guard refuses before any provider is called, and does not reveal why.
func TestService_Guard(t *testing.T) {
	t.Parallel()
	for mode, want := range map[guard.Mode]core.Code{guard.Block: core.TooMany, guard.ConfirmOnly: core.Invalid} {
		var alarms []guard.Alarm
		c := newCaching(t, func(cfg *recipients.Config) {
			cfg.Settings.Guard = guard.Settings{Mode: mode, Daily: 1000}
			cfg.Events.Alarm = func(a guard.Alarm) { alarms = append(alarms, a) }
		})
		req := nigerian()
		req.Caller, req.Key = "eve", "key_eve"
		var err error
		for i := 0; i < 100 && err == nil; i++ {
			req.AccountNumber = core.Private(fmt.Sprintf("%010d", i))
			_, err = c.Resolve(t.Context(), req)
		}
		if core.CodeOf(err) != want || len(alarms) != 1 || alarms[0].Caller != c.CallerHash("eve") || alarms[0].Key != "key_eve" {
			t.Fatalf("%s: got %v and %+v", mode, err, alarms)
		}
		last := c.events[len(c.events)-1]
		if last.Outcome != recipients.Refused || c.calls != len(c.events)-1 {
			t.Errorf("%s: %d calls, then %+v", mode, c.calls, last)
		}
		if mode == guard.ConfirmOnly {
			req.Claimed = "Ada Obi"
			if got, err := c.Resolve(t.Context(), req); err != nil || got.Holder != "" || got.Match != core.Match {
				t.Errorf("a claimed name: got %q, %q, %v", got.Holder.Reveal(), got.Match, err)
			}
			continue
		}
		if text := "Too many lookups that look like a search through account numbers; please try again in 900 seconds"; last.Reason != guard.Density ||
			!strings.Contains(err.Error(), text) {
			t.Errorf("got %v for %q", err, last.Reason)
		}
	}
}

// With names hidden, guessing the name of an account costs the budget or is an alarm.
func TestService_GuessedNames(t *testing.T) {
	t.Parallel()
	c := newCaching(t, func(cfg *recipients.Config) {
		cfg.Settings.ConfirmOnly, cfg.Settings.Guard = true, guard.Settings{Mode: guard.Block, Daily: 1000}
	})
	for guesses, claim := range []core.Private{"Eve Musa", "Ada Musa", "Eve Bello", "Musa Bello", "Ada Bello", "Ada Eze", "Ada Ojo", "Ada Obi"} {
		req := nigerian()
		req.Claimed = claim
		if _, err := c.Resolve(t.Context(), req); core.CodeOf(err) == core.TooMany {
			if guesses < 4 {
				t.Errorf("refused after %d guesses", guesses)
			}
			return
		}
	}
	t.Error("eight names for one account are not refused")
}
