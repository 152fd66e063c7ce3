package httpapi_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"causeway/adapters/httpapi"
	"causeway/core"
	"causeway/core/recipients"
)

const (
	resolvePath = "/v1/recipients/resolve-bank-account"
	goodRequest = `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`
	goodAddress = `{"type":"address","currency":"BTC","address":"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"}`
)

const batchPath = "/v1/validate/batch"

func batchOf(items ...string) string { return `{"items":[` + strings.Join(items, ",") + `]}` }

type goldenCase struct {
	name, method, target, body string
	header                     []string
	world                      func(*httpapi.Config, *httpapi.Services)
}

// resolving makes a resolver that always says the same.
func resolving(err error) func(*httpapi.Config, *httpapi.Services) {
	return func(_ *httpapi.Config, s *httpapi.Services) {
		s.Recipients = &resolver{resolve: func(context.Context, recipients.Request) (core.Account, error) { return core.Account{}, err }}
	}
}

var errDial = errors.New("dial tcp 10.1.2.3:443: connection refused (key sk_live_secret)")

func goldenCases() []goldenCase {
	return []goldenCase{
		{name: "banks/all", target: "/v1/banks"},
		{name: "banks/country", target: "/v1/banks?country=%20ng"},
		{name: "banks/country_not_supported", target: "/v1/banks?country=FR"},
		{name: "banks/country_not_two_letters", target: "/v1/banks?country=N1"},
		{name: "banks/country_too_long", target: "/v1/banks?country=NGA"},
		{name: "banks/currencies", target: "/v1/banks?currency=ghs,XOF"},
		{name: "banks/currency_given_twice_is_joined", target: "/v1/banks?currency=ghs&currency=XOF"},
		{name: "banks/channel", target: "/v1/banks?channel=mobile_money"},
		{name: "banks/channel_invalid", target: "/v1/banks?channel=cheque"},
		{name: "banks/part_of_name", target: "/v1/banks?q=GENERALE%20cote"},
		{name: "banks/combined", target: "/v1/banks?country=NG&channel=bank_transfer&q=guar"},
		{name: "banks/account_number", target: "/v1/banks?account_number=0123456785"},
		{name: "banks/account_number_of_another_country", target: "/v1/banks?account_number=0123456789&country=GH"},
		{name: "banks/all_faults_at_once", target: "/v1/banks?country=NG1&channel=x&q=a&q=b"},

		{name: "resolve/found", method: "POST", target: resolvePath, body: goodRequest},
		{name: "resolve/other_spellings", method: "POST", target: resolvePath, body: `{"currency":"ngn","country_code":"ng","channel":"mobile_money","bank_code":"058","account_number":"0123456789","unknown":[1,{"a":null}]}`},
		{name: "resolve/faults_named_as_sent", method: "POST", target: resolvePath, body: `{"currency":" ","country":"NG"}`},
		{name: "resolve/spellings_differ", method: "POST", target: resolvePath, body: strings.Replace(goodRequest, `"channel"`, `"country":"GH","currency":"GHS","channel"`, 1)},
		{name: "resolve/wrong_types", method: "POST", target: resolvePath, body: `{"currency":5,"country_id":null,"channel":["a"],"bank_code":{},"account_number":123456789}`},
		{name: "resolve/wrong_type_and_missing", method: "POST", target: resolvePath, body: `{"currency_id":"NGN","country_id":"NG","account_number":123456789}`},
		{name: "resolve/not_found", method: "POST", target: resolvePath, body: goodRequest, world: resolving(core.Errorf(core.NotFound, "No account with this number was found at Guaranty Trust Bank").With(errDial))},
		{name: "resolve/unavailable", method: "POST", target: resolvePath, body: goodRequest, world: resolving(core.Errorf(core.Unavailable, "The account could not be looked up right now").Retry(2500 * time.Millisecond).With(errDial))},
		{name: "resolve/not_covered", method: "POST", target: resolvePath, body: goodRequest, world: resolving(core.InvalidField("country_id", "accounts of NG cannot be looked up yet"))},
		{name: "resolve/plain_error", method: "POST", target: resolvePath, body: goodRequest, world: resolving(errDial)},
		{name: "resolve/cut_off", method: "POST", target: resolvePath, body: goodRequest, world: resolving(context.Canceled)},
		{name: "resolve/no_key", method: "POST", target: resolvePath, body: goodRequest, world: production},
		{name: "resolve/wrong_key", method: "POST", target: resolvePath, body: goodRequest, header: []string{"Authorization: Bearer key-of-mallory"}, world: production},
		{name: "resolve/key", method: "POST", target: resolvePath, body: goodRequest, header: []string{"Authorization: bearer  key-of-bob"}, world: production},
		{name: "resolve/any_token_in_sandbox", method: "POST", target: resolvePath, body: goodRequest, header: []string{"Authorization: Bearer whatever"}},

		{name: "validate/valid", method: "POST", target: "/v1/validate", body: goodAddress},
		{name: "validate/memo", method: "POST", target: "/v1/validate", body: strings.Replace(goodAddress, `{`, `{"memo":"12","memo_type":"ID","network":" bitcoin ",`, 1)},
		{name: "validate/invalid", method: "POST", target: "/v1/validate", body: strings.Replace(goodAddress, "bc1q", "TJRab", 1)},
		{name: "validate/missing", method: "POST", target: "/v1/validate", body: `{}`},
		{name: "validate/wrong_type", method: "POST", target: "/v1/validate", body: `{"type":"phone","currency":"DOGECOIN","address":12}`},
		{name: "validate/empty_type", method: "POST", target: "/v1/validate", body: `{"type":"","currency":"BTC","address":""}`},
		{name: "validate/address_too_long", method: "POST", target: "/v1/validate", body: `{"type":"address","currency":"BTC","address":"` + strings.Repeat("a", 513) + `"}`},

		{name: "batch/mixed", method: "POST", target: batchPath, body: batchOf(
			goodAddress, strings.Replace(goodAddress, "BTC", "DOGECOIN", 1), `null`, `12`, `[]`, `"bc1q"`, `{}`,
			strings.Replace(goodAddress, "bc1q", "TJRab", 1), `{"type":"phone","currency":"BTC","address":true,"x":{"y":[null]}}`,
			`{"type":"address","currency":"XRP","address":"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh","memo":"1"}`,
		)},
		{name: "batch/unknown_fields", method: "POST", target: batchPath, body: `{"before":[{}],` + batchOf(goodAddress)[1:]},
		{name: "batch/no_items", method: "POST", target: batchPath, body: `{"item":[]}`},
		{name: "batch/null_items", method: "POST", target: batchPath, body: `{"items":null}`},
		{name: "batch/empty_items", method: "POST", target: batchPath, body: batchOf()},
		{name: "batch/items_no_array", method: "POST", target: batchPath, body: `{"items":{"0":` + goodAddress + `}}`},
		{name: "batch/too_many", method: "POST", target: batchPath, body: batchOf(slices.Repeat([]string{goodAddress}, 1001)...)},
		{name: "batch/twice_in_an_item", method: "POST", target: batchPath, body: batchOf(goodAddress, `{"type":"address","type":"address"}`)},
		{name: "batch/twice_in_two_cases", method: "POST", target: batchPath, body: batchOf(goodAddress, `{"Currency":"ETH",`+goodAddress[1:])},
		{name: "batch/cut_off", method: "POST", target: batchPath, body: batchOf(goodAddress, goodAddress)[:150]},
		{name: "batch/too_large", method: "POST", target: batchPath, body: batchOf(goodAddress) + strings.Repeat(" ", 1<<20)},
		{name: "batch/array", method: "POST", target: batchPath, body: `[` + goodAddress + `]`},
		{name: "batch/method", target: batchPath},

		{name: "pairs/all", target: "/v1/pairs"},
		{name: "pairs/type", target: "/v1/pairs?type=stablecoin"},
		{name: "pairs/type_fiat", target: "/v1/pairs?type=base_fiat"},
		{name: "pairs/type_invalid", target: "/v1/pairs?type=shell&sort_by=x&sort=up"},
		{name: "pairs/combined", target: "/v1/pairs?currency=ngn&type=crypto"},
		{name: "pairs/currency_not_supported", target: "/v1/pairs?currency=XYZ"},
		{name: "pairs/currency_too_long", target: "/v1/pairs?currency=" + strings.Repeat("N", 33)},
		{name: "pairs/given_twice", target: "/v1/pairs?base=BTC&base=ETH"},
		{name: "pairs/not_ready", target: "/v1/pairs", world: noPrices},
		{name: "pair/one", target: "/v1/pairs/btcngn"},
		{name: "pair/unknown", target: "/v1/pairs/NGNBTC"},
		{name: "pair/without_price", target: "/v1/pairs/SOLNGN"},
		{name: "price/two_legs", target: "/v1/pairs/btcngn/price"},
		{name: "price/halted", target: "/v1/pairs/USDTNGN/price?unknown=1"},
		{name: "price/treaty", target: "/v1/pairs/USDNGN/price"},
		{name: "price/unknown", target: "/v1/pairs/NGNBTC/price"},
		{name: "price/without_price", target: "/v1/pairs/SOLNGN/price"},
		{name: "price/method", method: "POST", target: "/v1/pairs/BTCNGN/price"},
		{name: "history/day", target: "/v1/pairs/btcngn/history"},
		{name: "history/week", target: "/v1/pairs/BTCNGN/history?period=7d&unknown=1"},
		{name: "history/month", target: "/v1/pairs/USDTNGN/history?period=30d"},
		{name: "history/nothing_known", target: "/v1/pairs/SOLNGN/history?period=1d"},
		{name: "history/period_invalid", target: "/v1/pairs/BTCNGN/history?period=1y"},
		{name: "history/period_twice", target: "/v1/pairs/BTCNGN/history?period=1d&period=7d"},
		{name: "history/unknown", target: "/v1/pairs/NGNBTC/history"},
		{name: "history/not_ready", target: "/v1/pairs/SOLNGN/history", world: noPrices},
		{name: "history/unavailable", target: "/v1/pairs/BTCNGN/history", world: remembering(func(context.Context, string, string) ([]core.PricePoint, error) {
			return nil, core.Errorf(core.Unavailable, "The history cannot be read right now").With(errDial)
		})},
		{name: "stream/head", method: "HEAD", target: "/v1/pairs/stream?currency=NGN"},
		{name: "stream/type_invalid", target: "/v1/pairs/stream?type=shell&base=BTC&base=ETH&sort_by=ignored"},
		{name: "stream/not_ready", target: "/v1/pairs/stream", world: noPrices},
		{name: "stream/method", method: "POST", target: "/v1/pairs/stream"},
		{name: "stream/problem", target: "/v1/pairs/stream?currency=" + strings.Repeat("N", 33), header: []string{"Accept: text/event-stream, application/problem+json"}},

		{name: "currencies/all", target: "/v1/currencies"},
		{name: "currencies/one", target: "/v1/currencies/btc"},
		{name: "currencies/unknown", target: "/v1/currencies/XYZ"},
		{name: "countries/all", target: "/v1/countries"},

		{name: "errors/unknown_path", target: "/v1/pears"},
		{name: "errors/root", target: "/index.html"},
		{name: "errors/double_slash", target: "//v1/pairs"},
		{name: "errors/dot_segment", target: "/v1/./pairs"},
		{name: "errors/encoded_dot_segment", target: "/v1/%2e/pairs"},
		{name: "errors/encoded_letter", target: "/v1/%70airs"},
		{name: "errors/trailing_slash", target: "/v1/banks/"},
		{name: "errors/method", method: "DELETE", target: "/v1/pairs/BTCNGN"},
		{name: "errors/method_of_post", target: "/v1/validate"},
		{name: "errors/problem", target: "/v1/banks?channel=cheque", header: []string{"Accept: application/problem+json"}},
		{name: "errors/problem_not_found", target: "/nothing", header: []string{"Accept: application/json;q=0.5, application/problem+json"}},
		{name: "errors/problem_less_wanted", target: "/nothing", header: []string{"Accept: application/json, application/problem+json;q=0.5, */*"}},
		{name: "errors/content_encoding", method: "POST", target: "/v1/validate", body: goodAddress, header: []string{"Content-Encoding: gzip"}},
		{name: "errors/too_large", method: "POST", target: "/v1/validate", body: strings.Repeat(" ", 64<<10+1)},
		{name: "errors/options", method: "OPTIONS", target: "/v1/pairs"},
		{name: "errors/options_of_post", method: "OPTIONS", target: "/v1/validate"},
		{name: "errors/options_of_nothing", method: "OPTIONS", target: "/v1/nothing"},
	}
}

