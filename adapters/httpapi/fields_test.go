package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"causeway/adapters/httpapi"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/core/recipients"
)

// Check refuses what a fresh fake's Resolve does.
func (r *resolver) Check(request recipients.Request) error {
	_, err := newResolver().resolve(context.Background(), request)
	return err
}

// Published test vectors only.
const (
	walletKey  = "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617"
	rippleSeed = "sn259rEFXrQrWyx3Q7XneWcwV6dfL"
	seedPhrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
)

// judging puts the real core behind validation.
func judging(_ *httpapi.Config, s *httpapi.Services) {
	service, err := addresses.New([]core.Currency{
		{Code: "BTC", Type: core.Crypto, Networks: []string{"BTC"}}, {Code: "XRP", Type: core.Crypto, Networks: []string{"XRP"}},
	}, addresses.Policy{})
	if err != nil {
		panic(err)
	}
	s.Addresses = service
}

// with is an object with a field changed.
func with(t *testing.T, object, field, value string) string {
	t.Helper()
	fields := map[string]any{}
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		t.Fatal(err)
	}
	fields[field] = value
	out, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestSecrets_Masked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, judging)
	for _, secret := range []string{walletKey, rippleSeed, seedPhrase, seedPhrase + " 7"} {
		for _, field := range []string{"type", "currency", "network", "memo_type"} {
			rec := w.post("/v1/validate", with(t, goodAddress, field, secret))
			form := errorOf(t, rec.Body.Bytes())
			if rec.Code != http.StatusBadRequest || len(form.Fields[field]) != 1 || len(form.Fields) != 1 || !strings.Contains(form.Error.Message, "private key or recovery phrase") {
				t.Errorf("%s is %q: got %d %s", field, secret, rec.Code, rec.Body)
			}
			repeatsNot(t, rec.Body.String(), secret)
		}
		for _, field := range []string{"memo", "address"} {
			sent := with(t, goodAddress, field, secret)
			rec := w.post("/v1/validate", sent)
			if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), `"`+field+`":"****"`) {
				t.Errorf("%s is %q: got %d %s", field, secret, rec.Code, rec.Body)
			}
			repeatsNot(t, w.post(batchPath, batchOf(sent)).Body.String(), secret)
		}
		for _, field := range []string{"currency_id", "country", "channel", "bank_code"} {
			repeatsNot(t, w.post(resolvePath, with(t, goodRequest, field, secret)).Body.String(), secret)
		}
		for _, target := range []string{"/v1/pairs?type=", "/v1/pairs?sort_by=", "/v1/banks?channel=", "/v1/banks?country=", "/v1/banks?currency=", "/v1/banks?q="} {
			repeatsNot(t, w.get(target+url.QueryEscape(secret)).Body.String(), secret)
		}
		for _, path := range []string{"/v1/currencies/", "/v1/pairs/", "/errors/", "/v1//currencies/"} {
			repeatsNot(t, w.get(path+url.PathEscape(secret)).Body.String(), secret)
			repeatsNot(t, w.get(path+url.PathEscape(secret)+"/history?period="+url.QueryEscape(secret)).Body.String(), secret)
			repeatsNot(t, w.get(path+url.PathEscape(secret)+"/history").Body.String(), secret)
		}
	}
	if rec := w.get("/v1/banks?currency=NGN,GHS,KES,UGX,TZS,ZAR,XOF&q=first+city+monument+bank+plc+nigeria"); rec.Code != http.StatusOK {
		t.Errorf("many codes, and a long name: got %d %s", rec.Code, rec.Body)
	}
}

// repeatsNot fails if a response shows any eight letters of a key, or any three words of a phrase, in a row and in any case.
func repeatsNot(t *testing.T, response, secret string) {
	t.Helper()
	parts := slices.Collect(slices.Chunk([]byte(secret), 8))
	response = strings.ToUpper(response)
	for _, part := range parts {
		if len(part) == 8 && strings.Contains(response, strings.ToUpper(string(part))) {
			t.Errorf("%q of %q is shown: %s", part, secret, response)
			return
		}
	}
}

