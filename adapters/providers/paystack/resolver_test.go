package paystack_test

import (
	"errors"
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

func gtb() core.Bank {
	return core.Bank{
		Code: "000013", Name: "Guaranty Trust Bank", Country: "NG", Channels: []core.Channel{core.BankTransfer},
		Codes: map[string]string{"cbn": "058", "swift": "GTBINGLA"},
	}
}

func ghanaian(code string, channel core.Channel) core.Bank {
	return core.Bank{Code: code, Country: "GH", Channels: []core.Channel{channel}}
}

// atGTB asks about an account at Guaranty Trust Bank.
func atGTB(number core.Private) core.AccountQuery {
	return core.AccountQuery{Country: "NG", Currency: "NGN", Channel: core.BankTransfer, Bank: gtb(), Number: number}
}

const jane core.Private = "0123456789" // the account of the recorded answers

// accounts is a Paystack with one recorded answer for each account number.
func accounts(t *testing.T) httpmock.Responder {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		switch r.URL.Query().Get("account_number") {
		case "0123456789":
			return file(t, 200, "resolved.json")(r)
		case "0241234567":
			return file(t, 200, "wallet_in_international_form.json")(r)
		case "0000000409":
			return file(t, 422, "account_closed.json")(r)
		case "0000000503":
			return upstreamtest.Text(500, "oops")(r)
		default:
			return file(t, 422, "could_not_resolve.json")(r)
		}
	}
}

func resolver(answer func(t *testing.T) httpmock.Responder) func(t *testing.T) ports.AccountResolver {
	return func(t *testing.T) ports.AccountResolver {
		t.Helper()
		provider, _ := open(t, saying(t, answer(t)))
		return provider
	}
}

func resolverText(status int, body string) func(t *testing.T) ports.AccountResolver {
	return resolver(func(*testing.T) httpmock.Responder { return upstreamtest.Text(status, body) })
}

func resolverFile(status int, name string) func(t *testing.T) ports.AccountResolver {
	return resolver(func(t *testing.T) httpmock.Responder { t.Helper(); return file(t, status, name) })
}

