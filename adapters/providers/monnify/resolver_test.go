package monnify_test

import (
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

func zenith() core.Bank { return nigerian("000015", map[string]string{"cbn": "057"}) }

func atZenith(number core.Private) core.AccountQuery {
	return core.AccountQuery{Country: "NG", Currency: "NGN", Channel: core.BankTransfer, Bank: zenith(), Number: number}
}

const benji core.Private = "2085886393" // the account of the recorded answers

// accounts is a Monnify with one recorded answer for each account number.
func accounts(t testing.TB) httpmock.Responder {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		number := r.URL.Query().Get("accountNumber")
		failed := func(name string) (*http.Response, error) {
			body := strings.ReplaceAll(upstreamtest.Read(t, name), benji.Reveal(), number)
			return upstreamtest.Text(http.StatusBadRequest, body)(r)
		}
		switch number {
		case benji.Reveal():
			return file(t, 200, "resolved.json")(r)
		case "0000000409":
			return failed("closed_account.json")
		case "0000000503":
			return failed("issuer_inoperative.json")
		default:
			return failed("invalid_account.json")
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

// login opens the provider over a Monnify with a recorded answer to the login.
func login(status int, name string) func(t *testing.T) ports.AccountResolver {
	return func(t *testing.T) ports.AccountResolver {
		t.Helper()
		provider, _ := open(t, with(t, file(t, status, name), accounts(t)))
		return provider
	}
}

func TestResolverContract(t *testing.T) {
	t.Parallel()
	at := func(change func(q *core.AccountQuery)) core.AccountQuery {
		q := atZenith(benji)
		change(&q)
		return q
	}
	porttest.AccountResolver(t, porttest.Resolver{
		Open: resolver(accounts),
		Found: map[string]porttest.Holder{
			"a bank account": {Query: atZenith(benji), Name: "MARVELOUS BENJI"},
			"a wallet":       {Query: at(func(q *core.AccountQuery) { q.Channel = core.MobileMoney }), Name: "MARVELOUS BENJI"},
		},
		Unknown:    atZenith("0000000404"),
		Closed:     atZenith("0000000409"),
		CannotTell: map[string]core.AccountQuery{"a switch that is down": atZenith("0000000503")},
		Unsupported: map[string]core.AccountQuery{
			"a till":                        at(func(q *core.AccountQuery) { q.Channel = core.Till }),
			"a bank with a NIP code alone":  at(func(q *core.AccountQuery) { q.Bank = nigerian("090999", nil) }),
			"no bank":                       at(func(q *core.AccountQuery) { q.Bank = core.Bank{} }),
			"a bank of another country":     at(func(q *core.AccountQuery) { q.Bank.Country = "GH" }),
			"a country that it knows not":   {Country: "GH", Channel: core.BankTransfer, Bank: core.Bank{Code: "280100", Country: "GH", Codes: map[string]string{"monnify": "1"}}, Number: "1"},
			"a channel that nobody invited": at(func(q *core.AccountQuery) { q.Channel = "carrier_pigeon" }),
		},
		Broken: map[string]func(t *testing.T) ports.AccountResolver{
			"a refused token":             resolverFile(401, "unauthorized.json"),
			"throttled":                   resolverText(429, "Too many requests"),
			"a switch that is down":       resolverFile(400, "issuer_inoperative.json"),
			"invalid, or an outage":       resolverFile(400, "invalid_account_or_outage.json"),
			"invalid, of another account": resolverFile(400, "invalid_account_of_another.json"),
			"invalid, at another bank":    resolverFile(400, "invalid_account_at_another_bank.json"),
			"invalid, 500":                resolverFile(500, "invalid_account.json"),
			"invalid, 503":                resolverFile(503, "invalid_account.json"),
			"invalid, 401":                resolverFile(401, "invalid_account.json"),
			"closed, 502":                 resolverFile(502, "closed_account.json"),
			"an unknown text":             resolverText(400, `{"requestSuccessful":false,"responseMessage":"Unable to process request.","responseCode":"99"}`),
			"no text":                     resolverText(400, `{"requestSuccessful":false,"responseCode":"99"}`),
			"a refusal that says true":    resolverText(400, `{"requestSuccessful":true,"responseMessage":"Invalid Account","responseCode":"99"}`),
			"a refusal that says nothing": resolverText(400, `{"responseMessage":"Invalid Account","responseCode":"99"}`),
			"400 in HTML":                 resolverText(400, "<html>Invalid Account</html>"),
			"400 without a body":          resolverText(400, ""),
			"a contradiction":             resolverFile(200, "contradiction.json"),
			"a code that is a number":     resolverFile(200, "code_is_a_number.json"),
			"a null name":                 resolverFile(200, "name_null.json"),
			"an empty name":               resolverFile(200, "name_empty.json"),
			"a name that is a number":     resolverFile(200, "name_is_a_number.json"),
			"another account":             resolverFile(200, "another_account.json"),
			"another institution":         resolverFile(200, "another_institution.json"),
			"a bank that is a number":     resolverFile(200, "bank_is_a_number.json"),
			"no account":                  resolverFile(200, "number_missing.json"),
			"a null body":                 resolverFile(200, "body_null.json"),
			"no body":                     resolverFile(200, "body_missing.json"),
			"a body that is a list":       resolverFile(200, "body_is_a_list.json"),
			"a page with 200":             resolverText(200, "<html>oops</html>"),
			"truncated":                   resolverText(200, `{"requestSuccessful":true,"responseBody":{"accountNumber":"2085886393","accountName":"MAR`),
			"an empty answer":             resolverText(200, ""),
			"a login that is refused":     login(401, "login_refused.json"),
			"a login that fails with 200": login(200, "login_refused.json"),
			"a login without a token":     login(200, "login_without_token.json"),
			"a login with a null token":   login(200, "login_null_token.json"),
			"a login with another body":   login(200, "banks.json"),
			"a login that is not there":   login(404, "login_refused.json"),
			"a login in an outage":        login(500, "login.json"),
			"an outage in plain text":     resolverText(500, "oops"),
			"a redirect":                  resolverText(302, ""),
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
		"resolved.json":                        {200, "MARVELOUS BENJI", "", "", "ok", false},
		"name_with_spaces.json":                {200, "MARVELOUS BENJI", "", "", "ok", false},
		"invalid_account.json":                 {400, "", core.NotFound, "No account", "not_found", false},
		"invalid_account_bare.json":            {422, "", core.NotFound, "No account", "not_found", false},
		"invalid_account_without_preface.json": {404, "", core.NotFound, "No account", "not_found", false},
		"closed_account.json":                  {400, "", core.NotFound, "closed or dormant", "not_found", false},
		"dormant_account.json":                 {200, "", core.NotFound, "closed or dormant", "not_found", false},
		"issuer_inoperative.json":              {400, "", core.Unavailable, "", "undecided", false},
		"invalid_account_of_another.json":      {400, "", core.Unavailable, "", "undecided", false},
		"name_null.json":                       {200, "", core.Unavailable, "", "undecided", false},
		"body_null.json":                       {200, "", core.Unavailable, "", "undecided", false},
		"another_institution.json":             {200, "", core.Unavailable, "", "undecided", false},
		"nip_code.json":                        {200, "MARVELOUS BENJI", "", "", "ok", false},
		"without_bank.json":                    {200, "MARVELOUS BENJI", "", "", "ok", false},
		"another_account.json":                 {200, "", core.Unavailable, "", "undecided", false},
		"contradiction.json":                   {200, "", core.Unavailable, "", "malformed", false},
		"body_is_a_list.json":                  {200, "", core.Unavailable, "", "malformed", false},
		"unauthorized.json":                    {401, "", core.Unavailable, "", "refused", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, world := open(t, saying(t, file(t, c.status, name)))
			holder, err := provider.Resolve(t.Context(), atZenith(benji))
			if c.holder.Reveal() != holder.Reveal() || core.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.message) {
				t.Errorf("got %q, %v; want %q, %s %q", holder.Reveal(), err, c.holder.Reveal(), c.code, c.message)
			}
			wantOutcomes(t, world, "login ok", "resolve "+c.outcome)
			if got := strings.Contains(world.Printed(t), `"level":"error"`); got != c.alert {
				t.Errorf("alert: got %v, want %v", got, c.alert)
			}
		})
	}
}

func TestResolveRequests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bank core.Bank
		code string
	}{
		"Monnify's own code first":    {nigerian("090267", map[string]string{"monnify": "090267", "cbn": "50211"}), "090267"},
		"else the central bank's":     {zenith(), "057"},
		"a code that it gave another": {nigerian("303", map[string]string{"monnify": "303", "cbn": "303"}), "303"},
		"the simulated bank":          {nigerian("001", map[string]string{"monnify": "001"}), "001"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			provider, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
				asked++
				got := r.URL.Query()
				if r.URL.Path != "/api/v1/disbursements/account/validate" || r.Header.Get("Authorization") != "Bearer token-1" ||
					len(got) != 2 || got.Get("accountNumber") != benji.Reveal() || got.Get("bankCode") != c.code {
					t.Errorf("got %s with %v, want %s", r.URL, r.Header, c.code)
				}
				return file(t, 400, "invalid_account_bare.json")(r)
			}))
			q := core.AccountQuery{Country: "NG", Channel: core.BankTransfer, Bank: c.bank, Number: benji}
			if _, err := provider.Resolve(t.Context(), q); core.CodeOf(err) != core.NotFound || asked != 1 {
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
			return file(t, 200, "resolved.json")(r)
		}))
		if holder, err := provider.Resolve(t.Context(), atZenith(benji)); err != nil || holder.Reveal() != "MARVELOUS BENJI" || n != 2 {
			t.Errorf("got %q, %v after %d calls", holder.Reveal(), err, n)
		}
	})
}

func TestAHangingBankEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider, world := open(t, saying(t, hanging()))
		start := time.Now()
		_, err := provider.Resolve(t.Context(), atZenith(benji))
		if took := time.Since(start); core.CodeOf(err) != core.Unavailable || took != 4*time.Second {
			t.Errorf("got %v after %s", err, took)
		}
		wantOutcomes(t, world, "login ok", "resolve timeout")
	})
}

// TestABankThatIsDownLeavesTheOthersAlone has one bank fail until it is not asked any more.
func TestABankThatIsDownLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	provider, world := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
		if r.URL.Query().Get("bankCode") == "050" {
			return upstreamtest.Text(500, "oops")(r)
		}
		return file(t, 200, "resolved.json")(r)
	}))
	down := atZenith(benji)
	down.Bank = nigerian("000010", map[string]string{"cbn": "050"})
	for range 12 {
		if _, err := provider.Resolve(t.Context(), down); core.CodeOf(err) != core.Unavailable {
			t.Fatalf("got %v", err)
		}
	}
	if _, err := provider.Resolve(t.Context(), atZenith(benji)); err != nil {
		t.Errorf("another bank: %v", err)
	}
	if got := world.Outcomes(t); !slices.Contains(got, "resolve open ×2") {
		t.Errorf("got outcomes %v, want two questions that were not asked", got)
	}
}

func FuzzResolve(f *testing.F) {
	for _, name := range []string{"resolved.json", "name_with_spaces.json", "invalid_account.json", "invalid_account_of_another.json", "closed_account.json", "contradiction.json"} {
		f.Add(true, []byte(upstreamtest.Read(f, name)))
		f.Add(false, []byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, fine bool, body []byte) {
		status := http.StatusOK
		if !fine {
			status = http.StatusBadRequest
		}
		provider, _ := open(t, saying(t, httpmock.NewBytesResponder(status, body)))
		holder, err := provider.Resolve(t.Context(), atZenith(benji))
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