// TestAPI compares responses with golden files, and with the OpenAPI document.
func TestAPI(t *testing.T) {
	t.Parallel()
	router, err := gorillamux.NewRouter(openAPI(t))
	if err != nil {
		t.Fatal(err)
	}
	common := newWorld(t)
	for _, c := range append(goldenCases(), depositCases()...) {
		t.Run(c.name, func(t *testing.T) {
			w := common
			if w.drawn.Store(0); c.world != nil {
				w = newWorld(t, c.world)
			}
			method := cmp.Or(c.method, http.MethodGet)
			rec := w.do(method, c.target, c.body, c.header...)
			sent := c.body
			if len(sent) > 1000 {
				sent = sent[:20] + "…"
			}
			sameAsGolden(t, "testdata/TestAPI/"+c.name+".json", record(t, method, c.target, sent, c.header, rec))
			if len(c.header) == 0 {
				checkDocumented(t, router, httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+c.target,
					strings.NewReader(c.body)), rec)
			}
		})
	}
}

// checkDocumented compares the response of a documented operation with the document.
func checkDocumented(t *testing.T, router routers.Router, r *http.Request, rec *httptest.ResponseRecorder) {
	t.Helper()
	route, params, err := router.FindRoute(r)
	if err != nil {
		return // a path or method that is not in the document
	}
	if err := openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
		Status:                 rec.Code, Header: rec.Header(), Body: io.NopCloser(rec.Body),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}); err != nil {
		t.Errorf("%d: %v", rec.Code, err)
	}
}