func TestResolverContract(t *testing.T) {
	t.Parallel()
	wallet := core.AccountQuery{
		Country: "GH", Currency: "GHS", Channel: core.MobileMoney,
		Bank: ghanaian("MTN", core.MobileMoney), Number: "+233241234567",
	}
	till := atGTB(jane)
	till.Channel = core.Till
	nipOnly := atGTB(jane)
	nipOnly.Bank = core.Bank{Code: "090999", Country: "NG", Channels: []core.Channel{core.BankTransfer}}
	noBank := atGTB(jane)
	noBank.Bank = core.Bank{}
	kenyan := core.AccountQuery{
		Country: "KE", Currency: "KES", Channel: core.MobileMoney,
		Bank: core.Bank{Code: "MPESA", Country: "KE", Channels: []core.Channel{core.MobileMoney}}, Number: "+254712345678",
	}
	porttest.AccountResolver(t, porttest.Resolver{
		Open: resolver(accounts),
		Found: map[string]porttest.Holder{
			"a bank account": {Query: atGTB(jane), Name: "DOE JANE LOREN"},
			"a wallet":       {Query: wallet, Name: "KWAME MENSAH"},
		},
		Unknown:    atGTB("0000000404"),
		Closed:     atGTB("0000000409"),
		CannotTell: map[string]core.AccountQuery{"an outage of one bank": atGTB("0000000503")},
		Unsupported: map[string]core.AccountQuery{
			"a till": till, "a bank with a NIP code alone": nipOnly, "no bank": noBank, "a country without resolution": kenyan,
		},
		Broken: map[string]func(t *testing.T) ports.AccountResolver{
			"an invalid key":                    resolverFile(401, "invalid_key.json"),
			"a missing key":                     resolverFile(401, "no_authorization_header.json"),
			"the cap of the test mode":          resolverFile(429, "test_mode_cap.json"),
			"the same cap as 400":               resolverFile(400, "test_mode_cap.json"),
			"throttled":                         resolverText(429, "Too many requests"),
			"an unknown bank code":              resolverFile(400, "unknown_bank_code.json"),
			"entity not found":                  resolverFile(404, "entity_not_found.json"),
			"invalid bank code, 422":            resolverFile(422, "invalid_bank_code.json"),
			"invalid bank code, 400":            resolverFile(400, "invalid_bank_code.json"),
			"could not resolve, 400, theirs":    resolverFile(400, "could_not_resolve_processor_error.json"),
			"could not resolve, 404":            resolverFile(404, "could_not_resolve.json"),
			"could not resolve, 500":            resolverFile(500, "could_not_resolve.json"),
			"could not resolve, 503":            resolverFile(503, "could_not_resolve.json"),
			"could not resolve, 200":            resolverFile(200, "could_not_resolve.json"),
			"could not resolve, the bank's end": resolverFile(422, "could_not_resolve_processor_error.json"),
			"invalid number, 500":               resolverFile(500, "invalid_account_number.json"),
			"closed, 502":                       resolverFile(502, "account_closed.json"),
			"an unknown text":                   resolverText(422, `{"status":false,"message":"Switch or issuer inoperative"}`),
			"a text that only begins so":        resolverText(422, `{"status":false,"message":"Invalid account number or the bank is down"}`),
			"422 in HTML":                       resolverText(422, "<html>Invalid account number</html>"),
			"422 without a body":                resolverText(422, ""),
			"a refusal with status true":        resolverText(422, `{"status":true,"message":"Invalid account number"}`),
			"status as text":                    resolverText(422, `{"status":"false","message":"Invalid account number"}`),
			"an empty name":                     resolverFile(200, "name_empty.json"),
			"a blank name":                      resolverFile(200, "name_blank.json"),
			"a null name":                       resolverFile(200, "name_null.json"),
			"a missing name":                    resolverFile(200, "name_missing.json"),
			"a placeholder for a name":          resolverFile(200, "name_placeholder.json"),
			"a name without letters":            resolverFile(200, "name_without_letters.json"),
			"a name that is a number":           resolverFile(200, "name_is_a_number.json"),
			"a name too long to be one":         resolverFile(200, "name_too_long.json"),
			"control characters":                resolverFile(200, "name_with_control_characters.json"),
			"a direction override":              resolverFile(200, "name_with_direction_override.json"),
			"another account":                   resolverFile(200, "another_account.json"),
			"data that is a list":               resolverFile(200, "data_is_a_list.json"),
			"no data":                           resolverFile(200, "data_missing.json"),
			"a page with 200":                   resolverText(200, "<html>oops</html>"),
			"truncated":                         resolverText(200, `{"status":true,"data":{"account_number":"0123456789","account_name":"DOE`),
			"an empty body":                     resolverText(200, ""),
			"created":                           resolverText(201, ""),
			"an outage in plain text":           resolverText(500, "oops"),
			"a redirect":                        resolverText(302, ""),
			"a lost connection": resolver(func(*testing.T) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Hanging: resolver(func(*testing.T) httpmock.Responder { return hanging() }),
	})
}

// TestAnswers goes through the answers that settle the question, and what they count as.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		holder  core.Private
		message string // part of NotFound's
		outcome string
		absence core.Absence
	}{
		"resolved.json":                 {200, "DOE JANE LOREN", "", "resolve ok", ""},
		"resolved_without_bank_id.json": {200, "DOE JANE LOREN", "", "resolve ok", ""},
		"name_with_spaces.json":         {200, "John Madakin", "", "resolve ok", ""},
		"name_with_accents.json":        {200, "N'GUESSAN-KOUAMÉ, Ọlá & SONS LTD", "", "resolve ok", ""},
		"could_not_resolve.json":        {422, "", "No account", "resolve not_found", ""},
		"could_not_resolve_bare.json":   {422, "", "No account", "resolve not_found", core.DoubtfulNone},
		"invalid_account_number.json":   {400, "", "No account", "resolve not_found", ""},
		"account_closed.json":           {422, "", "closed or dormant", "resolve not_found", core.ClosedAccount},
		"account_dormant.json":          {400, "", "closed or dormant", "resolve not_found", core.ClosedAccount},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, world := open(t, saying(t, file(t, c.status, name)))
			holder, err := provider.Resolve(t.Context(), atGTB(jane))
			if c.holder.Reveal() != holder.Reveal() {
				t.Errorf("got %q, want %q", holder.Reveal(), c.holder.Reveal())
			}
			if c.message != "" && (core.CodeOf(err) != core.NotFound || !strings.Contains(err.Error(), c.message)) {
				t.Errorf("got %v, want not found: %s", err, c.message)
			}
			if e, ok := errors.AsType[*core.Error](err); ok && e.Absence != c.absence {
				t.Errorf("got the absence %q, want %q", e.Absence, c.absence)
			}
			wantOutcomes(t, world, c.outcome)
		})
	}
	for what, c := range map[string]struct {
		status  int
		name    string
		absence core.Absence
	}{
		"an invalid number with 200":                   {200, "invalid_account_number.json", ""},
		"what could not be resolved with 400":          {400, "could_not_resolve.json", ""},
		"what could not be resolved with 400, untyped": {400, "could_not_resolve_bare.json", core.DoubtfulNone},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			provider, _ := open(t, saying(t, file(t, c.status, c.name)))
			_, err := provider.Resolve(t.Context(), atGTB(jane))
			if e, ok := errors.AsType[*core.Error](err); !ok || e.Code != core.NotFound || e.Absence != c.absence {
				t.Errorf("got %v, want not found with the absence %q", err, c.absence)
			}
		})
	}
}

