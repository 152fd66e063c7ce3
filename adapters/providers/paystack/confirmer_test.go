package paystack_test

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

	"causeway/adapters/providers/paystack"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

const keyZA core.Secret = "sk_test_za_3344556677"

// southern makes the provider with a business in South Africa.
func southern(t testing.TB, transport http.RoundTripper) (*paystack.Provider, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	provider, err := paystack.New(paystack.Config{Keys: map[string]core.Secret{"ZA": keyZA}}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider, world
}

// judging is a Paystack with the recorded lists of South Africa, that answers every claim alike.
func judging(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	mock := upstreamtest.Saying(t, base, listsZA(t))
	mock.RegisterResponder(http.MethodPost, base+"/validate", answer)
	return mock
}

func listsZA(t testing.TB) httpmock.Responder {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		if r.URL.Query().Get("enabled_for_verification") == "true" {
			return file(t, http.StatusOK, "banks_south_africa_validating.json")(r)
		}
		return file(t, http.StatusOK, "banks_south_africa.json")(r)
	}
}

func southAfrican(code string) core.Bank {
	return core.Bank{Code: code, Country: "ZA", Channels: []core.Channel{core.BankTransfer}}
}

// atAbsa claims that the holder of an identity number has an account at Absa.
func atAbsa(number, identity core.Private) porttest.Claim {
	query := core.AccountQuery{Country: "ZA", Currency: "ZAR", Channel: core.BankTransfer, Bank: southAfrican("632005"), Number: number}
	document := core.Document{Type: core.IdentityNumber, Number: identity}
	return porttest.Claim{Query: query, Holder: core.HolderClaim{Name: "Ann Bron", Document: document}}
}

// The account and the identity number of the recorded responses.
const (
	ann      core.Private = "0123456789"
	identity core.Private = "8001015009087"
)

// claimed is the body of a POST.
func claimed(t testing.TB, r *http.Request) map[string]string {
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

// claims is a Paystack with one recorded response for each account and document.
func claims(t testing.TB) httpmock.Responder {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		q := claimed(t, r)
		switch {
		case q["account_number"] == "0000000404":
			return file(t, 400, "validated_unknown.json")(r)
		case q["account_number"] == "0000000409":
			return file(t, 200, "validated_not_open.json")(r)
		case q["account_number"] == "0000000503":
			return file(t, 200, "not_verified.json")(r)
		case q["document_number"] == "":
			return file(t, 400, "document_number_required.json")(r)
		case q["document_number"] == identity.Reveal():
			return file(t, 200, "validated.json")(r)
		default:
			return file(t, 200, "validated_no_match.json")(r)
		}
	}
}

func confirmer(answer func(t testing.TB) httpmock.Responder) func(t *testing.T) ports.AccountConfirmer {
	return func(t *testing.T) ports.AccountConfirmer {
		t.Helper()
		provider, _ := southern(t, judging(t, answer(t)))
		return provider
	}
}

func confirmerText(status int, body string) func(t *testing.T) ports.AccountConfirmer {
	return confirmer(func(testing.TB) httpmock.Responder { return upstreamtest.Text(status, body) })
}

func confirmerFile(status int, name string) func(t *testing.T) ports.AccountConfirmer {
	return confirmer(func(t testing.TB) httpmock.Responder { t.Helper(); return file(t, status, name) })
}

