package addresses

import (
	"math/bits"

	"causeway/core"
)

// reading is what a network's decoder found in a text.
type reading struct {
	reason      string // why it is not an address of the network; empty when it is
	hint        string // a sentence more exact than the reason's own; may be empty
	expected    string // the spelling whose letter case is the checksum of what was read
	format      string
	environment core.Environment
	checksum    bool
	vague       bool   // ordinary words, numbers or mistyped addresses read the same: no evidence of belonging to this network
	own         bool   // refused, but plainly meant for this network: the text starts or is built as only its addresses are
	normalized  string // empty when invalid
	warnings    warnings

	memo memoState
	tag  string // the memo inside the address; empty: the address says that there is none
}

// memoState says what an address itself says about the memo.
type memoState uint8

const (
	memoOpen   memoState = iota // nothing
	memoInside                  // it carries the memo, or the statement that there is none
	memoNever                   // payments to this kind of address have no memo
)

// decoder reads one text of at most maxBytes printable ASCII bytes. It must be linear or bounded,
// must not keep the text, and must not allocate unless the canonical spelling differs from the
// text.
type decoder func(w *workspace, text string) reading

func refused(reason, hint string) reading { return reading{reason: reason, hint: hint} }

// mistyped is a refusal of a text that has the network's own prefix or form: where a character or
// the checksum is wrong, it is nobody else's.
func mistyped(reason string) reading {
	return reading{reason: reason, own: reason == BadChecksum || reason == BadCharacter || reason == BadCase}
}

// formatKind is the format that a version byte selects.
type formatKind struct {
	format      string
	environment core.Environment
}

// list returns the codes of the set, without allocating for none and for one.
func (s warnings) list() []string {
	if s == 0 {
		return nil
	}
	first := bits.TrailingZeros16(uint16(s))
	if s&(s-1) == 0 {
		return warningCodes[first : first+1 : first+1]
	}
	codes := make([]string, 0, bits.OnesCount16(uint16(s)))
	for ; s != 0; s &= s - 1 {
		codes = append(codes, warningCodes[bits.TrailingZeros16(uint16(s))])
	}
	return codes
}
