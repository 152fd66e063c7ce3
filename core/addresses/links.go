package addresses

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/addresses/ascii"
)

// link is a payment link in its parts.
type link struct {
	rows   []*linkRow // of the scheme
	form   *linkForm
	path   string
	values map[string]string // of the query, by name
	texts  []string          // all parts without percent-encoding, to be searched for secrets

	address, chain, token string // found by the form; empty: the default chain, the coin
}

// linkFault is why a link cannot be paid.
type linkFault struct {
	reason, message string
	network         string // that the link is of, if another one
}

func faulty(reason string) *linkFault { return &linkFault{reason: reason, message: sentences[reason]} }

// contested is the fault of a link with a part that wallets read differently.
func contested(part string) *linkFault {
	return &linkFault{reason: PaymentURIAmbiguous, message: "Wallets read " + part + " of this payment link " +
		"differently, so that the payment may go elsewhere or be of another amount. Ask for the address alone."}
}

// linkRowsOf returns the rows of the scheme with which a text begins; none: it is no link that is read here.
func linkRowsOf(text string) []*linkRow {
	const longest = len("web+stellar")
	colon := strings.IndexByte(text[:min(len(text), longest+1)], ':')
	if colon < 0 {
		return nil
	}
	return linkSchemes[strings.ToLower(text[:colon])]
}

// isLink reports whether a text that is no address of the network is a payment link that is read here. What may
// be a secret, has characters that no link has, or is an address whose prefix is a scheme, is diagnosed as other
// texts are.
func (s *Service) isLink(w *workspace, n *network, text string) bool {
	rows := linkRowsOf(text)
	return rows != nil && !s.networks[rows[0].network].prefixed(text) && kindsIn(text)&(blankByte|foreignByte) == 0 &&
		!holdsSecret(w, text, n.hexKeys(text), someWords)
}

// validateLink fills the verdict about a payment link of one of the schemes that are read here: it is the
// verdict about the address inside.
func (s *Service) validateLink(w *workspace, n *network, q core.AddressQuery, v *core.Verdict) error {
	text := q.Address.Reveal()
	p, secret, fault := readLink(w, n, q.Currency, text)
	if secret {
		v.Address = masked
	}
	if fault == nil && p.Memo != "" {
		fault = p.join(&q)
	}
	if fault != nil {
		v.Reason, v.Message = fault.reason, fault.message
		if fault.network != "" {
			v.PossibleNetworks = []string{fault.network}
		}
		return nil
	}
	q.Address = p.Address
	inside, err := s.Validate(q)
	if err != nil {
		return err
	}
	inside.Address, inside.Payment = v.Address, &p.Payment
	switch {
	case inside.Reason == SecretKey:
		inside.Address, inside.Payment = masked, nil
	case inside.Valid:
		p.Address = core.Private(inside.Normalized)
	default:
		inside.Message = "In the payment link: " + inside.Message
	}
	*v = inside
	return nil
}

// linkPayment is what a link asks for.
type linkPayment struct {
	core.Payment

	memoType string
}

// join puts the memo of a link into a query, which may have the same one.
func (p *linkPayment) join(q *core.AddressQuery) *linkFault {
	memo := p.Memo.Reveal()
	if q.Memo != nil && *q.Memo != memo || q.MemoType != "" && p.memoType != "" && q.MemoType != p.memoType {
		return &linkFault{reason: MemoConflict, message: "The memo does not go with the payment link, which has another " +
			"one. Leave it out, or ask the recipient which of them is right."}
	}
	q.Memo = &memo
	if p.memoType != "" {
		q.MemoType = p.memoType
	}
	return nil
}

// readLink reads a link for a currency on a network. secret says that the text may contain one, and is not
// to be shown.
func readLink(w *workspace, n *network, currency, text string) (p linkPayment, secret bool, fault *linkFault) {
	l, fault := splitLink(text)
	for _, part := range l.texts {
		shown, sure := n.shownMemo(w, &part)
		if sure {
			return p, true, faulty(SecretKey)
		}
		secret = secret || *shown != part
	}
	if fault == nil {
		fault = l.form.find(l)
	}
	if fault != nil {
		return p, secret, fault
	}
	if p.Network, p.Currency = n.Code, currency; l.address == "" {
		return p, secret, l.unaddressed()
	}
	if strings.ContainsAny(l.address, ":/@%,;&=+ ") {
		return p, secret, faulty(PaymentURIMalformed)
	}
	decimals, fault := l.match(n, currency)
	if fault != nil {
		return p, secret, fault
	}
	if p.Amount, fault = l.readAmount(decimals); fault != nil {
		return p, secret, fault
	}
	if p.memoType, fault = l.readMemo(&p.Payment); fault != nil {
		return p, secret, fault
	}
	p.Address = core.Private(l.address)
	if label := l.values[l.form.label]; label != "" {
		shown, _ := n.shownMemo(w, &label)
		p.Label = core.Private(*shown)
	}
	return p, secret, nil
}

