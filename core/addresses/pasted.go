package addresses

import (
	"strings"

	"causeway/core"
	"causeway/core/addresses/ascii"
)

// pasted recognizes other things that people paste instead of an address.
func (s *Service) pasted(w *workspace, n *network, text string) (reason, message string) {
	switch {
	case isLightning(text):
		return LightningInvoice, sentences[LightningInvoice]
	case ascii.HasPrefixFold(text, "sp1q") && len(text) > 100, ascii.HasPrefixFold(text, "tsp1q") && len(text) > 100:
		return UnsupportedFormat, "This is a silent payment address (BIP-352), which few wallets can pay to. Ask for a " +
			"usual address of Bitcoin."
	case isExtendedKey(w, text):
		return ExtendedPublicKey, sentences[ExtendedPublicKey]
	case isPublicKey(text):
		return NotPayable, "This is a public key in hexadecimal digits, not an address."
	}
	if inside, ok := insideURI(text); ok && !n.prefixed(text) {
		return PaymentURI, s.linkMessage(w, n, inside)
	}
	return "", ""
}

// linkMessage says what the address inside a payment link is, and which text to send instead of the
// link.
func (s *Service) linkMessage(w *workspace, n *network, inside string) string {
	const link = "This is a payment link, not an address. "
	var elsewhere core.Verdict
	r := n.judge(w, inside)
	switch {
	case r.reason == "" && r.environment == core.Testnet && !s.policy.Testnet:
		return link + "The address inside it, " + inside + ", is of the test network of " + n.Name + "; real payments " +
			"cannot go there."
	case r.reason == "":
		return link + "The address inside it is valid: " + inside + ". Send that; an amount and a memo go into their own " +
			"fields."
	case r.reason == Empty || r.reason == NotASCII || r.reason == Whitespace:
		return sentences[PaymentURI]
	case s.elsewhere(w, n, inside, &elsewhere):
		return link + "What is inside it is of another network. " + elsewhere.Message
	}
	return link + "What is inside it is not a valid address either: " + n.message(&r, inside)
}

// twice returns the half of a text that was pasted twice, where the half is an address of the
// network.
func (n *network) twice(w *workspace, text string) (once string, ok bool) {
	const shortest = 10 // so that no name is taken for a half of itself
	half := len(text) / 2
	if len(text)%2 != 0 || half < shortest || half > maxBytes || text[:half] != text[half:] {
		return "", false
	}
	return text[:half], n.judge(w, text[:half]).reason == ""
}

// isLightning knows BOLT-11 invoices, BOLT-12 offers, LNURLs and name@host.
func isLightning(text string) bool {
	if ascii.HasPrefixFold(text, "lightning:") {
		text = text[len("lightning:"):]
	}
	if name, host, ok := strings.Cut(text, "@"); ok {
		return name != "" && strings.Contains(strings.Trim(host, "."), ".") && !strings.ContainsAny(host, ":/?@")
	}
	for _, prefix := range [...]string{"lnbc", "lntb", "lnbcrt", "lno1", "lnurl1", "keyauth://", "lnurlp://"} {
		if ascii.HasPrefixFold(text, prefix) && len(text) > len(prefix)+8 {
			return true
		}
	}
	return false
}

// isName knows the endings of name services. A name on NEAR or EOS was accepted by its own network
// before.
func isName(text string) bool {
	if strings.HasPrefix(text, "$") {
		return len(text) > 1 && len(text) <= 16 // an ADA handle
	}
	if len(text) > usualBytes {
		return false
	}
	dot := strings.LastIndexByte(text, '.')
	if dot < 1 || dot == len(text)-1 || strings.ContainsAny(text, ":/?@ ") {
		return false
	}
	return nameEndings[strings.ToLower(text[dot+1:])]
}

// isExtendedKey knows the public keys of BIP-32, whatever the coin: 78 bytes that hold a compressed
// public key.
func isExtendedKey(w *workspace, text string) bool {
	if len(text) < 107 || len(text) > 113 {
		return false
	}
	b := w.decode58(text)
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
		return (text[:2] == "02" || text[:2] == "03") && ascii.IsHex(text)
	case 130:
		return text[:2] == "04" && ascii.IsHex(text)
	}
	return false
}

// prefixed reports whether a text starts with a prefix of the network, including the colon.
func (n *network) prefixed(text string) bool {
	prefix, _, ok := strings.Cut(n.Formats[0].Example, ":")
	return ok && ascii.HasPrefixFold(text, prefix+":") && strings.IndexByte(text, '?') < 0
}

// insideURI returns the address inside a payment link that is not read here, such as cardano:ADDRESS?amount=1.
func insideURI(text string) (string, bool) {
	scheme, rest, ok := strings.Cut(text, ":")
	if !ok || rest == "" || len(scheme) > 20 || !otherSchemes[strings.ToLower(scheme)] {
		return "", false
	}
	rest, _, _ = strings.Cut(strings.TrimPrefix(rest, "//"), "?")
	return rest[strings.LastIndexByte(rest, '/')+1:], true
}
