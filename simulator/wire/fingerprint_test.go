package wire_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/simulator/market"
)

// fingerprint is the SHA-256 of the market and of accounts in a world with the seed "causeway". It
// must not change between machines; a commit that changes it on purpose updates it. Responses of
// providers are not part of it, so that a new provider does not change it: TestGolden and
// TestServiceFingerprint cover them.
const fingerprint = "1ff1cd85e4f1bee647180274600eec8c3831492e6b1677b20707a8452fb56763"

func TestFingerprint(t *testing.T) {
	t.Parallel()
	sim := newWorld(t)
	sum := sha256.New()
	venues := []string{
		market.Kraken, market.Binance, market.Coinbase, market.OKX, market.Bybit, market.Bitstamp,
		market.Gemini, market.Quidax, market.Busha, market.Luno,
	}
	for _, venue := range venues {
		for i, pair := range sim.Market().Listed(venue) {
			for j := range 12 { // from milliseconds to years apart
				at := noon.Add(time.Duration(i)*977*time.Millisecond + time.Duration(1)<<(4*j+10))
				book, _ := sim.Market().Book(venue, pair, at)
				reference, _ := sim.Market().Reference(pair, at)
				fmt.Fprintf(sum, "%s %s {%s} %d %s\n", venue, pair,
					fixed(book.Bid, book.Ask, book.Last, book.Open, book.BidSize, book.AskSize, book.LastSize, book.Volume),
					book.Trades, fixed(reference))
			}
		}
	}
	for i := range 1000 { // an account of each institution, and a draw
		fmt.Fprintln(sum, sim.Accounts().Get(institutions()[i%6], fmt.Sprintf("%010d", i)), sim.Entropy())
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != fingerprint {
		t.Errorf("the fingerprint is %s, want %s", got, fingerprint)
	}
}

// fixed writes numbers with all their decimal places, zeros included.
func fixed(numbers ...decimal.Decimal) string {
	texts := make([]string, len(numbers))
	for i, d := range numbers {
		texts[i] = d.StringFixed(-d.Exponent())
	}
	return strings.Join(texts, " ")
}