// TestDoubtsCount checks that doubts about one account never count against the provider's health, and outages do.
func TestDoubtsCount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		outcome string
		alert   bool
	}{
		"name_empty.json":                        {200, "resolve undecided", false},
		"another_account.json":                   {200, "resolve undecided", false},
		"unknown_bank_code.json":                 {400, "resolve undecided", false},
		"invalid_bank_code.json":                 {422, "resolve undecided", false},
		"could_not_resolve_processor_error.json": {422, "resolve undecided", false},
		"entity_not_found.json":                  {404, "resolve undecided", false},
		"could_not_resolve.json":                 {500, "resolve unavailable", false},
		"data_is_a_list.json":                    {200, "resolve malformed", false},
		"test_mode_cap.json":                     {429, "resolve refused", true},
		"invalid_key.json":                       {401, "resolve refused", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, world := open(t, saying(t, file(t, c.status, name)))
			if _, err := provider.Resolve(t.Context(), atGTB(jane)); core.CodeOf(err) != core.Unavailable {
				t.Errorf("got %v", err)
			}
			wantOutcomes(t, world, c.outcome)
			if got := strings.Contains(world.Printed(t), `"level":"error"`); got != c.alert {
				t.Errorf("alert: got %v, want %v", got, c.alert)
			}
		})
	}
}

