package wire_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"causeway/simulator"
	"causeway/simulator/wire"
)

// fingerprint is the SHA-256 of what a world of the seed "causeway" shows. It changes when the market, the accounts or
// a wire changes, and must not change between machines: a new value belongs into the commit that means it.
const fingerprint = "e926bc0bfbb7036bbdfef76d308dbb0daf7293e69a87b9f3cead7d2c58be75dc"

func TestFingerprint(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	sum := sha256.New()
	for _, venue := range []string{simulator.Kraken, simulator.Binance, simulator.Coinbase, simulator.OKX, simulator.Bybit, simulator.Quidax, simulator.Busha} {
		for i, pair := range world.Market().Listed(venue) {
			for j := range 12 { // from milliseconds to years apart
				at := noon.Add(time.Duration(i)*977*time.Millisecond + time.Duration(1)<<(4*j+10))
				book, _ := world.Market().Book(venue, pair, at)
				today, day, _ := world.Market().Day(venue, pair, at)
				reference, _ := world.Market().Reference(pair, at)
				fmt.Fprintln(sum, venue, pair, book, today, day, reference)
			}
		}
	}
	for i := range 1000 { // an account of each institution, and a draw
		fmt.Fprintln(sum, world.Account(institutions()[i%6], fmt.Sprintf("%010d", i)), world.Entropy())
	}
	w := wire.New(world)
	for _, q := range questions {
		sum.Write(inProcess(t, w, q))
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != fingerprint {
		t.Errorf("the fingerprint is %s, want %s", got, fingerprint)
	}
}
