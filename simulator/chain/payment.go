package chain

import (
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// Transaction is a transaction of one asset.
type Transaction struct {
	Hash    Hash
	Paid    bool // it is a payment; all others are unrelated
	Asset   core.Asset
	Fake    bool // its token has the symbol of the asset and another contract
	Failed  bool // it is in the block, but did nothing
	Outputs []Output
}

// Output is a transfer of a transaction.
type Output struct {
	To        string // empty: an address that the wire format makes up
	Memo      string
	Units     decimal.Decimal // smallest units of the asset
	Delivered decimal.Decimal // what arrived, which only the XRP Ledger makes less than Units
}

// Payment asks for a transaction to one or more addresses.
type Payment struct {
	Currency string
	Fake     bool
	Failed   bool
	Payees   []Payee
}

// Payee is an address and what it gets, in units of the currency.
type Payee struct {
	To, Memo  string
	Amount    string
	Delivered string // empty: the amount
}

// State is a payment with what became of it.
type State struct {
	Transaction

	Height        int64 // of its block; 0: it is in none
	Block         Hash
	Confirmations int64
	Dropped       bool // a reorganization dropped it
}

const (
	maxPayments = 10_000
	maxBits     = 128 // of an amount in smallest units
)

var (
	number      = regexp.MustCompile(`^[0-9]+$`)
	evmAddress  = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)
	tronAddress = regexp.MustCompile(`^T[1-9A-HJ-NP-Za-km-z]{33}$`)
	anyAddress  = regexp.MustCompile(`^[!-~]{1,128}$`)
	amount      = regexp.MustCompile(`^[0-9]{1,38}(\.[0-9]{1,38})?$`)
)

// withMemo are the networks whose transfers can have a memo.
var withMemo = []string{"XRP", "XLM"}

// onePayee are networks whose coin has one receiver in a transaction, as on networks with the EVM.
var onePayee = []string{"TRX", "XRP"}

// withoutFailures are the networks whose blocks have no failed transactions.
var withoutFailures = []string{"BTC", "LTC", "DOGE", "BCH", "DASH"}

// EVM reports whether the network runs the Ethereum virtual machine. Its ID is a number then.
func (c *Chain) EVM() bool { return number.MatchString(c.ID) && !slices.Contains(withMemo, c.Network) }

// Text returns a hash as the network writes it.
func (c *Chain) Text(h Hash) string {
	switch text := hex.EncodeToString(h[:]); {
	case c.EVM():
		return "0x" + text
	case c.Network == "XRP":
		return strings.ToUpper(text)
	default:
		return text
	}
}

