package wire_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"causeway/simulator/wire"
	"causeway/simulator/wire/all"
	"causeway/simulator/wire/provider"
)

// documented is an answer as a provider documents it, and the question that the simulated one gives it to.
type documented struct {
	provider string
	golden   string // the question, by its name among the golden ones
	fixture  string // of the adapter: written from the documentation, independently of the wire
	status   int    // by the documentation
	maps     string // places whose members are interchangeable, with blanks between: names of markets, currencies or coins
}

// answersAsDocumented are the answers of every provider that its documentation shows, apart from those about one account number or another: what a wire says
// there is in TestGolden. Statuses are those of the provider's page; 0: it tells none.
var answersAsDocumented = []documented{
	{"kraken", "ticker", "ticker", 200, "result"},
	{"kraken", "ticker_unknown_pair", "unknown_pair", 200, ""},
	{"binance", "book_ticker_many", "book_ticker", 200, ""},
	{"binance", "book_ticker_unknown", "invalid_symbol", 400, ""},
	{"coinbase", "ticker", "btc_usd", 200, ""},
	{"coinbase", "ticker_unknown", "not_found", 404, ""},
	{"coinbase", "ticker_no_user_agent", "no_user_agent", 400, ""},
	{"coinbase", "unknown_path", "route_not_found", 404, ""},
	{"okx", "tickers", "tickers", 200, ""},
	{"okx", "tickers_bad_type", "bad_parameter", 400, ""},
	{"bybit", "tickers", "tickers", 200, ""},
	{"bybit", "tickers_no_category", "bad_parameter", 200, ""},
	{"quidax", "tickers", "tickers", 200, "data"},
	{"quidax", "ticker_unknown", "not_found", 404, ""},
	{"busha", "pairs", "pairs", 200, ""},
	{"busha", "banks", "banks_nigeria", 200, ""},
	{"busha", "resolved", "resolved", 201, ""},
	{"busha", "magic_unknown", "account_not_found", 404, ""},
	{"busha", "unknown_bank", "request_validation", 400, "fields"},
	{"busha", "magic_down", "error", 503, ""},
	{"busha", "no_key", "unauthorized", 401, ""},
	{"openexchangerates", "latest", "latest", 200, "rates"},
	{"openexchangerates", "missing_app_id", "missing_app_id", 401, ""},
	{"openexchangerates", "invalid_app_id", "invalid_app_id", 401, ""},
	{"openexchangerates", "not_allowed", "not_allowed", 429, ""},
	{"openexchangerates", "invalid_base", "invalid_base", 400, ""},
	{"frankfurter", "rates", "rates", 200, ""},
	{"frankfurter", "invalid_currency", "invalid_currency", 422, ""},
	{"frankfurter", "unknown_path", "not_found", 404, ""},
	{"coinbase", "delisted", "delisted", 400, ""},
	{"coingecko", "simple_price", "simple_price", 200, ". *"},
	{"coingecko", "simple_price_no_currencies", "missing_parameter", 422, ""},
	{"coingecko", "simple_price_bad_key", "key_missing", 401, ""},
	{"paystack", "banks_page_nip", "banks_nigeria_1", 200, ""},
	{"paystack", "banks_page_kenya", "banks_kenya", 200, ""},
	{"paystack", "resolved", "resolved", 200, ""},
	{"paystack", "magic_unknown", "could_not_resolve", 422, ""},
	{"paystack", "unknown_bank", "unknown_bank_code", 400, ""},
	{"paystack", "bank_of_another_country", "invalid_bank_code", 422, ""},
	{"paystack", "bad_number", "invalid_account_number", 400, ""},
	{"paystack", "bad_key", "invalid_key", 401, ""},
	{"paystack", "no_key", "no_authorization_header", 401, ""},
	{"paystack", "unknown_path", "entity_not_found", 404, ""},
	{"paystack", "magic_throttled", "test_mode_cap", 429, ""},
	{"paystack", "validated", "validated", 200, ""},
	{"flutterwave", "banks", "banks_nigeria", 200, ""},
	{"flutterwave", "resolved", "resolved", 200, ""},
	{"flutterwave", "magic_unknown", "invalid_account", 400, ""},
	{"flutterwave", "bad_key", "invalid_key", 401, ""},
	{"korapay", "banks", "banks_nigeria", 200, ""},
	{"korapay", "resolved", "resolved", 200, ""},
	{"korapay", "resolved_wallet", "resolved_wallet", 200, ""},
	{"korapay", "wallets_kenya", "wallets_kenya", 200, ""},
	{"korapay", "magic_unknown", "invalid_account", 400, ""},
	{"korapay", "bad_key", "invalid_key", 401, ""},
	{"monnify", "login", "login", 200, ""},
	{"monnify", "login_bad_keys", "login_refused", 401, ""},
	{"monnify", "banks", "banks", 200, ""},
	{"monnify", "resolved", "resolved", 200, ""},
	{"monnify", "magic_unknown", "invalid_account", 0, ""},
	{"monnify", "banks_no_token", "unauthorized", 401, ""},
	{"afriex", "banks", "banks_nigeria", 200, ""},
	{"afriex", "wallets_kenya", "wallets_kenya", 200, ""},
	{"afriex", "resolved", "resolved", 200, ""},
	{"afriex", "resolved_wallet", "resolved_wallet", 200, ""},
	{"afriex", "magic_unknown", "not_found", 404, ""},
	{"afriex", "phone_of_another_country", "phone_country_mismatch", 400, ""},
	{"afriex", "no_number", "validation_error", 400, ""},
	{"afriex", "bad_key", "invalid_key", 401, ""},
	{"daraja", "login", "login", 200, ""},
	{"daraja", "login_bad_keys", "login_refused", 400, ""},
	{"daraja", "pay_bill", "resolved", 200, ""},
	{"daraja", "magic_unknown", "invalid_identifier", 200, ""},
	{"daraja", "no_token", "invalid_token", 401, ""},
}