func TestConfirmerContract(t *testing.T) {
	t.Parallel()
	at := func(change func(q *core.AccountQuery)) porttest.Claim {
		c := atAbsa(ann, identity)
		change(&c.Query)
		return c
	}
	porttest.AccountConfirmer(t, porttest.Confirmer{
		Open:      confirmer(claims),
		Matching:  map[string]porttest.Claim{"a person": atAbsa(ann, identity)},
		Different: map[string]porttest.Claim{"another person": atAbsa(ann, "9001015009086")},
		Unknown:   atAbsa("0000000404", identity), Closed: atAbsa("0000000409", identity),
		CannotTell: map[string]porttest.Claim{"an account that could not be verified": atAbsa("0000000503", identity)},
		Unsupported: map[string]porttest.Claim{
			"a wallet":                      at(func(q *core.AccountQuery) { q.Channel = core.MobileMoney }),
			"no bank":                       at(func(q *core.AccountQuery) { q.Bank = core.Bank{} }),
			"a bank without a code":         at(func(q *core.AccountQuery) { q.Bank.Code = "" }),
			"a bank of another country":     at(func(q *core.AccountQuery) { q.Bank.Country = "NG" }),
			"another country":               at(func(q *core.AccountQuery) { q.Country, q.Bank.Country = "NG", "NG" }),
			"a bank without bank transfers": at(func(q *core.AccountQuery) { q.Bank.Channels = nil }),
		},
		Broken: map[string]func(t *testing.T) ports.AccountConfirmer{
			"an invalid key":                 confirmerFile(401, "invalid_key.json"),
			"throttled":                      confirmerText(429, "Too many requests"),
			"the cap of the test mode":       confirmerFile(400, "test_mode_cap.json"),
			"a document that is insisted on": confirmerFile(400, "document_number_required.json"),
			"a bank that takes no part":      confirmerText(400, `{"status":false,"message":"Bank is not supported"}`),
			"not verified":                   confirmerFile(200, "not_verified.json"),
			"verified, without flags":        confirmerFile(200, "verified_without_flags.json"),
			"a match that is a text":         confirmerFile(200, "match_is_a_text.json"),
			"a match that is null":           confirmerFile(200, "match_is_null.json"),
			"a match with status false":      confirmerText(200, `{"status":false,"message":"?","data":{"verified":true,"accountHolderMatch":true,"accountOpen":true}}`),
			"a match with 500":               confirmerFile(500, "validated.json"),
			"invalid number, 500":            confirmerFile(500, "validated_unknown.json"),
			"invalid number, 422":            confirmerFile(422, "validated_unknown.json"),
			"closed, 503":                    confirmerFile(503, "validated_not_open.json"),
			"an account":                     confirmerFile(200, "resolved.json"),
			"no data":                        confirmerText(200, `{"status":true,"message":"Personal Account Verification attempted"}`),
			"data that is null":              confirmerText(200, `{"status":true,"data":null}`),
			"data that is a list":            confirmerFile(200, "data_is_a_list.json"),
			"entity not found":               confirmerFile(404, "entity_not_found.json"),
			"a page with 200":                confirmerText(200, "<html>oops</html>"),
			"truncated":                      confirmerText(200, `{"status":true,"data":{"verified":true,"accountHol`),
			"an empty body":                  confirmerText(200, ""),
			"an outage in plain text":        confirmerText(500, "oops"),
			"a redirect":                     confirmerText(302, ""),
			"a lost connection": confirmer(func(testing.TB) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Hanging: confirmer(func(testing.TB) httpmock.Responder { return hanging() }),
	})
}

func TestVerdictsCount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		match   core.NameMatch
		code    core.Code
		message string
		outcome string
	}{
		"validated.json":                {200, core.Match, "", "", "ok"},
		"validated_no_match.json":       {200, core.NoMatch, "", "", "ok"},
		"validated_mismatch.json":       {200, core.NoMatch, "", "", "ok"},
		"validated_unknown.json":        {400, "", core.NotFound, "No account", "not_found"},
		"validated_not_open.json":       {200, "", core.NotFound, "closed or dormant", "not_found"},
		"invalid_account_number.json":   {400, "", core.NotFound, "No account", "not_found"},
		"not_verified.json":             {200, "", core.Unavailable, "", "undecided"},
		"verified_without_flags.json":   {200, "", core.Unavailable, "", "undecided"},
		"document_number_required.json": {400, "", core.Unavailable, "", "undecided"},
		"match_is_a_text.json":          {200, "", core.Unavailable, "", "malformed"},
		"invalid_key.json":              {401, "", core.Unavailable, "", "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, world := southern(t, judging(t, file(t, c.status, name)))
			claim := atAbsa(ann, identity)
			got, err := provider.Confirm(t.Context(), claim.Query, claim.Holder)
			if got != c.match || core.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.message) {
				t.Errorf("got %q, %v; want %q, %s %q", got, err, c.match, c.code, c.message)
			}
			wantOutcomes(t, world, "validate "+c.outcome)
		})
	}
}

