package addresses

import (
	"strconv"
	"strings"

	"causeway/core"
	"causeway/core/addresses/ascii"
)

// readNEAR reads an account id: 64 hexadecimal digits in lower case, 0x and 40 of them (NEP-518),
// or a name of 2 to 64 letters whose parts are separated by single -, _ and dots.
func readNEAR(_ *workspace, text string) reading {
	r := reading{environment: core.AnyNetworkKind, normalized: text, warnings: checksumAbsent}
	if strings.HasPrefix(text, "0x") && len(text) == 42 && lowerHex(text[2:]) {
		r.format = "eth-implicit"
		return r
	}
	if len(text) == 64 && lowerHex(text) {
		r.format = "implicit"
		return r
	}
	if reason := nearFault(text); reason != "" {
		return refused(reason, "A name of NEAR has 2 to 64 letters a to z, digits, and single -, _ and dots between them.")
	}
	r.format = "named"
	switch {
	case strings.HasSuffix(text, ".near"):
		r.environment = core.Mainnet
	case strings.HasSuffix(text, ".testnet"):
		r.environment = core.Testnet
	default: // other names at the top belong to the registrar of the main network
		r.environment, r.vague = core.Mainnet, true
		r.warnings |= reservedName
	}
	return r
}

// nearFault says why a text is not a name.
func nearFault(text string) string {
	if len(text) < 2 || len(text) > 64 {
		return BadLength
	}
	separated := true
	for i := range len(text) {
		separator := text[i] == '.' || byteKinds[text[i]] == markByte
		switch {
		case separator && separated:
			return BadEncoding
		case 'A' <= text[i] && text[i] <= 'Z':
			return BadCase
		case !separator && !ascii.IsAlphanumeric(text[i]):
			return BadCharacter
		}
		separated = separator
	}
	if separated {
		return BadEncoding
	}
	return ""
}

func lowerHex(text string) bool {
	_, hasUpper := ascii.Cases(text)
	return ascii.IsHex(text) && !hasUpper
}

// readAntelope reads an account name of EOS (Vaulta) and WAX: up to 12 letters a-z, 1-5 and dots,
// the last no dot, and a 13th of a-j and 1-5. Any short word is one, so a name is no evidence of
// its network.
func readAntelope(_ *workspace, text string) reading {
	switch {
	case len(text) > 50 && (ascii.HasPrefixFold(text, "eos") || ascii.HasPrefixFold(text, "pub_")):
		return refused(NotPayable, "This is a public key, not an account name. Names have at most 13 letters.")
	case len(text) > 13:
		return refused(BadLength, "An account name has at most 13 letters.")
	case text[len(text)-1] == '.':
		return refused(BadEncoding, "An account name cannot end in a dot.")
	}
	for i := range len(text) {
		c := text[i]
		switch {
		case '1' <= c && c <= '5', 'a' <= c && c <= 'z' && (i < 12 || c <= 'j'), c == '.':
		default:
			return refused(BadCharacter, "An account name has only the letters a to z, the digits 1 to 5 and dots.")
		}
	}
	return reading{
		format: "name", environment: core.AnyNetworkKind, normalized: text, vague: true,
		warnings: checksumAbsent | antelopeSystem[text],
	}
}

// readHedera reads shard.realm.number with or without the checksum of HIP-15, which is bound to the
// ledger, and the 0x alias of HIP-583.
func readHedera(w *workspace, text string) reading {
	if strings.HasPrefix(text, "0x") {
		r := evmAccount{}.read(w, text)
		if r.reason == "" {
			r.format, r.warnings = "evm-alias", r.warnings|unusualFormat
		}
		return r
	}
	account, check, checked := strings.Cut(text, "-")
	number, usual, reason := hederaNumber(account)
	if reason != "" {
		if ascii.HasPrefixFold(text, "0.0.302") {
			return refused(UnsupportedFormat, "This is an account named by its public key (HIP-32). Ask for the form "+
				"0.0.number.")
		}
		return refused(reason, "An account of Hedera has three numbers, as 0.0.123456.")
	}
	r := reading{format: "account", environment: core.AnyNetworkKind, checksum: checked, normalized: text}
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
		case !ascii.IsDigits(part):
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
