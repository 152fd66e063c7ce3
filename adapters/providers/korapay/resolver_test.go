package korapay_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

func nigerian(code string, codes map[string]string) core.Bank {
	return core.Bank{Code: code, Country: "NG", Codes: codes, Channels: []core.Channel{core.BankTransfer}}
}

func fcmb() core.Bank { return nigerian("000003", map[string]string{"cbn": "214"}) }

func wallet(country, code string) core.Bank {
	return core.Bank{Code: "MTN", Country: country, Codes: map[string]string{"korapay": code}, Channels: []core.Channel{core.MobileMoney}}
}

// atMTN asks about a wallet of Ghana.
func atMTN(number core.Private) core.AccountQuery {
	return core.AccountQuery{Country: "GH", Currency: "GHS", Channel: core.MobileMoney, Bank: wallet("GH", "0004"), Number: number}
}

const ebuka core.Private = "+233241234567" // the wallet of the recorded answers

func atFCMB(number core.Private) core.AccountQuery {
	return core.AccountQuery{Country: "NG", Currency: "NGN", Channel: core.BankTransfer, Bank: fcmb(), Number: number}
}

const gbenga core.Private = "5273681014" // the account of the recorded answers

// question is the body of a POST.
func question(t testing.TB, r *http.Request) map[string]string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	var q map[string]string
	if err := json.Unmarshal(body, &q); err != nil {
		t.Errorf("%v: %s", err, body)
	}
	return q
}

// accounts is a Kora with one recorded answer for each account number.
func accounts(t testing.TB) httpmock.Responder {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		q := question(t, r)
		switch q["account"] + q["phoneNumber"] {
		case "233241234567":
			return file(t, 200, "resolved_wallet.json")(r)
		case gbenga.Reveal():
			return file(t, 200, "resolved.json")(r)
		case "0000000409":
			return file(t, 400, "account_closed.json")(r)
		case "0000000503":
			return file(t, 400, "unable_to_resolve.json")(r)
		default:
			return file(t, 400, "invalid_account.json")(r)
		}
	}
}

func resolver(answer func(t testing.TB) httpmock.Responder) func(t *testing.T) ports.AccountResolver {
	return func(t *testing.T) ports.AccountResolver {
		t.Helper()
		provider, _ := open(t, saying(t, answer(t)))
		return provider
	}
}

func resolverText(status int, body string) func(t *testing.T) ports.AccountResolver {
	return resolver(func(testing.TB) httpmock.Responder { return upstreamtest.Text(status, body) })
}

func resolverFile(status int, name string) func(t *testing.T) ports.AccountResolver {
	return resolver(func(t testing.TB) httpmock.Responder { t.Helper(); return file(t, status, name) })
}

