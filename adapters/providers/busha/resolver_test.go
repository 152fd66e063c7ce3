package busha_test

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

func bank(country, code string, channel core.Channel, codes map[string]string) core.Bank {
	return core.Bank{Code: code, Country: country, Channels: []core.Channel{channel}, Codes: codes}
}

func gtb() core.Bank {
	return bank("NG", "000013", core.BankTransfer, map[string]string{"nip": "000013", "cbn": "058"})
}

// atGTB asks about an account at Guaranty Trust Bank, atMPESA about a wallet of Kenya, atTill about a till.
func atGTB(number core.Private) core.AccountQuery {
	return core.AccountQuery{Country: "NG", Currency: "NGN", Channel: core.BankTransfer, Bank: gtb(), Number: number}
}

func atMPESA() core.AccountQuery {
	return core.AccountQuery{Country: "KE", Currency: "KES", Channel: core.MobileMoney, Bank: bank("KE", "MPESA", core.MobileMoney, nil), Number: akinyi}
}

func atTill(number core.Private) core.AccountQuery {
	return core.AccountQuery{Country: "KE", Currency: "KES", Channel: core.Till, Number: number}
}

const (
	jane   core.Private = "0123456789" // the account of the recorded answers
	akinyi core.Private = "+254712345678"
	acme   core.Private = "174379"
)

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

// accounts is a busha with one recorded answer for each account number.
func accounts(t testing.TB) httpmock.Responder {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		switch question(t, r)["account_number"] {
		case jane.Reveal():
			return file(t, 201, "resolved.json")(r)
		case akinyi.Reveal():
			return file(t, 200, "resolved_wallet.json")(r)
		case acme.Reveal():
			return file(t, 201, "resolved_till.json")(r)
		case "0000000409":
			return file(t, 404, "account_closed.json")(r)
		case "0000000400":
			return file(t, 400, "request_validation.json")(r)
		case "0000000503":
			return file(t, 503, "error.json")(r)
		default:
			return file(t, 404, "account_not_found.json")(r)
		}
	}
}

