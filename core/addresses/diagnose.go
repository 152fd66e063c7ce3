package addresses

import (
	"strings"

	"causeway/core"
)

// maxPossible is how many networks an answer names at most.
const maxPossible = 8

// diagnose fills the verdict about a text that the network refused for r.reason: the most useful true thing to say.
func (s *Service) diagnose(w *workspace, n *network, text string, r *reading, v *core.Verdict) {
	known := r.reason == NotPayable || r.reason == UnsupportedFormat // the network itself knows what this is
	if r.reason == SecretKey || !known && holdsSecret(w, text, n.keys) {
		v.Address, v.Reason, v.Message = "****", SecretKey, n.secretMessage(text)
		return
	}
	switch r.reason {
	case Empty, NotASCII, Whitespace:
		v.Reason, v.Message = r.reason, sentences[r.reason]
		return
	}
	if !n.named && isName(text) {
		v.Reason, v.Message = NameNotAddress, sentences[NameNotAddress]
		return
	}
	if !known && r.reason != TooLong && s.elsewhere(w, n, text, v) {
		return
	}
	v.Reason, v.Message = pasted(w, n, text)
	if v.Reason == "" {
		v.Reason, v.Message = r.reason, n.message(r)
	}
}

// secretMessage warns of a secret, and says what else 64 hexadecimal digits may be.
func (n *network) secretMessage(text string) string {
	if !isHash(strings.TrimPrefix(text, "0x")) {
		return sentences[SecretKey]
	}
	return "64 hexadecimal digits are never an address of " + n.Name + "; they may be a private key. If they are an address of another network, such as Aptos, Sui or NEAR, ask with that network. " + sentences[SecretKey]
}

// message is the sentence about a refused text: what is wrong, and what an address of the network looks like.
func (n *network) message(r *reading) string {
	switch {
	case r.expected != "":
		return r.hint + r.expected + "."
	case r.hint != "":
		return r.hint
	case r.reason == BadChecksum || r.reason == TooLong || len(n.Formats) == 0:
		return sentences[r.reason]
	}
	return sentences[r.reason] + " An address of " + n.Name + " looks like " + n.Formats[0].Example + "."
}

// isHash reports whether a text is 32 bytes in hexadecimal digits.
func isHash(text string) bool { return len(text) == 64 && isHex(text) }

// owners are the other networks that accept a text, by how much that proves: with a checksum, without one, and on a test
// network only. Chance meets the weaker proofs, so that they count only where there is no better one.
type owners struct {
	by      [3][]*network
	retired *network
}

func (o *owners) add(n *network, r *reading) {
	switch {
	case n.retired != "":
		o.retired = n
	case r.environment == core.Testnet:
		o.by[2] = append(o.by[2], n)
	case r.checksum:
		o.by[0] = append(o.by[0], n)
	default:
		o.by[1] = append(o.by[1], n)
	}
}

// best returns at most maxPossible networks of the strongest proof.
func (o *owners) best() []*network {
	for _, list := range o.by {
		if len(list) > 0 {
			return list[:min(maxPossible, len(list))]
		}
	}
	return nil
}

// elsewhere asks the other networks, and fills the verdict when one of them accepts the text.
func (s *Service) elsewhere(w *workspace, n *network, text string, v *core.Verdict) bool {
	var o owners
	shape := w.shapeOf(text)
	w.asking = true
	for i := range probes {
		p := &probes[i]
		if p.network == n || !p.passes(text, shape) {
			continue
		}
		if r := p.network.read(w, text); s.evident(&r) {
			o.add(p.network, &r)
		}
	}
	best := o.best()
	switch {
	case best == nil && o.retired == nil:
		return false
	case best == nil:
		v.Message = "This is an address of " + o.retired.Name + ", which is retired: " + o.retired.retired + "."
	default:
		v.PossibleNetworks = currency{networks: best}.codes()
		v.Message = "This is not an address of " + n.Name + " but of " + best[0].Name
		if len(best) > 1 {
			v.Message += " or another network that writes addresses so (" + strings.Join(v.PossibleNetworks, ", ") + ")"
		}
		v.Message += ". Sent here, the money would be lost or bounce."
	}
	v.Reason = WrongNetwork
	return true
}

