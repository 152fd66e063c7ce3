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
)

// shape has the kinds of values of a document by place. Elements of a list, and interchangeable
// members, are one place.
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
		kind = "boolean"
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

func shapeOf(t *testing.T, text string, merged []string) shape {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var document any
	if err := decoder.Decode(&document); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	s := shape{}
	s.add("", document, merged)
	return s
}

// differences returns what one shape has and the other does not, without what is inside a place
// that is missing.
func differences(document, response shape) []string {
	var out []string
	within := func(s shape, place string) bool {
		return place == "" || s[place[:strings.LastIndex(place, ".")]] != nil
	}
	kinds := func(of map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(of)), " or ") }
	for place, want := range document {
		switch got := response[place]; {
		case got != nil && !alike(want, got):
			out = append(out, fmt.Sprintf("%s is %s, documented is %s", place, kinds(got), kinds(want)))
		case got == nil && within(response, place):
			out = append(out, "lacks "+place)
		}
	}
	for place := range response {
		if document[place] == nil && within(document, place) {
			out = append(out, "adds "+place)
		}
	}
	return out
}

// alike reports whether every kind of a response is one of the document's. Text may have digits
// only, and null may stand for anything.
func alike(document, response map[string]bool) bool {
	null := len(document) == 1 && document["null"]
	for kind := range response {
		text := kind == "decimal in quotes" && document["text"]
		if kind != "null" && !document[kind] && !text && !null {
			return false
		}
	}
	return true
}

// TestDocumentedShape compares responses with documented ones: the status, every member and the
// kind of its value. Each difference belongs to a divergence.
func TestDocumentedShape(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	shown, met, known := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, d := range knownDifferences {
		for member := range strings.FieldsSeq(d.members) {
			known[d.exchange+" "+d.place+"."+member] = d.divergence
		}
	}
	for _, e := range exchanges(t) {
		if len(e.documented) == 0 {
			continue
		}
		shown[e.provider] = true
		file := filepath.Join("..", "..", "adapters", "providers", e.provider, "testdata", e.documented[0])
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		merged := e.documented[1:]
		r := send(w, e.request(t, ""))
		found := differences(shapeOf(t, string(text), merged), shapeOf(t, string(r.body), merged))
		if status := fmt.Sprint(r.StatusCode); decimalText.MatchString(e.documented[1]) && status != e.documented[1] {
			found = append(found, "has status "+status)
		}
		for _, what := range found {
			key := e.provider + "/" + e.name + " " + what
			if met[key] = true; known[key] == "" {
				t.Errorf("%s: not a known divergence", key)
			}
		}
	}
	for key, what := range known {
		name, _, _ := strings.Cut(key, "/")
		listed := slices.ContainsFunc(wire.Divergences(), func(d wire.Divergence) bool {
			return d.Provider == name && strings.HasPrefix(d.What, what)
		})
		if !met[key] || !listed {
			t.Errorf("%s: met %t, listed as a divergence %t", key, met[key], listed)
		}
	}
	for _, provider := range w.Providers() {
		folder, _, _ := strings.Cut(provider, "-")
		if !shown[provider] && backEnds[folder] == "" { // see TestChains_Documented
			t.Errorf("no response of %s is compared with its documentation", provider)
		}
	}
}

// knownDifferences are those from the documentation: what members at a place do, and the beginning
// of the divergence.
var knownDifferences = []struct{ exchange, place, members, divergence string }{
	{"afriex/magic_unknown", "lacks .details", "friendlyMessage", "An empty friendlyMessage is left out"},
	{"bitstamp/tickers", "lacks .*", "open open_24 percent_change_24 side vwap high low", "A ticker has the volume"},
	{"busha/pairs", "lacks .data.*", "base_currency_name base_decimal counter_currency_name counter_decimal", "A pair has its prices"},
	{"busha/pairs", "lacks .data.*", "min_buy_amount type percentage_change", "A pair has its prices"},
	{"busha/banks", "lacks .data.*", "aliases channels resolvable", "Texts of failures, fields of an institution"},
	{"busha/magic_unknown", "lacks ", "request_id", "Failures have no request_id"},
	{"busha/unknown_bank", "lacks ", "request_id", "Failures have no request_id"},
	{"busha/magic_down", "lacks ", "request_id", "Failures have no request_id"},
	{"bybit/tickers", "lacks .result.list.*", "turnover24h usdIndexPrice prevPrice24h highPrice24h lowPrice24h price24hPcnt", "A ticker has the volume"},
	{"coinbase/ticker", "lacks ", "conversions_volume rfq_volume", "A ticker has no rfq_volume"},
	{"coingecko/simple_price_bad_key", "lacks .status", "timestamp", "The failure of a rejected key has no time"},
	{"flutterwave/banks", "lacks .data.*", "id", "An institution has no id"},
	{"gemini/ticker", "lacks .volume", "USD", "A ticker has the volume"},
	{"korapay/wallets_kenya", "lacks .data.*", "min max", "An operator has no smallest"},
	{"monnify/banks", "lacks .responseBody.*", "baseUssdCode ussdTemplate transferUssdTemplate", "An institution has no USSD codes"},
	{"okx/tickers", "lacks .data.*", "high24h low24h sodUtc0 sodUtc8 volCcy24h open24h", "A ticker has the volume"},
	{"paystack/bad_number", "adds ", "code meta", "Every failure except failures of keys and paths"},
	{"paystack/magic_throttled", "adds ", "code meta type", "Every failure except failures of keys and paths"},
	{"paystack/banks_page_kenya", "lacks .data.*", paystackRow, "An institution has neither"},
	{"paystack/banks_page_nip", "lacks .data.*", paystackRow, "An institution has neither"},
	{"paystack/resolved", "lacks .data", "bank_id", "An institution has neither"},
	{"quidax/tickers", "lacks .data.*.ticker", "low high open", "A ticker has the volume"},
	{"valr/marketsummary", "lacks .*", "previousClosePrice highPrice lowPrice markPrice changeFromPrevious quoteVolume", "A summary has the volume"},
}

const paystackRow = "id slug longcode gateway createdAt updatedAt pay_with_bank supports_transfer available_for_direct_debit"
