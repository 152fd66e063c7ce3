package daraja_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
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

const acme core.Private = "666677" // the number of the recorded answers

func payBill(number core.Private) core.AccountQuery {
	return core.AccountQuery{Country: "KE", Currency: "KES", Channel: core.PayBill, Number: number}
}

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

// accounts is a Daraja with one recorded answer for each number.
func accounts(t testing.TB) httpmock.Responder {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		switch question(t, r)["Identifier"] {
		case acme.Reveal():
			return file(t, 200, "resolved.json")(r)
		case "100409":
			return file(t, 200, "organization_closed.json")(r)
		case "100503":
			return file(t, 503, "server_error.json")(r)
		default:
			return file(t, 200, "invalid_identifier.json")(r)
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

// loginOf is a Daraja with a login of one's own.
func loginOf(login func(t testing.TB) httpmock.Responder) func(t *testing.T) ports.AccountResolver {
	return func(t *testing.T) ports.AccountResolver {
		t.Helper()
		provider, _ := open(t, with(t, login(t), file(t, 200, "resolved.json")))
		return provider
	}
}

func TestResolverContract(t *testing.T) {
	t.Parallel()
	at := func(change func(q *core.AccountQuery)) core.AccountQuery {
		q := payBill(acme)
		change(&q)
		return q
	}
	porttest.AccountResolver(t, porttest.Resolver{
		Open: resolver(accounts),
		Found: map[string]porttest.Holder{
			"a pay bill":               {Query: payBill(acme), Name: "Daraja"},
			"a till":                   {Query: at(func(q *core.AccountQuery) { q.Channel = core.Till }), Name: "Daraja"},
			"a till with a bank of KE": {Query: at(func(q *core.AccountQuery) { q.Channel, q.Bank = core.Till, core.Bank{Country: "KE", Code: "MPESA"} }), Name: "Daraja"},
		},
		Unknown:    payBill("100404"),
		Closed:     payBill("100409"),
		CannotTell: map[string]core.AccountQuery{"an outage": payBill("100503")},
		Unsupported: map[string]core.AccountQuery{
			"a wallet":                      at(func(q *core.AccountQuery) { q.Channel = core.MobileMoney }),
			"a bank account":                at(func(q *core.AccountQuery) { q.Channel = core.BankTransfer }),
			"another country":               at(func(q *core.AccountQuery) { q.Country = "TZ" }),
			"a bank of another country":     at(func(q *core.AccountQuery) { q.Bank = core.Bank{Country: "TZ", Code: "MPESA"} }),
			"a bank of no country":          at(func(q *core.AccountQuery) { q.Bank = core.Bank{Code: "MPESA"} }),
			"a channel that nobody invited": at(func(q *core.AccountQuery) { q.Channel = "carrier_pigeon" }),
		},
		Broken: map[string]func(t *testing.T) ports.AccountResolver{
			"a refused login":              loginOf(func(t testing.TB) httpmock.Responder { t.Helper(); return file(t, 400, "login_refused.json") }),
			"a login without a token":      loginOf(func(t testing.TB) httpmock.Responder { t.Helper(); return file(t, 200, "login_without_token.json") }),
			"a login that is a page":       loginOf(func(testing.TB) httpmock.Responder { return upstreamtest.Text(200, "<html>") }),
			"a login that is down":         loginOf(func(testing.TB) httpmock.Responder { return upstreamtest.Text(503, "") }),
			"a login that is not there":    loginOf(func(testing.TB) httpmock.Responder { return upstreamtest.Text(404, "") }),
			"an app without the product":   resolverFile(401, "no_apiproduct.json"),
			"a refused token":              resolverFile(401, "invalid_token.json"),
			"throttled":                    resolverFile(429, "spike_arrest.json"),
			"throttled, 500":               resolverFile(500, "spike_arrest.json"),
			"invalid, 400":                 resolverFile(400, "invalid_identifier.json"),
			"invalid, 404":                 resolverFile(404, "invalid_identifier.json"),
			"invalid, 500":                 resolverFile(500, "invalid_identifier.json"),
			"invalid, 503":                 resolverFile(503, "invalid_identifier.json"),
			"closed, 502":                  resolverFile(502, "organization_closed.json"),
			"invalid, with a name":         resolverFile(200, "invalid_identifier_with_name.json"),
			"another text":                 resolverText(200, `{"ResponseCode":"1","ResponseMessage":"Rejecting the request"}`),
			"a text that only begins so":   resolverText(200, `{"ResponseCode":"1","ResponseMessage":"Invalid Identifier or the system is busy"}`),
			"a code that means something":  resolverFile(200, "success_with_another_code.json"),
			"a code that is a number":      resolverFile(200, "code_is_a_number.json"),
			"no message":                   resolverText(200, `{"ResponseCode":"4000","OrganizationShortCode":"666677","OrganizationName":"Daraja"}`),
			"no name":                      resolverFile(200, "name_missing.json"),
			"an empty name":                resolverFile(200, "name_empty.json"),
			"no number":                    resolverFile(200, "number_missing.json"),
			"another number":               resolverFile(200, "another_number.json"),
			"the gateway's failure, 200":   resolverFile(200, "server_error.json"),
			"an error of theirs":           resolverFile(500, "server_error.json"),
			"a list":                       resolverText(200, `[]`),
			"a page with 200":              resolverText(200, "<html>oops</html>"),
			"truncated":                    resolverText(200, `{"ResponseCode":"4000","ResponseMessage":"Success","Organization`),
			"an empty body":                resolverText(200, ""),
			"a redirect":                   resolverText(302, ""),
			"a name given twice":           resolverText(200, `{"ResponseCode":"4000","ResponseMessage":"Success","OrganizationShortCode":"666677","OrganizationName":"A","OrganizationName":"B"}`),
			"a name with hidden character": resolverText(200, `{"ResponseCode":"4000","ResponseMessage":"Success","OrganizationShortCode":"666677","OrganizationName":"A\u202eB"}`),
			"a lost connection": resolver(func(testing.TB) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Hanging: resolver(func(testing.TB) httpmock.Responder { return hanging() }),
	})
}

// TestAnswers goes through recorded answers: the name or the sentence, and what each counts as for the provider's health.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		holder  core.Private
		code    core.Code
		message string
		outcome string
	}{
		"resolved.json":                     {200, "Daraja", "", "", "ok"},
		"resolved_with_0.json":              {200, "ACME TRADERS LTD", "", "", "ok"},
		"invalid_identifier.json":           {200, "", core.NotFound, "No account", "not_found"},
		"organization_closed.json":          {200, "", core.NotFound, "closed or dormant", "not_found"},
		"organization_dormant.json":         {200, "", core.NotFound, "closed or dormant", "not_found"},
		"invalid_identifier_with_name.json": {200, "", core.Unavailable, "", "undecided"},
		"success_with_another_code.json":    {200, "", core.Unavailable, "", "undecided"},
		"another_number.json":               {200, "", core.Unavailable, "", "undecided"},
		"code_is_a_number.json":             {200, "", core.Unavailable, "", "malformed"},
		"server_error.json":                 {500, "", core.Unavailable, "", "unavailable"},
		"spike_arrest.json":                 {429, "", core.Unavailable, "", "throttled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, world := open(t, saying(t, file(t, c.status, name)))
			holder, err := provider.Resolve(t.Context(), payBill(acme))
			if c.holder.Reveal() != holder.Reveal() || core.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.message) {
				t.Errorf("got %q, %v; want %q, %s %q", holder.Reveal(), err, c.holder.Reveal(), c.code, c.message)
			}
			wantOutcomes(t, world, "login ok", "resolve "+c.outcome)
		})
	}
}

