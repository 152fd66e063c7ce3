package recipients_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/core/recipients"
	"causeway/ports"
)

// southAfrica has accounts that can be confirmed by name and not looked up.
func southAfrica() []core.Country {
	return append(countries(), core.Country{Code: "ZA", Name: "South Africa", Currencies: []string{"ZAR"}, Channels: []core.ChannelRule{
		rule(core.BankTransfer, "ZAR", "7 to 11 digits", `^\d{7,11}$`, "1234567890", false),
	}})
}

func southAfrican(claimed core.Private) recipients.Request {
	return recipients.Request{Currency: "ZAR", Country: "ZA", Channel: "bank_transfer", BankCode: "632005", AccountNumber: "4048195297", Claimed: claimed}
}

// confirming is a service over confirmers in South Africa, and resolvers elsewhere.
func confirming(t testing.TB, confirmers ...ports.AccountConfirmer) *recipients.Service {
	t.Helper()
	elsewhere := unasked(t)
	elsewhere.resolves = func(country string, _ core.Channel, _ core.Bank) bool { return country != "ZA" }
	cfg := configOf(southAfrica(), elsewhere)
	cfg.Confirmers = confirmers
	cfg.Registry.Find = func(country, code string) (core.Bank, error) {
		if country == "ZA" {
			return core.Bank{Country: "ZA", Code: "632005", Name: "Absa", Channels: []core.Channel{core.BankTransfer}}, nil
		}
		return find(country, code)
	}
	return open(t, cfg)
}

func TestConfirmers(t *testing.T) {
	t.Parallel()
	down := confirms("a", "", core.Errorf(core.Unavailable, "down"))
	for _, c := range []struct {
		name       string
		confirmers []ports.AccountConfirmer
		match      core.NameMatch
		code       core.Code
	}{
		{"a match", []ports.AccountConfirmer{confirms("a", core.Match, nil)}, core.Match, ""},
		{"a close one", []ports.AccountConfirmer{confirms("a", core.CloseMatch, nil)}, core.CloseMatch, ""},
		{"no match is an answer", []ports.AccountConfirmer{confirms("a", core.NoMatch, nil), confirms("b", core.Match, nil)}, core.NoMatch, ""},
		{"the next one is asked when one cannot tell", []ports.AccountConfirmer{down, confirms("b", core.Match, nil)}, core.Match, ""},
		{"no verdict is no answer", []ports.AccountConfirmer{confirms("a", "", nil), confirms("b", "perhaps", nil), confirms("c", core.Match, nil)}, core.Match, ""},
		{"surely not found is final", []ports.AccountConfirmer{confirms("a", "", core.Errorf(core.NotFound, "No account")), confirms("b", core.Match, nil)}, "", core.NotFound},
		{"nobody can tell", []ports.AccountConfirmer{down, confirms("b", "", errors.New("odd"))}, "", core.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := confirming(t, c.confirmers...).Resolve(t.Context(), southAfrican("Ada Obi"))
			if core.CodeOf(err) != c.code || got.Match != c.match || got.Holder != "" {
				t.Errorf("got %q, %q, %v; want %q, %q", got.Match, got.Holder.Reveal(), err, c.match, c.code)
			}
			if err == nil && (got.Bank.Code != "632005" || got.Number.Reveal() != "4048195297") {
				t.Errorf("got %+v, want what was asked", got)
			}
		})
	}
	t.Run("are asked about the name that was sent, trimmed", func(t *testing.T) {
		t.Parallel()
		one := confirms("a", "", nil)
		one.confirm = func(_ context.Context, q core.AccountQuery, claimed core.Private) (core.NameMatch, error) {
			if claimed.Reveal() != "Ada Obi" || q.Number.Reveal() != "4048195297" {
				t.Errorf("asked about %q at %q", claimed.Reveal(), q.Number.Reveal())
			}
			return core.Match, nil
		}
		if _, err := confirming(t, one).Resolve(t.Context(), southAfrican("  Ada Obi\n")); err != nil {
			t.Error(err)
		}
	})
	t.Run("need a name", func(t *testing.T) {
		t.Parallel()
		one := confirms("a", core.Match, nil)
		one.confirm = func(context.Context, core.AccountQuery, core.Private) (core.NameMatch, error) {
			t.Error("asked without a name")
			return core.Match, nil
		}
		s := confirming(t, one)
		_, err := s.Resolve(t.Context(), southAfrican(" \t"))
		want := map[string]string{"account_name": "is required: accounts of ZA can only be confirmed by name, not looked up. Send the name of the account's holder"}
		if diff := cmp.Diff(want, faults(t, err)); diff != "" {
			t.Errorf("faults (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, faults(t, s.Check(southAfrican("")))); diff != "" {
			t.Errorf("faults of Check (-want +got):\n%s", diff)
		}
	})
	t.Run("make their places resolvable", func(t *testing.T) {
		t.Parallel()
		s := confirming(t, confirms("a", core.Match, nil))
		bank := core.Bank{Country: "ZA", Code: "632005", Channels: []core.Channel{core.BankTransfer}}
		s.Survey([]core.Bank{bank})
		if !s.Resolvable(bank) || !s.Covers("ZA", core.BankTransfer) {
			t.Error("they do not")
		}
	})
	t.Run("are not asked where a resolver can be", func(t *testing.T) {
		t.Parallel()
		cfg := configOf(countries(), answers("r", "ADA OBI", nil))
		one := confirms("a", core.NoMatch, nil)
		one.confirm = func(context.Context, core.AccountQuery, core.Private) (core.NameMatch, error) {
			t.Error("a confirmer was asked")
			return core.NoMatch, nil
		}
		cfg.Confirmers = []ports.AccountConfirmer{one}
		req := nigerian()
		req.Claimed = "Ada Obi"
		if got, err := open(t, cfg).Resolve(t.Context(), req); err != nil || got.Match != core.Match || got.Holder.Reveal() != "ADA OBI" {
			t.Errorf("got %q, %q, %v", got.Match, got.Holder.Reveal(), err)
		}
	})
	t.Run("may be all there is, and await their banks", func(t *testing.T) {
		t.Parallel()
		one := confirms("paystack", core.Match, nil)
		one.confirms = func(_ string, _ core.Channel, bank core.Bank) bool { return bank.Codes["paystack"] != "" }
		cfg := configOf(countries())
		cfg.Confirmers = []ports.AccountConfirmer{one}
		cfg.Registry = registry("paystack/NG")
		_, err := open(t, cfg).Resolve(t.Context(), nigerian())
		if core.CodeOf(err) != core.Unavailable {
			t.Errorf("got %v, want unavailable until the list is there", err)
		}
	})
}

