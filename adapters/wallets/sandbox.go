package wallets

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/btcsuite/btcd/btcutil"
	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/btcsuite/btcd/chaincfg"

	"causeway/core"
	"causeway/ports"
)

// Sandbox returns sources for a simulated world, by wallet. The addresses depend on the seed only,
// and have the format of the test network where the network has one. They are hashes of the seed,
// so that no private key is known.
func Sandbox(seed string, mainnet bool) map[string]ports.AddressSource {
	sources := map[string]ports.AddressSource{}
	for wallet, e := range encoders(mainnet) {
		sources[wallet] = simulated{seed, wallet, e}
	}
	return sources
}

// simulated is the source of a wallet of a simulated world.
type simulated struct {
	seed, wallet string
	encoder      encoder
}

// encoder encodes a hash as an address. A memo identifies the user of a shared address.
type encoder struct {
	shared bool
	encode func(hash [sha256.Size]byte) string
}

// Kind implements ports.AddressSource.
func (simulated) Kind() ports.SourceKind { return ports.SimulatedSource }

// Fingerprint implements ports.AddressSource.
func (s simulated) Fingerprint() string { return fingerprint(s.wallet, "sandbox", s.seed) }

// Address implements ports.AddressSource.
func (s simulated) Address(index int64, _ core.Private) (core.DepositAddress, error) {
	number, memo := index, ""
	if s.encoder.shared {
		number, memo = 0, strconv.FormatInt(index+1, 10)
	}
	text := s.encoder.encode(hashOf(s.seed, s.wallet, strconv.FormatInt(number, 10)))
	return core.DepositAddress{Address: core.Private(text), Memo: core.Private(memo)}, nil
}

func encoders(mainnet bool) map[string]encoder {
	type hash = [sha256.Size]byte
	own := func(encode func(hash) string) encoder { return encoder{false, encode} }
	shared := func(encode func(hash) string) encoder { return encoder{true, encode} }
	// Prefixes of test networks: see family. Header of an enterprise address (CIP-19) and flags of a
	// non-bounceable one (TEP-2).
	btc, ltc, doge, dash, bch := "tb", "tltc", byte(0x71), byte(0x8c), byte(0x6f)
	cardanoHRP, cardano, ton := "addr_test", byte(0x60), byte(0xd1)
	if mainnet {
		btc, ltc, doge, dash, bch = "bc", "ltc", 0x1e, 0x4c, 0x00
		cardanoHRP, cardano, ton = "addr", 0x61, 0x51
	}
	const cardanoHash, tron = 28, 0x41
	segwit := func(hrp string) encoder {
		params := &chaincfg.Params{Bech32HRPSegwit: hrp}
		return own(func(h hash) string {
			address, err := btcutil.NewAddressWitnessPubKeyHash(h[:accountBytes], params)
			if err != nil {
				panic(err) // the length is constant
			}
			return address.EncodeAddress()
		})
	}
	checked := func(version byte) encoder {
		return own(func(h hash) string { return base58.CheckEncode(h[:accountBytes], version) })
	}
	evm := own(func(h hash) string { return "0x" + hex.EncodeToString(h[:accountBytes]) })
	prefixed := own(func(h hash) string { return "0x" + hex.EncodeToString(h[:]) })
	return map[string]encoder{
		"BTC":  segwit(btc),
		"LTC":  segwit(ltc),
		"DOGE": checked(doge),
		"DASH": checked(dash),
		"BCH":  checked(bch), // shown as CashAddr
		"TRX":  checked(tron),
		"EVM":  evm,
		"RBTC": evm,
		"SOL":  own(func(h hash) string { return base58.Encode(h[:]) }),
		"APT":  prefixed,
		"SUI":  prefixed,
		"NEAR": own(func(h hash) string { return hex.EncodeToString(h[:]) }),
		"ADA":  own(func(h hash) string { return toBech32(cardanoHRP, append([]byte{cardano}, h[:cardanoHash]...)) }),
		"XRP":  shared(func(h hash) string { return toRipple(base58.CheckEncode(h[:accountBytes], 0)) }),
		"ATOM": shared(func(h hash) string { return toBech32("cosmos", h[:accountBytes]) }),
		"XLM": shared(func(h hash) string {
			const accountID = 6 << 3 // "G"
			raw := append([]byte{accountID}, h[:]...)
			return base32.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint16(raw, crc16(raw)))
		}),
		"TON": shared(func(h hash) string {
			raw := append([]byte{ton, 0}, h[:]...)
			return base64.URLEncoding.EncodeToString(binary.BigEndian.AppendUint16(raw, crc16(raw)))
		}),
		"HBAR": shared(func(h hash) string { // far beyond the accounts that exist
			return "0.0." + strconv.FormatUint(binary.BigEndian.Uint64(h[:])>>2|1<<61, 10)
		}),
	}
}

func toBech32(hrp string, payload []byte) string {
	text, err := bech32.EncodeFromBase256(hrp, payload)
	if err != nil {
		panic(err) // the prefixes are constant
	}
	return text
}

// toRipple replaces Bitcoin's base58 digits by the digits of the XRP Ledger.
func toRipple(text string) string {
	const (
		bitcoin = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
		ripple  = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
	)
	return strings.Map(func(digit rune) rune { return rune(ripple[strings.IndexRune(bitcoin, digit)]) }, text)
}

// crc16 is CRC-16/XMODEM, the checksum of Stellar and TON addresses.
func crc16(data []byte) uint16 {
	const polynomial = 0x1021
	crc := uint16(0)
	for _, b := range data {
		crc ^= uint16(b) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ polynomial
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}
