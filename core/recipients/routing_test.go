package recipients_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/recipients"
	"causeway/ports"
)

// The rows of contract.md §3's table that depend on what providers say.
func TestRouting(t *testing.T) {
	t.Parallel()
	down := core.Errorf(core.Unavailable, "down")
	unknown := core.Errorf(core.NotFound, "No account with that number at Guaranty Trust Bank")
	closed := core.Errorf(core.NotFound, "Closed since May").Because(core.ClosedAccount)
	seems := core.Errorf(core.NotFound, "Could not resolve").Because(core.DoubtfulNone)
	const nowhere, later = "No account with this number exists at Guaranty Trust Bank", "The account could not be looked up right now; please try again in 5 seconds"
	name := core.Private("ADA OBI")
	for _, c := range []struct {
		name      string
		resolvers []ports.AccountResolver
		holder    string
		code      core.Code
		message   string
	}{
		{"the first that can tell answers", []ports.AccountResolver{answers("a", name, nil), unasked(t)}, "ADA OBI", "", ""},
		{"the next is asked when one is down", []ports.AccountResolver{answers("a", "", down), answers("b", name, nil)}, "ADA OBI", "", ""},
		{"the next is asked when one has the wrong key", []ports.AccountResolver{answers("a", "", core.Errorf(core.Unauthorized, "key")), answers("b", name, nil)}, "ADA OBI", "", ""},
		{"the next is asked when one is not supposed to be asked", []ports.AccountResolver{answers("a", "", core.Errorf(core.Unsupported, "no")), answers("b", name, nil)}, "ADA OBI", "", ""},
		{"the next is asked when one fails in a way of its own", []ports.AccountResolver{answers("a", "", errors.New("odd")), answers("b", name, nil)}, "ADA OBI", "", ""},
		{"the next is asked when one cancels by itself", []ports.AccountResolver{answers("a", "", context.Canceled), answers("b", name, nil)}, "ADA OBI", "", ""},
		{"the next is asked when one gives no name", []ports.AccountResolver{answers("a", " \t", nil), answers("b", "-", nil), answers("c", name, nil)}, "ADA OBI", "", ""},
		{"surely not found is final", []ports.AccountResolver{answers("a", "", unknown), unasked(t)}, "", core.NotFound, nowhere},
		{"closed is final and has its own message", []ports.AccountResolver{answers("a", "", down), answers("b", "", closed), unasked(t)}, "", core.NotFound, "The account is closed or dormant"},
		{"not found without a message", []ports.AccountResolver{answers("a", "", core.Errorf(core.NotFound, ""))}, "", core.NotFound, nowhere},
		{"nobody can tell", []ports.AccountResolver{answers("paystack", "", down), answers("b", "", nil)}, "", core.Unavailable, later},
		{"a doubtful no of the only one is believed", []ports.AccountResolver{answers("a", "", seems)}, "", core.NotFound, nowhere},
		{"a doubtful no is not, where the next one finds the account", []ports.AccountResolver{answers("a", "", seems), answers("b", name, nil)}, "ADA OBI", "", ""},
		{"two doubtful ones are believed", []ports.AccountResolver{answers("a", "", seems), answers("b", "", seems), unasked(t)}, "", core.NotFound, nowhere},
		{"two doubtful ones with an outage between them are, too", []ports.AccountResolver{answers("a", "", seems), answers("b", "", down), answers("c", "", seems)}, "", core.NotFound, nowhere},
		{"a doubtful no and a sure one", []ports.AccountResolver{answers("a", "", seems), answers("b", "", unknown), unasked(t)}, "", core.NotFound, nowhere},
		{"a doubtful no of an account that is closed", []ports.AccountResolver{answers("a", "", seems), answers("b", "", closed), unasked(t)}, "", core.NotFound, "The account is closed or dormant"},
		{"a doubtful no, and nobody else can tell", []ports.AccountResolver{answers("a", "", seems), answers("b", "", down)}, "", core.Unavailable, later},
		{"nobody else can tell, and then a doubtful no", []ports.AccountResolver{answers("a", "", down), answers("b", "", seems)}, "", core.Unavailable, later},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := service(t, c.resolvers...).Resolve(t.Context(), nigerian())
			if got.Holder.Reveal() != c.holder || core.CodeOf(err) != c.code {
				t.Fatalf("got %q, %v; want %q, %q", got.Holder.Reveal(), err, c.holder, c.code)
			}
			if e, ok := errors.AsType[*core.Error](err); ok && e.Message != c.message {
				t.Errorf("got %q, want %q", e.Message, c.message)
			}
			if errors.Is(err, context.Canceled) {
				t.Errorf("%v looks like the client's own cancelling", err)
			}
		})
	}
}

