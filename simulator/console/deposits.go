package console

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/chain"
)

// Limits of a page.
const (
	maxBlocks   = 40 // newest blocks of a chain
	maxFinished = 50 // finished transfers
)

// Received is what the services of a world know of its blockchains.
type Received struct {
	Transactions []core.Transaction // of all users
	Problems     map[string]string  // why the deposits of a network arrive late
}

// depositsData is the view of the blockchains and of what was paid.
type depositsData struct {
	Form     paymentForm
	Active   []chainCard
	Asleep   []chainCard // nothing was paid or mined
	Coming   []transferRow
	Finished []transferRow // newest first
	Older    int           // finished ones that are not shown
}

// paymentForm is the form that sends a payment.
type paymentForm struct {
	Network    string
	Networks   []string
	Currencies []string // of the network
}

// chainCard is a chain at the present time of its world.
type chainCard struct {
	*chain.Chain

	Tip       int64 // height of the newest block
	Next      string
	Remaining int64
	Squares   []square
	Problem   string
}

// square is a block.
type square struct {
	chain.Block

	ID   string
	Paid int // number of payments
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

// statusClasses are the classes of statuses in the style sheet.
var statusClasses = map[core.TransactionStatus]string{core.Pending: "info", core.Completed: "good", core.Failed: "bad"}

// Class returns the class of what the user sees.
func (r transferRow) Class() string {
	if r.Seen == nil {
		return ""
	}
	return statusClasses[r.Seen.Status]
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
	var d depositsData
	for _, one := range set.All() {
		card := newChainCard(one, now)
		card.Problem = received.Problems[one.Network]
		if !slices.Contains(active, one.Network) {
			d.Asleep = append(d.Asleep, card)
			continue
		}
		d.Active = append(d.Active, card)
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
	d.Form = newPaymentForm(f.Query("network"), append(d.Active, d.Asleep...))
	return d, nil
}

// newPaymentForm offers the currencies of a network, the first one if there is none of this name.
func newPaymentForm(network string, all []chainCard) (form paymentForm) {
	for i, c := range all {
		form.Networks = append(form.Networks, c.Network)
		if i > 0 && c.Network != network {
			continue
		}
		form.Network, form.Currencies = c.Network, nil
		for _, asset := range c.Assets {
			form.Currencies = append(form.Currencies, asset.Currency)
		}
	}
	return form
}

func newChainCard(c *chain.Chain, now time.Time) chainCard {
	card := chainCard{Chain: c, Tip: c.Height(now), Remaining: c.Remaining(now)}
	if at := c.Next(now); !at.IsZero() {
		card.Next = shortDuration((at.Sub(now) + time.Second - 1).Truncate(time.Second))
	}
	for _, b := range c.Added(maxBlocks, now) {
		s := square{Block: b, ID: c.Network + "-" + c.Text(b.Hash)}
		for _, t := range b.Transactions {
			if t.Paid {
				s.Paid++
			}
		}
		card.Squares = append(card.Squares, s)
	}
	return card
}

// transferKey identifies the transfers of a transaction to an address.
func transferKey(network, hash, address string) string {
	return strings.ToLower(network + " " + hash + " " + address)
}

// newTransferRows returns the transfers of a payment. It takes what their users see out of the lists in seen.
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