func TestResolverContract(t *testing.T) {
	t.Parallel()
	at := func(change func(q *core.AccountQuery)) core.AccountQuery {
		q := atFCMB(gbenga)
		change(&q)
		return q
	}
	porttest.AccountResolver(t, porttest.Resolver{
		Open: resolver(accounts),
		Found: map[string]porttest.Holder{
			"a wallet of Ghana":   {Query: atMTN(ebuka), Name: "EBUKA CIROMA OLADEMJI"},
			"a bank account":      {Query: atFCMB(gbenga), Name: "ADEYI GBENGA MICHAEL"},
			"a wallet of Nigeria": {Query: at(func(q *core.AccountQuery) { q.Channel = core.MobileMoney }), Name: "ADEYI GBENGA MICHAEL"},
		},
		Unknown:    atFCMB("0000000404"),
		Closed:     atFCMB("0000000409"),
		CannotTell: map[string]core.AccountQuery{"a text that outages have too": atFCMB("0000000503")},
		Unsupported: map[string]core.AccountQuery{
			"a till":                        at(func(q *core.AccountQuery) { q.Channel = core.Till }),
			"a bank with a NIP code alone":  at(func(q *core.AccountQuery) { q.Bank = nigerian("090999", nil) }),
			"no bank":                       at(func(q *core.AccountQuery) { q.Bank = core.Bank{} }),
			"a bank of another country":     at(func(q *core.AccountQuery) { q.Bank.Country = "GH" }),
			"a wallet of Kenya":             {Country: "KE", Channel: core.MobileMoney, Bank: wallet("KE", "0001"), Number: "+254712345678"},
			"a wallet as a bank":            {Country: "GH", Channel: core.BankTransfer, Bank: wallet("GH", "0004"), Number: ebuka},
			"a bank as a wallet":            {Country: "GH", Channel: core.MobileMoney, Bank: core.Bank{Code: "280100", Country: "GH", Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"korapay": "1"}}, Number: ebuka},
			"a wallet that it told no code": {Country: "GH", Channel: core.MobileMoney, Bank: core.Bank{Code: "MTN", Country: "GH", Channels: []core.Channel{core.MobileMoney}}, Number: ebuka},
			"a bank of South Africa":        {Country: "ZA", Channel: core.BankTransfer, Bank: core.Bank{Code: "632005", Country: "ZA", Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"korapay": "632005"}}, Number: "1"},
			"a country that it knows not":   {Country: "CI", Channel: core.MobileMoney, Bank: wallet("CI", "1"), Number: "1"},
			"a channel that nobody invited": at(func(q *core.AccountQuery) { q.Channel = "carrier_pigeon" }),
		},
		Broken: map[string]func(t *testing.T) ports.AccountResolver{
			"an invalid key":              resolverFile(401, "invalid_key.json"),
			"throttled":                   resolverText(429, "Too many requests"),
			"unable to resolve":           resolverFile(400, "unable_to_resolve.json"),
			"unable to resolve, 200":      resolverFile(200, "unable_to_resolve.json"),
			"invalid, 500":                resolverFile(500, "invalid_account.json"),
			"invalid, 503":                resolverFile(503, "invalid_account.json"),
			"invalid, 403":                resolverFile(403, "invalid_account.json"),
			"closed, 502":                 resolverFile(502, "account_closed.json"),
			"an unknown text":             resolverText(400, `{"status":false,"message":"Switch or issuer inoperative","data":null}`),
			"a text that only begins so":  resolverText(400, `{"status":false,"message":"Account is closed for maintenance"}`),
			"a refusal that says true":    resolverText(400, `{"status":true,"message":"Account is closed"}`),
			"a refusal without a status":  resolverText(400, `{"message":"Account is closed"}`),
			"400 in HTML":                 resolverText(400, "<html>Account is closed</html>"),
			"400 without a body":          resolverText(400, ""),
			"a wallet's answer":           resolverFile(200, "resolved_wallet.json"),
			"an account and a wallet":     resolverFile(200, "account_and_wallet.json"),
			"an error of theirs, 400":     resolverFile(400, "internal_server_error.json"),
			"invalid request data":        resolverFile(400, "invalid_request_data.json"),
			"status as text":              resolverText(400, `{"status":"false","message":"Invalid account"}`),
			"a null name":                 resolverFile(200, "name_null.json"),
			"an empty name":               resolverFile(200, "name_empty.json"),
			"a name that is a number":     resolverFile(200, "name_is_a_number.json"),
			"another account":             resolverFile(200, "another_account.json"),
			"another institution":         resolverFile(200, "another_institution.json"),
			"no account":                  resolverFile(200, "wallet_without_number.json"),
			"empty data":                  resolverFile(200, "data_empty.json"),
			"no data":                     resolverFile(200, "data_missing.json"),
			"data that is a list":         resolverFile(200, "data_is_a_list.json"),
			"a page with 200":             resolverText(200, "<html>oops</html>"),
			"truncated":                   resolverText(200, `{"status":true,"data":{"account_number":"5273681014","account_name":"Pas`),
			"an empty body":               resolverText(200, ""),
			"an outage in plain text":     resolverText(500, "oops"),
			"a redirect":                  resolverText(302, ""),
			"a null status with the name": resolverText(200, `{"status":null,"data":{"account_number":"5273681014","account_name":"ADEYI"}}`),
			"a lost connection": resolver(func(testing.TB) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Hanging: resolver(func(testing.TB) httpmock.Responder { return hanging() }),
	})
}