// splitLink takes a link apart. It reads all parts of a link with a fault too, for secrets to be found.
func splitLink(text string) (*link, *linkFault) {
	scheme, rest, _ := strings.Cut(text, ":")
	l := &link{rows: linkSchemes[strings.ToLower(scheme)], values: map[string]string{}}
	l.form = l.rows[0].form
	path, query, _ := strings.Cut(rest, "?")
	l.path = path
	decoded, _ := unescape(path)
	l.texts = strings.FieldsFunc(decoded, func(c rune) bool { return strings.ContainsRune(":/@", c) })
	var fault *linkFault
	for item := range strings.SplitSeq(query, "&") {
		if item == "" {
			continue
		}
		name, escaped, _ := strings.Cut(item, "=")
		value, ok := unescape(escaped)
		decoded, _ := unescape(name)
		l.texts = append(l.texts, decoded, value)
		if !ok {
			fault = cmp.Or(fault, faulty(PaymentURIMalformed))
		}
		name, wrong := l.form.parameter(name, value)
		if _, twice := l.values[name]; twice && name != l.form.repeated {
			wrong = faulty(PaymentURIMalformed)
		}
		if name == l.form.memo && strings.Contains(escaped, "+") {
			wrong = contested("a plus sign in the memo") // a space in forms of web pages, and a plus sign in RFC 3986
		}
		fault = cmp.Or(fault, wrong)
		l.values[name] = value
	}
	if len(text) > maxBytes || strings.ContainsAny(rest, "#") || strings.Contains(query, "?") {
		fault = cmp.Or(fault, faulty(PaymentURIMalformed))
	}
	return l, fault
}

// unescape decodes percent-encoding. ok is false if the encoding is bad, or the result is no text of one line; the
// rest is decoded nevertheless.
func unescape(text string) (decoded string, ok bool) {
	var out []byte
	ok = true
	for i := 0; i < len(text); i++ {
		if text[i] == '%' {
			if b, err := hex.DecodeString(text[i+1 : min(i+3, len(text))]); err == nil && len(b) == 1 {
				out = append(out, b[0])
				i += 2
				continue
			}
			ok = false
		}
		out = append(out, text[i])
	}
	decoded = string(out)
	return decoded, ok && utf8.ValidString(decoded) && !strings.ContainsFunc(decoded, unicode.IsControl)
}

// parameter returns the name of a parameter as the form writes it, and what is wrong with it.
func (f *linkForm) parameter(name, value string) (string, *linkFault) {
	lower := strings.ToLower(name)
	allowed, isContested := f.contested[lower]
	switch {
	case strings.Contains(name, "%"):
		return name, faulty(PaymentURIMalformed)
	case strings.HasPrefix(lower, "req-"):
		return name, faulty(PaymentURIRequired)
	case isContested && (value == "" || value != allowed):
		return lower, contested("the parameter " + lower)
	case f.folded:
		return lower, nil
	case name != lower && (lower == f.amount || lower == f.memo):
		return lower, contested("the upper-case name of the parameter " + lower)
	}
	return name, nil
}

// unaddressed is the fault of a link without an address.
func (l *link) unaddressed() *linkFault {
	for name, reason := range map[string]string{"lightning": LightningInvoice, "lno": LightningInvoice} {
		if l.values[name] != "" {
			return faulty(reason)
		}
	}
	return faulty(PaymentURINoAddress)
}

