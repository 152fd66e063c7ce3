package mtnmomo_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/mtnmomo"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator"
	simulated "causeway/simulator/wire/mtnmomo"
	"causeway/simulator/wire/wiretest"
)

const (
	base   = "https://proxy.momoapi.mtn.com/disbursement"
	number = "256772123456"
	keys   = "PLANTEDSUBSCRIPTION:user:PLANTEDKEY"
)

func wallet(country, digits string) core.AccountQuery {
	return core.AccountQuery{
		Country: country, Channel: core.MobileMoney, Number: core.Private("+" + digits),
		Bank: core.Bank{Country: country, Code: "MTN", Type: core.MobileMoneyBank},
	}
}

func open(t testing.TB, cfg mtnmomo.Config, transport http.RoundTripper) (*mtnmomo.Provider, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.OpenAt(t, transport, upstreamtest.Noon)
	p, err := mtnmomo.New(cfg, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return p, world
}

// transport responds to logins and to requests about the number.
func transport(t testing.TB, login, holder httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	mock := httpmock.NewMockTransport()
	mock.RegisterResponder(http.MethodPost, base+"/token/", login)
	mock.RegisterResponder(http.MethodGet, base+"/v1_0/accountholder/msisdn/"+number+"/basicuserinfo", holder)
	return mock
}

func file(t testing.TB, name string) httpmock.Responder {
	t.Helper()
	return upstreamtest.Text(http.StatusOK, upstreamtest.Read(t, name))
}

func uganda() mtnmomo.Config { return mtnmomo.Config{Keys: map[string]core.Secret{"UG": keys}} }

func TestResolver(t *testing.T) {
	t.Parallel()
	good, none := upstreamtest.Read(t, "resolved.json"), upstreamtest.Read(t, "not_found.json")
	for name, c := range map[string]struct {
		status  int
		body    string
		want    core.Private
		absence string // in the message of NotFound; empty without a name: Unavailable
		outcome string
	}{
		"found":                    {200, good, "Sand Box", "", "ok"},
		"padded names":             {200, `{"given_name":"  Najja ","family_name":" A  B"}`, "Najja A B", "", "ok"},
		"blank family name":        {200, `{"given_name":"Najja","family_name":""}`, "Najja", "", "ok"},
		"no account":               {404, none, "", "may exist", "not_found"},
		"inactive account":         {404, upstreamtest.Read(t, "not_active.json"), "", "closed", "not_found"},
		"no resource":              {404, upstreamtest.Read(t, "resource_not_found.json"), "", "may exist", "not_found"},
		"no account with 200":      {200, none, "", "", "undecided"},
		"no account with 500":      {500, none, "", "", "unavailable"},
		"no account with 403":      {403, none, "", "", "refused"},
		"code beside a name":       {200, `{"code":"X","given_name":"A","family_name":"B"}`, "", "", "undecided"},
		"environment not allowed":  {500, upstreamtest.Read(t, "environment.json"), "", "", "unavailable"},
		"404 of the gateway":       {404, `{"statusCode":404,"message":"Resource not found"}`, "", "", "undecided"},
		"404 with a page":          {404, "<html>", "", "", "undecided"},
		"404 without a body":       {404, "", "", "", "undecided"},
		"unknown code":             {400, `{"code":"X"}`, "", "", "undecided"},
		"code that is a number":    {404, `{"code":404}`, "", "", "undecided"},
		"no family name":           {200, `{"given_name":"A"}`, "", "", "undecided"},
		"null given name":          {200, `{"given_name":null,"family_name":"A"}`, "", "", "undecided"},
		"blank names":              {200, `{"given_name":" ","family_name":""}`, "", "", "undecided"},
		"name with control":        {200, `{"given_name":"A\u202e","family_name":"B"}`, "", "", "undecided"},
		"name given twice":         {200, `{"given_name":"A","given_name":"B","family_name":"C"}`, "", "", "malformed"},
		"name that is a number":    {200, `{"given_name":1,"family_name":"C"}`, "", "", "malformed"},
		"list":                     {200, "[]", "", "", "malformed"},
		"page":                     {200, "<html>", "", "", "malformed"},
		"empty body":               {200, "", "", "", "malformed"},
		"truncated":                {200, good[:len(good)/2], "", "", "malformed"},
		"oversized":                {200, good + strings.Repeat(" ", 4<<20), "", "", "malformed"},
		"redirect":                 {302, good, "", "", "unavailable"},
		"throttled":                {429, good, "", "", "throttled"},
		"rejected subscription":    {401, good, "", "", "refused"},
		"rejected address":         {403, good, "", "", "refused"},
		"found, but unavailable":   {503, good, "", "", "unavailable"},
		"two documents":            {200, good + good, "", "", "malformed"},
		"not found in the message": {404, `{"message":"ACCOUNTHOLDER_NOT_FOUND"}`, "", "", "undecided"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code := core.Unavailable
			if c.want != "" {
				code = ""
			} else if c.absence != "" {
				code = core.NotFound
			}
			p, world := open(t, uganda(), transport(t, file(t, "login.json"), upstreamtest.Text(c.status, c.body)))
			holder, err := p.Resolve(t.Context(), wallet("UG", number))
			if holder != c.want || core.CodeOf(err) != code || err != nil && !strings.Contains(err.Error(), c.absence) {
				t.Errorf("got %q, %v; want %q, %s %s", holder.Reveal(), err, c.want.Reveal(), code, c.absence)
			}
			if got := world.Outcomes(t); !slices.Equal(got, []string{"login ok", "resolve " + c.outcome}) {
				t.Errorf("got outcomes %v, want resolve %s", got, c.outcome)
			}
			if printed := world.Printed(t); strings.Contains(printed, number) || strings.Contains(printed, "PLANTED") {
				t.Errorf("a number or a key is in the logs or metrics: %s", printed)
			}
		})
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		login httpmock.Responder
		code  core.Code
	}{
		"accepted":         {file(t, "login.json"), ""},
		"no lifetime":      {upstreamtest.Text(200, `{"access_token":"a"}`), ""},
		"rejected":         {upstreamtest.Text(401, `{"error":"login_failed"}`), core.Unavailable},
		"no token":         {upstreamtest.Text(200, `{"expires_in":3600}`), core.Unavailable},
		"page":             {upstreamtest.Text(200, "<html>"), core.Unavailable},
		"not found":        {upstreamtest.Text(404, ""), core.Unavailable},
		"down":             {upstreamtest.Text(503, ""), core.Unavailable},
		"lost connection":  {httpmock.NewErrorResponder(http.ErrServerClosed), core.Unavailable},
		"lifetime in text": {upstreamtest.Text(200, `{"access_token":"a","expires_in":"soon"}`), core.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := open(t, uganda(), transport(t, c.login, file(t, "resolved.json")))
			if err := p.Login(t.Context()); core.CodeOf(err) != c.code {
				t.Errorf("login: got %v, want %s", err, c.code)
			}
			if _, err := p.Resolve(t.Context(), wallet("UG", number)); core.CodeOf(err) != c.code {
				t.Errorf("resolve: got %v, want %s", err, c.code)
			}
		})
	}
}