// TestAnswers goes through recorded answers: the name or the sentence, what each counts as for the provider's health, and whether an
// operator hears of it.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		holder  core.Private
		code    core.Code
		message string
		outcome string
		alert   bool
	}{
		"resolved.json":                  {200, "ADEYI GBENGA MICHAEL", "", "", "ok", false},
		"name_with_spaces.json":          {200, "ADEYI GBENGA", "", "", "ok", false},
		"invalid_account.json":           {400, "", core.NotFound, "No account", "not_found", false},
		"invalid_account_with_stop.json": {422, "", core.NotFound, "No account", "not_found", false},
		"account_closed.json":            {400, "", core.NotFound, "closed or dormant", "not_found", false},
		"account_dormant.json":           {404, "", core.NotFound, "closed or dormant", "not_found", false},
		"unable_to_resolve.json":         {400, "", core.Unavailable, "", "undecided", false},
		"name_null.json":                 {200, "", core.Unavailable, "", "undecided", false},
		"data_empty.json":                {200, "", core.Unavailable, "", "undecided", false},
		"another_institution.json":       {200, "", core.Unavailable, "", "undecided", false},
		"nip_code.json":                  {200, "ADEYI GBENGA MICHAEL", "", "", "ok", false},
		"without_bank.json":              {200, "ADEYI GBENGA MICHAEL", "", "", "ok", false},
		"another_account.json":           {200, "", core.Unavailable, "", "undecided", false},
		"data_is_a_list.json":            {200, "", core.Unavailable, "", "malformed", false},
		"internal_server_error.json":     {500, "", core.Unavailable, "", "unavailable", false},
		"invalid_key.json":               {401, "", core.Unavailable, "", "refused", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, world := open(t, saying(t, file(t, c.status, name)))
			holder, err := provider.Resolve(t.Context(), atFCMB(gbenga))
			if c.holder.Reveal() != holder.Reveal() || core.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.message) {
				t.Errorf("got %q, %v; want %q, %s %q", holder.Reveal(), err, c.holder.Reveal(), c.code, c.message)
			}
			wantOutcomes(t, world, "resolve "+c.outcome)
			if got := strings.Contains(world.Printed(t), `"level":"error"`); got != c.alert {
				t.Errorf("alert: got %v, want %v", got, c.alert)
			}
		})
	}
	t.Run("the documented text with 200", func(t *testing.T) {
		t.Parallel()
		provider, _ := open(t, saying(t, file(t, 200, "invalid_account.json")))
		if _, err := provider.Resolve(t.Context(), atFCMB(gbenga)); core.CodeOf(err) != core.NotFound {
			t.Errorf("got %v", err)
		}
	})
}

func TestAWalletThatWasNotAskedForIsNotTaken(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"wallet_of_another.json", "wallet_without_number.json", "wallet_of_another_operator.json", "resolved.json"} {
		provider, _ := open(t, saying(t, file(t, 200, name)))
		if holder, err := provider.Resolve(t.Context(), atMTN(ebuka)); core.CodeOf(err) != core.Unavailable || holder != "" {
			t.Errorf("%s: got %q, %v", name, holder.Reveal(), err)
		}
	}
}