// evident reports whether a reading shows where a text belongs.
func (s *Service) evident(r *reading) bool {
	return r.reason == "" && !r.vague && (r.environment != core.Testnet || s.policy.Testnet)
}

// pasted recognizes things that people paste for an address.
func pasted(w *workspace, n *network, text string) (reason, message string) {
	switch {
	case isLightning(text):
		return LightningInvoice, sentences[LightningInvoice]
	case hasFold(text, "sp1q") && len(text) > 100, hasFold(text, "tsp1q") && len(text) > 100:
		return UnsupportedFormat, "This is a silent payment address (BIP-352), which few wallets can pay to. Ask for a usual address of Bitcoin."
	case isExtendedKey(w, text):
		return ExtendedPublicKey, sentences[ExtendedPublicKey]
	case isPublicKey(text):
		return NotPayable, "This is a public key in hexadecimal digits, not an address."
	}
	inside, ok := insideURI(text)
	switch {
	case !ok || n.prefixed(text):
		return "", ""
	case n.judge(w, inside).reason == "":
		return PaymentURI, "This is a payment link, not an address. The address inside it is " + inside + "; an amount and a memo go into their own fields."
	}
	return PaymentURI, sentences[PaymentURI]
}

// isLightning knows BOLT-11 invoices, BOLT-12 offers, LNURLs and name@host.
func isLightning(text string) bool {
	if hasFold(text, "lightning:") {
		text = text[len("lightning:"):]
	}
	if name, host, ok := strings.Cut(text, "@"); ok {
		return name != "" && strings.Contains(strings.Trim(host, "."), ".") && !strings.ContainsAny(host, ":/?@")
	}
	for _, prefix := range [...]string{"lnbc", "lntb", "lnbcrt", "lno1", "lnurl1", "keyauth://", "lnurlp://"} {
		if hasFold(text, prefix) && len(text) > len(prefix)+8 {
			return true
		}
	}
	return false
}

// isName knows the endings of name services. A name on NEAR or EOS was accepted by its own network before this is asked.
func isName(text string) bool {
	dot := strings.LastIndexByte(text, '.')
	if len(text) > usualBytes || dot < 1 || dot == len(text)-1 || strings.ContainsAny(text, ":/?@ ") {
		return strings.HasPrefix(text, "$") && len(text) > 1 && len(text) <= 16 // an ADA handle
	}
	return nameEndings[strings.ToLower(text[dot+1:])]
}

// isExtendedKey knows the public keys of BIP-32, whatever the coin: 78 bytes that hold a compressed public key.
func isExtendedKey(w *workspace, text string) bool {
	if len(text) < 107 || len(text) > 113 {
		return false
	}
	b := w.decode58(bitcoinDialect, text)
	if b.reason != "" {
		return false
	}
	return len(b.payload()) == 78 && compressedKey(b.payload()[45:]) || strings.Contains(text[:4], "pub")
}

// isPublicKey knows public keys of secp256k1 in hexadecimal digits.
func isPublicKey(text string) bool {
	text = strings.TrimPrefix(text, "0x")
	switch len(text) {
	case 66:
		return (text[:2] == "02" || text[:2] == "03") && isHex(text)
	case 130:
		return text[:2] == "04" && isHex(text)
	}
	return false
}

// prefixed reports whether a text starts as addresses of the network do, colon included, and asks for nothing more.
func (n *network) prefixed(text string) bool {
	prefix, _, ok := strings.Cut(n.Formats[0].Example, ":")
	return ok && hasFold(text, prefix+":") && strings.IndexByte(text, '?') < 0
}

// insideURI returns the address inside a payment link such as bitcoin:ADDRESS?amount=1.
func insideURI(text string) (string, bool) {
	scheme, rest, ok := strings.Cut(text, ":")
	if !ok || rest == "" || len(scheme) > 20 || !uriSchemes[strings.ToLower(scheme)] {
		return "", false
	}
	rest = strings.TrimPrefix(rest, "//")
	rest = strings.TrimPrefix(rest, "pay-")
	rest, query, _ := strings.Cut(rest, "?")
	if _, after, found := strings.Cut(query, "destination="); found {
		rest, _, _ = strings.Cut(after, "&")
	}
	if slash := strings.LastIndexByte(rest, '/'); slash >= 0 {
		rest = rest[slash+1:]
	}
	rest, _, _ = strings.Cut(rest, "@")
	return rest, true
}