// TestWhichBanksTakePart asks about a bank that does and one that does not, before and after
// Paystack has told.
func TestWhichBanksTakePart(t *testing.T) {
	t.Parallel()
	provider, world := southern(t, judging(t, claims(t)))
	takes := func(code string) bool { return provider.Confirms("ZA", core.BankTransfer, southAfrican(code)) }
	if !takes("632005") || !takes("470010") {
		t.Error("before it was told, one of the banks cannot be asked about")
	}
	banks, err := provider.Banks(t.Context(), "ZA")
	if err != nil || len(banks) != 2 {
		t.Fatalf("got %v, %v", banks, err)
	}
	if !takes("632005") || takes("470010") {
		t.Error("the bank that takes part cannot be asked about, or the other one can")
	}
	other := southAfrican("470010")
	other.Codes = map[string]string{"paystack": "632005"}
	if !provider.Confirms("ZA", core.BankTransfer, other) {
		t.Error("Paystack's own code does not count")
	}
	wantOutcomes(t, world, "banks ok ×2")
}

// TestHalfOfTheListsIsNone keeps to what was told last, when the second list fails.
func TestHalfOfTheListsIsNone(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]httpmock.Responder{"an outage": upstreamtest.Text(500, "oops"), "nobody": file(t, 200, "banks_none.json")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			down := false
			mock := upstreamtest.Saying(t, base, func(r *http.Request) (*http.Response, error) {
				if down && r.URL.Query().Has("enabled_for_verification") {
					return answer(r)
				}
				return listsZA(t)(r)
			})
			provider, _ := southern(t, mock)
			if _, err := provider.Banks(t.Context(), "ZA"); err != nil {
				t.Fatal(err)
			}
			down = true
			if banks, err := provider.Banks(t.Context(), "ZA"); core.CodeOf(err) != core.Unavailable || len(banks) != 0 {
				t.Errorf("got %v, %v", banks, err)
			}
			if provider.Confirms("ZA", core.BankTransfer, southAfrican("470010")) || !provider.Confirms("ZA", core.BankTransfer, southAfrican("632005")) {
				t.Error("what was told before is forgotten")
			}
		})
	}
}

func TestConfirmRequests(t *testing.T) {
	t.Parallel()
	for kind, want := range map[core.DocumentType]struct{ account, document string }{
		core.IdentityNumber:             {"personal", "identityNumber"},
		core.PassportNumber:             {"personal", "passportNumber"},
		core.BusinessRegistrationNumber: {"business", "businessRegistrationNumber"},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			calls := 0
			provider, _ := southern(t, judging(t, func(r *http.Request) (*http.Response, error) {
				calls++
				want := map[string]string{
					"bank_code": "632005", "country_code": "ZA", "account_number": "0123456789", "account_name": "Ann Bron",
					"account_type": want.account, "document_type": want.document, "document_number": identity.Reveal(),
				}
				if got := claimed(t, r); !maps.Equal(got, want) || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != "Bearer "+keyZA.Reveal() {
					t.Errorf("got %v with %v, want %v", got, r.Header, want)
				}
				return file(t, 200, "validated.json")(r)
			}))
			claim := atAbsa(ann, identity)
			claim.Holder.Document.Type = kind
			if _, err := provider.Confirm(t.Context(), claim.Query, claim.Holder); err != nil || calls != 1 {
				t.Errorf("got %v after %d calls", err, calls)
			}
		})
	}
}

