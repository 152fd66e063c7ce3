package flutterwave_test

import (
	"encoding/json"
	"io"
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

func access() core.Bank { return nigerian("000014", map[string]string{"cbn": "044"}) }

func atAccess(number core.Private) core.AccountQuery {
	return core.AccountQuery{Country: "NG", Currency: "NGN", Channel: core.BankTransfer, Bank: access(), Number: number}
}

const pastor core.Private = "0690000032" // the account of the recorded answers

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

// accounts is a Flutterwave with one recorded answer for each account number.
func accounts(t testing.TB) httpmock.Responder {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		switch question(t, r)["account_number"] {
		case pastor.Reveal():
			return file(t, 200, "resolved.json")(r)
		case "0000000409":
			return file(t, 400, "account_closed.json")(r)
		case "0000000503":
			return upstreamtest.Text(503, "oops")(r)
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
		q := atAccess(pastor)
		change(&q)
		return q
	}
	porttest.AccountResolver(t, porttest.Resolver{
		Open: resolver(accounts),
		Found: map[string]porttest.Holder{
			"a bank account": {Query: atAccess(pastor), Name: "Pastor Bright"},
			"a wallet":       {Query: at(func(q *core.AccountQuery) { q.Channel = core.MobileMoney }), Name: "Pastor Bright"},
		},
		Unknown:    atAccess("0000000404"),
		Closed:     atAccess("0000000409"),
		CannotTell: map[string]core.AccountQuery{"an outage": atAccess("0000000503")},
		Unsupported: map[string]core.AccountQuery{
			"a till":                        at(func(q *core.AccountQuery) { q.Channel = core.Till }),
			"a bank with a NIP code alone":  at(func(q *core.AccountQuery) { q.Bank = nigerian("090999", nil) }),
			"a code of another bank there":  at(func(q *core.AccountQuery) { q.Bank = nigerian("303", map[string]string{"cbn": "303"}) }),
			"no bank":                       at(func(q *core.AccountQuery) { q.Bank = core.Bank{} }),
			"a bank of another country":     at(func(q *core.AccountQuery) { q.Bank.Country = "GH" }),
			"a country without resolution":  {Country: "GH", Channel: core.BankTransfer, Bank: core.Bank{Code: "280100", Country: "GH", Codes: map[string]string{"flutterwave": "GH280100"}}, Number: "1"},
			"a country that it knows not":   {Country: "CI", Channel: core.MobileMoney, Bank: core.Bank{Code: "MTN", Country: "CI"}, Number: "1"},
			"a channel that nobody invited": at(func(q *core.AccountQuery) { q.Channel = "carrier_pigeon" }),
		},
		Broken: map[string]func(t *testing.T) ports.AccountResolver{
			"an invalid key":               resolverFile(401, "invalid_key.json"),
			"a test key":                   resolverFile(400, "only_044.json"),
			"a test key, misspelt":         resolverFile(400, "only_044_misspelt.json"),
			"throttled":                    resolverText(429, "Too many requests"),
			"not validated, 500":           resolverFile(500, "not_validated.json"),
			"not validated, 404":           resolverFile(404, "not_validated.json"),
			"invalid, 500":                 resolverFile(500, "invalid_account.json"),
			"invalid, 503":                 resolverFile(503, "invalid_account.json"),
			"invalid, 404":                 resolverFile(404, "invalid_account.json"),
			"closed, 502":                  resolverFile(502, "account_closed.json"),
			"an unknown text":              resolverText(400, `{"status":"error","message":"Switch or issuer inoperative","data":null}`),
			"a text that only begins so":   resolverText(400, `{"status":"error","message":"Account is closed for maintenance"}`),
			"a refusal that says success":  resolverText(400, `{"status":"success","message":"Account is closed"}`),
			"a refusal without a status":   resolverText(400, `{"message":"Account is closed"}`),
			"400 in HTML":                  resolverText(400, "<html>Account is closed</html>"),
			"400 without a body":           resolverText(400, ""),
			"API v2, invalid account":      resolverFile(200, "v2_invalid_account.json"),
			"API v2, flat":                 resolverFile(200, "v2_flat_invalid_account.json"),
			"API v2, found":                resolverFile(200, "v2_resolved.json"),
			"a null name":                  resolverFile(200, "name_null.json"),
			"an empty name":                resolverFile(200, "name_empty.json"),
			"a placeholder for a name":     resolverFile(200, "name_placeholder.json"),
			"a name that is a number":      resolverFile(200, "name_is_a_number.json"),
			"another account":              resolverFile(200, "another_account.json"),
			"an account without its zero":  resolverFile(200, "number_without_zero.json"),
			"no account":                   resolverFile(200, "number_missing.json"),
			"null data":                    resolverFile(200, "data_null.json"),
			"no data":                      resolverFile(200, "data_missing.json"),
			"data that is a list":          resolverFile(200, "data_is_a_list.json"),
			"a page with 200":              resolverText(200, "<html>oops</html>"),
			"truncated":                    resolverText(200, `{"status":"success","data":{"account_number":"0690000032","account_name":"Pas`),
			"an empty body":                resolverText(200, ""),
			"an outage in plain text":      resolverText(500, "oops"),
			"a redirect":                   resolverText(302, ""),
			"another status with the name": resolverText(200, `{"status":"pending","data":{"account_number":"0690000032","account_name":"Pastor Bright"}}`),
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
		"resolved.json":                {200, "Pastor Bright", "", "", "ok", false},
		"name_with_spaces.json":        {200, "John Madakin", "", "", "ok", false},
		"invalid_account.json":         {400, "", core.NotFound, "No account", "not_found", false},
		"account_closed.json":          {400, "", core.NotFound, "closed or dormant", "not_found", false},
		"account_dormant.json":         {400, "", core.NotFound, "closed or dormant", "not_found", false},
		"not_validated.json":           {400, "", core.NotFound, "may exist", "not_found", false},
		"v2_invalid_account.json":      {200, "", core.Unavailable, "", "undecided", false},
		"v2_flat_invalid_account.json": {200, "", core.Unavailable, "", "undecided", false},
		"name_null.json":               {200, "", core.Unavailable, "", "undecided", false},
		"data_null.json":               {200, "", core.Unavailable, "", "undecided", false},
		"another_account.json":         {200, "", core.Unavailable, "", "undecided", false},
		"data_is_a_list.json":          {200, "", core.Unavailable, "", "malformed", false},
		"only_044.json":                {400, "", core.Unavailable, "", "refused", true},
		"invalid_key.json":             {401, "", core.Unavailable, "", "refused", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, world := open(t, saying(t, file(t, c.status, name)))
			holder, err := provider.Resolve(t.Context(), atAccess(pastor))
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
		if _, err := provider.Resolve(t.Context(), atAccess(pastor)); core.CodeOf(err) != core.NotFound {
			t.Errorf("got %v", err)
		}
	})
}

func TestResolveRequests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bank core.Bank
		code string
	}{
		"Flutterwave's own code first": {nigerian("090267", map[string]string{"flutterwave": "090267", "cbn": "50211"}), "090267"},
		"else the central bank's":      {access(), "044"},
		"a code that it gave another":  {nigerian("303", map[string]string{"flutterwave": "303", "cbn": "303"}), "303"},
		"the simulated bank":           {nigerian("001", map[string]string{"flutterwave": "001"}), "001"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			provider, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
				asked++
				got := question(t, r)
				if r.Method != http.MethodPost || r.URL.RawQuery != "" || r.Header.Get("Authorization") != "Bearer "+key.Reveal() ||
					r.Header.Get("Content-Type") != "application/json" || len(got) != 2 || got["account_number"] != pastor.Reveal() || got["account_bank"] != c.code {
					t.Errorf("got %s %v with %v, want %s", r.Method, got, r.Header, c.code)
				}
				return file(t, 400, "invalid_account.json")(r)
			}))
			q := core.AccountQuery{Country: "NG", Channel: core.BankTransfer, Bank: c.bank, Number: pastor}
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
			if question(t, r)["account_number"] != pastor.Reveal() {
				t.Error("the body is not sent again")
			}
			return file(t, 200, "resolved.json")(r)
		}))
		if holder, err := provider.Resolve(t.Context(), atAccess(pastor)); err != nil || holder.Reveal() != "Pastor Bright" || n != 2 {
			t.Errorf("got %q, %v after %d calls", holder.Reveal(), err, n)
		}
	})
}

func TestAHangingBankEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider, world := open(t, saying(t, hanging()))
		start := time.Now()
		_, err := provider.Resolve(t.Context(), atAccess(pastor))
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
		if question(t, r)["account_bank"] == "050" {
			return upstreamtest.Text(500, "oops")(r)
		}
		return file(t, 200, "resolved.json")(r)
	}))
	down := atAccess(pastor)
	down.Bank = nigerian("000010", map[string]string{"cbn": "050"})
	for range 12 {
		if _, err := provider.Resolve(t.Context(), down); core.CodeOf(err) != core.Unavailable {
			t.Fatalf("got %v", err)
		}
	}
	if _, err := provider.Resolve(t.Context(), atAccess(pastor)); err != nil {
		t.Errorf("another bank: %v", err)
	}
	if got := world.Outcomes(t); !slices.Contains(got, "resolve open ×2") {
		t.Errorf("got outcomes %v, want two questions that were not asked", got)
	}
}

func FuzzResolve(f *testing.F) {
	for _, name := range []string{"resolved.json", "name_with_spaces.json", "v2_resolved.json", "v2_flat_invalid_account.json", "invalid_account.json", "only_044.json"} {
		f.Add(true, []byte(upstreamtest.Read(f, name)))
		f.Add(false, []byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, fine bool, body []byte) {
		status := http.StatusOK
		if !fine {
			status = http.StatusBadRequest
		}
		provider, _ := open(t, saying(t, httpmock.NewBytesResponder(status, body)))
		holder, err := provider.Resolve(t.Context(), atAccess(pastor))
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
