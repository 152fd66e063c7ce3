package addresses

import "causeway/core"

// Row is what tests see of a row of the registry.
type Row struct {
	core.Network
	Retired, Source, Checked string
}

// Registry returns every row, retired networks included.
func Registry() []Row {
	rows := make([]Row, 0, len(table))
	for i := range table {
		rows = append(rows, Row{table[i].describe(), table[i].retired, table[i].source, table[i].checked})
	}
	return rows
}

// JudgeRetired judges an address by the rules of a network that questions may not name any more.
func JudgeRetired(code, address string, memo *string) core.Verdict {
	n := networksByName()[code]
	r := n.judge(newWorkspace(), address)
	reason, _ := n.memo.judge(memo, "", &r)
	if r.reason != "" {
		reason = r.reason
	}
	return core.Verdict{Valid: reason == "", Reason: reason, Environment: r.environment}
}

// Vague reports whether a network's acceptance of a text is no evidence of where it belongs.
func Vague(code, text string) bool {
	return networksByName()[code].judge(newWorkspace(), text).vague
}

// Base58 decodes Bitcoin's dialect.
func Base58(text string) ([]byte, bool) {
	b := newWorkspace().decode58(bitcoinDialect, text)
	return b.data[:b.n], b.reason == ""
}

// EncodeBase58 encodes to Bitcoin's dialect.
func EncodeBase58(data []byte) string { return encode58(bitcoinAlphabet, data) }

// Bech32 decodes either variant; variant is 1 or 0x2bc830a3.
func Bech32(text string) (variant uint32, ok bool) {
	b := newWorkspace().decodeBech32(text)
	return b.variant, b.reason == ""
}

// Cash decodes a body under a prefix of cashaddr.
func Cash(prefix, body string) ([]byte, bool) {
	data, reason := newWorkspace().decodeCash(prefix, body, &bech32Values)
	return data, reason == ""
}

// EncodeCash is the inverse of Cash, with the prefix in front.
func EncodeCash(prefix string, data []byte) string { return encodeCash(prefix, data) }

// Base32 decodes RFC 4648 base32 without padding.
func Base32(text string) ([]byte, bool) {
	data, reason := newWorkspace().decode32(text)
	return data, reason == ""
}

// Hashes of our own.
var (
	CRC16    = crc16
	Unjumble = unjumble
	BareName = bareName
)

// Byron reads a payload of a Byron address.
func Byron(payload []byte) bool {
	_, ok := byronPayload(payload)
	return ok
}
