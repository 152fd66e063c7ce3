package addresses

import (
	"encoding/hex"
	"math/bits"
	"sync"

	"filippo.io/edwards25519"

	"causeway/core"
	"causeway/core/addresses/ascii"
	"causeway/core/addresses/base58"
	"causeway/core/addresses/bech32"
	"causeway/core/addresses/keccak"
	"causeway/core/addresses/ss58"
)

// reading is what a network's decoder found in a text.
type reading struct {
	reason      string // why it is not an address of the network; empty when it is
	hint        string // a sentence more exact than the reason's own; may be empty
	expected    string // the spelling whose letter case is the checksum of what was read
	format      string
	environment core.NetworkKind
	checksum    bool
	vague       bool   // ordinary words or mistyped addresses read the same: no evidence of belonging here
	own         bool   // refused, but plainly meant for this network by its prefix or form
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
// the checksum is wrong, no other network accepts it.
func mistyped(reason string) reading {
	return reading{reason: reason, own: reason == BadChecksum || reason == BadCharacter || reason == BadCase}
}

// formatKind is the format that a version byte selects.
type formatKind struct {
	format      string
	environment core.NetworkKind
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

// maxBytes is the longest text that any decoder sees; usualBytes is the limit where a network's
// standard does not need more.
const (
	maxBytes   = bech32.MaxText
	usualBytes = 200
)

// workspace is the scratch memory of one validation. What is computed about a text is kept until
// reset, so that the search through every network decodes and hashes it once.
type workspace struct {
	base58 base58Text
	ripple base58Text // in the alphabet of the XRP Ledger
	bech32 bech32.Text
	hex    evmText
	ss58   ss58Text

	bytes     [maxBytes]byte // the result of the last conversion
	keccak    *keccak.Hasher
	point     edwards25519.Point
	reading   reading // of the network of the query
	searching bool    // whether other networks accept the text: costly warnings are of no use
}

func newWorkspace() *workspace { return &workspace{keccak: keccak.New()} }

// workspaces are the free workspaces.
var workspaces = sync.Pool{New: func() any { return newWorkspace() }}

// borrowWorkspace returns a workspace. The caller gives it back.
func borrowWorkspace() *workspace { return workspaces.Get().(*workspace) }

// giveBack forgets the texts, which are private and may be secret, and frees the workspace.
func (w *workspace) giveBack() {
	w.base58.forget()
	w.ripple.forget()
	w.bech32.Source = ""
	if w.hex.text != "" {
		w.hex = evmText{}
	}
	w.ss58.text = ""
	w.searching, w.reading = false, reading{}
	workspaces.Put(w)
}

// base58Text is a text decoded as base58.
type base58Text struct {
	text   string
	reason string // why it is not base58
	data   []byte // in buffer
	sum    sumState
	buffer [base58.MaxText]byte
}

// sumState is whether the last four bytes are the double SHA-256 of the rest.
type sumState uint8

const (
	sumUnknown sumState = iota
	sumBad
	sumGood
)

func (b *base58Text) forget() {
	if b.text != "" {
		b.text, b.data, b.reason = "", nil, ""
		clear(b.buffer[:])
	}
}

// payload is what precedes the checksum of four bytes.
func (b *base58Text) payload() []byte { return b.data[:max(0, len(b.data)-4)] }

// checked reports whether the text ends in the usual checksum, the double SHA-256 of the payload.
func (b *base58Text) checked() bool {
	if b.sum == sumUnknown {
		b.sum = sumBad
		if base58.Checked(b.data) {
			b.sum = sumGood
		}
	}
	return b.sum == sumGood
}

// decode decodes a text unless it decoded the same text before.
func (b *base58Text) decode(alphabet *ascii.Values, text string) *base58Text {
	if b.text != text || text == "" {
		b.text, b.sum = text, sumUnknown
		b.data, b.reason = base58.Decode(&b.buffer, alphabet, text)
	}
	return b
}

func (w *workspace) decode58(text string) *base58Text { return w.base58.decode(&base58.Bitcoin, text) }

func (w *workspace) decodeRipple(text string) *base58Text {
	return w.ripple.decode(&base58.Ripple, text)
}

func (w *workspace) decodeBech32(text string) *bech32.Text {
	if w.bech32.Source != text || text == "" {
		w.bech32.Decode(text)
	}
	return &w.bech32
}

// unhex decodes an even number of hexadecimal digits to bytes in the workspace.
func (w *workspace) unhex(text string) []byte {
	n := copy(w.bytes[:], text)
	n, _ = hex.Decode(w.bytes[:], w.bytes[:n])
	return w.bytes[:n]
}

// ss58Text is a text read as an account of any network of the Polkadot family.
type ss58Text struct {
	text   string
	reason string
	prefix uint16
	zero   bool
}

func (w *workspace) decodeSS58(text string) *ss58Text {
	a := &w.ss58
	if a.text == text && text != "" {
		return a
	}
	*a = ss58Text{text: text}
	b := w.decode58(text)
	if a.reason = b.reason; a.reason == "" {
		var account []byte
		a.prefix, account, a.reason = ss58.Split(b.data)
		a.zero = zeroed(account)
	}
	return a
}

func zeroed(data []byte) bool {
	for _, v := range data {
		if v != 0 {
			return false
		}
	}
	return true
}
