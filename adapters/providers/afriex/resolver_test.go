package afriex_test

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

func bank(country, code string, channel core.Channel, codes map[string]string) core.Bank {
	return core.Bank{Code: code, Country: country, Channels: []core.Channel{channel}, Codes: codes}
}

func gtb() core.Bank {
	return bank("NG", "000013", core.BankTransfer, map[string]string{"nip": "000013", "cbn": "058"})
}

func mpesa() core.Bank {
	return bank("KE", "MPESA", core.MobileMoney, map[string]string{"afriex": "SAFARICOM"})
}

// atGTB asks about an account at Guaranty Trust Bank, atMPESA about a wallet of Kenya.
func atGTB(number core.Private) core.AccountQuery {
	return core.AccountQuery{Country: "NG", Currency: "NGN", Channel: core.BankTransfer, Bank: gtb(), Number: number}
}

func atMPESA(number core.Private) core.AccountQuery {
	return core.AccountQuery{Country: "KE", Currency: "KES", Channel: core.MobileMoney, Bank: mpesa(), Number: number}
}

const (
	john   core.Private = "0123456789" // the account of the recorded answers
	akinyi core.Private = "+254712345678"
)

// accounts is an Afriex with one recorded answer for each account number.
func accounts(t testing.TB) httpmock.Responder {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		switch r.URL.Query().Get("accountNumber") {
		case john.Reveal():
			return file(t, 200, "resolved.json")(r)
		case "0123456780":
			return file(t, 200, "resolved_flat.json")(r)
		case "254712345678":
			return file(t, 200, "resolved_wallet.json")(r)
		case "254712345670":
			return file(t, 200, "resolved_name_alone.json")(r)
		case "256712345678":
			return file(t, 400, "phone_country_mismatch.json")(r)
		case "0000000409":
			return file(t, 400, "account_closed.json")(r)
		case "0000000503":
			return file(t, 503, "external_request_error.json")(r)
		default:
			return file(t, 404, "not_found.json")(r)
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
	at := func(q core.AccountQuery, change func(q *core.AccountQuery)) core.AccountQuery {
		change(&q)
		return q
	}
	of := func(country string, channel core.Channel, bank core.Bank) core.AccountQuery {
		return core.AccountQuery{Country: country, Channel: channel, Bank: bank, Number: akinyi}
	}
	porttest.AccountResolver(t, porttest.Resolver{
		Open: resolver(accounts),
		Found: map[string]porttest.Holder{
			"a bank account":              {Query: atGTB(john), Name: "John Doe"},
			"the old form":                {Query: atGTB("0123456780"), Name: "JOHN DOE"},
			"a wallet of Nigeria":         {Query: at(atGTB(john), func(q *core.AccountQuery) { q.Channel = core.MobileMoney }), Name: "John Doe"},
			"a bank of Ghana":             {Query: of("GH", core.BankTransfer, bank("GH", "300304", core.BankTransfer, map[string]string{"afriex": "SAFARICOM"})), Name: "AKINYI OTIENO"},
			"a wallet":                    {Query: atMPESA(akinyi), Name: "AKINYI OTIENO"},
			"an answer that names no one": {Query: atMPESA("+254712345670"), Name: "DOE JOHN"},
		},
		Unknown: atGTB("0000000404"),
		Closed:  atGTB("0000000409"),
		CannotTell: map[string]core.AccountQuery{
			"an outage behind it":               atGTB("0000000503"),
			"a phone number of another country": atMPESA("+256712345678"),
			"another operator's": at(atMPESA(akinyi), func(q *core.AccountQuery) {
				q.Bank = bank("KE", "AIRTEL", core.MobileMoney, map[string]string{"afriex": "airtel"})
			}),
		},
		Unsupported: map[string]core.AccountQuery{
			"a till":                        at(atGTB(john), func(q *core.AccountQuery) { q.Channel = core.Till }),
			"a bank without a code":         at(atGTB(john), func(q *core.AccountQuery) { q.Bank.Codes = nil }),
			"a wallet without an operator":  at(atMPESA(akinyi), func(q *core.AccountQuery) { q.Bank = core.Bank{} }),
			"an operator without a code":    at(atMPESA(akinyi), func(q *core.AccountQuery) { q.Bank.Codes = nil }),
			"no bank":                       at(atGTB(john), func(q *core.AccountQuery) { q.Bank = core.Bank{} }),
			"a bank of another country":     at(atGTB(john), func(q *core.AccountQuery) { q.Bank.Country = "GH" }),
			"a bank of no country":          at(atMPESA(akinyi), func(q *core.AccountQuery) { q.Bank.Country = "" }),
			"a wallet of Ghana":             of("GH", core.MobileMoney, bank("GH", "MTN", core.MobileMoney, map[string]string{"afriex": "MTN"})),
			"a bank that it told no code":   of("GH", core.BankTransfer, bank("GH", "300304", core.BankTransfer, map[string]string{"ghipss": "300304"})),
			"a wallet as a bank":            of("GH", core.BankTransfer, bank("GH", "MTN", core.MobileMoney, map[string]string{"afriex": "MTN"})),
			"a bank as a wallet":            of("KE", core.MobileMoney, bank("KE", "01", core.BankTransfer, nil)),
			"a bank of Kenya":               of("KE", core.BankTransfer, bank("KE", "01", core.BankTransfer, map[string]string{"afriex": "01"})),
			"a pay bill":                    of("KE", core.PayBill, core.Bank{}),
			"a country that it knows not":   of("ZA", core.BankTransfer, bank("ZA", "632005", core.BankTransfer, map[string]string{"afriex": "632005"})),
			"a channel that nobody invited": at(atGTB(john), func(q *core.AccountQuery) { q.Channel = "carrier_pigeon" }),
		},
		Broken: map[string]func(t *testing.T) ports.AccountResolver{
			"an invalid key":             resolverFile(401, "invalid_key.json"),
			"a key without a permission": resolverFile(403, "invalid_key.json"),
			"throttled":                  resolverText(429, `{"code":"TOO_MANY_REQUESTS","error":"Rate limit exceeded","details":{}}`),
			"no such route":              resolverFile(404, "route_not_found.json"),
			"not found, 400":             resolverFile(400, "not_found.json"),
			"not found, 200":             resolverFile(200, "not_found.json"),
			"not found, 500":             resolverFile(500, "not_found.json"),
			"not found, 503":             resolverFile(503, "not_found.json"),
			"closed, 200":                resolverFile(200, "account_closed.json"),
			"closed, 502":                resolverFile(502, "account_closed.json"),
			"a question that is wrong":   resolverFile(400, "validation_error.json"),
			"a phone of another country": resolverFile(400, "phone_country_mismatch.json"),
			"an error of theirs":         resolverFile(500, "server_error.json"),
			"an error of theirs, 200":    resolverFile(200, "server_error.json"),
			"404 in HTML":                resolverText(404, "<html>PAYMENT_METHOD_NOT_FOUND</html>"),
			"404 without a body":         resolverText(404, ""),
			"404 without a code":         resolverText(404, `{"error":"Payment method not found","details":{"errorMessage":"Payment method not found"}}`),
			"the network's page":         resolverText(502, "<html>Bad gateway</html>"),
			"a name beside a failure":    resolverText(200, `{"code":"X","data":{"recipientName":"John Doe"}}`),
			"no name":                    resolverFile(200, "name_omitted.json"),
			"a null name":                resolverFile(200, "name_null.json"),
			"an empty name":              resolverFile(200, "name_empty.json"),
			"a name that is a number":    resolverFile(200, "name_is_a_number.json"),
			"another institution":        resolverFile(200, "another_institution.json"),
			"two forms":                  resolverFile(200, "two_forms.json"),
			"no data":                    resolverFile(200, "data_null.json"),
			"data that is a list":        resolverFile(200, "data_is_a_list.json"),
			"an empty object":            resolverText(200, `{}`),
			"details that are no object": resolverText(404, `{"code":"PAYMENT_METHOD_NOT_FOUND","details":"?"}`),
			"a page with 200":            resolverText(200, "<html>oops</html>"),
			"truncated":                  resolverText(200, `{"data":{"recipientName":"John D`),
			"an empty body":              resolverText(200, ""),
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
		"resolved.json":               {200, "John Doe", "", "", "ok", false},
		"resolved_flat.json":          {200, "JOHN DOE", "", "", "ok", false},
		"not_found.json":              {404, "", core.NotFound, "No account", "not_found", false},
		"account_closed.json":         {400, "", core.NotFound, "closed or dormant", "not_found", false},
		"account_dormant.json":        {422, "", core.NotFound, "closed or dormant", "not_found", false},
		"route_not_found.json":        {404, "", core.Unavailable, "", "undecided", false},
		"phone_country_mismatch.json": {400, "", core.Unavailable, "", "undecided", false},
		"validation_error.json":       {400, "", core.Unavailable, "", "undecided", false},
		"name_omitted.json":           {200, "", core.Unavailable, "", "undecided", false},
		"another_institution.json":    {200, "", core.Unavailable, "", "undecided", false},
		"two_forms.json":              {200, "", core.Unavailable, "", "malformed", false},
		"data_is_a_list.json":         {200, "", core.Unavailable, "", "malformed", false},
		"server_error.json":           {500, "", core.Unavailable, "", "unavailable", false},
		"invalid_key.json":            {401, "", core.Unavailable, "", "refused", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, world := open(t, saying(t, file(t, c.status, name)))
			holder, err := provider.Resolve(t.Context(), atGTB(john))
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

// TestTheInstitutionOfAnAnswer goes through what an answer may call the institution that was asked for.
func TestTheInstitutionOfAnAnswer(t *testing.T) {
	t.Parallel()
	cbnOnly := bank("NG", "058", core.BankTransfer, map[string]string{"cbn": "058"})
	listed := bank("NG", "058", core.BankTransfer, map[string]string{"cbn": "058", "afriex": "000013"})
	for name, c := range map[string]struct {
		bank core.Bank
		said string
		same bool
	}{
		"its NIP code":                          {gtb(), "000013", true},
		"its CBN code":                          {gtb(), "058", true},
		"with spaces":                           {gtb(), " 000013 ", true},
		"nothing":                               {gtb(), "", true},
		"another's NIP code":                    {gtb(), "000015", false},
		"another's CBN code":                    {gtb(), "057", false},
		"Afriex's own code":                     {listed, "000013", true},
		"another's, where its own code is told": {listed, "000015", false},
		"a NIP code, where none is known":       {cbnOnly, "000013", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, _ := open(t, saying(t, upstreamtest.Text(200, `{"data":{"recipientName":"John Doe","institutionCode":"`+c.said+`"}}`)))
			query := atGTB(john)
			query.Bank = c.bank
			if _, err := provider.Resolve(t.Context(), query); (err == nil) != c.same {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestResolveRequests(t *testing.T) {
	t.Parallel()
	with := func(b core.Bank) core.AccountQuery {
		q := atGTB(john)
		q.Bank = b
		return q
	}
	const nigerian = "accountNumber=0123456789&channel=BANK_ACCOUNT&countryCode=NG&institutionCode="
	for name, c := range map[string]struct {
		query core.AccountQuery
		want  string
	}{
		"Afriex's own code first": {with(bank("NG", "090267", core.BankTransfer, map[string]string{"afriex": "KUDA", "nip": "090267", "cbn": "50211"})), nigerian + "KUDA"},
		"else the NIP code":       {atGTB(john), nigerian + "000013"},
		"else the central bank's": {with(bank("NG", "50211", core.BankTransfer, map[string]string{"cbn": "50211"})), nigerian + "50211"},
		"a wallet":                {atMPESA(akinyi), "accountNumber=254712345678&channel=MOBILE_MONEY&countryCode=KE&institutionCode=SAFARICOM"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			provider, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
				asked++
				if r.Method != http.MethodGet || r.URL.Path != "/api/v1/payment-method/resolve" || r.URL.RawQuery != c.want || r.Header.Get("X-Api-Key") != key.Reveal() {
					t.Errorf("got %s %s with %v", r.Method, r.URL, r.Header)
				}
				return file(t, 404, "not_found.json")(r)
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
				return file(t, 503, "external_request_error.json")(r)
			}
			return file(t, 200, "resolved.json")(r)
		}))
		if holder, err := provider.Resolve(t.Context(), atGTB(john)); err != nil || holder.Reveal() != "John Doe" || n != 2 {
			t.Errorf("got %q, %v after %d calls", holder.Reveal(), err, n)
		}
	})
}

func TestAHangingBankEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider, world := open(t, saying(t, hanging()))
		start := time.Now()
		_, err := provider.Resolve(t.Context(), atGTB(john))
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
		if r.URL.Query().Get("institutionCode") == "000010" {
			return upstreamtest.Text(500, "oops")(r)
		}
		return file(t, 200, "resolved.json")(r)
	}))
	down := atGTB(john)
	down.Bank = bank("NG", "000010", core.BankTransfer, map[string]string{"nip": "000010"})
	for range 12 {
		if _, err := provider.Resolve(t.Context(), down); core.CodeOf(err) != core.Unavailable {
			t.Fatalf("got %v", err)
		}
	}
	if _, err := provider.Resolve(t.Context(), atGTB(john)); err != nil {
		t.Errorf("another bank: %v", err)
	}
	if got := world.Outcomes(t); !slices.Contains(got, "resolve open ×2") {
		t.Errorf("got outcomes %v, want two questions that were not asked", got)
	}
}

func FuzzResolve(f *testing.F) {
	for _, name := range []string{"resolved.json", "resolved_flat.json", "two_forms.json", "not_found.json", "account_closed.json"} {
		f.Add(true, []byte(upstreamtest.Read(f, name)))
		f.Add(false, []byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, fine bool, body []byte) {
		status := http.StatusOK
		if !fine {
			status = http.StatusNotFound
		}
		provider, _ := open(t, saying(t, httpmock.NewBytesResponder(status, body)))
		holder, err := provider.Resolve(t.Context(), atGTB(john))
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
