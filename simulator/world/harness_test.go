package world_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/faults"
	"causeway/simulator/market"
)

var (
	gtbank = core.Bank{
		Code: "000013", Name: "Guaranty Trust Bank", Country: "NG", Currency: "NGN", Type: core.CommercialBank,
		Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"cbn": "058"},
	}
	simulated = accounts.MagicBanks([]core.Country{{Code: "NG", Currencies: []string{"NGN"}}})[0]

	fake = regexp.MustCompile(`^TEST [A-Z ]+ [0-9]{4}$`)
)

func pairOf(text string) core.Pair {
	base, counter, _ := strings.Cut(text, "/")
	return core.Pair{Base: base, Counter: counter}
}

func put(t testing.TB, m *market.Market, pair string, s market.Setting, from time.Time) {
	t.Helper()
	if err := m.Set(pairOf(pair), s, from, time.Time{}); err != nil {
		t.Fatal(err)
	}
}

// pattern sends n requests to a provider and marks the hits.
func pattern(f *faults.Set, provider, operation string, n int) string {
	var out strings.Builder
	for range n {
		mark := "."
		r := faults.Request{Provider: provider, Operation: operation, Header: http.Header{"X-Test": {"1"}}}
		if _, hit := f.Next(r, noon); hit {
			mark = "x"
		}
		out.WriteString(mark)
	}
	return out.String()
}

// bitcoin returns the reference price of BTC/USDT.
func bitcoin(t testing.TB, m *market.Market, at time.Time) string {
	t.Helper()
	p, ok := m.Reference(pairOf("BTC/USDT"), at)
	if !ok {
		t.Fatal("BTC/USDT has no price")
	}
	return p.String()
}