// shape is where a document has what: kinds of values, by place. Members of a map and elements of a list are one place.
type shape map[string]map[string]bool

var (
	decimalText = regexp.MustCompile(`^-?\d+(\.\d+)?$`)
	timeText    = regexp.MustCompile(`^\d{4}-\d\d-\d\d`)
)

// add adds a value to a shape.
func (s shape) add(place string, value any, merged []string) {
	kind := "null"
	switch v := value.(type) {
	case map[string]any:
		kind = "object"
		for name, inside := range v {
			if slices.Contains(merged, strings.TrimPrefix(place, ".")) || place == "" && slices.Contains(merged, ".") {
				name = "*"
			}
			s.add(place+"."+name, inside, merged)
		}
	case []any:
		kind = "list"
		for _, inside := range v {
			s.add(place+".*", inside, merged)
		}
	case bool:
		kind = "true or false"
	case json.Number:
		kind = "number"
	case string:
		switch {
		case decimalText.MatchString(v):
			kind = "decimal in quotes"
		case timeText.MatchString(v):
			kind = "time"
		default:
			kind = "text"
		}
	}
	if s[place] == nil {
		s[place] = map[string]bool{}
	}
	s[place][kind] = true
}

func shapeOf(t *testing.T, text string, merged string) shape {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var document any
	if err := decoder.Decode(&document); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	s := shape{}
	s.add("", document, strings.Fields(merged))
	return s
}

// differences are what one shape has and the other has not, each told once: not what is inside a place that is missing. A text may be any text, digits
// too; what is null in one may be anything in the other.
func differences(document, answer shape) []string {
	var out []string
	within := func(s shape, place string) bool {
		return place == "" || s[place[:strings.LastIndex(place, ".")]] != nil
	}
	for place, kinds := range document {
		switch {
		case answer[place] != nil && !alike(kinds, answer[place]):
			out = append(out, fmt.Sprintf("%s is %s, documented is %s", place, kindsIn(answer[place]), kindsIn(kinds)))
		case answer[place] == nil && within(answer, place):
			out = append(out, "lacks "+place)
		}
	}
	for place := range answer {
		if document[place] == nil && within(document, place) {
			out = append(out, "adds "+place)
		}
	}
	slices.Sort(out)
	return out
}

// alike reports whether every kind of an answer is one of the document's. A text may be any, digits too. What is null or of no kind tells nothing.
func alike(document, answer map[string]bool) bool {
	silent := len(document) == 1 && document["null"]
	for kind := range answer {
		text := kind == "decimal in quotes" && document["text"]
		if kind != "null" && !document[kind] && !text && !silent {
			return false
		}
	}
	return true
}

func kindsIn(kinds map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(kinds)), " or ")
}

// documentedExamples are the examples of descriptors that have a fixture.
func documentedExamples() []documented {
	var out []documented
	for _, d := range all.Descriptors {
		if d.Examples == nil {
			continue
		}
		for _, e := range d.Examples(noon) {
			if e.Fixture != "" {
				out = append(out, documented{d.Name, e.Operation, e.Fixture, 200, ""})
			}
		}
	}
	return out
}