func TestConfirm_NoDocument(t *testing.T) {
	t.Parallel()
	provider, world := southern(t, judging(t, claims(t)))
	claim := atAbsa(ann, "")
	if got, err := provider.Confirm(t.Context(), claim.Query, claim.Holder); core.CodeOf(err) != core.Unsupported || got != "" {
		t.Errorf("got %q, %v", got, err)
	}
	wantOutcomes(t, world)
}

func TestAHangingValidationEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider, world := southern(t, judging(t, hanging()))
		start := time.Now()
		claim := atAbsa(ann, identity)
		_, err := provider.Confirm(t.Context(), claim.Query, claim.Holder)
		if took := time.Since(start); core.CodeOf(err) != core.Unavailable || took != 4*time.Second {
			t.Errorf("got %v after %s", err, took)
		}
		wantOutcomes(t, world, "validate timeout")
	})
}

// TestNoClaimComesOut plants a name, an account number and a key in what Paystack says, and looks
// for them in everything that comes out.
func TestNoClaimComesOut(t *testing.T) {
	t.Parallel()
	planted := ann.Reveal() + "PLANTED ANN" + identity.Reveal() + keyZA.Reveal()
	for what, answer := range map[string]httpmock.Responder{
		"a match":           upstreamtest.Text(200, `{"status":true,"message":"`+planted+`","data":{"verified":true,"verificationMessage":"`+planted+`","accountHolderMatch":true,"accountOpen":true}}`),
		"not verified":      upstreamtest.Text(200, `{"status":true,"data":{"verified":false,"verificationMessage":"`+planted+`","accountHolderMatch":false,"accountOpen":false}}`),
		"a refusal":         upstreamtest.Text(400, `{"status":false,"message":"`+planted+`"}`),
		"flags as texts":    upstreamtest.Text(200, `{"status":true,"data":{"verified":"`+planted+`"}}`),
		"an outage":         upstreamtest.Text(500, planted),
		"a page":            upstreamtest.Text(200, "<html>"+planted),
		"a lost connection": httpmock.NewErrorResponder(http.ErrServerClosed),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			provider, world := southern(t, judging(t, answer))
			claim := atAbsa(ann, identity)
			claim.Holder.Name = "PLANTED ANN"
			_, err := provider.Confirm(t.Context(), claim.Query, claim.Holder)
			out := world.Printed(t)
			if err != nil {
				out += err.Error()
			}
			for _, private := range []string{ann.Reveal(), identity.Reveal(), "PLANTED", "sk_test"} {
				if strings.Contains(out, private) {
					t.Errorf("%s came out: %s", private, out)
				}
			}
		})
	}
}

func FuzzConfirm(f *testing.F) {
	for _, name := range []string{"validated.json", "validated_no_match.json", "validated_not_open.json", "not_verified.json", "validated_unknown.json", "validated_mismatch.json", "match_is_null.json"} {
		f.Add(true, []byte(upstreamtest.Read(f, name)))
		f.Add(false, []byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, fine bool, body []byte) {
		status := http.StatusOK
		if !fine {
			status = http.StatusBadRequest
		}
		provider, _ := southern(t, judging(t, httpmock.NewBytesResponder(status, body)))
		claim := atAbsa(ann, identity)
		got, err := provider.Confirm(t.Context(), claim.Query, claim.Holder)
		switch core.CodeOf(err) {
		case "":
			if !fine || !slices.Contains([]core.NameMatch{core.Match, core.NoMatch}, got) {
				t.Errorf("got %q with status %d", got, status)
			}
		case core.NotFound, core.Unavailable:
			if got != "" {
				t.Errorf("got %q beside %v", got, err)
			}
		default:
			t.Errorf("got %v", err)
		}
	})
}
