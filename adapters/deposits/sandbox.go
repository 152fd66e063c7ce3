package deposits

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/btcsuite/btcd/btcutil/hdkeychain"

	"causeway/core"
	"causeway/ports"
)

// Sandbox returns sources for a simulated world, by wallet. The addresses depend on the seed only, and
// have the format of the test network where the network has one. No private key belongs to them:
// public keys and accounts are hashes of the seed, so that no private key is known.
func Sandbox(seed string, mainnet bool) (map[string]ports.AddressSource, error) {
	sources, all := map[string]ports.AddressSource{}, testFamilies()
	if mainnet {
		all = families()
	}
	for wallet, f := range all {
		source, err := newSimulatedKey(seed, wallet, f)
		if err != nil {
			return nil, fmt.Errorf("sandbox wallet %s: %w", wallet, err)
		}
		sources[wallet] = source
	}
	for wallet, encode := range simulatedAccounts(mainnet) {
		sources[wallet] = simulatedAccount{seed, wallet, encode}
	}
	return sources, nil
}

// simulatedKey is an extended public key without a private one.
type simulatedKey struct{ *extended }

// Kind implements ports.AddressSource.
func (simulatedKey) Kind() ports.SourceKind { return ports.SimulatedSource }

// newSimulatedKey hashes the seed until the hash is the X coordinate of a point, whose discrete
// logarithm is unknown.
func newSimulatedKey(seed, wallet string, f family) (ports.AddressSource, error) {
	const evenY = 2
	for attempt := 0; ; attempt++ {
		x := fromHash(seed, wallet, "key", strconv.Itoa(attempt))
		point := append([]byte{evenY}, x[:]...)
		if _, err := btcec.ParsePubKey(point); err != nil {
			continue // about every second attempt
		}
		code := fromHash(seed, wallet, "chain code")
		version, err := hex.DecodeString(tpub)
		if err != nil {
			return nil, err
		}
		script := ""
		switch {
		case slices.Contains(f.scripts, wpkh):
			script = wpkh
		case len(f.scripts) > 0:
			script = f.scripts[0]
		}
		return simulatedKey{&extended{
			hdkeychain.NewExtendedKey(version, point, code[:], make([]byte, 4), 0, 0, false), script, f.encode,
			fingerprint(wallet, "sandbox", seed),
		}}, nil
	}
}

// simulatedAccount makes addresses of networks whose accounts are hashes, or numbers.
type simulatedAccount struct {
	seed, wallet string
	encode       accountEncoder
}

// accountEncoder encodes a hash as an address. A memo identifies the user of a shared address.
type accountEncoder struct {
	shared bool
	encode func(hash [sha256.Size]byte) string
}

// Kind implements ports.AddressSource.
func (simulatedAccount) Kind() ports.SourceKind { return ports.SimulatedSource }

// Fingerprint implements ports.AddressSource.
func (s simulatedAccount) Fingerprint() string { return fingerprint(s.wallet, "sandbox", s.seed) }

// Address implements ports.AddressSource.
func (s simulatedAccount) Address(index int64, _ core.Private) (core.DepositAddress, error) {
	number, memo := index, ""
	if s.encode.shared {
		number, memo = 0, strconv.FormatInt(index+1, 10)
	}
	text := s.encode.encode(fromHash(s.seed, s.wallet, strconv.FormatInt(number, 10)))
	return core.DepositAddress{Address: core.Private(text), Memo: core.Private(memo)}, nil
}

func simulatedAccounts(mainnet bool) map[string]accountEncoder {
	type hash = [sha256.Size]byte
	own := func(encode func(hash) string) accountEncoder { return accountEncoder{false, encode} }
	shared := func(encode func(hash) string) accountEncoder { return accountEncoder{true, encode} }
	// Header of an enterprise address (CIP-19) and flags of a non-bounceable one (TEP-2).
	cardanoHRP, cardano, ton := "addr_test", byte(0x60), byte(0xd1)
	if mainnet {
		cardanoHRP, cardano, ton = "addr", 0x61, 0x51
	}
	const cardanoHash = 28
	prefixed := func(h hash) string { return "0x" + hex.EncodeToString(h[:]) }
	return map[string]accountEncoder{
		"SOL":  own(func(h hash) string { return base58.Encode(h[:]) }),
		"APT":  own(prefixed),
		"SUI":  own(prefixed),
		"NEAR": own(func(h hash) string { return hex.EncodeToString(h[:]) }),
		"ADA":  own(func(h hash) string { return toBech32(cardanoHRP, append([]byte{cardano}, h[:cardanoHash]...)) }),
		"XRP":  shared(func(h hash) string { return rippleAlphabet.Replace(base58.CheckEncode(h[:accountBytes], 0)) }),
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

// rippleAlphabet translates Bitcoin's base58 digits into those of the XRP Ledger.
var rippleAlphabet = newAlphabet("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
	"rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz")

func newAlphabet(from, to string) *strings.Replacer {
	var pairs []string
	for i := range len(from) {
		pairs = append(pairs, from[i:i+1], to[i:i+1])
	}
	return strings.NewReplacer(pairs...)
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