// match compares the network and the currency of the link, and returns the decimals of the currency.
func (l *link) match(n *network, currency string) (int32, *linkFault) {
	at := slices.IndexFunc(l.rows, func(row *linkRow) bool { return row.chain == l.chain })
	if at < 0 {
		return 0, &linkFault{reason: PaymentURIOtherNetwork, message: "The payment link is of chain " + core.Quoted(l.chain) +
			", which is not " + n.Name + ". " + sentences[PaymentURIOtherNetwork]}
	}
	row := l.rows[at]
	if row.network != n.Code {
		return 0, &linkFault{reason: PaymentURIOtherNetwork, network: row.network, message: "The payment link is of the " +
			"network " + row.network + ", not of " + n.Code + ". Sent elsewhere, the money would be lost."}
	}
	asked, decimals := row.coins, row.decimals
	if l.token != "" {
		asked = nil
		for _, t := range linkTokens {
			if t.network == n.Code && t.id == l.token {
				asked, decimals = []string{t.currency}, t.decimals
			}
		}
	}
	if !slices.Contains(asked, currency) {
		what := "a token that is not " + currency
		if len(asked) > 0 {
			what = asked[0] + ", not for " + currency
		}
		return 0, &linkFault{reason: PaymentURIOtherCurrency, message: "The payment link asks for " + what + ". Ask the " +
			"recipient for a link or an address for " + currency + "."}
	}
	return decimals, nil
}

// readAmount reads the amount of a link, in whole units of the currency. nil: there is none.
func (l *link) readAmount(decimals int32) (*decimal.Decimal, *linkFault) {
	text := l.values[l.form.amount]
	if _, sent := l.values[l.form.amount]; !sent {
		return nil, nil
	}
	shift := int32(0)
	if l.form == erc681 { // atomic units, also as 2.014e18
		mantissa, exponent, scientific := strings.Cut(strings.ToLower(text), "e")
		if text, shift = mantissa, -decimals; scientific {
			if len(exponent) < 1 || len(exponent) > 2 || !ascii.IsDigits(exponent) {
				return nil, faulty(PaymentURIAmount)
			}
			e, _ := strconv.ParseInt(exponent, 10, 32) // two digits
			shift += int32(e)
		}
	}
	amount, ok := parseAmount(text, l.form.loose)
	if !ok || amount.IsZero() && !l.form.zero {
		return nil, faulty(PaymentURIAmount)
	}
	if amount = amount.Shift(shift); -amount.Exponent() > decimals {
		return nil, faulty(PaymentURIAmount)
	}
	return &amount, nil
}

// longestAmount is the number of digits of 2^256, the largest amount of any network.
const longestAmount = 78

// parseAmount reads digits with a point. If loose is true, the number may begin or end with the point.
func parseAmount(text string, loose bool) (decimal.Decimal, bool) {
	whole, fraction, pointed := strings.Cut(text, ".")
	if len(text) > longestAmount || !ascii.IsDigits(whole+fraction) ||
		!loose && (whole == "" || pointed && fraction == "") {
		return decimal.Decimal{}, false
	}
	amount, err := decimal.NewFromString("0" + whole + "." + fraction + "0")
	return amount.Truncate(int32(len(fraction))), err == nil //nolint:gosec // at most longestAmount
}

// readMemo puts the memo of a link into p, and returns its kind; empty: the network has one kind.
func (l *link) readMemo(p *core.Payment) (kind string, fault *linkFault) {
	memo := l.values[l.form.memo]
	if l.form.memo == "" || memo == "" {
		return "", nil
	}
	if l.form == sep7 {
		switch l.values["memo_type"] {
		case "MEMO_TEXT":
			kind = kindText
		case "MEMO_ID":
			kind = kindID
		case "MEMO_HASH", "MEMO_RETURN":
			hash, err := base64.StdEncoding.DecodeString(memo)
			if err != nil {
				return "", faulty(PaymentURIMalformed)
			}
			memo, kind = hex.EncodeToString(hash), kindHash
			if l.values["memo_type"] == "MEMO_RETURN" {
				kind = kindReturn
			}
		default:
			return "", contested("a memo without a memo_type")
		}
	}
	p.Memo = core.Private(memo)
	return kind, nil
}

// inPath finds the address in the path. Some wallets write slashes around it.
func (l *link) inPath() *linkFault {
	l.address = strings.TrimSuffix(strings.TrimPrefix(l.path, "//"), "/")
	return nil
}

// inSolana finds the address in the path and the token in spl-token.
func (l *link) inSolana() *linkFault {
	if strings.ContainsAny(l.path, ":%") {
		return &linkFault{reason: PaymentURI, message: "This link is a transaction request of Solana Pay: a server " +
			"says what to pay. Ask for the address alone."}
	}
	l.token = l.values["spl-token"]
	return l.inPath()
}