func resolver(answer func(t testing.TB) httpmock.Responder) func(t *testing.T) ports.AccountResolver {
	return func(t *testing.T) ports.AccountResolver {
		t.Helper()
		provider, _ := keyed(t, answering(t, answer(t)))
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
	at := func(q core.AccountQuery, change func(q *core.AccountQuery)) core.AccountQuery {
		change(&q)
		return q
	}
	porttest.AccountResolver(t, porttest.Resolver{
		Open: resolver(accounts),
		Found: map[string]porttest.Holder{
			"a bank account":           {Query: atGTB(jane), Name: "DOE JANE"},
			"a wallet of Nigeria":      {Query: at(atGTB(jane), func(q *core.AccountQuery) { q.Channel = core.MobileMoney }), Name: "DOE JANE"},
			"a wallet of Kenya":        {Query: atMPESA(), Name: "AKINYI OTIENO"},
			"a till":                   {Query: atTill(acme), Name: "ACME TRADERS"},
			"a pay bill":               {Query: at(atTill(acme), func(q *core.AccountQuery) { q.Channel = core.PayBill }), Name: "ACME TRADERS"},
			"a till with its operator": {Query: at(atTill(acme), func(q *core.AccountQuery) { q.Bank = bank("KE", "MPESA", core.Till, nil) }), Name: "ACME TRADERS"},
		},
		Unknown: atGTB("0000000404"),
		Closed:  atGTB("0000000409"),
		CannotTell: map[string]core.AccountQuery{
			"a question of ours that is wrong": atGTB("0000000400"), "an outage": atGTB("0000000503"),
		},
		Unsupported: map[string]core.AccountQuery{
			"a till of Nigeria": at(atGTB(jane), func(q *core.AccountQuery) { q.Channel = core.Till }),
			"a bank without a NIP code": at(atGTB(jane), func(q *core.AccountQuery) {
				q.Bank = bank("NG", "50211", core.BankTransfer, map[string]string{"cbn": "50211"})
			}),
			"no bank":                      at(atGTB(jane), func(q *core.AccountQuery) { q.Bank = core.Bank{} }),
			"a bank of another country":    at(atGTB(jane), func(q *core.AccountQuery) { q.Bank.Country = "GH" }),
			"a wallet without an operator": at(atMPESA(), func(q *core.AccountQuery) { q.Bank = core.Bank{} }),
			"a bank as a wallet":           at(atMPESA(), func(q *core.AccountQuery) { q.Bank = bank("KE", "01", core.BankTransfer, nil) }),
			"a bank of Kenya": at(atMPESA(), func(q *core.AccountQuery) {
				q.Channel, q.Bank = core.BankTransfer, bank("KE", "01", core.BankTransfer, nil)
			}),
			"a till of another country":     at(atTill(acme), func(q *core.AccountQuery) { q.Country = "TZ" }),
			"a till of another's operator":  at(atTill(acme), func(q *core.AccountQuery) { q.Bank = bank("TZ", "VODACOM", core.Till, nil) }),
			"a country that it knows not":   at(atMPESA(), func(q *core.AccountQuery) { q.Country, q.Bank.Country = "UG", "UG" }),
			"a channel that nobody invited": at(atGTB(jane), func(q *core.AccountQuery) { q.Channel = "carrier_pigeon" }),
		},
		Broken: map[string]func(t *testing.T) ports.AccountResolver{
			"an invalid key":             resolverFile(401, "unauthorized.json"),
			"throttled":                  resolverText(429, `{"error":{"name":"too_many_requests","message":"Too many requests"}}`),
			"a wrong question":           resolverFile(400, "request_validation.json"),
			"a wrong question, 404":      resolverFile(404, "request_validation.json"),
			"no such path":               resolverFile(404, "resource_not_found.json"),
			"a name that was not found":  resolverFile(404, "name_not_found.json"),
			"not found, 400":             resolverFile(400, "account_not_found.json"),
			"not found, 200":             resolverFile(200, "account_not_found.json"),
			"not found, 500":             resolverFile(500, "account_not_found.json"),
			"not found, 503":             resolverFile(503, "account_not_found.json"),
			"closed, 502":                resolverFile(502, "account_closed.json"),
			"closed, 422":                resolverFile(422, "account_closed.json"),
			"an error":                   resolverFile(500, "error.json"),
			"an error with 200":          resolverFile(200, "error.json"),
			"404 in HTML":                resolverText(404, "<html>Account not found</html>"),
			"404 without a body":         resolverText(404, ""),
			"404 as a bare text":         resolverText(404, `"Account not found"`),
			"404 without a name":         resolverText(404, `{"error":{"message":"Account not found"}}`),
			"an error that is a text":    resolverText(404, `{"error":"Account not found"}`),
			"an account and a failure":   resolverFile(200, "account_beside_failure.json"),
			"an account and a 404":       resolverFile(404, "account_beside_failure.json"),
			"another account":            resolverFile(200, "another_account.json"),
			"another institution":        resolverFile(201, "another_institution.json"),
			"no number":                  resolverFile(200, "number_missing.json"),
			"an empty name":              resolverFile(201, "name_empty.json"),
			"a null name":                resolverFile(200, "name_null.json"),
			"a name that is a number":    resolverFile(200, "name_is_a_number.json"),
			"no data":                    resolverFile(201, "data_null.json"),
			"data that is a list":        resolverFile(200, "data_is_a_list.json"),
			"a status that is no status": resolverText(200, `{"status":"pending","data":{"account_number":"0123456789","account_name":"DOE JANE"}}`),
			"no status":                  resolverText(200, `{"data":{"account_number":"0123456789","account_name":"DOE JANE"}}`),
			"a page with 200":            resolverText(200, "<html>oops</html>"),
			"truncated":                  resolverText(201, `{"status":"success","data":{"account_number":"0123456789","account_name":"DO`),
			"an empty body":              resolverText(201, ""),
			"a redirect":                 resolverText(302, ""),
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
		"resolved.json":               {201, "DOE JANE", "", "", "ok", false},
		"account_not_found.json":      {404, "", core.NotFound, "No account", "not_found", false},
		"account_not_found_bare.json": {404, "", core.NotFound, "No account", "not_found", false},
		"account_closed.json":         {404, "", core.NotFound, "closed or dormant", "not_found", false},
		"account_dormant.json":        {404, "", core.NotFound, "closed or dormant", "not_found", false},
		"resource_not_found.json":     {404, "", core.Unavailable, "", "undecided", false},
		"request_validation.json":     {400, "", core.Unavailable, "", "undecided", false},
		"another_institution.json":    {200, "", core.Unavailable, "", "undecided", false},
		"another_account.json":        {200, "", core.Unavailable, "", "undecided", false},
		"name_empty.json":             {200, "", core.Unavailable, "", "undecided", false},
		"data_is_a_list.json":         {200, "", core.Unavailable, "", "malformed", false},
		"error.json":                  {503, "", core.Unavailable, "", "unavailable", false},
		"unauthorized.json":           {401, "", core.Unavailable, "", "refused", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, world := keyed(t, answering(t, file(t, c.status, name)))
			holder, err := provider.Resolve(t.Context(), atGTB(jane))
			if c.holder.Reveal() != holder.Reveal() || core.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.message) {
				t.Errorf("got %q, %v; want %q, %s %q", holder.Reveal(), err, c.holder.Reveal(), c.code, c.message)
			}
			wantOutcomes(t, world, "resolve "+c.outcome)
			if got := strings.Contains(world.Printed(t), `"level":"error"`); got != c.alert {
				t.Errorf("alert: got %v, want %v", got, c.alert)
			}
		})
	}
}

// TestANumberComesBackNormalised takes a phone number with or without its sign, and nothing else.
func TestANumberComesBackNormalised(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"resolved_wallet.json": true, "resolved_wallet_without_sign.json": true, "resolved_till.json": false, "resolved.json": false} {
		provider, _ := keyed(t, answering(t, file(t, 200, name)))
		if holder, err := provider.Resolve(t.Context(), atMPESA()); (err == nil) != want || want != (holder == "AKINYI OTIENO") {
			t.Errorf("%s: got %q, %v", name, holder.Reveal(), err)
		}
	}
	t.Run("nothing is added to an account number", func(t *testing.T) {
		t.Parallel()
		provider, _ := keyed(t, answering(t, file(t, 200, "resolved_wallet.json")))
		if holder, err := provider.Resolve(t.Context(), atGTB("254712345678")); core.CodeOf(err) != core.Unavailable {
			t.Errorf("got %q, %v", holder.Reveal(), err)
		}
	})
}