func TestResolver_Requests(t *testing.T) {
	t.Parallel()
	const subscription = "Ocp-Apim-Subscription-Key"
	var logins, requests int
	p, _ := open(t, uganda(), transport(t, func(r *http.Request) (*http.Response, error) {
		logins++
		if r.Header.Get("Authorization") != "Basic dXNlcjpQTEFOVEVES0VZ" || r.Header.Get(subscription) != "PLANTEDSUBSCRIPTION" {
			t.Errorf("login with %v", r.Header)
		}
		return upstreamtest.Edited(t, "login.json", "token-1", "token-"+strconv.Itoa(logins))(r)
	}, func(r *http.Request) (*http.Response, error) {
		requests++
		if r.Header.Get("X-Target-Environment") != "mtnuganda" || r.Header.Get(subscription) != "PLANTEDSUBSCRIPTION" ||
			r.Header.Get("Authorization") != "Bearer token-"+strconv.Itoa(logins) {
			t.Errorf("request with %v", r.Header)
		}
		if requests == 2 { // the token expired early
			return upstreamtest.Text(401, "")(r)
		}
		return file(t, "resolved.json")(r)
	}))
	for i, want := range []int{1, 2, 2} {
		if _, err := p.Resolve(t.Context(), wallet("UG", number)); err != nil || logins != want {
			t.Errorf("request %d: got %v after %d logins, want %d", i+1, err, logins, want)
		}
	}
}

