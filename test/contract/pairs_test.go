package contract_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
)

type money struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

type limit struct {
	money
	Counter money `json:"counter"`
}

type pair struct {
	ID                  string `json:"id"`
	Base                string `json:"base"`
	BaseCurrencyName    string `json:"base_currency_name"`
	Counter             string `json:"counter"`
	CounterCurrencyName string `json:"counter_currency_name"`
	Type                string `json:"type"`
	BuyPrice            money  `json:"buy_price"`
	SellPrice           money  `json:"sell_price"`
	IsBuySupported      *bool  `json:"is_buy_supported"`
	IsSellSupported     *bool  `json:"is_sell_supported"`
	MinBuyAmount        limit  `json:"min_buy_amount"`
	MaxBuyAmount        limit  `json:"max_buy_amount"`
	MinSellAmount       limit  `json:"min_sell_amount"`
	MaxSellAmount       limit  `json:"max_sell_amount"`
	BaseDecimal         string `json:"base_decimal"`
	CounterDecimal      string `json:"counter_decimal"`
	PercentageChange    string `json:"percentage_change"`
	UpdatedAt           string `json:"updated_at"`
	Status              string `json:"status"`
}

func pairs(t *testing.T, query string) []pair {
	t.Helper()
	return data[[]pair](t, get(t, "/v1/pairs"+query))
}

var plainDecimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// number reads an amount as the contract writes them: a plain decimal string with at most places
// digits.
func number(t *testing.T, where, text string, places string) decimal.Decimal {
	t.Helper()
	if !plainDecimal.MatchString(text) {
		t.Errorf("%s: %q is not a plain decimal", where, text)
	}
	d, err := decimal.NewFromString(text)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	most, err := decimal.NewFromString(places)
	if err != nil {
		t.Fatalf("%s: precision: %v", where, err)
	}
	if _, fraction, _ := strings.Cut(text, "."); int64(len(fraction)) > most.IntPart() {
		t.Errorf("%s: %q has more than %s digits after the point", where, text, places)
	}
	return d
}

func TestPairs_Consistent(t *testing.T) {
	t.Parallel()
	all := pairs(t, "")
	isFresh := func(p pair) bool { return p.Status == "fresh" }
	for end := time.Now().Add(2 * time.Minute); !slices.ContainsFunc(all, isFresh) && time.Now().Before(end); {
		all = pairs(t, "") // a very busy machine may have fallen behind
	}
	if len(all) < 80 || len(all) > 100 {
		t.Errorf("%d pairs, want 80 to 100", len(all))
	}
	types, fresh := map[string]int{}, map[string]bool{}
	for i, p := range all {
		types[p.Type]++
		if p.ID != p.Base+p.Counter || p.ID != strings.ToUpper(p.ID) || p.BaseCurrencyName == "" || p.CounterCurrencyName == "" {
			t.Errorf("names of %+v", p)
		}
		if i > 0 && all[i-1].ID >= p.ID {
			t.Errorf("order: %s before %s", all[i-1].ID, p.ID)
		}
		at, err := time.Parse(time.RFC3339Nano, p.UpdatedAt)
		if err != nil || !strings.HasSuffix(p.UpdatedAt, "Z") {
			t.Errorf("%s: updated_at %q", p.ID, p.UpdatedAt)
		}
		if p.Status == "fresh" {
			fresh[at.String()] = true
		}
		if p.IsBuySupported == nil || p.IsSellSupported == nil || *p.IsBuySupported != (p.Status != "halted") {
			t.Errorf("%s: status %s and supported flags disagree", p.ID, p.Status)
		}
		checkPrices(t, p)
	}
	if len(fresh) != 1 {
		t.Errorf("%d instants in the fresh pairs of one answer, want one", len(fresh))
	}
	if len(types) != 3 {
		t.Errorf("types %v", types)
	}
}

// checkPrices checks the form of the amounts of a pair.
func checkPrices(t *testing.T, p pair) {
	t.Helper()
	buy, sell := number(t, p.ID, p.BuyPrice.Amount, p.CounterDecimal), number(t, p.ID, p.SellPrice.Amount, p.CounterDecimal)
	if !sell.IsPositive() || !buy.GreaterThan(sell) {
		t.Errorf("%s: buy %s, sell %s", p.ID, buy, sell)
	}
	if p.BuyPrice.Currency != p.Counter || p.SellPrice.Currency != p.Counter {
		t.Errorf("%s: price currencies %+v %+v", p.ID, p.BuyPrice, p.SellPrice)
	}
	number(t, p.ID+" change", p.PercentageChange, "2")
	for _, l := range []limit{p.MinBuyAmount, p.MaxBuyAmount, p.MinSellAmount, p.MaxSellAmount} {
		if !number(t, p.ID, l.Amount, p.BaseDecimal).IsPositive() || !number(t, p.ID, l.Counter.Amount, p.CounterDecimal).IsPositive() ||
			l.Currency != p.Base || l.Counter.Currency != p.Counter {
			t.Errorf("%s: limit %+v", p.ID, l)
		}
	}
}

// places is how many digits after the point an amount of the pair's counter currency has at most.
func places(p pair) int32 {
	d, _ := decimal.NewFromString(p.CounterDecimal) // checkPrices holds it to be a number
	return int32(d.IntPart())
}

func ids(list []pair) []string {
	out := []string{}
	for _, p := range list {
		out = append(out, p.ID)
	}
	return out
}

func TestPairs_Sorting(t *testing.T) {
	t.Parallel()
	alphabetical := ids(pairs(t, "?sort_by=alphabetical&sort=asc"))
	if !slices.IsSorted(alphabetical) || !slices.Equal(alphabetical, ids(pairs(t, ""))) {
		t.Error("alphabetical is not the default order")
	}
	down := ids(pairs(t, "?sort_by=alphabetical&sort=desc"))
	slices.Reverse(down)
	if !slices.Equal(down, alphabetical) {
		t.Error("desc is not asc backwards")
	}
	byPrice := pairs(t, "?sort_by=current_price")
	if !slices.IsSortedFunc(byPrice, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.Counter, b.Counter), number(t, a.ID, a.BuyPrice.Amount, "18").Cmp(number(t, b.ID, b.BuyPrice.Amount, "18")))
	}) {
		t.Error("current_price is not by counter, then buy price")
	}
	byChange := pairs(t, "?sort_by=price_change")
	if !slices.IsSortedFunc(byChange, func(a, b pair) int {
		return number(t, a.ID, a.PercentageChange, "2").Cmp(number(t, b.ID, b.PercentageChange, "2"))
	}) {
		t.Error("price_change is not sorted")
	}
	cap := ids(pairs(t, "?sort_by=market_cap"))
	if last := len(cap) - 1; len(cap) != len(alphabetical) || !strings.HasPrefix(cap[last], "BTC") || ids(pairs(t, "?sort_by=market_cap&sort=desc"))[0] != cap[last] {
		t.Errorf("market_cap is %v, want the smallest first", cap)
	}
}