func TestResolveRequests(t *testing.T) {
	t.Parallel()
	own := atGTB(jane)
	own.Bank = bank("NG", "090267", core.BankTransfer, map[string]string{"busha": "090268", "nip": "090267"})
	nigerian := atGTB(jane)
	nigerian.Channel = core.MobileMoney
	for name, c := range map[string]struct {
		query core.AccountQuery
		want  map[string]string
	}{
		"a bank account":     {atGTB(jane), map[string]string{"currency_id": "NGN", "country_id": "NG", "channel": "bank_transfer", "bank_code": "000013", "account_number": "0123456789"}},
		"the example":        {nigerian, map[string]string{"currency_id": "NGN", "country_id": "NG", "channel": "mobile_money", "bank_code": "000013", "account_number": "0123456789"}},
		"by its own code":    {own, map[string]string{"currency_id": "NGN", "country_id": "NG", "channel": "bank_transfer", "bank_code": "090268", "account_number": "0123456789"}},
		"a wallet of Kenya":  {atMPESA(), map[string]string{"currency_id": "KES", "country_id": "KE", "channel": "mobile_money", "bank_code": "MPESA", "account_number": "+254712345678"}},
		"a till has no bank": {atTill(acme), map[string]string{"currency_id": "KES", "country_id": "KE", "channel": "till", "account_number": "174379"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			provider, _ := keyed(t, answering(t, func(r *http.Request) (*http.Response, error) {
				asked++
				if got := question(t, r); r.Method != http.MethodPost || r.URL.String() != root+"recipients/resolve-bank-account" || !maps.Equal(got, c.want) ||
					r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != "Bearer "+key.Reveal() {
					t.Errorf("got %s %s %v with %v", r.Method, r.URL, got, r.Header)
				}
				return file(t, 404, "account_not_found.json")(r)
			}))
			if _, err := provider.Resolve(t.Context(), c.query); core.CodeOf(err) != core.NotFound || asked != 1 {
				t.Errorf("got %v after %d calls", err, asked)
			}
		})
	}
}

func TestAHangingBankEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider, world := keyed(t, answering(t, hanging()))
		start := time.Now()
		_, err := provider.Resolve(t.Context(), atGTB(jane))
		if took := time.Since(start); core.CodeOf(err) != core.Unavailable || took != 4*time.Second {
			t.Errorf("got %v after %s", err, took)
		}
		wantOutcomes(t, world, "resolve timeout")
	})
}

// TestABankThatIsDownLeavesTheOthersAlone has one bank fail until it is not asked any more.
func TestABankThatIsDownLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	provider, world := keyed(t, answering(t, func(r *http.Request) (*http.Response, error) {
		if question(t, r)["bank_code"] == "000010" {
			return upstreamtest.Text(500, "oops")(r)
		}
		return file(t, 200, "resolved.json")(r)
	}))
	down := atGTB(jane)
	down.Bank = bank("NG", "000010", core.BankTransfer, map[string]string{"nip": "000010"})
	for range 12 {
		if _, err := provider.Resolve(t.Context(), down); core.CodeOf(err) != core.Unavailable {
			t.Fatalf("got %v", err)
		}
	}
	if _, err := provider.Resolve(t.Context(), atGTB(jane)); err != nil {
		t.Errorf("another bank: %v", err)
	}
	if got := world.Outcomes(t); !slices.Contains(got, "resolve open ×2") {
		t.Errorf("got outcomes %v, want two questions that were not asked", got)
	}
}

func FuzzResolve(f *testing.F) {
	for _, name := range []string{"resolved.json", "account_beside_failure.json", "account_not_found.json", "account_closed.json", "another_institution.json"} {
		f.Add(true, []byte(upstreamtest.Read(f, name)))
		f.Add(false, []byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, fine bool, body []byte) {
		status := http.StatusCreated
		if !fine {
			status = http.StatusNotFound
		}
		provider, _ := keyed(t, answering(t, httpmock.NewBytesResponder(status, body)))
		holder, err := provider.Resolve(t.Context(), atGTB(jane))
		switch core.CodeOf(err) {
		case "":
			name := holder.Reveal()
			if !fine || name == "" || strings.Join(strings.Fields(name), " ") != name {
				t.Errorf("got the name %q with status %d", name, status)
			}
		case core.NotFound:
			if fine || holder != "" {
				t.Errorf("got %q, %v with status %d", holder.Reveal(), err, status)
			}
		case core.Unavailable:
			if holder != "" {
				t.Errorf("got the name %q beside %v", holder.Reveal(), err)
			}
		default:
			t.Errorf("got %v", err)
		}
	})
}
