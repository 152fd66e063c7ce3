package addresses

import (
	"slices"
	"strings"

	"causeway/core"
)

// network is one row of the registry: all that is known about a network's addresses.
type network struct {
	core.Network          // its Memo is filled from memo
	read         decoder  //
	memo         memoRule //
	shape        shape    // what its addresses can look like, for finding whose a text is; zero is completed to anyShape
	starts       string   // the letters with which they start; empty: any
	least, most  int      // the lengths in bytes of the addresses that show where they belong; zero: any
	long         bool     // its standard has addresses of more than usualBytes bytes, up to maxBytes
	keys         hexKeys  // what 64 hexadecimal digits are to its users
	named        bool     // its addresses are names
	spaced       bool     // its standard has spaces between groups
	retired      string   // what became of a network that is no longer paid to, and what replaced it; empty: in use
	source       string   // where the rules are written
	checked      string   // when that was read: year and month
}

// table is the registry. Its order is the order in which possible networks are named: the most used first.
var table = completed(majorRows, evmRows, coinRows, cashRows, base58Rows, accountRows, cosmosRows, bech32Rows, substrateRows, ownRows, plainRows)

// shape is a set of things that a text can look like. It spares asking networks that cannot accept it.
type shape uint8

const (
	checkShape  shape = 1 << iota // base58 in Bitcoin's dialect with a good double SHA-256 checksum
	bech32Shape                   // a prefix, "1", and a good checksum of BIP-173 or BIP-350
	hexShape                      // 0x and 40 hexadecimal digits
	otherShape                    // anything
	neverShape                    // nothing: what the network accepts is no evidence of belonging to it
	anyShape    = checkShape | bech32Shape | hexShape | otherShape
)

// shapeOf says what a text looks like. Every text looks like anything.
func (w *workspace) shapeOf(text string) shape {
	s := otherShape
	if b := w.decode58(bitcoinDialect, text); b.reason == "" && b.checked() {
		s |= checkShape
	}
	if strings.IndexByte(text, '1') > 0 && w.decodeBech32(text).reason == "" {
		s |= bech32Shape
	}
	if w.decodeHex(text).reason == "" {
		s |= hexShape
	}
	return s
}

// completed joins the families, and fills in what rows may leave out.
func completed(families ...[]network) []network {
	rows := slices.Concat(families...)
	for i := range rows {
		if rows[i].shape == 0 {
			rows[i].shape = anyShape
		}
	}
	return rows
}

// probe is what is asked of a row before its network is, in little memory: a text that belongs to nobody passes all of them.
type probe struct {
	shape       shape
	least, most int
	starts      [2]uint64 // a bit for each ASCII letter
	network     *network
}

// probes are the probes of the table, in its order.
var probes = probesOf(table)

func probesOf(rows []network) []probe {
	list := make([]probe, len(rows))
	for i := range rows {
		n := &rows[i]
		most := n.most
		switch {
		case most != 0:
		case n.long:
			most = maxBytes
		default:
			most = usualBytes
		}
		list[i] = probe{shape: n.shape, least: n.least, most: most, network: n}
		for j := range len(n.starts) {
			list[i].starts[n.starts[j]>>6] |= 1 << (n.starts[j] & 63)
		}
		if n.starts == "" {
			list[i].starts = [2]uint64{^uint64(0), ^uint64(0)}
		}
	}
	return list
}

// passes reports whether a text of the shape can be an address of the network.
func (p *probe) passes(text string, shape shape) bool {
	return p.shape&shape != 0 && p.least <= len(text) && len(text) <= p.most && p.starts[text[0]>>6&1]>>(text[0]&63)&1 == 1
}

// describe returns the row for people. Nothing of it is shared with the table.
func (n *network) describe() core.Network {
	d := n.Network
	d.Memo = n.memo.MemoRule
	d.Memo.Kinds = slices.Clone(d.Memo.Kinds)
	d.OtherNames = slices.Clone(d.OtherNames)
	d.Formats = slices.Clone(d.Formats)
	return d
}

// networksByName indexes the table. A code wins over another network's other name.
func networksByName() map[string]*network {
	index := make(map[string]*network, 3*len(table))
	for i := range table {
		for _, name := range table[i].OtherNames {
			index[name] = &table[i]
		}
	}
	for i := range table {
		index[table[i].Code] = &table[i]
	}
	return index
}

// names splits a list of other names.
func names(list string) []string { return strings.Fields(list) }

// formats makes the list of formats from pairs of a name and an example.
func formats(pairs ...string) []core.NetworkFormat {
	list := make([]core.NetworkFormat, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, core.NetworkFormat{Name: pairs[i], Example: pairs[i+1]})
	}
	return list
}