func TestResolveRequests(t *testing.T) {
	t.Parallel()
	nigerian := func(code string, codes map[string]string) core.Bank {
		return core.Bank{Code: code, Country: "NG", Codes: codes, Channels: []core.Channel{core.BankTransfer}}
	}
	for name, c := range map[string]struct {
		country string
		channel core.Channel
		bank    core.Bank
		number  core.Private
		query   string
		key     core.Secret
	}{
		"Paystack's own code first": {"NG", core.BankTransfer, nigerian("090267", map[string]string{"paystack": "50211", "cbn": "50211X"}), jane, "account_number=0123456789&bank_code=50211", keyNG},
		"else the CBN's":            {"NG", core.BankTransfer, gtb(), jane, "account_number=0123456789&bank_code=058", keyNG},
		"else its own, if not NIP":  {"NG", core.BankTransfer, nigerian("FC40163", nil), jane, "account_number=0123456789&bank_code=FC40163", keyNG},
		"the simulated bank":        {"NG", core.BankTransfer, nigerian("001", nil), "0000000404", "account_number=0000000404&bank_code=001", keyNG},
		"a wallet as an account":    {"NG", core.MobileMoney, gtb(), jane, "account_number=0123456789&bank_code=058", keyNG},
		"a wallet by phone":         {"NG", core.MobileMoney, nigerian("100004", map[string]string{"cbn": "999992"}), "+2348031234567", "account_number=8031234567&bank_code=999992", keyNG},
		"a bank in Ghana":           {"GH", core.BankTransfer, ghanaian("030100", core.BankTransfer), "0031625807099", "account_number=0031625807099&bank_code=030100", keyGH},
		"a wallet in Ghana":         {"GH", core.MobileMoney, ghanaian("MTN", core.MobileMoney), "+233241234567", "account_number=0241234567&bank_code=MTN", keyGH},
		"the simulated operator":    {"GH", core.MobileMoney, ghanaian("SIM", core.MobileMoney), "+233240000200", "account_number=0240000200&bank_code=SIM", keyGH},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			provider, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
				asked++
				if r.URL.Path != "/bank/resolve" || r.URL.RawQuery != c.query || r.Header.Get("Authorization") != "Bearer "+c.key.Reveal() {
					t.Errorf("got %s?%s with %s, want %s", r.URL.Path, r.URL.RawQuery, r.Header.Get("Authorization"), c.query)
				}
				return file(t, 422, "could_not_resolve.json")(r)
			}))
			if !provider.Resolves(c.country, c.channel, c.bank) {
				t.Error("says that it cannot be asked")
			}
			_, err := provider.Resolve(t.Context(), core.AccountQuery{Country: c.country, Channel: c.channel, Bank: c.bank, Number: c.number})
			if core.CodeOf(err) != core.NotFound || asked != 1 {
				t.Errorf("got %v after %d calls", err, asked)
			}
		})
	}
}

func TestCannotBeAsked(t *testing.T) {
	t.Parallel()
	provider, _ := open(t, httpmock.NewMockTransport())
	for name, c := range map[string]struct {
		country string
		channel core.Channel
		bank    core.Bank
	}{
		"a bank as a wallet in Ghana": {"GH", core.MobileMoney, ghanaian("030100", core.BankTransfer)},
		"a wallet as a bank in Ghana": {"GH", core.BankTransfer, ghanaian("MTN", core.MobileMoney)},
		"a bank of another country":   {"NG", core.BankTransfer, ghanaian("030100", core.BankTransfer)},
		"a country without a key":     {"ZA", core.BankTransfer, core.Bank{Code: "250655", Country: "ZA", Channels: []core.Channel{core.BankTransfer}}},
		"Kenya":                       {"KE", core.BankTransfer, core.Bank{Code: "01", Country: "KE", Channels: []core.Channel{core.BankTransfer}}},
		"a pay bill":                  {"NG", core.PayBill, gtb()},
		"a channel of tomorrow":       {"NG", "carrier_pigeon", gtb()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if provider.Resolves(c.country, c.channel, c.bank) {
				t.Error("says that it can be asked")
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
		if holder, err := provider.Resolve(t.Context(), atGTB(jane)); err != nil || holder.Reveal() != "DOE JANE LOREN" || n != 2 {
			t.Errorf("got %q, %v after %d calls", holder.Reveal(), err, n)
		}
	})
}

func TestAHangingBankEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider, world := open(t, saying(t, hanging()))
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
	provider, world := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
		if r.URL.Query().Get("bank_code") == "050" {
			return upstreamtest.Text(500, "oops")(r)
		}
		return file(t, 200, "resolved.json")(r)
	}))
	down := atGTB(jane)
	down.Bank = core.Bank{Code: "000010", Country: "NG", Codes: map[string]string{"cbn": "050"}}
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
	for _, name := range []string{
		"resolved.json", "name_with_accents.json", "name_with_control_characters.json", "another_account.json", "data_is_a_list.json",
		"could_not_resolve.json", "account_closed.json", "test_mode_cap.json",
	} {
		f.Add(true, []byte(upstreamtest.Read(f, name)))
		f.Add(false, []byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, fine bool, body []byte) {
		status := http.StatusOK
		if !fine {
			status = http.StatusUnprocessableEntity
		}
		provider, _ := open(t, saying(t, httpmock.NewBytesResponder(status, body)))
		holder, err := provider.Resolve(t.Context(), atGTB(jane))
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
