// Package addresses says whether a text is an address that can be paid on a network, why not, and what a careful
// payer should know. It follows each network's own standard: never laxer, never stricter. What the standards leave to the
// payer is a warning, not a refusal.
//
// Every rule is a row of a table (table.go and the tables of the families) plus, where no family fits, the one file of its network.
// The package refuses to ask a chain anything: whether an account exists, wants a memo or is a contract is beyond it.
// It never repeats a text that may be a secret key, whatever field it came in.
//
// Decisions: a text that its network accepts is never searched for secrets, so that 64 hexadecimal digits are an
// address on Aptos, Sui and NEAR. Wherever else they stand, with 0x in front or without, in a payment link too, they
// are taken for a private key and masked, although they might be an address of another network, which the answer then names: a masked
// address costs a second look, a repeated key costs the money. But in the memo of a network that has memos they are the hash of a
// transaction as well (THORChain's OUT:…), and are repeated as sent. A memo that surely is or contains a secret makes the verdict invalid,
// since whoever pays would publish it; where it only may be one it is masked, and judged like any other. An address of XRP that carries its tag is normalized to the classic account, and the tag
// becomes the memo of the verdict: apart they would lose money. An empty memo without a kind counts as none.
package addresses

import (
	"sync"
	"sync/atomic"

	"causeway/core"
)

// Policy is what an operator decides about addresses.
type Policy struct {
	Testnet bool // addresses of test networks are valid (sandbox), or wrong_environment (production)
}

// Service answers questions about addresses. It is safe for concurrent use.
type Service struct {
	policy     Policy
	currencies atomic.Pointer[carried]
	networks   map[string]*network // by code and by the names that bareName leaves
	workspaces sync.Pool
}

// New makes the service for a catalog of currencies. Its error names every currency with a network that the registry does not know
// or knows to be retired.
func New(currencies []core.Currency, policy Policy) (*Service, error) {
	s := &Service{policy: policy, networks: networksByName(), workspaces: sync.Pool{New: func() any { return newWorkspace() }}}
	change, err := s.Plan(currencies)
	if err != nil {
		return nil, err
	}
	change()
	return s, nil
}

// Plan checks another catalog of currencies, as New does, and returns what makes the service answer by it.
func (s *Service) Plan(currencies []core.Currency) (change func(), err error) {
	known, err := s.carriers(currencies)
	if err != nil {
		return nil, err
	}
	change = func() { s.currencies.Store(&carried{known, accepted(currencies)}) }
	return change, nil
}

// Networks returns the networks in use, in the order of the registry. The answer is the caller's, down to the formats.
func (s *Service) Networks() []core.Network {
	list := make([]core.Network, 0, len(table))
	for i := range table {
		if table[i].retired == "" {
			list = append(list, table[i].describe())
		}
	}
	return list
}

// Validate judges an address. Its errors are Invalid and name currency, network or memo_type; whatever is wrong with
// the address or the memo is a verdict.
func (s *Service) Validate(q core.AddressQuery) (core.Verdict, error) {
	n, err := s.lookup(&q)
	if err != nil {
		return core.Verdict{}, err
	}
	w := s.workspaces.Get().(*workspace)
	defer s.workspaces.Put(w)
	defer w.reset()

	memo, secret := n.shownMemo(w, q.Memo)
	v := core.Verdict{Address: q.Address, Currency: q.Currency, Network: n.Code, Memo: memo}
	text := q.Address.Reveal()
	r := &w.reading
	*r = n.judge(w, text)
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

// judge asks one network about a text. No decoder sees a text that is empty, too long, or not printable ASCII.
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

// precheck says why no decoder may see a text. Spaces are allowed where a network's standard groups letters.
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
