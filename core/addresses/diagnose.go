package addresses

import (
	"math/bits"
	"strings"

	"causeway/core"
	"causeway/core/addresses/ascii"
)

// maxPossible is the largest number of networks that a verdict names.
const maxPossible = 8

// diagnose fills the verdict for a text that the network rejected with r.reason.
func (s *Service) diagnose(w *workspace, n *network, text string, r *reading, v *core.Verdict) {
	known := r.reason == NotPayable || r.reason == UnsupportedFormat // the network itself knows what this is
	prefixed := isPrefixedHash(text)
	if r.reason == SecretKey || prefixed || !known && holdsSecret(w, text, n.hexKeys(text), someWords) {
		v.Address, v.Reason, v.Message = masked, SecretKey, n.secretMessage(text)
		if prefixed {
			v.PossibleNetworks = s.possible(w, n, text)
		}
		return
	}
	switch r.reason {
	case Empty:
		v.Reason, v.Message = Empty, sentences[Empty]
	case NotASCII, Whitespace:
		v.Reason, v.Message = r.reason, s.oddMessage(w, n, text)
	default:
		s.explain(w, n, text, r, v)
	}
}

// explain fills the verdict about a text of ASCII that holds no secret.
func (s *Service) explain(w *workspace, n *network, text string, r *reading, v *core.Verdict) {
	settled := r.own || r.reason == NotPayable || r.reason == UnsupportedFormat || r.reason == TooLong
	once, twice := n.twice(w, text)
	switch {
	case twice:
		v.Reason, v.Message = BadLength, "The address was pasted twice. Once, it is "+once+"."
	case !n.named && isName(text):
		v.Reason, v.Message = NameNotAddress, sentences[NameNotAddress]
	case !settled && s.elsewhere(w, n, text, v):
	default:
		if v.Reason, v.Message = s.pasted(w, n, text); v.Reason == "" {
			v.Reason, v.Message = r.reason, n.message(r, text)
		}
	}
}

// secretMessage warns of a secret, and says what else 64 hexadecimal digits may be.
func (n *network) secretMessage(text string) string {
	if digits, _ := cutHexPrefix(text); !isHash(digits) {
		return sentences[SecretKey]
	}
	return "These 64 hexadecimal digits are no address of " + n.Name + "; they may be a private key. If they are an " +
		"address of another network, such as Aptos, Sui or NEAR, ask with that network. " + sentences[SecretKey]
}

// message returns the text for a rejected address: what is wrong, and an example of the network's
// format.
func (n *network) message(r *reading, text string) string {
	switch {
	case r.expected != "":
		return caseMessage(text, r.expected)
	case r.hint != "":
		return r.hint
	case r.reason == BadChecksum || r.reason == TooLong || len(n.Formats) == 0:
		return sentences[r.reason]
	}
	return sentences[r.reason] + " An address of " + n.Name + " looks like " + n.Formats[0].Example + "."
}

// isHash reports whether a text is 32 bytes in hexadecimal digits.
func isHash(text string) bool { return len(text) == 64 && ascii.IsHex(text) }

// owners are the first other networks that accept a text, by how much that proves: with a checksum,
// without one, and on a test network only. Chance meets the weaker proofs, so that they count only
// where there is no better one.
type owners struct {
	by      [3][maxPossible]*network
	count   [3]int
	retired *network
}

// The proofs that an address is a network's, the strongest first.
const (
	checkedProof = iota
	bareProof
	testProof
)

func (o *owners) add(n *network, r *reading) {
	proof := bareProof
	switch {
	case n.retired != "":
		o.retired = n
		return
	case r.environment == core.Testnet:
		proof = testProof
	case r.checksum:
		proof = checkedProof
	}
	if o.count[proof] < maxPossible {
		o.by[proof][o.count[proof]] = n
		o.count[proof]++
	}
}

// best returns the networks of the strongest proof that the policy accepts.
func (o *owners) best(p Policy) []*network {
	for proof, count := range o.count {
		if count > 0 && (proof != testProof || p.Testnet) {
			return o.by[proof][:count]
		}
	}
	return nil
}

// elsewhere tries the other networks, and fills the verdict if one of them accepts the text.
func (s *Service) elsewhere(w *workspace, n *network, text string, v *core.Verdict) bool {
	if len(text) > maxBytes {
		return false
	}
	var o owners
	shape := w.shapeOf(text)
	w.searching = true
	for i, row := range found.candidates(text, shape) {
		for ; row != 0 && o.count[checkedProof] < maxPossible; row &= row - 1 { // more would not be named
			other := &table[i*64+bits.TrailingZeros64(row)]
			if other == n {
				continue
			}
			if r := other.read(w, text); r.reason == "" && !r.vague {
				o.add(other, &r)
			}
		}
	}
	w.searching = false
	return s.belongs(n, &o, v)
}

// possible returns a text that names the other networks that accept a text, without quoting it.
func (s *Service) possible(w *workspace, n *network, text string) []string {
	var elsewhere core.Verdict
	s.elsewhere(w, n, text, &elsewhere)
	return elsewhere.PossibleNetworks
}

// belongs fills the verdict about an address of networks other than the requested one.
func (s *Service) belongs(n *network, o *owners, v *core.Verdict) bool {
	best := o.best(s.policy)
	switch {
	case best == nil && o.retired != nil:
		v.Message = "This is an address of " + o.retired.Name + ", which is retired: " + o.retired.retired + "."
	case best == nil && o.count[testProof] > 0:
		v.Message = "This is not an address of " + n.Name + " but of the test network of " +
			o.by[testProof][0].Name + ". Real payments cannot go there."
	case best == nil:
		return false
	default:
		others := ""
		v.PossibleNetworks = currency{networks: best}.codes()
		if len(best) > 1 {
			others = " or another network that writes addresses so (" + strings.Join(v.PossibleNetworks, ", ") + ")"
		}
		v.Message = "This is not an address of " + n.Name + " but of " + best[0].Name + others + ". Sent here, the money " +
			"would be lost or bounce."
	}
	v.Reason = WrongNetwork
	return true
}
