// Package addresses validates crypto addresses: it reports whether a text is an address that can be
// paid on a network, why not, and what a payer should know. It follows each network's standard
// exactly. What a standard leaves to the payer is a warning and not an error.
//
// Every rule is a row of a table (table.go and the tables of the families). A network that fits no
// family has a file of its own. The package never queries a chain, so it cannot say whether an
// account exists, requires a memo or is a contract.
//
// Secrets are never repeated. A text that its network rejects is searched for private keys, seeds
// and recovery phrases, and masked if it may contain one. 64 hexadecimal digits are an address on
// Aptos, Sui and NEAR; elsewhere, with or without 0x and also in a payment link, they are masked as
// a possible private key, and the message names the networks where they would be an address. A
// masked address costs a second look, a repeated key costs the money. In a memo, on networks with
// memos, 64 hexadecimal digits are usually a transaction hash (THORChain's OUT:…) and are repeated.
// A memo that certainly contains a secret makes the verdict invalid, because the payer would
// publish it; a memo that may contain one is masked and judged like any other.
//
// An X-address of XRP is normalized to its classic address, and its tag becomes the memo of the
// verdict. An empty memo without a kind counts as absent.
package addresses

import (
	"sync/atomic"

	"causeway/core"
)

// Policy holds the operator's settings for addresses.
type Policy struct {
	Testnet bool // addresses of test networks are valid (sandbox), or wrong_environment (production)
}

// Service validates addresses. It is safe for concurrent use.
type Service struct {
	policy     Policy
	currencies atomic.Pointer[carried]
	networks   map[string]*network // by code and by the names that bareName leaves
}

// New returns a service for a catalog of currencies. The error names every currency with an unknown
// or retired network.
func New(currencies []core.Currency, policy Policy) (*Service, error) {
	s := &Service{policy: policy, networks: networksByName()}
	change, err := s.Plan(currencies)
	if err != nil {
		return nil, err
	}
	change()
	return s, nil
}

// Plan checks a new catalog of currencies, as New does, and returns a function that applies it.
func (s *Service) Plan(currencies []core.Currency) (change func(), err error) {
	known, err := s.carriers(currencies)
	if err != nil {
		return nil, err
	}
	change = func() { s.currencies.Store(&carried{known, accepted(currencies)}) }
	return change, nil
}

// Networks returns the networks that are not retired, in the order of the registry. The caller owns
// the result.
func (s *Service) Networks() []core.Network {
	list := make([]core.Network, 0, len(table))
	for i := range table {
		if table[i].retired == "" {
			list = append(list, table[i].describe())
		}
	}
	return list
}

// Validate validates an address. An invalid address or memo is a verdict and not an error; errors
// are core.Invalid on currency, network or memo_type.
func (s *Service) Validate(q core.AddressQuery) (core.Verdict, error) {
	n, err := s.lookup(&q)
	if err != nil {
		return core.Verdict{}, err
	}
	w := borrowWorkspace()
	defer w.giveBack()

	memo, secret := n.shownMemo(w, q.Memo)
	v := core.Verdict{Address: q.Address, Currency: q.Currency, Network: n.Code, Memo: memo}
	text := q.Address.Reveal()
	r := &w.reading
	*r = n.judge(w, text)
	if r.reason != "" && s.isLink(w, n, text) {
		err := s.validateLink(w, n, q, &v)
		return v, err
	}
	if r.reason != "" {
		s.diagnose(w, n, text, r, &v)
		return v, nil
	}
	v.Format, v.Environment, v.Checksum = r.format, r.environment, r.checksum
	if r.environment == core.Testnet && !s.policy.Testnet {
		v.Reason, v.Message = WrongEnvironment, "This is a test network address of "+n.Name+"; real payments cannot go there."
		return v, nil
	}
	if secret {
		v.Reason, v.Message = SecretKey, memoSecret
		return v, nil
	}
	reason, fromMemo := n.memo.judge(q.Memo, q.MemoType, r)
	if reason != "" {
		v.Reason, v.Message = reason, sentences[reason]+" "+n.Name+": "+n.memo.Rule
		return v, nil
	}
	v.Valid, v.Normalized, v.Warnings = true, r.normalized, (r.warnings | fromMemo).list()
	if r.tag != "" {
		tag := r.tag
		v.Memo = &tag
	}
	return v, nil
}

// judge decodes a text by the rules of one network. Decoders only see printable ASCII of limited
// length.
func (n *network) judge(w *workspace, text string) reading {
	limit := usualBytes
	if n.long {
		limit = maxBytes
	}
	if reason := precheck(text, limit, n.spaced); reason != "" {
		return reading{reason: reason}
	}
	return n.read(w, text)
}

// precheck returns the reason to reject a text before decoding, or "". spaced allows spaces, for
// networks that group letters.
func precheck(text string, limit int, spaced bool) string {
	switch {
	case text == "":
		return Empty
	case len(text) > limit:
		return TooLong
	}
	seen := kindsIn(text)
	switch {
	case seen&foreignByte != 0:
		return NotASCII
	case seen&blankByte != 0 && (!spaced || !grouped(text)):
		return Whitespace
	}
	return ""
}

// grouped reports whether the only blanks of a text are spaces between its groups of letters.
func grouped(text string) bool {
	for i := range len(text) {
		if byteKinds[text[i]]&blankByte != 0 && (text[i] != ' ' || i == 0 || i == len(text)-1) {
			return false
		}
	}
	return true
}

// The kinds of bytes that decide what a text can be at all.
const (
	blankByte   byte = 1 << iota // spaces and control characters
	foreignByte                  // not ASCII
	listByte                     // between the words of a list
	markByte                     // - and _: with the blanks, the separators that every mark of a secret contains
	joinByte                     // other signs that can join words
)

// byteKinds marks the bytes.
var byteKinds = newByteKinds()

func newByteKinds() [256]byte {
	var marks [256]byte
	for c := range marks {
		switch {
		case c <= ' ' || c == 0x7f:
			marks[c] = blankByte
		case c >= 0x80:
			marks[c] = foreignByte
		}
	}
	marks[','], marks[';'], marks['-'], marks['_'] = listByte, listByte, markByte, markByte
	for _, c := range []byte("./|+:*#&=~") {
		marks[c] = joinByte
	}
	return marks
}

// kindsIn returns the kinds of all bytes of a text.
func kindsIn(text string) byte {
	seen := byte(0)
	for i := range len(text) {
		seen |= byteKinds[text[i]]
	}
	return seen
}