// Pay adds a payment to the next block.
func (c *Chain) Pay(p Payment, now time.Time) (Transaction, error) {
	t, err := c.transaction(p)
	if err != nil {
		return Transaction{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(now)
	if len(c.payments) >= maxPayments {
		return Transaction{}, core.InvalidField("amount", "is of payment %d on the chain; accepted: up to %d in a world",
			len(c.payments)+1, maxPayments)
	}
	if err := c.room("amount", 2*c.Depth()); err != nil {
		return Transaction{}, err
	}
	if !c.awake() {
		c.due = now.Add(c.blockTime)
	}
	t.Hash = c.sum("payment", int64(len(c.payments)))
	c.waiting = append(c.waiting, len(c.payments))
	c.payments = append(c.payments, t)
	return t, nil
}

// transaction returns a payment as a transaction without a hash.
func (c *Chain) transaction(p Payment) (Transaction, error) {
	asset, err := c.assetOf(p)
	if err != nil {
		return Transaction{}, err
	}
	t := Transaction{Paid: true, Asset: asset, Fake: p.Fake, Failed: p.Failed}
	for i, to := range p.Payees {
		prefix := ""
		if i > 0 {
			prefix = "outputs." + strconv.Itoa(i-1) + "."
		}
		made, err := c.output(asset, prefix, to)
		if err != nil {
			return Transaction{}, err
		}
		t.Outputs = append(t.Outputs, made)
	}
	return t, nil
}

// assetOf returns the asset of a payment, or an error if the network has no such payments.
func (c *Chain) assetOf(p Payment) (core.Asset, error) {
	asset, known := c.AssetOf(p.Currency)
	var currencies []string
	for _, a := range c.Assets {
		currencies = append(currencies, a.Currency)
	}
	partial := slices.ContainsFunc(p.Payees, func(to Payee) bool { return to.Delivered != "" })
	switch {
	case !known:
		return core.Asset{}, core.InvalidField("currency", "is %s; accepted on %s: %s", core.Quoted(p.Currency), c.Network,
			strings.Join(currencies, ", "))
	case p.Fake && asset.Contract == "":
		return core.Asset{}, core.InvalidField("contract", "is fake, but %s has none; accepted: a token", p.Currency)
	case len(p.Payees) > 1 && asset.Contract == "" && (c.EVM() || slices.Contains(onePayee, c.Network)):
		return core.Asset{}, core.InvalidField("outputs", "are %d; accepted: none for the coin of %s, whose transactions "+
			"pay one address; a token has any number", len(p.Payees)-1, c.Network)
	case p.Failed && slices.Contains(withoutFailures, c.Network):
		return core.Asset{}, core.InvalidField("failed", "is given; accepted: none on %s, whose blocks have no failed "+
			"transactions", c.Network)
	case partial && c.Network != "XRP":
		return core.Asset{}, core.InvalidField("delivered", "is given; accepted: on XRP only, where a payment can be "+
			"partial")
	}
	return asset, nil
}

// output returns the transfer to a payee. Errors name the payee's fields with the prefix.
func (c *Chain) output(asset core.Asset, prefix string, to Payee) (Output, error) {
	form := anyAddress
	switch {
	case c.EVM():
		form = evmAddress
	case c.Network == "TRX":
		form = tronAddress
	}
	if !form.MatchString(to.To) {
		return Output{}, core.InvalidField(prefix+"to", "is not an address of %s", c.Network)
	}
	if to.Memo != "" && !slices.Contains(withMemo, c.Network) {
		return Output{}, core.InvalidField(prefix+"memo", "is given; accepted: none on %s", c.Network)
	}
	if _, err := strconv.ParseUint(to.Memo, 10, 32); to.Memo != "" && c.Network == "XRP" && err != nil {
		return Output{}, core.InvalidField(prefix+"memo", "is not a destination tag; accepted: 0 to 4294967295")
	}
	units, err := unitsOf(asset, prefix+"amount", to.Amount)
	if err != nil {
		return Output{}, err
	}
	delivered := units
	if to.Delivered != "" {
		if delivered, err = unitsOf(asset, prefix+"delivered", to.Delivered); err != nil {
			return Output{}, err
		}
	}
	return Output{To: to.To, Memo: to.Memo, Units: units, Delivered: delivered}, nil
}

// unitsOf parses an amount in units of a currency.
func unitsOf(asset core.Asset, field, text string) (decimal.Decimal, error) {
	d, err := decimal.NewFromString(text)
	if err == nil && amount.MatchString(text) && -d.Exponent() <= asset.Decimals {
		if units := d.Shift(asset.Decimals); units.BigInt().BitLen() <= maxBits {
			return units, nil
		}
	}
	return decimal.Zero, core.InvalidField(field, "is %s; accepted: an amount of %s with at most %d decimals, such as "+
		"0.01", core.Quoted(text), asset.Currency, asset.Decimals)
}

// Payments returns all payments in their order.
func (c *Chain) Payments(now time.Time) []State {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(now)
	out := make([]State, len(c.payments))
	for i, t := range c.payments {
		out[i].Transaction = t
	}
	for _, i := range c.dropped {
		out[i].Dropped = true
	}
	for _, b := range c.blocks {
		for _, i := range b.paid {
			out[i].Height, out[i].Block, out[i].Confirmations = b.height, b.hash, c.height()-b.height+1
		}
	}
	return out
}

// whole returns a block with its transactions. Payments follow unrelated transactions whose number depends on the
// branch, so that a reorganization moves them among the logs of their block.
func (c *Chain) whole(b block) Block {
	out := Block{Height: b.height, Hash: b.hash, Parent: b.parent, Time: b.time}
	add := func(n, end int, loud bool) {
		for ; n < end; n++ {
			if t, ok := c.unrelated(b, n, loud); ok {
				out.Transactions = append(out.Transactions, t)
			}
		}
	}
	before := 0
	if len(b.paid) > 0 {
		before = 1 + int(b.branch)
		add(0, before, true)
	}
	for _, i := range b.paid {
		out.Transactions = append(out.Transactions, c.payments[i])
	}
	const most = 3
	add(before, before+int(b.hash[0])%most, false)
	return out
}

// unrelated returns a transaction between other addresses: of a token that succeeds if it is loud and the network has
// one. It is false if the network has no asset.
func (c *Chain) unrelated(b block, n int, loud bool) (Transaction, bool) {
	assets := c.Assets
	if tokens := slices.DeleteFunc(slices.Clone(assets), func(a core.Asset) bool { return a.Contract == "" }); loud &&
		len(tokens) > 0 {
		assets = tokens
	}
	if len(assets) == 0 {
		return Transaction{}, false
	}
	t := Transaction{Hash: c.sum("unrelated", b.branch, b.height, int64(n))}
	t.Asset = assets[int(t.Hash[0])%len(assets)]
	t.Failed = !loud && t.Hash[1]%8 == 0
	units := decimal.New(int64(binary.BigEndian.Uint16(t.Hash[2:])), max(t.Asset.Decimals-2, 0))
	if !loud && t.Hash[1]%8 == 1 {
		units = decimal.Zero
	}
	t.Outputs = []Output{{Units: units, Delivered: units}}
	return t, true
}
