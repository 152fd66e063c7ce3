package recipients_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/recipients"
	"causeway/ports"
)

// contract.md §3's table, row by row, for each channel of each country.
func TestSituations(t *testing.T) {
	t.Parallel()
	perChannel(t, func(t *testing.T, country core.Country, rule core.ChannelRule) {
		req := example(country, rule)
		for name, test := range map[string]func(*testing.T, recipients.Request, core.Country, core.ChannelRule){
			"found": found, "a field is missing": missing, "a field is wrong": wrong,
			"does not exist, closed or dormant": surelyNot, "nobody can resolve that": nobody, "every provider fails": allFail,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, req, country, rule)
			})
		}
	})
}

func found(t *testing.T, req recipients.Request, _ core.Country, rule core.ChannelRule) {
	t.Helper()
	got, err := everywhere(t, answers("one", "ADA OBI", nil)).Resolve(t.Context(), req)
	if err != nil || got.Holder.Reveal() != "ADA OBI" || got.Number.Reveal() != rule.Account.Example || got.Bank.Code != req.BankCode {
		t.Errorf("got %q of %q at %q, %v; want ADA OBI of the example", got.Holder.Reveal(), got.Number.Reveal(), got.Bank.Code, err)
	}
}

// at says which fields a request is refused for; no upstream is asked.
func at(t *testing.T, req recipients.Request, fields ...string) {
	t.Helper()
	_, err := everywhere(t, unasked(t)).Resolve(t.Context(), req)
	got := faults(t, err)
	for _, field := range fields {
		if got[field] == "" {
			t.Errorf("got the faults %v, want %s", got, field)
		}
		delete(got, field)
	}
	if len(got) > 0 {
		t.Errorf("got the faults %v beside %v", got, fields)
	}
}

func missing(t *testing.T, req recipients.Request, _ core.Country, rule core.ChannelRule) {
	t.Helper()
	without := req
	without.Currency = ""
	at(t, without, "currency_id")
	without = req
	without.Country = ""
	at(t, without, "country_id")
	without = req
	without.Channel = " "
	at(t, without, "channel")
	without = req
	without.AccountNumber = " - "
	at(t, without, "account_number")
	without = req
	without.BankCode = ""
	if rule.NeedsBankCode {
		at(t, without, "bank_code")
	} else if _, err := everywhere(t, answers("one", "ADA OBI", nil)).Resolve(t.Context(), without); err != nil {
		t.Errorf("without a bank code, which is not needed: %v", err)
	}
	at(t, recipients.Request{}, "currency_id", "country_id", "channel", "account_number")
}

func wrong(t *testing.T, req recipients.Request, country core.Country, _ core.ChannelRule) {
	t.Helper()
	other := req
	other.Currency = "EUR"
	at(t, other, "currency_id")
	other = req
	other.Channel = "cheque"
	at(t, other, "channel")
	for _, channel := range []core.Channel{core.BankTransfer, core.MobileMoney, core.PayBill, core.Till} {
		if _, ok := country.Channel(channel); !ok {
			other.Channel = string(channel)
			at(t, other, "channel")
		}
	}
	other = req
	other.BankCode = "NO-SUCH"
	at(t, other, "bank_code")
	other.AccountNumber = "1"
	at(t, other, "bank_code", "account_number")
	other = req
	other.Country = "GB" // providers.md D9: no country of ours has sort codes, so that their check has nothing to do
	other.AccountNumber = "089999 66374958"
	at(t, other, "country_id")
}

func surelyNot(t *testing.T, req recipients.Request, _ core.Country, rule core.ChannelRule) {
	t.Helper()
	unknown := map[core.Channel]string{
		core.BankTransfer: "No account with this number exists at Any Bank", core.MobileMoney: "No account with this number exists at Any Wallet",
		core.Till: "No account with this number exists: there is no such till", core.PayBill: "No account with this number exists: there is no such pay bill",
	}
	for absence, message := range map[core.Absence]string{"": unknown[rule.Channel], core.ClosedAccount: "The account is closed or dormant"} {
		_, err := everywhere(t, answers("one", "", core.Errorf(core.NotFound, "No account at this bank").Because(absence)), unasked(t)).Resolve(t.Context(), req)
		if e, ok := errors.AsType[*core.Error](err); !ok || e.Code != core.NotFound || e.Message != message {
			t.Errorf("got %v, want not found: %s", err, message)
		}
	}
}

// knows is a resolver that can be asked about one thing only.
func knows(t *testing.T, resolves func(country string, channel core.Channel, bank core.Bank) bool) resolver {
	t.Helper()
	r := unasked(t)
	r.resolves = resolves
	return r
}

func nobody(t *testing.T, req recipients.Request, country core.Country, rule core.ChannelRule) {
	t.Helper()
	refused := func(field string, r ports.AccountResolver) {
		t.Helper()
		_, err := everywhere(t, r).Resolve(t.Context(), req)
		if got := faults(t, err); len(got) != 1 || got[field] == "" {
			t.Errorf("got the faults %v, want %s alone", got, field)
		}
	}
	refused("country_id", knows(t, func(c string, _ core.Channel, _ core.Bank) bool { return c != country.Code }))
	if len(country.Channels) > 1 {
		refused("channel", knows(t, func(_ string, c core.Channel, b core.Bank) bool {
			return c != rule.Channel && (b.Code == "" || b.Code == anyBank || b.Code == anyWallet)
		}))
	}
	if req.BankCode != "" && req.BankCode != anyWallet { // with one wallet operator the channel is at fault
		refused("bank_code", knows(t, func(_ string, _ core.Channel, b core.Bank) bool { return b.Code != req.BankCode }))
	}
}