func TestResolveRequests(t *testing.T) {
	t.Parallel()
	for channel, kind := range map[core.Channel]string{core.PayBill: "4", core.Till: "2"} {
		t.Run(string(channel), func(t *testing.T) {
			t.Parallel()
			asked := 0
			provider, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
				asked++
				want := map[string]string{"IdentifierType": kind, "Identifier": "666677"}
				if got := question(t, r); !maps.Equal(got, want) || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != "Bearer token-1" {
					t.Errorf("got %v with %v, want %v", got, r.Header, want)
				}
				return file(t, 200, "invalid_identifier.json")(r)
			}))
			query := payBill(acme)
			query.Channel = channel
			if _, err := provider.Resolve(t.Context(), query); core.CodeOf(err) != core.NotFound || asked != 1 {
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
			return accounts(t)(r)
		}))
		if holder, err := provider.Resolve(t.Context(), payBill(acme)); err != nil || holder.Reveal() != "Daraja" || n != 2 {
			t.Errorf("got %q, %v after %d calls", holder.Reveal(), err, n)
		}
	})
}

func TestResolver_Timeout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ caller, want time.Duration }{
		"own timeout":          {time.Minute, 20 * time.Second},
		"deadline of a client": {8 * time.Second, 8 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				provider, world := open(t, saying(t, hanging()))
				ctx, cancel := context.WithTimeout(t.Context(), c.caller)
				defer cancel()
				start := time.Now()
				_, err := provider.Resolve(ctx, payBill(acme))
				if took := time.Since(start); core.CodeOf(err) != core.Unavailable || took != c.want {
					t.Errorf("got %v after %s, want %s", err, took, c.want)
				}
				wantOutcomes(t, world, "login ok", "resolve timeout")
			})
		})
	}
}