func TestResolver_Sandbox(t *testing.T) {
	t.Parallel()
	_, w := wiretest.Open(t)
	cfg := mtnmomo.Config{
		BaseURL: "https://sandbox.momodeveloper.mtn.com/disbursement", Keys: map[string]core.Secret{"RW": simulated.Keys},
	}
	p, _ := open(t, cfg, w)
	if name, err := p.Resolve(t.Context(), wallet("RW", "250788123456")); err != nil || name != "Sand Box" {
		t.Errorf("got %q, %v", name.Reveal(), err)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	for name, c := range map[string]struct {
		cfg   mtnmomo.Config
		want  string // of Validate
		valid bool   // for New
	}{
		"unknown country":   {mtnmomo.Config{Keys: map[string]core.Secret{"KE": keys}}, "KE", false},
		"no API user":       {mtnmomo.Config{Keys: map[string]core.Secret{"UG": "PLANTEDKEY"}}, "subscription key", false},
		"empty API key":     {mtnmomo.Config{Keys: map[string]core.Secret{"UG": "PLANTEDKEY:a:"}}, "subscription key", false},
		"line break":        {mtnmomo.Config{Keys: map[string]core.Secret{"UG": keys + "\n"}}, "subscription key", false},
		"lower case":        {mtnmomo.Config{Keys: map[string]core.Secret{"ug": keys, "gh": ""}}, "", true},
		"malformed address": {mtnmomo.Config{BaseURL: "mtn", Keys: map[string]core.Secret{"UG": keys}}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := c.cfg.Validate()
			if (err != nil) != (c.want != "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "PLANTED")) {
				t.Errorf("Validate: got %v, want %q", err, c.want)
			}
			_, err = mtnmomo.New(c.cfg, factory)
			if (err == nil) != c.valid || err != nil && strings.Contains(err.Error(), "PLANTED") {
				t.Errorf("New: got %v", err)
			}
		})
	}
	off, err := mtnmomo.New(mtnmomo.Config{}, factory)
	if err != nil {
		t.Fatal(err)
	}
	if core.CodeOf(off.Login(t.Context())) != core.Unsupported || off.Resolves("UG", core.MobileMoney, wallet("UG", number).Bank) {
		t.Error("a provider without keys serves a country")
	}
}

func TestResolver_Simulated(t *testing.T) {
	t.Parallel()
	world, w := wiretest.Open(t)
	over := func(transport http.RoundTripper) func(t *testing.T) ports.AccountResolver {
		return func(t *testing.T) ports.AccountResolver {
			t.Helper()
			cfg := mtnmomo.Config{Keys: map[string]core.Secret{}}
			for _, country := range []string{"CI", "CM", "GH", "UG"} {
				cfg.Keys[country] = simulated.Keys
			}
			p, _ := open(t, cfg, transport)
			return p
		}
	}
	suite := porttest.Resolver{Open: over(w), Found: map[string]porttest.Holder{}, Hanging: over(wiretest.Hanging())}
	for country, code := range map[string]string{"CI": "225", "CM": "237", "GH": "233", "UG": "256"} {
		for i := range 40 { // enough for accounts of each outcome
			query := wallet(country, code+strconv.Itoa(700000000+i))
			switch account := world.Account(query.Bank, query.Number.Reveal()); account.Outcome {
			case simulator.Found:
				suite.Found[country] = porttest.Holder{Query: query, Name: account.Name}
			case simulator.Unknown:
				suite.Unknown = query
			case simulator.Dormant:
				suite.Closed = query
			default:
			}
		}
	}
	change := func(change func(q *core.AccountQuery)) core.AccountQuery {
		q := wallet("UG", number)
		change(&q)
		return q
	}
	suite.Unsupported = map[string]core.AccountQuery{
		"another operator":     change(func(q *core.AccountQuery) { q.Bank.Code = "AIRTEL" }),
		"no operator":          change(func(q *core.AccountQuery) { q.Bank = core.Bank{} }),
		"MTN elsewhere":        change(func(q *core.AccountQuery) { q.Bank.Country = "RW" }),
		"bank transfer":        change(func(q *core.AccountQuery) { q.Channel = core.BankTransfer }),
		"country without keys": wallet("RW", "250788123456"),
	}
	suite.Broken = map[string]func(t *testing.T) ports.AccountResolver{
		"down": over(wiretest.Saying(http.StatusServiceUnavailable, "")),
		"page": over(wiretest.Saying(http.StatusOK, "<html>")),
	}
	porttest.AccountResolver(t, suite)

	p, _ := open(t, uganda(), httpmock.NewMockTransport())
	q := change(func(q *core.AccountQuery) { q.Number = "+256/../77" })
	if _, err := p.Resolve(t.Context(), q); core.CodeOf(err) != core.Unsupported {
		t.Errorf("a number with letters: got %v", err)
	}
}
