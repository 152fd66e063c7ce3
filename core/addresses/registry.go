package addresses

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"causeway/core"
)

// row is one network of the registry: its names and the rules for its addresses.
type row struct {
	code, name  string
	aliases     string // other names, separated by spaces
	formats     []core.NetworkFormat
	unchecked   bool     // its addresses have no checksum
	read        decoder  //
	memo        memoRule // empty: the network has no memos
	shape       shape    // what its addresses look like; empty: anyShape
	starts      string   // the letters with which they start; empty: any
	least, most int      // the lengths in bytes of the addresses that identify the network; zero: any
	long        bool     // its standard has addresses of more than usualBytes bytes, up to maxBytes
	keys        hexKeys  // what 64 hexadecimal digits are on this network
	named       bool     // its addresses are names
	spaced      bool     // its standard has spaces between groups
	retired     string   // why payments to it ended, and what replaced it; empty: in use
	source      string   // where the rules are published
	checked     string   // when the source was read: year and month; empty: lastChecked
}

// lastChecked is when the sources of all rows were read.
const lastChecked = "2026-11"

// network is a row with what the rest of Causeway needs of it.
type network struct {
	core.Network // its Memo is filled by describe
	row
}

// table is the registry. Its order is the order in which possible networks are named: the most used
// first.
var table = newTable(
	majorRows, evmRows, coinRows, cashRows, base58Rows, accountRows, cosmosRows, bech32Rows, substrateRows, ownRows,
	plainRows,
)

// shape is a set of things that a text can look like. It excludes networks that cannot accept
// it.
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
	if b := w.decode58(text); b.reason == "" && b.checked() {
		s |= checkShape
	}
	if strings.IndexByte(text, '1') > 0 && w.decodeBech32(text).Reason == "" {
		s |= bech32Shape
	}
	if w.decodeHex(text).reason == "" {
		s |= hexShape
	}
	return s
}

// newTable joins the families and completes what rows leave out.
func newTable(families ...[]row) []network {
	list := make([]network, 0, 192)
	for _, r := range slices.Concat(families...) {
		r.checked = cmp.Or(r.checked, lastChecked)
		if r.shape == 0 {
			r.shape = anyShape
		}
		if r.memo.Rule == "" {
			r.memo = noMemo()
		}
		list = append(list, network{row: r, Network: core.Network{
			Code: r.code, Name: r.name, OtherNames: strings.Fields(r.aliases), Checksum: !r.unchecked, Formats: r.formats,
		}})
	}
	return list
}

// rowSet is a set of rows of the table, a bit for each: 192 rows at the most.
type rowSet [3]uint64

func (s *rowSet) add(row int) { s[row/64] |= 1 << (row % 64) }

// finder finds the rows that can accept a text by its first letter, length and shape, without
// asking any of them.
type finder struct {
	starts  [128]rowSet
	lengths [maxBytes + 1]rowSet
	shapes  [4]rowSet // by the number of the shape's bit
}

// found finds the rows of the table.
var found = finderOf(table)

func finderOf(rows []network) *finder {
	f := new(finder)
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
		for length := n.least; length <= most; length++ {
			f.lengths[length].add(i)
		}
		for letter := range f.starts {
			if n.starts == "" || strings.IndexByte(n.starts, byte(letter)) >= 0 {
				f.starts[letter].add(i)
			}
		}
		for bit := range f.shapes {
			if n.shape>>bit&1 == 1 {
				f.shapes[bit].add(i)
			}
		}
	}
	return f
}

// candidates are the rows that can accept a text of 1 to maxBytes bytes of ASCII that has the
// shape.
func (f *finder) candidates(text string, s shape) rowSet {
	set, start, length := rowSet{}, &f.starts[text[0]&0x7f], &f.lengths[len(text)]
	for ; s != 0; s &= s - 1 {
		shaped := &f.shapes[bits.TrailingZeros8(uint8(s))]
		for i := range set {
			set[i] |= shaped[i]
		}
	}
	for i := range set {
		set[i] &= start[i] & length[i]
	}
	return set
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

// networksByName indexes the table by what bareName leaves of a name. A code wins over another
// network's names.
func networksByName() map[string]*network {
	index := make(map[string]*network, 4*len(table))
	for i := range table {
		index[bareName(table[i].Name)] = &table[i]
		for _, name := range table[i].OtherNames {
			index[name], index[bareName(name)] = &table[i], &table[i]
		}
	}
	for i := range table {
		index[table[i].Code] = &table[i]
	}
	return index
}

// bareName is a name in capitals, without what people leave out or put in: spaces, hyphens,
// underscores and parentheses.
func bareName(name string) string {
	return strings.ToUpper(strings.Map(func(c rune) rune {
		if strings.ContainsRune(" -_()", c) {
			return -1
		}
		return c
	}, name))
}

// networkNamed finds a network by a code, a name, or a name with another one of the same network in
// parentheses.
func (s *Service) networkNamed(name string) *network {
	if n := s.networks[name]; n != nil {
		return n
	}
	if len(name) > usualBytes {
		return nil
	}
	if n := s.networks[bareName(name)]; n != nil {
		return n
	}
	before, inside, _ := strings.Cut(name, "(")
	if n := s.networks[bareName(before)]; n != nil && n == s.networks[bareName(inside)] {
		return n
	}
	return nil
}

// formats makes the list of formats from pairs of a name and an example.
func formats(pairs ...string) []core.NetworkFormat {
	list := make([]core.NetworkFormat, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, core.NetworkFormat{Name: pairs[i], Example: pairs[i+1]})
	}
	return list
}