func TestResolveRequests(t *testing.T) {
	t.Parallel()
	kcb := core.Bank{Code: "01", Country: "KE", Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"korapay": "0001"}}
	for name, c := range map[string]struct {
		query core.AccountQuery
		path  string
		body  map[string]string
	}{
		"Kora's own code first": {
			core.AccountQuery{Country: "NG", Channel: core.BankTransfer, Bank: nigerian("090267", map[string]string{"korapay": "090267", "cbn": "50211"}), Number: gbenga},
			"banks/resolve",
			map[string]string{"bank": "090267", "account": "5273681014", "currency": "NGN"},
		},
		"else the central bank's": {atFCMB(gbenga), "banks/resolve", map[string]string{"bank": "214", "account": "5273681014", "currency": "NGN"}},
		"a wallet of Nigeria": {
			core.AccountQuery{Country: "NG", Channel: core.MobileMoney, Bank: fcmb(), Number: gbenga},
			"banks/resolve",
			map[string]string{"bank": "214", "account": "5273681014", "currency": "NGN"},
		},
		"a bank of Kenya": {
			core.AccountQuery{Country: "KE", Channel: core.BankTransfer, Bank: kcb, Number: "1234567890"},
			"banks/resolve",
			map[string]string{"bank": "0001", "account": "1234567890", "currency": "KES"},
		},
		"a wallet of Ghana": {atMTN(ebuka), "mobile-money/resolve", map[string]string{"mobileMoneyCode": "0004", "phoneNumber": "233241234567", "currency": "GHS"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			provider, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
				asked++
				if got := question(t, r); r.Method != http.MethodPost || r.URL.String() != base+c.path || !maps.Equal(got, c.body) ||
					r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != "Bearer "+key.Reveal() {
					t.Errorf("got %s %s %v with %v", r.Method, r.URL, got, r.Header)
				}
				return file(t, 400, "invalid_account.json")(r)
			}))
			if _, err := provider.Resolve(t.Context(), c.query); core.CodeOf(err) != core.NotFound || asked != 1 {
				t.Errorf("got %v after %d calls", err, asked)
			}
		})
	}
}

func TestAnOutageIsTriedOnceMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		provider, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
			if n++; n == 1 {
				return upstreamtest.Text(503, "oops")(r)
			}
			if question(t, r)["account"] != gbenga.Reveal() {
				t.Error("the body is not sent again")
			}
			return file(t, 200, "resolved.json")(r)
		}))
		if holder, err := provider.Resolve(t.Context(), atFCMB(gbenga)); err != nil || holder.Reveal() != "ADEYI GBENGA MICHAEL" || n != 2 {
			t.Errorf("got %q, %v after %d calls", holder.Reveal(), err, n)
		}
	})
}

func TestAHangingBankEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider, world := open(t, saying(t, hanging()))
		start := time.Now()
		_, err := provider.Resolve(t.Context(), atFCMB(gbenga))
		if took := time.Since(start); core.CodeOf(err) != core.Unavailable || took != 4*time.Second {
			t.Errorf("got %v after %s", err, took)
		}
		wantOutcomes(t, world, "resolve timeout")
	})
}

// TestABankThatIsDownLeavesTheOthersAlone has one bank fail until it is not asked any more.
func TestABankThatIsDownLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	provider, world := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
		if question(t, r)["bank"] == "050" {
			return upstreamtest.Text(500, "oops")(r)
		}
		return file(t, 200, "resolved.json")(r)
	}))
	down := atFCMB(gbenga)
	down.Bank = nigerian("000010", map[string]string{"cbn": "050"})
	for range 12 {
		if _, err := provider.Resolve(t.Context(), down); core.CodeOf(err) != core.Unavailable {
			t.Fatalf("got %v", err)
		}
	}
	if _, err := provider.Resolve(t.Context(), atFCMB(gbenga)); err != nil {
		t.Errorf("another bank: %v", err)
	}
	if got := world.Outcomes(t); !slices.Contains(got, "resolve open ×2") {
		t.Errorf("got outcomes %v, want two questions that were not asked", got)
	}
}

func FuzzResolve(f *testing.F) {
	for _, name := range []string{"resolved.json", "name_with_spaces.json", "account_and_wallet.json", "invalid_account.json", "account_closed.json"} {
		f.Add(true, []byte(upstreamtest.Read(f, name)))
		f.Add(false, []byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, fine bool, body []byte) {
		status := http.StatusOK
		if !fine {
			status = http.StatusBadRequest
		}
		provider, _ := open(t, saying(t, httpmock.NewBytesResponder(status, body)))
		holder, err := provider.Resolve(t.Context(), atFCMB(gbenga))
		switch core.CodeOf(err) {
		case "":
			name := holder.Reveal()
			if !fine || name == "" || strings.Join(strings.Fields(name), " ") != name {
				t.Errorf("got the name %q with status %d", name, status)
			}
		case core.NotFound, core.Unavailable:
			if holder != "" {
				t.Errorf("got the name %q beside %v", holder.Reveal(), err)
			}
		default:
			t.Errorf("got %v", err)
		}
	})
}
