//go:build !race

// The race detector makes sync.Pool drop values at random, so allocations are counted without it.

package addresses_test

import (
	"testing"

	"causeway/core"
)

// formatsTimed holds an address of each format with a speed target, and the allocations allowed.
var formatsTimed = []struct {
	name, network, address string
	allocations            float64
}{
	{"BTC-bech32", "BTC", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", 0},
	{"BTC-bech32m", "BTC", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", 0},
	{"BTC-base58", "BTC", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", 0},
	{"ETH-eip55", "ETH", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", 0},
	{"ETH-lower", "ETH", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", 1},
	{"TRX", "TRX", "TDpBe64DqirkKWj6HWuR1pWgmnhw2wDacE", 0},
	{"SOL", "SOL", "5oNDL3swdJJF1g9DzJiZ4ynHXgszjAEpUkxVYejchzrY", 1},
	{"XRP", "XRP", "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY", 0},
	{"XLM", "XLM", "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ", 0},
	{"TON", "TON", "UQCKhieGGl3ZbJ2zzggHsSLaXtRzk0znVopbSxw2HLsorhqg", 0},
	{"LTC-bech32", "LTC", "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9", 0},
	{"DOGE", "DOGE", "D7wbmbjBWG5HPkT6d4gh6SdQPp6z25vcF2", 0},
	{"BCH-cashaddr", "BCH", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", 0},
	{"ADA-shelley", "ADA", "addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x", 0},
	{"XMR", "XMR", "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A", 0},
	{"DOT", "DOT", "15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5", 0},
	{"ATOM", "ATOM", "cosmos1w508d6qejxtdg4y5r3zarvary0c5xw7k6ah60c", 0},
	{"ALGO", "ALGO", "7ZUECA7HFLZTXENRV24SHLU4AVPUTMTTDUFUBNBD64C73F3UHRTHAIOF6Q", 0},
	{"XTZ", "XTZ", "tz1L5jKG7VjcrMgPZKD1DqmAnhURvZmitUZS", 0},
	{"NEAR-name", "NEAR", "alice.near", 0},
	{"wrong-network", "BTC", "TDpBe64DqirkKWj6HWuR1pWgmnhw2wDacE", 2},
}

func TestAllocations(t *testing.T) {
	for _, f := range formatsTimed {
		s, q := only(t, f.network), core.AddressQuery{Currency: "COIN", Address: core.Private(f.address)}
		got := testing.AllocsPerRun(200, func() {
			if _, err := s.Validate(q); err != nil {
				t.Fatal(err)
			}
		})
		if got > f.allocations {
			t.Errorf("%s: %v allocations, want at most %v", f.name, got, f.allocations)
		}
		if v := validate(t, s, f.address); v.Valid == (f.name == "wrong-network") {
			t.Errorf("%s: valid is %v (%s)", f.name, v.Valid, v.Reason)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	for _, f := range formatsTimed {
		b.Run(f.name, func(b *testing.B) {
			s, q := only(b, f.network), core.AddressQuery{Currency: "COIN", Address: core.Private(f.address)}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Validate(q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCases measures the mean over all cases, including invalid ones and the search for possible
// networks.
func BenchmarkCases(b *testing.B) {
	s, list := service(b, true), cases(b)
	queries := make([]core.AddressQuery, 0, len(list))
	for _, c := range list {
		q := core.AddressQuery{Currency: c.Currency, Network: codeOf[chain(c.Network)], Address: core.Private(c.Address), Memo: c.Memo, MemoType: c.MemoType}
		if _, err := s.Validate(q); err == nil {
			queries = append(queries, q)
		}
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, err := s.Validate(queries[i%len(queries)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
