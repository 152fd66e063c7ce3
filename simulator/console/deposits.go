package console

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/chain"
)

// maxFinished is how many finished transfers a page shows.
const maxFinished = 50

// Received is what the services of a world know of its blockchains.
type Received struct {
	Transactions []core.Transaction // of all users
	Problems     map[string]string  // why the deposits of a network arrive late
}

// depositsData is the view of the blockchains and of what was paid.
type depositsData struct {
	Received

	Now      time.Time
	Form     paymentForm
	Code     Code
	Active   []*chain.Chain
	Asleep   []*chain.Chain // nothing was paid or mined
	Coming   []transferRow
	Finished []transferRow // as Coming, the newest of a chain first
	Older    int           // finished ones that are not shown
}

// Code is a code to scan with which a user is paid.
type Code struct {
	SVG     []byte // nil: there is none
	Text    string // in the code
	Missing string // why there is none, for people
}

// Base64 returns the image as a data URL needs it.
func (c Code) Base64() string { return base64.StdEncoding.EncodeToString(c.SVG) }

// Until returns how long it takes until a time, in whole seconds.
func (d depositsData) Until(at time.Time) string {
	return shortDuration((at.Sub(d.Now) + time.Second - 1).Truncate(time.Second))
}

// Payments returns the number of payments in a block.
func (depositsData) Payments(b chain.Block) (n int) {
	for _, t := range b.Transactions {
		if t.Paid {
			n++
		}
	}
	return n
}

// paymentForm is the form that sends a payment.
type paymentForm struct {
	Networks []string
	Chain    *chain.Chain // to which it is sent
}

// transferRow is a transfer with what its user sees.
type transferRow struct {
	chain.State

	Network  string
	Required int64 // confirmations
	ID       string
	To       string
	Amount   decimal.Decimal
	Seen     *core.Transaction // nil: the user sees nothing
}

// Confirmed returns the number of confirmations, at most the required ones.
func (r transferRow) Confirmed() int64 { return min(r.Confirmations, r.Required) }

// Finished reports whether more blocks change nothing.
func (r transferRow) Finished() bool {
	if r.Seen != nil {
		return r.Seen.Status != core.Pending
	}
	return r.Dropped || r.Confirmations > r.Required
}

func (c *Console) deposits(f *frame, r *http.Request) (any, error) {
	received, err := c.cfg.Received(r.Context(), f.World)
	if err != nil {
		return nil, err
	}
	set, now := f.World.Chains(), f.World.Now()
	active := set.Active()
	seen := map[string][]core.Transaction{}
	for _, t := range received.Transactions {
		key := transferKey(t.Network, t.Hash, t.Address.Address.Reveal())
		seen[key] = append(seen[key], t)
	}
	d := depositsData{Received: received, Now: now}
	for _, one := range set.All() {
		if !slices.Contains(active, one.Network) {
			d.Asleep = append(d.Asleep, one)
			continue
		}
		d.Active = append(d.Active, one)
		for _, s := range one.Payments(now) {
			for _, row := range newTransferRows(one, s, seen) {
				if row.Finished() {
					d.Finished = append(d.Finished, row)
				} else {
					d.Coming = append(d.Coming, row)
				}
			}
		}
	}
	slices.Reverse(d.Coming)
	slices.Reverse(d.Finished)
	d.Older = max(0, len(d.Finished)-maxFinished)
	d.Finished = d.Finished[:len(d.Finished)-d.Older]
	d.Form = newPaymentForm(f.Query("network"), slices.Concat(d.Active, d.Asleep))
	d.Code, err = c.code(r.Context(), f, d.Form)
	return d, err
}

// code returns the code with which the payment of the form would be made by a wallet.
func (c *Console) code(ctx context.Context, f *frame, form paymentForm) (Code, error) {
	if c.cfg.Code == nil || form.Chain == nil || f.Query("to") != "" {
		return Code{}, nil
	}
	assets := form.Chain.Assets
	currency := assets[0].Currency
	if asked := f.Query("currency"); slices.ContainsFunc(assets, func(a core.Asset) bool { return a.Currency == asked }) {
		currency = asked
	}
	user := cmp.Or(f.Query("profile_id"), "user-1") // as in the form
	return c.cfg.Code(ctx, f.World, user, currency, form.Chain.Network, cmp.Or(f.Query("amount"), "10"))
}

// newPaymentForm offers the currencies of a network, or of the first network if it does not exist.
func newPaymentForm(network string, all []*chain.Chain) (form paymentForm) {
	for i, c := range all {
		form.Networks = append(form.Networks, c.Network)
		if i == 0 || c.Network == network {
			form.Chain = c
		}
	}
	return form
}

// transferKey identifies the transfers of a transaction to an address.
func transferKey(network, hash, address string) string {
	return strings.ToLower(network + " " + hash + " " + address)
}

// newTransferRows returns the transfers of a payment. It takes what their users see out of the lists
// in seen.
func newTransferRows(c *chain.Chain, s chain.State, seen map[string][]core.Transaction) (rows []transferRow) {
	hash := c.Text(s.Hash)
	for i, o := range s.Outputs {
		row := transferRow{
			State: s, Network: c.Network, Required: c.Depth(), ID: c.Network + "-" + hash + "-" + strconv.Itoa(i), To: o.To,
			Amount: o.Delivered.Shift(-s.Asset.Decimals),
		}
		key := transferKey(c.Network, hash, o.To)
		if list := seen[key]; len(list) > 0 {
			slices.SortFunc(list, func(a, b core.Transaction) int { return cmp.Compare(a.Index, b.Index) })
			row.Seen, seen[key] = &list[0], list[1:]
		}
		rows = append(rows, row)
	}
	return rows
}
