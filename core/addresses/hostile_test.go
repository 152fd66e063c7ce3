package addresses_test

import (
	"runtime"
	"strings"
	"testing"

	"causeway/core"
	"causeway/core/addresses"
)

// hostile holds texts that are as expensive as possible: long runs of letters that a decoder accepts.
func hostile() map[string]string {
	return map[string]string{
		"base58":          strings.Repeat("z", 176),
		"base58, ones":    strings.Repeat("1", 176),
		"bech32":          "u1" + strings.Repeat("q", 510),
		"bech32, far":     strings.Repeat("a", 500) + "1qqqqqqqq",
		"cashaddr":        strings.Repeat("q", 200),
		"hexadecimal":     strings.Repeat("a", 512),
		"one letter":      strings.Repeat("a", 100_000),
		"words":           strings.Repeat("zoo ", 25_000),
		"dashes":          strings.Repeat("private-key", 9_000),
		"spaces":          strings.Repeat(" ", 100_000),
		"not text":        strings.Repeat("\xff", 100_000),
		"wide":            strings.Repeat("あ", 30_000),
		"an array":        "[" + strings.Repeat("1,", 50_000),
		"colons":          strings.Repeat("bitcoin:", 60),
		"a name":          strings.Repeat("a.", 99) + "eth",
		"unified":         "u1l8xunezsvhq8fgzfl7404m450nwnd76zshscn6nfys7vyz2ywyh4cc5daaq0c7q2su5lqfh23sp7fkf3kt27ve5948mzpfdvckzaect2jtte308mkwlycj2u0eac077wu70vqcetkxf",
		"ethereum":        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
		"byron":           "DdzFFzCqrhssmYoG5Eca1bKZFdGS8d6iag1mU4wbLeYcSPVvBNF2wRG8yhjzQqErbg63N6KJA4DHqha113tjKDpGEwS5x1dT2KfLSbSJ",
		"a text of Nimiq": strings.Repeat("NQ86 ", 40),
	}
}

// TestMemory checks that no text makes a network allocate 64 KiB.
func TestMemory(t *testing.T) {
	var before, after runtime.MemStats
	for _, n := range addresses.Registry() {
		if n.Retired != "" {
			continue
		}
		s := only(t, n.Code)
		validate(t, s, "x") // the workspace itself
		for name, text := range hostile() {
			const times = 2
			runtime.ReadMemStats(&before)
			for range times {
				validate(t, s, text)
			}
			runtime.ReadMemStats(&after)
			if used := (after.TotalAlloc - before.TotalAlloc) / times; used > 64<<10 {
				t.Errorf("%s: %s: got %d bytes, want less than 64 KiB", n.Code, name, used)
			}
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile() {
		b.Run(name, func(b *testing.B) {
			s, q := only(b, "BTC"), core.AddressQuery{Currency: "COIN", Address: core.Private(text)}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Validate(q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFormats times the first example of every format of every network, by its decoder alone
// where families share one.
func BenchmarkFormats(b *testing.B) {
	seen := map[string]bool{}
	for _, n := range addresses.Registry() {
		for _, f := range n.Formats {
			if n.Retired != "" || seen[f.Name+f.Example[:2]] {
				continue
			}
			seen[f.Name+f.Example[:2]] = true
			b.Run(n.Code+"-"+f.Name, func(b *testing.B) {
				s, q := only(b, n.Code), core.AddressQuery{Currency: "COIN", Address: core.Private(f.Example)}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Validate(q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
