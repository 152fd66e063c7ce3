package addresses

import "causeway/core"

// Row is the part of a registry row that tests use.
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

// JudgeRetired validates an address of a retired network, which requests may not name.
func JudgeRetired(code, address string, memo *string) core.Verdict {
	n := networksByName()[code]
	r := n.judge(newWorkspace(), address)
	reason, _ := n.memo.judge(memo, "", &r)
	if r.reason != "" {
		reason = r.reason
	}
	return core.Verdict{Valid: reason == "", Reason: reason, Environment: r.environment}
}

// Vague reports whether a network accepts so many texts that this is no evidence of their network.
func Vague(code, text string) bool {
	return networksByName()[code].judge(newWorkspace(), text).vague
}

// BareName is bareName.
var BareName = bareName

// Byron reads a payload of a Byron address.
func Byron(payload []byte) bool {
	_, ok := byronPayload(payload)
	return ok
}

// LinkRow is the part of a row of the table of payment links that tests use.
type LinkRow struct{ Scheme, Network, Currency, Source string }

// LinkTable returns the table of payment links, its tokens included.
func LinkTable() (rows []LinkRow) {
	for i := range linkRows {
		for _, currency := range linkRows[i].coins {
			rows = append(rows, LinkRow{linkRows[i].scheme, linkRows[i].network, currency, linkRows[i].source})
		}
	}
	for _, t := range linkTokens {
		rows = append(rows, LinkRow{"", t.network, t.currency, t.source})
	}
	return rows
}