func TestClaimed(t *testing.T) {
	t.Parallel()
	s := service(t, answers("one", "OKAFOR ADAEZE", nil))
	for _, c := range []struct {
		claimed core.Private
		match   core.NameMatch
		fault   string
	}{
		{"", "", ""},
		{" \t\n", "", ""},
		{" Adaeze Okafor ", core.Match, ""},
		{"Bola Tinubu", core.NoMatch, ""},
		{core.Private("Adaeze Okafor" + strings.Repeat(" ", 500)), core.Match, ""},
		{core.Private(strings.Repeat("é", 200)), core.NoMatch, ""},
		{core.Private(strings.Repeat("é", 201)), "", "has 201 characters; at most 200 are read"},
		{"0123456789", "", "has no letters; accepted: the name of the account's holder, a person's or a company's"},
		{"- . -", "", "has no letters; accepted: the name of the account's holder, a person's or a company's"},
	} {
		t.Run(fmt.Sprint(len(c.claimed))+" bytes", func(t *testing.T) {
			t.Parallel()
			req := nigerian()
			req.Claimed = c.claimed
			got, err := s.Resolve(t.Context(), req)
			if c.fault != "" {
				if diff := cmp.Diff(map[string]string{"account_name": c.fault}, faults(t, err)); diff != "" {
					t.Errorf("faults (-want +got):\n%s", diff)
				}
				return
			}
			if err != nil || got.Match != c.match || got.Holder.Reveal() != "OKAFOR ADAEZE" {
				t.Errorf("got %q, %v; want %q", got.Match, err, c.match)
			}
		})
	}
	t.Run("its fault comes last, beside the others", func(t *testing.T) {
		t.Parallel()
		req := nigerian()
		req.Claimed, req.AccountNumber, req.Currency = "1", "", "KES"
		_, err := s.Resolve(t.Context(), req)
		e, _ := errors.AsType[*core.Error](err)
		var fields []string
		for _, f := range e.Fields {
			fields = append(fields, f.Field)
		}
		if got := strings.Join(fields, " "); got != "currency_id account_number account_name" {
			t.Errorf("got %s", got)
		}
	})
}

// Where names are only confirmed, none is ever told: of a new answer, or of one that is remembered.
func TestConfirmOnly(t *testing.T) {
	t.Parallel()
	cfg := configOf(countries(), answers("one", "ADAEZE OKAFOR", nil))
	cfg.Settings.ConfirmOnly = true
	cfg.Cache = newNameCache(cfg.Clock)
	s := open(t, cfg)
	if got := faults(t, s.Check(nigerian())); !strings.HasPrefix(got["account_name"], "is required: names are only confirmed here") {
		t.Errorf("got %v", got)
	}
	for _, claimed := range []core.Private{"Adaeze Okafor", "Bola Tinubu", "Adaeze Okafor"} {
		req := nigerian()
		req.Claimed = claimed
		got, err := s.Resolve(t.Context(), req)
		if want := recipients.CompareNames(claimed, "ADAEZE OKAFOR"); err != nil || got.Match != want || got.Holder != "" {
			t.Errorf("got %q, %q, %v; want %q", got.Holder.Reveal(), got.Match, err, want)
		}
	}
}