func TestResolver_TillNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		channel core.Channel
		fixture string
		holder  core.Private
	}{
		{"till of a parent", core.Till, "till_of_parent.json", "Daraja"},
		{"till of a parent as a pay bill", core.PayBill, "till_of_parent.json", ""},
		{"another till of the organization", core.Till, "another_till.json", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			provider, _ := open(t, saying(t, file(t, 200, c.fixture)))
			query := payBill(acme)
			query.Channel = c.channel
			holder, err := provider.Resolve(t.Context(), query)
			if holder.Reveal() != c.holder.Reveal() || (core.CodeOf(err) == core.Unavailable) != (c.holder == "") {
				t.Errorf("got %q, %v; want %q", holder.Reveal(), err, c.holder.Reveal())
			}
		})
	}
}

func FuzzResolve(f *testing.F) {
	for _, name := range []string{"resolved.json", "resolved_with_0.json", "invalid_identifier.json", "invalid_identifier_with_name.json", "server_error.json"} {
		f.Add(true, []byte(upstreamtest.Read(f, name)))
		f.Add(false, []byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, fine bool, body []byte) {
		status := http.StatusOK
		if !fine {
			status = http.StatusBadRequest
		}
		provider, _ := open(t, saying(t, httpmock.NewBytesResponder(status, body)))
		holder, err := provider.Resolve(t.Context(), payBill(acme))
		switch core.CodeOf(err) {
		case "":
			name := holder.Reveal()
			if !fine || name == "" || strings.Join(strings.Fields(name), " ") != name {
				t.Errorf("got the name %q with status %d", name, status)
			}
		case core.NotFound:
			if !fine || holder != "" {
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

func FuzzLogin(f *testing.F) {
	for _, name := range []string{"login.json", "login_refused.json", "login_without_token.json"} {
		f.Add([]byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		provider, _ := open(t, with(t, httpmock.NewBytesResponder(http.StatusOK, body), file(t, 200, "resolved.json")))
		holder, err := provider.Resolve(t.Context(), payBill(acme))
		if err != nil && (core.CodeOf(err) != core.Unavailable || holder != "") {
			t.Errorf("got %q, %v", holder.Reveal(), err)
		}
	})
}