// A doubtful no is believed of the only one that can be asked about a bank, whoever else is on the route.
func TestADoubtfulNoWhereNobodyElseIsAble(t *testing.T) {
	t.Parallel()
	other := unasked(t)
	other.resolves = func(country string, _ core.Channel, _ core.Bank) bool { return country == "GH" }
	seems := core.Errorf(core.NotFound, "Could not resolve").Because(core.DoubtfulNone)
	if _, err := service(t, answers("a", "", seems), other).Resolve(t.Context(), nigerian()); core.CodeOf(err) != core.NotFound {
		t.Errorf("got %v, want not found", err)
	}
}

// What does not exist is called by its name, and a guess of ours by what it is.
func TestWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ country, channel, bank, number, want string }{
		"an account":               {"NG", "bank_transfer", "058", "0123456789", "No account with this number exists at Guaranty Trust Bank"},
		"a bank's as a wallet":     {"NG", "mobile_money", "058", "0123456789", "No account with this number exists at Guaranty Trust Bank"},
		"a wallet":                 {"KE", "mobile_money", "MPESA", "0712345678", "No account with this number exists at M-PESA"},
		"a ported number's wallet": {"KE", "mobile_money", "MPX", "0712345678", "No account with this number exists at Airtel Money"},
		"a till":                   {"KE", "till", "", "174379", "No account with this number exists: there is no such till"},
		"a pay bill":               {"KE", "pay_bill", "", "174379", "No account with this number exists: there is no such pay bill"},
		"a guessed operator's": {
			"CI", "mobile_money", "", "0701234567", "No account with this number was found at Orange Money; numbers are ported between operators: " +
				"send bank_code to ask another one. See GET /v1/banks?country=CI&channel=mobile_money",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := configOf(countries(), answers("a", "", core.Errorf(core.NotFound, "No account")))
			cfg.Cache = newNameCache(cfg.Clock)
			s := open(t, cfg)
			currency := map[string]string{"NG": "NGN", "KE": "KES", "CI": "XOF", "SN": "XOF"}[c.country]
			req := recipients.Request{Currency: currency, Country: c.country, Channel: c.channel, BankCode: c.bank, AccountNumber: core.Private(c.number)}
			for _, when := range []string{"asked", "remembered"} {
				_, err := s.Resolve(t.Context(), req)
				if e, ok := errors.AsType[*core.Error](err); !ok || e.Code != core.NotFound || e.Message != c.want {
					t.Errorf("%s: got %v, want %q", when, err, c.want)
				}
			}
			if c.country == "CI" {
				req.BankCode = "ORANGE"
				_, err := s.Resolve(t.Context(), req)
				if e, ok := errors.AsType[*core.Error](err); !ok || e.Message != "No account with this number exists at Orange Money" {
					t.Errorf("with its code, remembered: got %v", err)
				}
			}
		})
	}
}

