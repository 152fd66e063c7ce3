package differential_test

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/KarpelesLab/bech32m"
	"github.com/btcsuite/btcd/btcutil"
	btcbech32 "github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/btcsuite/btcd/chaincfg"
	tronbase58 "github.com/mr-tron/base58"
)

// prefix is a human-readable part.
type prefix struct {
	text    string
	testnet bool
}

// decoded is what a bech32 library reads.
type decoded struct {
	prefix string
	values []byte // of five bits
	m      bool   // bech32m
}

// bech32ByBtcutil decodes of any length, and says which variant it was.
func bech32ByBtcutil(text string) (decoded, bool) {
	hrp, values, err := btcbech32.DecodeNoLimit(text)
	if err != nil {
		return decoded{}, false
	}
	plain, err := btcbech32.Encode(hrp, values)
	return decoded{hrp, values, !strings.EqualFold(plain, text)}, err == nil
}

// bech32ByKarpeles decodes up to 90 characters.
func bech32ByKarpeles(text string) (decoded, bool) {
	hrp, values, spec, err := bech32m.Decode(text)
	return decoded{hrp, values, spec == bech32m.Bech32m}, err == nil && spec != bech32m.CashAddr
}

// regroup joins values of five bits to bytes and refuses what is left over.
func regroup(values []byte) ([]byte, bool) {
	out, err := btcbech32.ConvertBits(values, 5, 8, false)
	return out, err == nil
}

// judge32 asks one decoder, and leaves the bytes to the network.
func judge32(decode func(string) (decoded, bool), prefixes []prefix, m bool, judge func(payload []byte) bool) func(string) answer {
	return func(text string) answer {
		d, ok := decode(text)
		i := slices.IndexFunc(prefixes, func(p prefix) bool { return p.text == d.prefix })
		if !ok || i < 0 || d.m != m {
			return answer{}
		}
		payload, ok := regroup(d.values)
		return answer{ok && judge(payload), prefixes[i].testnet}
	}
}

// example32 makes addresses of a network, some of another prefix, length or variant.
func example32(prefixes []prefix, m bool, sizes ...int) func(r *rand.Rand) string {
	return func(r *rand.Rand) string {
		p := one(r, prefixes, func() prefix { return prefix{text: letters(r, "abcmtu", 2)} })
		payload := data(r, one(r, sizes, func() int { return 1 + r.IntN(40) }))
		return encode32(p.text, regroup5(payload), m != (r.IntN(8) == 0))
	}
}

func encode32(hrp string, values []byte, m bool) string {
	encode := btcbech32.Encode
	if m {
		encode = btcbech32.EncodeM
	}
	text, err := encode(hrp, values)
	if err != nil {
		panic(err)
	}
	return text
}

// regroup5 splits bytes to values of five bits.
func regroup5(payload []byte) []byte {
	values, err := btcbech32.ConvertBits(payload, 8, 5, true)
	if err != nil {
		panic(err)
	}
	return values
}

// account32 is a network whose addresses are bytes of given sizes in bech32 or bech32m.
func account32(network string, m bool, prefixes []prefix, sizes ...int) subject {
	judge := func(payload []byte) bool { return slices.Contains(sizes, len(payload)) }
	return subject{network, example32(prefixes, m, sizes...), []library{
		{name: "btcutil/bech32", judge: judge32(bech32ByBtcutil, prefixes, m, judge)},
		{name: "KarpelesLab/bech32m", judge: judge32(bech32ByKarpeles, prefixes, m, judge)},
	}}
}

// cardano has Shelley addresses of a header byte and one or two hashes, longer than BIP-173 allows.
func cardano() subject {
	prefixes := []prefix{{"addr", false}, {"addr_test", true}}
	judge := func(hrp string) func(payload []byte) bool {
		return func(payload []byte) bool {
			if len(payload) == 0 || (payload[0]&15 == 1) != (hrp == "addr") || payload[0]&15 > 1 {
				return false
			}
			switch payload[0] >> 4 {
			case 0, 1, 2, 3:
				return len(payload) == 57
			case 6, 7:
				return len(payload) == 29
			}
			return false
		}
	}
	example := func(r *rand.Rand) string {
		p := prefixes[r.IntN(2)]
		header := one(r, []byte{0x01, 0x11, 0x21, 0x31, 0x61, 0x71, 0x00, 0x10, 0x60, 0x70}, func() byte { return 0x80 | byte(r.IntN(128)) })
		payload := data(r, one(r, []int{29, 57}, func() int { return 20 + r.IntN(45) }))
		payload[0] = header
		return encode32(p.text, regroup5(payload), r.IntN(8) == 0)
	}
	ask := func(decode func(string) (decoded, bool)) func(string) answer {
		return func(text string) answer {
			for _, p := range prefixes {
				if a := judge32(decode, []prefix{p}, false, judge(p.text))(text); a.accepted {
					return a
				}
			}
			return answer{}
		}
	}
	return subject{"ADA", example, []library{
		{name: "btcutil/bech32", judge: ask(bech32ByBtcutil)},
		{name: "KarpelesLab/bech32m", judge: ask(bech32ByKarpeles), wrong: []libraryError{
			{"stops at 90 characters", func(text string) bool { return len(text) > 90 && ask(bech32ByBtcutil)(text).accepted }},
		}},
	}}
}

