package pairs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/pairs"
)

// BenchmarkRecompute makes and publishes a whole snapshot after every source said something new of
// every market: the bounds are 5 ms for 100 pairs and 100 ms for 1,000 on one core. Every market
// has 10 sources; half of the pairs are crosses, or none is, or every pair has a second route.
func BenchmarkRecompute(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprintf("%d/direct", n), func(b *testing.B) { recompute(b, n, n, false) })
		b.Run(fmt.Sprintf("%d/half_crossed", n), func(b *testing.B) { recompute(b, n, n/2, false) })
		b.Run(fmt.Sprintf("%d/two_routes", n), func(b *testing.B) { recompute(b, n, n, true) })
	}
}

// recompute measures n pairs of which the first few are markets against USD, the others the same
// coins against NGN, by way of USD. With second routes, every coin has a market against USDT too.
func recompute(b *testing.B, n, direct int, second bool) {
	cfg := config()
	cfg.Listings = nil
	var sources []string
	for i := range 10 {
		sources = append(sources, fmt.Sprintf("venue%d", i))
	}
	cfg.Markets = []core.Market{{Pair: pair("USD/NGN"), Class: "official", Sources: sources[:1]}}
	for i := range n {
		coin := fmt.Sprintf("C%05d", i)
		if i >= direct {
			coin = fmt.Sprintf("C%05d", i-direct)
			cfg.Listings = append(cfg.Listings, core.Listing{Pair: pair(coin + "/NGN"), Via: "USD", Class: "crypto"})
			continue
		}
		cfg.Currencies = append(cfg.Currencies, core.Currency{Code: coin, Name: coin, Type: core.Crypto, Decimals: 8})
		cfg.Markets = append(cfg.Markets, core.Market{Pair: pair(coin + "/USD"), Class: "major", Sources: sources})
		l := core.Listing{Pair: pair(coin + "/USD"), Class: "crypto"}
		if second {
			cfg.Markets = append(cfg.Markets, core.Market{Pair: pair(coin + "/USDT"), Class: "major", Sources: sources})
			l.Direct, l.Via = true, "USDT"
		}
		cfg.Listings = append(cfg.Listings, l)
	}
	if second {
		cfg.Markets = append(cfg.Markets, core.Market{Pair: pair("USDT/USD"), Class: "major", Sources: sources})
	}
	s := open(b, cfg)
	for i, name := range sources {
		for j, m := range cfg.Markets {
			mid := decimal.New(int64(1_000_000+j*7919), int32(-j%8))
			switch {
			case m.Pair.Counter == "USDT":
				mid = decimal.New(int64(1_000_000+(j-1)*7919), int32(-(j-1)%8)) // as against USD
			case m.Pair.Base == "USDT":
				mid = decimal.New(1, 0)
			}
			wide := mid.Mul(decimal.New(int64(5+i), -4))
			s.venues[name].set(m.Pair.String(), mid.Sub(wide).String(), mid.Add(wide.Mul(decimal.New(int64(1+i), -1))).String())
		}
	}
	s.Tick(b.Context())
	s.step(b, 24*time.Hour) // so that the change over 24 hours is known
	if got := len(s.Snapshot().Quotes); got != n {
		b.Fatalf("got %d quotes, want %d", got, n)
	}
	var last *pairs.Snapshot
	s.Subscribe(func(snapshot *pairs.Snapshot) { last = snapshot })
	b.ReportAllocs()
	for b.Loop() {
		s.RecomputeAll()
	}
	if len(last.Quotes) != n {
		b.Fatalf("got %d quotes, want %d", len(last.Quotes), n)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/pair")
}
