package wallets

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/btcsuite/btcd/btcutil"
	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/btcsuite/btcd/chaincfg"
	"github.com/btcsuite/btcd/txscript"
	"golang.org/x/crypto/sha3"
)

// The script expressions of BIP 381, 382 and 386 for a single key.
const (
	pkh    = "pkh"
	wpkh   = "wpkh"
	shWpkh = "sh(wpkh"
	tr     = "tr"
)

// family says how addresses of a network are derived from extended public keys.
//
// Sources, read 2026-11: SLIP-44 (coin types), SLIP-132 (versions of Bitcoin and Litecoin), and
// trezor-firmware common/defs/bitcoin (versions of Dogecoin and Dash, address prefixes).
type family struct {
	coinType uint32
	// versions are the prefixes of the keys that wallets of this network export, with the script that
	// the prefix stands for; "" if the descriptor must name the script.
	versions map[string]string
	scripts  []string // supported; empty: the network has one kind of address, and needs no script
	encode   func(key *btcec.PublicKey, script string) (string, error)
}

// The versions of extended public keys.
const (
	xpub = "0488b21e"
	ypub = "049d7cb2" // BIP 49
	zpub = "04b24746" // BIP 84
	ltub = "019da462"
	mtub = "01b26ef6" // Litecoin, BIP 49
	dgub = "02facafd"
	drkp = "02fe52cc"
)

// evmCoinType is the SLIP-44 coin type of Ether, which wallets use for all EVM networks.
const evmCoinType = 60

func families() map[string]family {
	return map[string]family{
		"BTC": {
			0,
			map[string]string{xpub: "", ypub: shWpkh, zpub: wpkh},
			[]string{pkh, shWpkh, wpkh, tr},
			outputs(0x00, 0x05, "bc"),
		},
		"LTC": {
			2,
			map[string]string{xpub: "", ltub: "", mtub: shWpkh, zpub: wpkh},
			[]string{pkh, shWpkh, wpkh},
			outputs(0x30, 0x32, "ltc"),
		},
		"DOGE": {3, map[string]string{xpub: pkh, dgub: pkh}, []string{pkh}, outputs(0x1e, 0x16, "")},
		"DASH": {5, map[string]string{xpub: pkh, drkp: pkh}, []string{pkh}, outputs(0x4c, 0x10, "")},
		"BCH":  {145, map[string]string{xpub: pkh}, []string{pkh}, outputs(0x00, 0x05, "")}, // stored as CashAddr
		"TRX":  {195, map[string]string{xpub: ""}, nil, tronAddress},
		"EVM":  {evmCoinType, map[string]string{xpub: ""}, nil, evmAddress},
		"RBTC": {137, map[string]string{xpub: ""}, nil, evmAddress},
	}
}

// outputs returns the encoder of a network of the Bitcoin family. hrp is empty without SegWit.
func outputs(pkhPrefix, shPrefix byte, hrp string) func(*btcec.PublicKey, string) (string, error) {
	params := &chaincfg.Params{PubKeyHashAddrID: pkhPrefix, ScriptHashAddrID: shPrefix, Bech32HRPSegwit: hrp}
	return func(key *btcec.PublicKey, script string) (string, error) {
		address, err := output(key, script, params)
		if err != nil {
			return "", err
		}
		return address.EncodeAddress(), nil
	}
}

func output(key *btcec.PublicKey, script string, params *chaincfg.Params) (btcutil.Address, error) {
	hash := btcutil.Hash160(key.SerializeCompressed())
	switch script {
	case wpkh:
		return btcutil.NewAddressWitnessPubKeyHash(hash, params)
	case shWpkh:
		inner, err := btcutil.NewAddressWitnessPubKeyHash(hash, params)
		if err != nil {
			return nil, err
		}
		redeem, err := txscript.PayToAddrScript(inner)
		if err != nil {
			return nil, err
		}
		return btcutil.NewAddressScriptHash(redeem, params)
	case tr:
		return btcutil.NewAddressTaproot(schnorr.SerializePubKey(txscript.ComputeTaprootKeyNoScript(key)), params)
	}
	return btcutil.NewAddressPubKeyHash(hash, params)
}

const accountBytes = 20 // of an Ethereum or TRON account

// account returns the last 20 bytes of the Keccak-256 hash of a public key.
func account(key *btcec.PublicKey) []byte {
	hash := sha3.NewLegacyKeccak256()
	_, _ = hash.Write(key.SerializeUncompressed()[1:]) // never fails
	sum := hash.Sum(nil)
	return sum[len(sum)-accountBytes:]
}

// evmAddress returns an address without its EIP-55 checksum, which package core/addresses adds.
func evmAddress(key *btcec.PublicKey, _ string) (string, error) {
	return "0x" + hex.EncodeToString(account(key)), nil
}

func tronAddress(key *btcec.PublicKey, _ string) (string, error) {
	const prefix = 0x41
	return base58.CheckEncode(account(key), prefix), nil
}

// accepts returns the versions of a family in the spelling of the exported keys.
func (f family) accepts() string {
	names := map[string]string{
		xpub: "xpub", ypub: "ypub", zpub: "zpub", ltub: "Ltub", mtub: "Mtub", dgub: "dgub", drkp: "drkp",
	}
	var out []string
	for version := range f.versions {
		out = append(out, names[version])
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
