package differential_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"

	btcbase58 "github.com/btcsuite/btcd/btcutil/base58"
	tronbase58 "github.com/mr-tron/base58"
)

// version is a kind of base58check address: the bytes in front, and how many follow.
type version struct {
	prefix  string // in hexadecimal digits
	size    int
	testnet bool
}

func (v version) bytes() []byte {
	prefix, err := hex.DecodeString(v.prefix)
	if err != nil {
		panic(err)
	}
	return prefix
}

// accept finds the version of a payload.
func accept(versions []version, payload []byte) answer {
	for _, v := range versions {
		prefix := v.bytes()
		if bytes.HasPrefix(payload, prefix) && len(payload) == len(prefix)+v.size {
			return answer{true, v.testnet}
		}
	}
	return answer{}
}

// byBtcutil decodes with btcutil's base58check.
func byBtcutil(text string) ([]byte, bool) {
	payload, first, err := btcbase58.CheckDecode(text)
	return append([]byte{first}, payload...), err == nil
}

// byMrTron decodes with mr-tron/base58, which leaves the checksum to its caller.
func byMrTron(alphabet *tronbase58.Alphabet) func(text string) ([]byte, bool) {
	return func(text string) ([]byte, bool) {
		decoded, err := tronbase58.DecodeAlphabet(text, alphabet)
		if err != nil || len(decoded) < 5 {
			return nil, false
		}
		payload, sum := decoded[:len(decoded)-4], decoded[len(decoded)-4:]
		first := sha256.Sum256(payload)
		second := sha256.Sum256(first[:])
		return payload, bytes.Equal(second[:4], sum)
	}
}

// check58 is the question to one decoder, for a network of such versions.
func check58(decode func(string) ([]byte, bool), judge func(payload []byte) answer) func(string) answer {
	return func(text string) answer {
		payload, ok := decode(text)
		if !ok {
			return answer{}
		}
		return judge(payload)
	}
}

// example58 makes addresses of a network, some of another version or length.
func example58(versions []version) func(r *rand.Rand) string {
	return func(r *rand.Rand) string {
		v := one(r, versions, func() version { return version{prefix: hex.EncodeToString(data(r, 1)), size: 18 + r.IntN(5)} })
		payload := append(v.bytes(), data(r, v.size)...)
		return btcbase58.CheckEncode(payload[1:], payload[0])
	}
}

// check58Network is a network of base58check addresses and nothing else.
func check58Network(network string, versions ...version) subject {
	judge := func(payload []byte) answer { return accept(versions, payload) }
	return subject{network, example58(versions), []library{
		{name: "btcutil/base58", judge: check58(byBtcutil, judge)},
		{name: "mr-tron/base58", judge: check58(byMrTron(tronbase58.BTCAlphabet), judge)},
	}}
}

const rippleLetters = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"

// respelled replaces each letter of one alphabet by the letter of the same value in another. Other bytes become no
// letter of either.
func respelled(text, from, to string) string {
	out := make([]byte, len(text))
	for i := range len(text) {
		out[i] = '0'
		if value := strings.IndexByte(from, text[i]); value >= 0 {
			out[i] = to[value]
		}
	}
	return string(out)
}

// ripple is the XRP Ledger, with its own alphabet, and the tag inside X-addresses.
func ripple() subject {
	versions := []version{{prefix: "00", size: 20}, {prefix: "0544", size: 29}, {prefix: "0493", size: 29, testnet: true}}
	judge := func(payload []byte) answer {
		a := accept(versions, payload)
		if a.accepted && len(payload) == 31 {
			flag, tag := payload[22], binary.LittleEndian.Uint64(payload[23:])
			a.accepted = flag == 0 && tag == 0 || flag == 1 && tag <= 1<<32-1
		}
		return a
	}
	example := func(r *rand.Rand) string {
		v := one(r, versions, func() version { return version{prefix: hex.EncodeToString(data(r, 1)), size: 20} })
		payload := append(v.bytes(), data(r, v.size)...)
		if len(payload) == 31 {
			payload[22] = byte(r.IntN(3))
			binary.LittleEndian.PutUint64(payload[23:], r.Uint64()>>(r.IntN(2)*32)*uint64(r.IntN(2)))
		}
		return respelled(btcbase58.CheckEncode(payload[1:], payload[0]), base58Letters, rippleLetters)
	}
	respell := func(text string) ([]byte, bool) { return byBtcutil(respelled(text, rippleLetters, base58Letters)) }
	return subject{"XRP", example, []library{
		{name: "btcutil/base58", judge: check58(respell, judge)},
		{name: "mr-tron/base58", judge: check58(byMrTron(tronbase58.NewAlphabet(rippleLetters)), judge)},
	}}
}