func TestOnlyTheAbleAreAsked(t *testing.T) {
	t.Parallel()
	other := unasked(t)
	other.resolves = func(country string, _ core.Channel, _ core.Bank) bool { return country == "GH" }
	b := answers("b", "ADA OBI", nil)
	got, err := service(t, other, b).Resolve(t.Context(), nigerian())
	if err != nil || got.Holder.Reveal() != "ADA OBI" {
		t.Errorf("got %q, %v", got.Holder.Reveal(), err)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	down := func(after time.Duration) resolver {
		return answers(fmt.Sprintf("r%s", after), "", core.Errorf(core.Unavailable, "down").Retry(after))
	}
	for _, c := range []struct {
		name      string
		resolvers []ports.AccountResolver
		want      time.Duration
	}{
		{"the default", []ports.AccountResolver{down(0)}, 5 * time.Second},
		{"the largest", []ports.AccountResolver{down(2 * time.Second), down(30 * time.Second), down(0)}, 30 * time.Second},
		{"a minute at most", []ports.AccountResolver{down(24 * time.Hour)}, time.Minute},
		{"never a negative one", []ports.AccountResolver{down(-time.Second)}, 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := service(t, c.resolvers...).Resolve(t.Context(), nigerian())
			if e, ok := errors.AsType[*core.Error](err); !ok || e.RetryAfter != c.want {
				t.Errorf("got %v, want to retry after %s", err, c.want)
			}
		})
	}
}

// after answers once a time has passed, or when it is told to stop.
func after(name string, wait time.Duration, holder core.Private, err error) resolver {
	return resolver{name: name, resolves: always, resolve: func(ctx context.Context, _ core.AccountQuery) (core.Private, error) {
		select {
		case <-time.NewTimer(wait).C:
			return holder, err
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	down := core.Errorf(core.Unavailable, "down")
	for _, c := range []struct {
		name      string
		resolvers []ports.AccountResolver
		took      time.Duration
		found     bool
	}{
		{"one that hangs has all of it", []ports.AccountResolver{hangs("a")}, 8 * time.Second, false},
		{"one that is slow may be", []ports.AccountResolver{after("a", 7*time.Second, "ADA OBI", nil)}, 7 * time.Second, true},
		{"one that hangs leaves half to the next", []ports.AccountResolver{hangs("a"), after("b", 3*time.Second, "ADA OBI", nil)}, 7 * time.Second, true},
		{"two that hang leave a third", []ports.AccountResolver{hangs("a"), hangs("b"), after("c", 2*time.Second, "ADA OBI", nil)}, budget/3*2 + 2*time.Second, true},
		{"what one does not use is the next one's", []ports.AccountResolver{after("a", time.Second, "", down), after("b", 4*time.Second, "ADA OBI", nil), hangs("c")}, 5 * time.Second, true},
		{"one whose turn is over may still answer: the bank is slow, whoever asks it", []ports.AccountResolver{
			after("a", 3*time.Second, "ADA OBI", nil), after("b", 3*time.Second, "ADA OBI", nil), after("c", 3*time.Second, "ADA OBI", nil), after("d", 3*time.Second, "ADA OBI", nil),
		}, 3 * time.Second, true},
		{"and may win against one that was asked later", []ports.AccountResolver{after("a", 5*time.Second, "ADA OBI", nil), after("b", 2*time.Second, "ADA EZE", nil)}, 5 * time.Second, true},
		{"all hang", []ports.AccountResolver{hangs("a"), hangs("b"), hangs("c")}, 8 * time.Second, false},
		{"each of many has a second", []ports.AccountResolver{
			hangs("a"), hangs("b"), hangs("c"), hangs("d"), hangs("e"), hangs("f"), after("g", 900*time.Millisecond, "ADA OBI", nil), hangs("h"), hangs("i"), hangs("j"),
		}, 6900 * time.Millisecond, true},
		{"more than the budget has seconds for", []ports.AccountResolver{
			hangs("a"), hangs("b"), hangs("c"), hangs("d"), hangs("e"), hangs("f"), hangs("g"), hangs("h"), hangs("i"), unasked(t),
		}, 8 * time.Second, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := service(t, c.resolvers...)
				start := time.Now()
				got, err := s.Resolve(t.Context(), nigerian())
				if took := time.Since(start); took != c.took {
					t.Errorf("took %s, want %s", took, c.took)
				}
				if found := err == nil && got.Holder.Reveal() == "ADA OBI"; found != c.found {
					t.Errorf("got %q, %v; want found %t", got.Holder.Reveal(), err, c.found)
				}
				if !c.found && core.CodeOf(err) != core.Unavailable {
					t.Errorf("got %v, want unavailable", err)
				}
			})
		})
	}
	t.Run("a caller with less time", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
			defer cancel()
			got, err := service(t, hangs("a"), after("b", time.Second, "ADA OBI", nil)).Resolve(ctx, nigerian())
			if err != nil || got.Holder.Reveal() != "ADA OBI" {
				t.Errorf("got %q, %v; want the second one's answer", got.Holder.Reveal(), err)
			}
		})
	})
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	t.Run("while a provider is asked", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err := service(t, hangs("a"), unasked(t)).Resolve(ctx, nigerian())
			if !errors.Is(err, context.Canceled) || core.CodeOf(err) != core.Internal {
				t.Errorf("got %v, want context.Canceled as it is", err)
			}
		})
	})
	t.Run("before anybody is asked", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := service(t, unasked(t)).Resolve(ctx, nigerian())
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
}

