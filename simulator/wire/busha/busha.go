package busha

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// busha is the public list of pairs of busha, https://docs.busha.io/guides/reference/pairs (read 2026-11): prices in the words of
// the customer, so that buy is the larger one; no time of a price, no status.
type busha struct {
	world    *world.World
	accounts *bushaAccounts
}

func newBusha(w *world.World) *busha {
	return &busha{world: w, accounts: &bushaAccounts{world: w, known: provider.Once(w, Name, func() *provider.Institutions { return provider.NewInstitutions(w, codeAtBusha) })}}
}

// ServeHTTP answers one call.
func (b *busha) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/banks" || r.URL.Path == "/v1/recipients/resolve-bank-account" {
		b.accounts.ServeHTTP(w, r)
		return
	}
	now := b.world.Now()
	b.call(r, now).Send(w, now)
}

// bushaAnswer is the envelope of an answer, bushaFault that of a refusal.
type bushaAnswer struct {
	Status  string      `json:"status"`
	Message string      `json:"message"`
	Data    []bushaPair `json:"data"`
}

type bushaFault struct {
	Error struct {
		Name    string `json:"name"`
		Message string `json:"message"`
	} `json:"error"`
}

func bushaError(status int, name, message string) provider.Reply {
	var f bushaFault
	f.Error.Name, f.Error.Message = name, message
	return provider.Answer(status, f)
}

// bushaPair is a pair on offer.
type bushaPair struct {
	ID        string      `json:"id"`
	Base      string      `json:"base"`
	Counter   string      `json:"counter"`
	Type      string      `json:"type"`
	BuyPrice  bushaAmount `json:"buy_price"`
	SellPrice bushaAmount `json:"sell_price"`
	CanBuy    bool        `json:"is_buy_supported"`
	CanSell   bool        `json:"is_sell_supported"`
	MinBuy    bushaAmount `json:"min_buy_amount"`
	MinSell   bushaAmount `json:"min_sell_amount"`
	Change    string      `json:"percentage_change"`
}

type bushaAmount struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

func (b *busha) call(r *http.Request, now time.Time) provider.Reply {
	if r.URL.Path != "/v1/pairs" {
		return bushaError(http.StatusNotFound, "not_found", "The requested resource does not exist")
	}
	query := r.URL.Query()
	class := strings.TrimSuffix(query.Get("type"), "s")
	if !slices.Contains([]string{"", "fiat", "crypto", "stablecoin"}, class) {
		return bushaError(http.StatusBadRequest, "bad_request", "Invalid pair type")
	}
	pairs := []bushaPair{}
	for _, p := range b.world.Market().Traded(market.Busha, now) {
		pair := b.pair(p, now)
		currency := query.Get("currency")
		if (class == "" || class == strings.TrimSuffix(pair.Type, "s")) && (currency == "" || currency == p.Base || currency == p.Counter) &&
			asked(query.Get("base"), p.Base) && asked(query.Get("counter"), p.Counter) {
			pairs = append(pairs, pair)
		}
	}
	return provider.Answer(http.StatusOK, bushaAnswer{Status: "success", Message: "Fetched pairs successfully", Data: pairs})
}

// asked reports whether a filter lets a value through.
func asked(filter, value string) bool { return filter == "" || filter == value }

func (b *busha) pair(p core.Pair, now time.Time) bushaPair {
	m := b.world.Market()
	top, _ := m.Book(market.Busha, p, now)
	before, _ := m.Book(market.Busha, p, now.Add(-24*time.Hour))
	listing, _ := m.Listing(market.Busha, p)
	least := bushaAmount{Amount: listing.MinSize.Trimmed(), Currency: p.Base}
	class := "crypto"
	switch p.Base {
	case "CNGN", "USDC", "USDT":
		class = "stablecoins"
	}
	return bushaPair{
		ID: p.ID(), Base: p.Base, Counter: p.Counter, Type: class,
		BuyPrice: bushaAmount{top.Ask.Trimmed(), p.Counter}, SellPrice: bushaAmount{top.Bid.Trimmed(), p.Counter},
		CanBuy: true, CanSell: true, MinBuy: least, MinSell: least, Change: change(before.Bid, top.Bid),
	}
}

// change is by how many per cent a price moved, to a tenth.
func change(before, after market.Amount) string {
	moved := (int64(after.Units) - int64(before.Units)) * 1000 / int64(before.Units) //nolint:gosec // prices of a book, far below 2^53
	sign := ""
	if moved < 0 {
		sign, moved = "-", -moved
	}
	return sign + strconv.FormatInt(moved/10, 10) + "." + strconv.FormatInt(moved%10, 10)
}
