package addresses

import (
	"strconv"
	"strings"

	"causeway/core"
)

// readHedera reads shard.realm.number with or without the checksum of HIP-15, which is bound to the
// ledger, and the 0x alias of HIP-583.
func readHedera(w *workspace, text string) reading {
	if strings.HasPrefix(text, "0x") {
		r := evm{}.read(w, text)
		if r.reason == "" {
			r.format, r.warnings = "evm-alias", r.warnings|unusualFormat
		}
		return r
	}
	account, check, checked := strings.Cut(text, "-")
	number, usual, reason := hederaNumber(account)
	if reason != "" {
		if hasFold(text, "0.0.302") {
			return refused(UnsupportedFormat, "This is an account named by its public key (HIP-32). Ask for the form 0.0.number.")
		}
		return refused(reason, "An account of Hedera has three numbers, as 0.0.123456.")
	}
	r := reading{format: "account", environment: core.AnyEnvironment, checksum: checked, normalized: text}
	switch {
	case !checked:
		r.warnings = checksumAbsent
	case len(check) != 5:
		return refused(BadLength, "The checksum of an account has five letters.")
	case check == hederaChecksum(account, 0):
		r.environment = core.Mainnet
	case check == hederaChecksum(account, 1):
		r.environment = core.Testnet
	default:
		return refused(BadChecksum, "")
	}
	switch {
	case !usual:
		r.warnings |= unusualFormat
	case number <= 1000:
		r.warnings |= reservedName
	}
	return r
}

// hederaNumber reads three numbers of 63 bits without leading zeros; usual says that shard and
// realm are 0, as they are on every public network.
func hederaNumber(text string) (number uint64, usual bool, reason string) {
	usual = true
	for i := range 3 {
		part, rest, more := strings.Cut(text, ".")
		switch {
		case more != (i < 2):
			return 0, false, BadEncoding
		case !digitsOnly(part):
			return 0, false, BadCharacter
		case len(part) > 1 && part[0] == '0':
			return 0, false, BadEncoding
		}
		value, err := strconv.ParseUint(part, 10, 63)
		if err != nil {
			return 0, false, BadLength
		}
		usual = usual && (i == 2 || value == 0)
		number, text = value, rest
	}
	return number, usual, ""
}

// hederaChecksum is the checksum of HIP-15: digits weighed by their place, mixed with the ledger id
// of one byte.
func hederaChecksum(account string, ledger int) string {
	const p3, p5 = 26 * 26 * 26, 26 * 26 * 26 * 26 * 26
	sum, even, odd := 0, 0, 0
	for i := range len(account) {
		d := 10
		if account[i] != '.' {
			d = int(account[i] - '0')
		}
		sum = (sum*31 + d) % p3
		if i%2 == 0 {
			even = (even + d) % 11
		} else {
			odd = (odd + d) % 11
		}
	}
	seal := ledger
	for range 6 {
		seal = seal * 31 % p5
	}
	c := ((((len(account)%5)*11+even)*11+odd)*p3 + sum + seal) % p5
	c = c * 1_000_003 % p5
	var letters [5]byte
	for i := range letters {
		letters[4-i] = byte('a' + c%26)
		c /= 26
	}
	return string(letters[:])
}