// Neither the account number, in any spelling, nor what else a provider says is in a message; the number is not in
// the log either.
func TestPrivacy(t *testing.T) {
	t.Parallel()
	const number, phone = "8031112223", "0241112223"
	spellings := []string{number, phone, "+233241112223", "233241112223", "241112223", "80-3111-2223"}
	leaky := func(code core.Code, planted string) resolver {
		inner := &url.Error{Op: "Get", URL: "https://api.example/bank/resolve?account_number=" + planted, Err: errors.New("EOF")}
		return answers("leaky", "", core.Errorf(code, "No account %s", planted).With(inner))
	}
	requests := []recipients.Request{
		{Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: "058", AccountNumber: number},
		{Currency: "GHS", Country: "GH", Channel: "mobile_money", BankCode: "MTN", AccountNumber: phone},
		{Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: "058", AccountNumber: core.Private(number + "9")},
		{Currency: "GHS", Country: "GH", Channel: "mobile_money", BankCode: "MTN", AccountNumber: core.Private("+254" + phone[1:])},
		{Currency: number, Country: number, Channel: number, BankCode: number, AccountNumber: number},
		{Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: number, AccountNumber: "058"},
	}
	for _, req := range requests {
		for _, code := range []core.Code{core.NotFound, core.Unavailable, core.Internal} {
			for _, planted := range spellings {
				if strings.Contains(planted, "24111") != (req.Country == "GH") {
					continue
				}
				_, err := service(t, leaky(code, planted)).Resolve(t.Context(), req)
				if err == nil {
					t.Fatalf("%s: got no error", code)
				}
				for _, secret := range append(spellings, number[:9], phone[:9], "ADA OBI") {
					if text := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(text, secret) {
						t.Errorf("%s: %q is in %s", code, secret, text)
					}
				}
			}
		}
	}
	t.Run("what else a provider says is for the log only", func(t *testing.T) {
		t.Parallel()
		_, err := service(t, answers("paystack", "", core.Errorf(core.Unavailable, "key sk_x refused"))).Resolve(t.Context(), nigerian())
		e, _ := errors.AsType[*core.Error](err)
		if strings.Contains(e.Message, "paystack") || strings.Contains(e.Message, "sk_x") {
			t.Errorf("the message says %q", e.Message)
		}
		if !strings.Contains(err.Error(), "paystack: unavailable: key sk_x refused") {
			t.Errorf("the log says %q, want the cause", err)
		}
	})
}