// witness says whether a witness program has an output script: BIP-141, BIP-173, BIP-350.
func witness(d decoded) bool {
	if len(d.values) == 0 || d.values[0] > 16 || d.m != (d.values[0] > 0) {
		return false
	}
	program, ok := regroup(d.values[1:])
	return ok && len(program) >= 2 && len(program) <= 40 && (d.values[0] > 0 || len(program) == 20 || len(program) == 32)
}

// coin is a chain with the formats of Bitcoin.
func coin(network string, prefixes []prefix, versions ...version) subject {
	base := check58Network(network, versions...)
	example := func(r *rand.Rand) string {
		if r.IntN(3) == 0 {
			return base.example(r)
		}
		p := one(r, prefixes, func() prefix { return prefix{text: letters(r, "abcmtu", 2)} })
		number := byte(r.IntN(3) * r.IntN(10))
		program := data(r, one(r, []int{20, 32}, func() int { return 1 + r.IntN(42) }))
		values := append([]byte{number}, regroup5(program)...)
		if r.IntN(16) == 0 {
			values[len(values)-1] |= 1 // of the bits left over
		}
		return encode32(p.text, values, (number > 0) != (r.IntN(8) == 0))
	}
	byDecoder := func(decode func(string) (decoded, bool)) func(string) answer {
		return func(text string) answer {
			d, ok := decode(text)
			i := slices.IndexFunc(prefixes, func(p prefix) bool { return p.text == d.prefix })
			if !ok || i < 0 || len(text) > 90 {
				return answer{}
			}
			return answer{witness(d), prefixes[i].testnet}
		}
	}
	bySegwit := func(text string) answer {
		for _, p := range prefixes {
			if _, _, err := bech32m.SegwitAddrDecode(p.text, text); err == nil {
				return answer{true, p.testnet}
			}
		}
		return answer{}
	}
	either := func(first, second func(string) answer) func(string) answer {
		return func(text string) answer {
			if a := first(text); a.accepted {
				return a
			}
			return second(text)
		}
	}
	judge := func(payload []byte) answer { return accept(versions, payload) }
	return subject{network, example, []library{
		{name: "btcutil/base58 and bech32", judge: either(check58(byBtcutil, judge), byDecoder(bech32ByBtcutil))},
		{name: "mr-tron/base58 and KarpelesLab/bech32m", judge: either(check58(byMrTron(tronbase58.BTCAlphabet), judge), bySegwit), wrong: []libraryError{
			{"ignores the bits left over", func(text string) bool {
				d, ok := bech32ByKarpeles(text)
				if !ok || len(d.values) == 0 {
					return false
				}
				_, whole := regroup(d.values[1:])
				return !whole && bySegwit(text).accepted
			}},
		}},
	}}
}

// bitcoin is asked of btcutil.DecodeAddress too, in the way in which most programs call it.
func bitcoin() subject {
	s := coin("BTC", []prefix{{"bc", false}, {"tb", true}, {"bcrt", true}},
		version{"00", 20, false}, version{"05", 20, false}, version{"6f", 20, true}, version{"c4", 20, true})
	plain := s.example
	s.example = func(r *rand.Rand) string {
		if r.IntN(40) == 0 {
			return "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
		}
		return plain(r)
	}
	read := func(text string) (decoded, bool) {
		d, ok := bech32ByBtcutil(text)
		return d, ok && d.prefix == "bc" && len(text) <= 90 && witness(d)
	}
	s.libraries = append(s.libraries, library{
		name: "btcutil.DecodeAddress", mainOnly: true,
		judge: func(text string) answer {
			_, err := btcutil.DecodeAddress(text, &chaincfg.MainNetParams)
			return answer{accepted: err == nil}
		},
		wrong: []libraryError{
			{"takes segwit addresses of test networks for the main one", func(text string) bool {
				d, ok := bech32ByBtcutil(text)
				return ok && d.prefix != "bc" && chaincfg.IsBech32SegwitPrefix(d.prefix+"1")
			}},
			{"takes public keys for addresses", func(text string) bool {
				key, err := hex.DecodeString(text)
				return err == nil && (len(key) == 33 || len(key) == 65)
			}},
			{"knows no witness version above 1, and of version 1 only some lengths", func(text string) bool {
				d, ok := read(text)
				if !ok || d.values[0] == 0 {
					return false
				}
				program, _ := regroup(d.values[1:])
				return d.values[0] > 1 || len(program) != 20 && len(program) != 32
			}},
		},
	}, library{
		name: "btcutil/bech32.Decode", mainOnly: true,
		judge: func(text string) answer {
			hrp, values, err := btcbech32.Decode(text)
			if err != nil {
				return check58(byBtcutil, func(payload []byte) answer {
					return accept([]version{{"00", 20, false}, {"05", 20, false}}, payload)
				})(text)
			}
			return answer{accepted: hrp == "bc" && len(values) > 0 && witness(decoded{hrp, values, values[0] > 0})}
		},
		wrong: []libraryError{
			{"takes either variant of the checksum", func(text string) bool {
				d, ok := bech32ByBtcutil(text)
				return ok && len(d.values) > 0 && d.m != (d.values[0] > 0)
			}},
		},
	})
	return s
}
