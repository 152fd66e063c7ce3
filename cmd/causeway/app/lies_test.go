package app

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"causeway/core/pairs"
)

// liar changes what one host answers with status 200.
type liar struct {
	http.RoundTripper
	host string
	lie  func(body string) string
}

func (x *liar) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := x.RoundTripper.RoundTrip(r)
	if err != nil || x.lie == nil || r.URL.Host != x.host {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	text := x.lie(string(body))
	resp.Body, resp.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
	resp.Header.Del("Content-Length")
	return resp, nil
}

// lied runs the sandbox's prices on the bubble's clock, over a network in which one host lies once a test says how.
func lied(t *testing.T, host string, currencies ...string) (*pairs.Service, *liar) {
	t.Helper()
	network := &liar{host: host}
	a := newTestApp(t, settings(t), zap.NewNop(), withCurrencies(currencies), withEnvironment(func(env *Environment) {
		network.RoundTripper, env.Transport = env.Transport, network
	}))
	hush(t, a.sandbox.current.Load().world, a.home.services.Load().Catalog)
	return a.home.pairs(), network
}

// tickers changes the bid and the ask of every book that Binance tells.
func tickers(change func(bid, ask string) (string, string)) func(string) string {
	return func(body string) string {
		var rows []map[string]string
		if err := json.Unmarshal([]byte(body), &rows); err != nil {
			return "the test does not understand Binance: " + err.Error()
		}
		for _, row := range rows {
			row["bidPrice"], row["askPrice"] = change(row["bidPrice"], row["askPrice"])
		}
		text, _ := json.Marshal(rows)
		return string(text)
	}
}

func times(factor string) func(string) string {
	return tickers(func(bid, ask string) (string, string) {
		f := decimal.RequireFromString(factor)
		return decimal.RequireFromString(bid).Mul(f).String(), decimal.RequireFromString(ask).Mul(f).String()
	})
}

// krakenTimes changes the two sides of one book that Kraken tells.
func krakenTimes(key, factor string) func(string) string {
	return func(body string) string {
		var all struct {
			Error  []string                              `json:"error"`
			Result map[string]map[string]json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal([]byte(body), &all); err != nil || all.Result[key] == nil {
			return "the test does not understand Kraken: " + body
		}
		for _, side := range []string{"a", "b"} {
			var level []string
			_ = json.Unmarshal(all.Result[key][side], &level)
			level[0] = decimal.RequireFromString(level[0]).Mul(decimal.RequireFromString(factor)).StringFixed(5)
			all.Result[key][side], _ = json.Marshal(level)
		}
		text, _ := json.Marshal(all)
		return string(text)
	}
}

// coinbaseTimes changes the two sides of the book of a product.
func coinbaseTimes(factor string) func(string) string {
	return func(body string) string {
		var product map[string]any
		if err := json.Unmarshal([]byte(body), &product); err != nil {
			return "the test does not understand Coinbase: " + body
		}
		for _, side := range []string{"bid", "ask"} {
			price, _ := product[side].(string)
			product[side] = decimal.RequireFromString(price).Mul(decimal.RequireFromString(factor)).StringFixed(5)
		}
		text, _ := json.Marshal(product)
		return string(text)
	}
}

func both(price string) func(string) string {
	return tickers(func(string, string) (string, string) { return price, price })
}

// TestNoLieOfAVenueReachesAPrice has Binance, one of four, lie in every way that a venue can; the real adapters and the engine judge it.
func TestNoLieOfAVenueReachesAPrice(t *testing.T) {
	t.Parallel()
	first := ""
	for name, test := range map[string]struct {
		lie  func(string) string
		want []pairs.Reason // why it has no vote in BTC/USDT: one of these
	}{
		"zero":             {both("0.00"), []pairs.Reason{pairs.NotPositive, pairs.Absent}},
		"negative":         {both("-67000"), []pairs.Reason{pairs.NotPositive, pairs.Absent}},
		"not a number":     {both("NaN"), []pairs.Reason{pairs.Unreachable, pairs.Absent}},
		"infinite":         {both("Infinity"), []pairs.Reason{pairs.Unreachable, pairs.Absent}},
		"comma decimals":   {both("67000,12"), []pairs.Reason{pairs.Unreachable, pairs.Absent}},
		"bid above ask":    {tickers(func(bid, ask string) (string, string) { return ask, bid }), []pairs.Reason{pairs.Inverted}},
		"a thousand times": {times("1000"), []pairs.Reason{pairs.Outlier}},
		"30 % up":          {times("1.3"), []pairs.Reason{pairs.Outlier}},
		"2 % up":           {times("1.02"), []pairs.Reason{pairs.Outlier}},
		"far too wide": {tickers(func(bid, ask string) (string, string) {
			return bid, decimal.RequireFromString(ask).Mul(decimal.New(11, -1)).String()
		}), []pairs.Reason{pairs.Wide}},
		"the pair the other way": {both("0.0000149"), []pairs.Reason{pairs.Outlier}},
		"more digits than sane":  {both("67000." + strings.Repeat("1", 60)), []pairs.Reason{pairs.OutOfRange, pairs.Unreachable, pairs.Absent}},
		"HTML":                   {func(string) string { return "<html><body>Attention Required!</body></html>" }, []pairs.Reason{pairs.Unreachable}},
		"half a body":            {func(body string) string { return body[:len(body)/2] }, []pairs.Reason{pairs.Unreachable}},
		"an empty body":          {func(string) string { return "" }, []pairs.Reason{pairs.Unreachable}},
		"its last value for ever": {func(body string) string {
			if first == "" {
				first = body
			}
			return first
		}, []pairs.Reason{pairs.Stalled, pairs.Outlier}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var s *pairs.Service
				s, network := lied(t, "data-api.binance.vision", "BTC", "USDT", "USD", "EUR")
				pass(t, s, 5)
				network.lie = test.lie
				seconds := 60
				if slices.Contains(test.want, pairs.Stalled) {
					seconds = 900 // for the others to move
				}
				pass(t, s, seconds)
				q := s.Snapshot().Quote("BTCUSDT")
				i := slices.IndexFunc(q.Legs[0].Rate.Excluded, func(x pairs.Exclusion) bool { return x.Source == "binance" })
				if i < 0 || !slices.Contains(test.want, q.Legs[0].Rate.Excluded[i].Reason) {
					t.Errorf("excluded %v, want binance for one of %v", q.Legs[0].Rate.Excluded, test.want)
				}
				if q.Status != pairs.Fresh || q.Reason != "" || len(q.Legs[0].Rate.Used) != 3 {
					t.Errorf("%s %q from %d votes", q.Status, q.Reason, len(q.Legs[0].Rate.Used))
				}
				for _, v := range q.Legs[0].Rate.Used {
					if off := q.Mid.Sub(v.Mid).Abs(); off.GreaterThan(v.Mid.Shift(-2)) {
						t.Errorf("the price is %s, and %s says %s", q.Mid, v.Source, v.Mid)
					}
				}
			})
		})
	}
}