// stellarPublic is the passphrase of the main network of Stellar.
const stellarPublic = "Public Global Stellar Network ; September 2015"

// inStellar finds the address and the asset in the query.
func (l *link) inStellar() *linkFault {
	if l.path != "pay" {
		return &linkFault{reason: PaymentURI, message: "This link of Stellar asks for the signature of a transaction, " +
			"not for a payment. Ask for the address alone."}
	}
	if passphrase, sent := l.values["network_passphrase"]; sent && passphrase != stellarPublic {
		return faulty(PaymentURIOtherNetwork)
	}
	code, issuer := l.values["asset_code"], l.values["asset_issuer"]
	if l.address = l.values["destination"]; issuer != "" || code != "" && code != "XLM" {
		l.token = code + ":" + issuer
	}
	return nil
}

// inEthereum finds the address and the chain in the path. Without a chain, the link is of Ethereum.
func (l *link) inEthereum() *linkFault {
	path, _, called := strings.Cut(strings.TrimPrefix(l.path, "pay-"), "/")
	if called {
		return contested("the call of a contract")
	}
	address, chain, named := strings.Cut(path, "@")
	if l.address, l.chain = address, "1"; named {
		l.chain = chain
	}
	if named && !ascii.IsDigits(chain) {
		return contested("a chain that is not a decimal number")
	}
	if isName(address) {
		return faulty(NameNotAddress)
	}
	return nil
}

// FormatPaymentURI returns the link that asks for a payment. It is false if no form of link is known that wallets read
// the same way, or none that carries the memo.
func FormatPaymentURI(p core.Payment) (string, bool) {
	row, token := linkFor(p.Network, p.Currency)
	if row == nil || p.Memo != "" && row.form.memo == "" {
		return "", false
	}
	address, query := p.Address.Reveal(), []string{}
	add := func(name, value string) {
		query = append(query, name+"="+strings.ReplaceAll(url.QueryEscape(value), "+", "%20"))
	}
	switch row.form {
	case erc681:
		address += "@" + row.chain
	case sep7:
		add("destination", address)
		address = "pay"
	default:
		address = strings.TrimPrefix(address, row.scheme+":") // the prefix of a cashaddr
	}
	if p.Amount != nil {
		amount := *p.Amount
		if row.form == erc681 {
			amount = amount.Shift(row.decimals)
		}
		add(row.form.amount, amount.String())
	}
	if token != nil {
		code, issuer, issued := strings.Cut(token.id, ":")
		if issued {
			add("asset_code", code)
			add("asset_issuer", issuer)
		} else {
			add("spl-token", token.id)
		}
	}
	if p.Memo != "" {
		add(row.form.memo, p.Memo.Reveal())
		if row.form == sep7 {
			kind := "MEMO_TEXT"
			if ascii.IsDigits(p.Memo.Reveal()) {
				kind = "MEMO_ID"
			}
			add("memo_type", kind)
		}
	}
	link := row.scheme + ":" + address
	if len(query) > 0 {
		link += "?" + strings.Join(query, "&")
	}
	return link, true
}

// ParseAmount reads an amount that a client wants in a payment link. Its error is about the field amount.
func ParseAmount(text string) (decimal.Decimal, error) {
	amount, ok := parseAmount(text, false)
	if !ok || amount.IsZero() {
		return amount, core.InvalidField("amount", "is not an amount; send a number above zero in digits, such as 1.5")
	}
	return amount, nil
}

// LinkAmount is ParseAmount for a currency on a network, whose decimals and links it knows.
func LinkAmount(network, currency, text string) (decimal.Decimal, error) {
	amount, err := ParseAmount(text)
	row, token := linkFor(network, currency)
	switch {
	case err != nil:
		return amount, err
	case row == nil:
		return amount, core.InvalidField("amount", "cannot be sent for %s on %s: wallets agree on no payment link that "+
			"carries it; leave it out", currency, network)
	}
	decimals := row.decimals
	if token != nil {
		decimals = token.decimals
	}
	if -amount.Exponent() > decimals {
		return amount, core.InvalidField("amount", "has more decimals than %s on %s, which has %d",
			currency, network, decimals)
	}
	return amount, nil
}