// TestAnswersHaveTheDocumentedShape asks every simulated provider what its documentation shows the answer to, and compares the two: the status, that it is JSON
// with the type of it, every member and what kind of value it has. A difference that is not on the list fails, and so does one on the list that is none any
// more.
func TestAnswersHaveTheDocumentedShape(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	shown, met := map[string]bool{}, map[string]bool{}
	sent := slices.Concat(questions, examples())
	for _, d := range slices.Concat(answersAsDocumented, documentedExamples()) {
		shown[d.provider] = true
		i := slices.IndexFunc(sent, func(q question) bool { return q.provider == d.provider && q.name == d.golden })
		if i < 0 {
			t.Errorf("%s has no question %s", d.provider, d.golden)
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", "..", "adapters", "providers", d.provider, "testdata", d.fixture+".json"))
		if err != nil {
			t.Error(err)
			continue
		}
		r, body := answered(t, w, sent[i])
		found := differences(shapeOf(t, string(text), d.maps), shapeOf(t, body, d.maps))
		if d.status != 0 && r.status != d.status {
			found = append(found, fmt.Sprintf("has status %d, documented is %d", r.status, d.status))
		}
		if kind := r.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
			found = append(found, "is of type "+kind)
		}
		for _, what := range found {
			key := d.provider + "/" + d.golden + " " + what
			met[key] = true
			if _, known := shapesThatDiffer[key]; !known {
				t.Errorf("%q: it is not among the known divergences", key)
			}
		}
	}
	for key, what := range shapesThatDiffer {
		name, _, _ := strings.Cut(key, "/")
		if !met[key] {
			t.Errorf("%q differs no more", key)
		}
		if !slices.ContainsFunc(wire.Divergences(), func(d provider.Divergence) bool { return d.Provider == name && d.What == what }) {
			t.Errorf("%q is said to be %q, which /_sim/v1/divergences does not list", key, what)
		}
	}
	for _, provider := range w.Providers() {
		if !shown[provider] {
			t.Errorf("no answer of %s is held against its documentation", provider)
		}
	}
}

// shapesThatDiffer are the differences from the documentation that are known, each with the divergence that it belongs to.
var shapesThatDiffer = map[string]string{
	"busha/pairs adds .data.*.min_sell_amount":               bushaPairs,
	"busha/pairs lacks .data.*.base_currency_name":           bushaPairs,
	"busha/pairs lacks .data.*.base_decimal":                 bushaPairs,
	"busha/pairs lacks .data.*.counter_currency_name":        bushaPairs,
	"busha/pairs lacks .data.*.counter_decimal":              bushaPairs,
	"busha/pairs lacks .data.*.min_buy_amount.counter":       bushaPairs,
	"busha/banks lacks .data.*.aliases":                      bushaTexts,
	"busha/banks lacks .data.*.channels":                     bushaTexts,
	"busha/banks lacks .data.*.resolvable":                   bushaTexts,
	"busha/magic_unknown lacks .request_id":                  "Failures have no request_id.",
	"busha/unknown_bank lacks .request_id":                   "Failures have no request_id.",
	"busha/magic_down lacks .request_id":                     "Failures have no request_id.",
	"coingecko/simple_price_bad_key lacks .status.timestamp": "A refused key is told without a time.",
	"coinbase/ticker lacks .conversions_volume":              "A ticker has no rfq_volume and no conversions_volume.",
	"coinbase/ticker lacks .rfq_volume":                      "A ticker has no rfq_volume and no conversions_volume.",
	"paystack/bad_number adds .code":                         paystackFailures,
	"paystack/bad_number adds .meta":                         paystackFailures,
	"paystack/magic_throttled adds .code":                    paystackFailures,
	"paystack/magic_throttled adds .meta":                    paystackFailures,
	"paystack/magic_throttled adds .type":                    paystackFailures,
	"afriex/magic_unknown lacks .details.friendlyMessage":    "An empty friendlyMessage is left out, as empty members are elsewhere; an example of the documentation has one.",
}

// Divergences that several differences belong to.
const (
	bushaPairs       = "A pair has its prices and the smallest amounts, and neither names nor decimals of its currencies, nor amounts in the other currency; it has the smallest amount of a sale, too."
	bushaTexts       = "Texts of failures, fields of an institution, and at which of them wallets, pay bills and tills are."
	paystackFailures = "Every failure but those of keys and paths has meta, type and code, as the specification says; some that were recorded lack them."
)