func TestAccountNumbers_NotRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const number = "0123456789"
	responses := map[string]string{
		"a second spelling":  w.post(resolvePath, with(t, goodRequest, "country", number)).Body.String(),
		"the first spelling": w.post(resolvePath, with(t, with(t, goodRequest, "country_id", number), "country", "NG")).Body.String(),
		"type":               w.post("/v1/validate", with(t, goodAddress, "type", number)).Body.String(),
		"a long type":        w.post("/v1/validate", with(t, goodAddress, "type", strings.Repeat(number, 4))).Body.String(),
		"a filter":           w.get("/v1/pairs?type=" + number).Body.String(),
		"a long filter":      w.get("/v1/banks?country=" + number).Body.String(),
		"a pair":             w.get("/v1/pairs/" + number).Body.String(),
		"a currency":         w.get("/v1/currencies/" + number).Body.String(),
		"an error":           w.get("/errors/" + number).Body.String(),
		"a wrong method":     w.do(http.MethodDelete, "/v1/pairs/"+number, "").Body.String(),
		"a wrong path":       w.get("/v1//pairs/" + number).Body.String(),
		"a coding":           w.post("/v1/validate", goodAddress, "Content-Encoding: "+number).Body.String(),
		"a method":           w.do("M"+number, "/v1/pairs", "").Body.String(),
	}
	for name, response := range responses {
		if errorOf(t, []byte(response)).Error.Name == "" || strings.Contains(response, number) {
			t.Errorf("%s: got %s", name, response)
		}
	}
}

func TestFieldErrors_OneReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for target, says := range map[string]string{
		"/v1/banks?country=NGA":                          `"NGA" is not a two-letter country code; did you mean "NG" (Nigeria)? See GET /v1/countries`,
		"/v1/banks?country=nigeria":                      `"NIGERIA" is not a two-letter country code; did you mean "NG" (Nigeria)? See GET /v1/countries`,
		"/v1/banks?country=N1":                           `"N1" is not a two-letter country code. See GET /v1/countries`,
		"/v1/pairs?type=" + strings.Repeat("x", 40):      `is "` + strings.Repeat("x", 32) + `…"; accepted: fiat, crypto, stablecoins, stablecoin, base_fiat, base_crypto`,
		"/v1/banks?q=" + strings.Repeat("x", 101):        "must have at most 100 characters",
		"/v1/banks?currency=" + strings.Repeat("X", 201): "must have at most 200 characters. See GET /v1/currencies",
	} {
		onlyReason(t, w.get(target).Body.Bytes(), says)
	}
	for field, says := range map[string]string{
		"type":     `is "` + strings.Repeat("x", 32) + `…"; accepted: address`,
		"currency": "must have at most 64 characters. See GET /v1/currencies",
		"address":  "must have at most 512 characters",
	} {
		onlyReason(t, w.post("/v1/validate", with(t, goodAddress, field, strings.Repeat("x", 5000))).Body.Bytes(), says)
	}
}

func onlyReason(t *testing.T, body []byte, says string) {
	t.Helper()
	form := errorOf(t, body)
	for _, reasons := range form.Fields {
		if len(form.Fields) != 1 || len(reasons) != 1 || !strings.HasSuffix(reasons[0]["reason"], says) {
			t.Errorf("got %s, want one reason that ends in %q", body, says)
		}
	}
	if form.Fields == nil {
		t.Errorf("got %s", body)
	}
}

func TestResolve_InvalidRequestReportsAllFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.recipients.resolve = func(_ context.Context, r recipients.Request) (core.Account, error) {
		t.Errorf("resolved %+v", r)
		return core.Account{}, nil
	}
	for body, fields := range map[string][]string{
		with(t, goodRequest, "currency", "GHS"):                                      {"currency"},
		with(t, with(t, goodRequest, "country_code", "GH"), "channel", ""):           {"channel", "country_code"},
		with(t, with(t, goodRequest, "bank_code", strings.Repeat("0", 65)), "x", ""): {"bank_code"},
		`{"currency":5,"country":7}`:                                                 {"account_number", "bank_code", "channel", "country", "currency"},
	} {
		form := errorOf(t, w.post(resolvePath, body).Body.Bytes())
		var got []string
		for field, reasons := range form.Fields {
			if got = append(got, field); len(reasons) != 1 {
				t.Errorf("%s: got %v of %s", body, reasons, field)
			}
		}
		if slices.Sort(got); !slices.Equal(got, fields) {
			t.Errorf("%s: got faults of %v, want %v", body, got, fields)
		}
	}
}