// Outages, wrong keys and used-up quotas: the next one is asked, and when none is left it is an outage, told in time.
func allFail(t *testing.T, req recipients.Request, _ core.Country, _ core.ChannelRule) {
	t.Helper()
	for name, cause := range map[string]error{
		"down": core.Errorf(core.Unavailable, "down"), "key": core.Errorf(core.Unauthorized, "wrong key"),
		"quota": core.Errorf(core.TooMany, "quota used up"), "odd": errors.New("odd"), "nameless": nil,
	} {
		got, err := everywhere(t, answers("one", "", cause), answers("two", "ADA OBI", nil)).Resolve(t.Context(), req)
		if err != nil || got.Holder.Reveal() != "ADA OBI" {
			t.Errorf("%s: got %q, %v; want the next one's answer", name, got.Holder.Reveal(), err)
		}
		_, err = everywhere(t, answers("one", "", cause), answers("two", "", cause)).Resolve(t.Context(), req)
		if e, ok := errors.AsType[*core.Error](err); !ok || e.Code != core.Unavailable || e.RetryAfter <= 0 {
			t.Errorf("%s: got %v, want unavailable with a time to ask again", name, err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := everywhere(t, hangs("one"), hangs("two")).Resolve(context.Background(), req)
		if took := time.Since(start); core.CodeOf(err) != core.Unavailable || took > 8*time.Second {
			t.Errorf("got %v after %s, want unavailable within 8 s", err, took)
		}
	})
}

// Numbers as people and programs send them, for each channel of each country: what cannot be meant is refused on its field, with what
// is accepted; what is only written otherwise is read.
func TestWrittenNumbers(t *testing.T) {
	t.Parallel()
	perChannel(t, func(t *testing.T, country core.Country, rule core.ChannelRule) {
		example := example(country, rule)
		number := rule.Account.Example
		digits := func(zero rune) string {
			return strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return zero + r - '0'
				}
				return r
			}, number)
		}
		elsewhere := "+254712345678"
		if country.Code == "KE" {
			elsewhere = "+2348031234567"
		}
		for name, sent := range map[string]string{
			"full-width digits": digits('０'), "Arabic digits": digits('٠'), "Devanagari digits": digits('०'),
			"letters for digits": number[:len(number)-2] + "Ol", "a word": "my account", "too short": number[:3], "too long": number + strings.Repeat("1", 18),
			"1,000 characters": strings.Repeat("1", 1000), "two pluses": "++" + number, "a plus in the middle": number[:4] + "+" + number[4:],
			"a phone number of another country": elsewhere, "a NUL": number + "\x00", "a dollar": "$" + number, "a reference behind it": number + "#ACC1",
			"invalid UTF-8": number + "\xff", "an exponent": "1e9", "a sign": number + "²",
		} {
			req := example
			req.AccountNumber = core.Private(sent)
			_, err := everywhere(t, unasked(t)).Resolve(t.Context(), req)
			got := faults(t, err)
			if reason := got["account_number"]; len(got) != 1 || !strings.Contains(reason, "; accepted: "+rule.Account.Rule+", for example "+rule.Account.Example) {
				t.Errorf("%s: got %v, want what is accepted", name, got)
			}
		}
		half := len(number) / 2
		for name, sent := range map[string]string{
			"as in the catalog": number, "spaces around": "  " + number + "\t", "a space in it": number[:half] + " " + number[half:],
			"hyphens": number[:half] + "-" + number[half:half+1] + "\u2011" + number[half+1:], "a no-break space": number[:half] + "\u00a0" + number[half:], "lower case": strings.ToLower(number),
		} {
			req := example
			req.AccountNumber = core.Private(sent)
			got, err := everywhere(t, answers("one", "ADA OBI", nil)).Resolve(t.Context(), req)
			if err != nil || got.Number.Reveal() != number {
				t.Errorf("%s: got %q, %v; want %q", name, got.Number.Reveal(), err, number)
			}
		}
	})
}

// The lengths of providers.md D1, D3 to D5 and D7: the shortest and the longest are taken, what is a digit off is not.
func TestLengths(t *testing.T) {
	t.Parallel()
	lengths := map[string]map[core.Channel][2]int{
		"NG": {core.BankTransfer: {10, 10}, core.MobileMoney: {10, 10}}, "GH": {core.BankTransfer: {6, 16}}, "ZA": {core.BankTransfer: {7, 11}},
		"KE": {core.BankTransfer: {10, 14}, core.PayBill: {5, 7}, core.Till: {5, 7}},
		"UG": {core.BankTransfer: {8, 16}}, "TZ": {core.BankTransfer: {8, 16}}, "RW": {core.BankTransfer: {8, 16}},
	}
	perChannel(t, func(t *testing.T, country core.Country, rule core.ChannelRule) {
		span, ok := lengths[country.Code][rule.Channel]
		if !ok {
			return // phones and RIBs have tables of their own
		}
		for n := span[0] - 1; n <= span[1]+1; n++ {
			req := example(country, rule)
			req.AccountNumber = core.Private(strings.Repeat("3", n))
			_, err := everywhere(t, answers("one", "ADA OBI", nil)).Resolve(t.Context(), req)
			if want := n >= span[0] && n <= span[1]; (err == nil) != want {
				t.Errorf("%d digits: got %v, want them taken: %t", n, err, want)
			}
		}
	})
}
