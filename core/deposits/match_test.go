package deposits_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"causeway/adapters/memory"
	"causeway/core"
	"causeway/core/deposits"
	"causeway/ports"
)

// match returns what is known about an address: its user, why it has none, or "not ours".
func (d *desk) match(t *testing.T, network string, all ...core.DepositAddress) []string {
	t.Helper()
	matches, err := d.Match(t.Context(), network, all)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range matches {
		text := "not ours"
		if m.Ours {
			text = m.Deposit.User.Profile.Reveal() + string(m.Reason)
		}
		if (m.Deposit.ID == "") != (m.Deposit.User == core.DepositUser{}) || m.Ours && m.Deposit.Address == "" {
			t.Errorf("got %+v", m)
		}
		out = append(out, text)
	}
	return out
}

func address(text, memo string) core.DepositAddress {
	return core.DepositAddress{Address: core.Private(text), Memo: core.Private(memo)}
}

func TestService_Match(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.get(t, "u", "BTC", "")
	d.get(t, "u", "ETH", "")
	d.get(t, "u", "XRP", "")
	d.get(t, "v", "SOL", "")
	if _, err := d.Regenerate(t.Context(), user("u"), "BTC", "", ""); err != nil {
		t.Fatal(err)
	}
	for network, cases := range map[string][]struct{ address, memo, want string }{
		"BTC": {
			{bitcoin[0], "", "u"},
			{strings.ToLower(bitcoin[0]), "", "u"}, // replaced
			{bitcoin[1], "", "u"},
			{bitcoin[1], "any", "u"},
			{bitcoin[2], "", "not ours"},
			{"", "", "not ours"},
			{"OP_RETURN 6f", "", "not ours"},
		},
		"ETH": {{ethereum[0], "", "u"}, {strings.ToUpper(ethereum[0][2:]), "", "not ours"}, {ethereum[1], "", "not ours"}},
		"BSC": {{ethereum[0], "", "u"}, {"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "7", "u"}},
		"SOL": {{solana[0], "", "v"}, {solana[0], "memo", "v"}, {solana[1], "", string(core.UnassignedAddress)}},
		"XRP": {
			{ripple, "7", "u"},
			{ripple, "007", "u"},
			{ripple, "", string(core.WithoutMemo)},
			{ripple, "8", string(core.UnknownMemo)},
			{ripple, "0", string(core.UnknownMemo)},
			{ripple, "70", string(core.UnknownMemo)},
			{ripple, "no tag", string(core.UnknownMemo)},
			{"rrrrrrrrrrrrrrrrrrrrrhoLvTp", "7", "not ours"},
		},
		"TRX": {{"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "", "not ours"}},
	} {
		var all []core.DepositAddress
		for _, c := range cases {
			all = append(all, address(c.address, c.memo))
		}
		for i, got := range d.match(t, network, all...) {
			if want := cases[i].want; got != want {
				t.Errorf("%s %s %q: got %q, want %q", network, cases[i].address, cases[i].memo, got, want)
			}
		}
	}
	if len(d.stopped) > 0 {
		t.Errorf("stopped %v", d.stopped)
	}
	if _, err := d.Match(t.Context(), "NOPE", nil); core.CodeOf(err) != core.Invalid {
		t.Errorf("got %v", err)
	}
}

// counted counts the look-ups, and edits what they return.
type counted struct {
	ports.DepositStore

	keys  *[]int
	edit  func(core.Deposit) core.Deposit
	fault error // of pool addresses
}

func (c counted) FindAll(ctx context.Context, keys []ports.DepositKey) ([]core.Deposit, error) {
	*c.keys = append(*c.keys, len(keys))
	found, err := c.DepositStore.FindAll(ctx, keys)
	for i := range found {
		found[i] = c.edit(found[i])
	}
	return found, err
}

func (c counted) Pooled(ctx context.Context, wallet string, all []core.Private) ([]core.PoolAddress, error) {
	found, err := c.DepositStore.Pooled(ctx, wallet, all)
	for i := range found {
		found[i].Fault = c.fault
	}
	return found, err
}

// A tampered row credits no user, and stops its wallet.
func TestService_MatchTampered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit    func(core.Deposit) core.Deposit
		want    string
		stopped int
	}{
		"honest":        {func(d core.Deposit) core.Deposit { return d }, "[u not ours]", 0},
		"broken seal":   {func(d core.Deposit) core.Deposit { d.Fault = ports.ErrTampered; return d }, "[tampered_address not ours]", 1},
		"another index": {func(d core.Deposit) core.Deposit { d.Index = 1; return d }, "[tampered_address not ours]", 1},
		"not sealed":    {func(d core.Deposit) core.Deposit { d.Fault = ports.ErrUnsealed; return d }, "", 0},
		"old seal":      {func(d core.Deposit) core.Deposit { d.Fault = ports.ErrOldSeal; return d }, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			honest := newDesk(t)
			honest.get(t, "u", "ETH", "")
			keys := []int{}
			d, err := newService(t, counted{honest.store, &keys, c.edit, ports.ErrTampered}, sources())
			if err != nil {
				t.Fatal(err)
			}
			asked := []core.DepositAddress{address(ethereum[0], ""), address(ethereum[1], "")}
			if _, err := d.Match(t.Context(), "BSC", asked); c.want == "" {
				if core.CodeOf(err) != core.Unavailable || strings.Contains(err.Error(), ethereum[0]) {
					t.Errorf("got %v", err)
				}
				return
			}
			if got := fmt.Sprint(d.match(t, "BSC", asked...)); got != c.want || len(d.stopped) != c.stopped {
				t.Errorf("got %s, stopped %v; want %s", got, d.stopped, c.want)
			}
			if got := fmt.Sprint(d.match(t, "SOL", address(solana[1], ""))); got != "[tampered_address]" {
				t.Errorf("pool: got %s", got)
			}
		})
	}
}

// All addresses of a block are one look-up, each distinct one once.
func TestService_MatchOnce(t *testing.T) {
	t.Parallel()
	honest := newDesk(t)
	honest.get(t, "u", "ETH", "")
	keys := []int{}
	same := func(d core.Deposit) core.Deposit { return d }
	d, err := newService(t, counted{honest.store, &keys, same, nil}, sources())
	if err != nil {
		t.Fatal(err)
	}
	var all []core.DepositAddress
	for i := range 10_000 {
		all = append(all, address(fmt.Sprintf("0x%040x", i/2), ""), address(ethereum[0], ""))
	}
	got := d.match(t, "BSC", all...)
	if fmt.Sprint(keys) != "[5001]" || got[1] != "u" || got[19_999] != "u" || got[0] != "not ours" {
		t.Errorf("looked up %v keys, got %v", keys, got[:2])
	}
}

// A restored database may lack assignments: an address that it does not know may have a user.
func TestService_MatchRolledBack(t *testing.T) {
	t.Parallel()
	m := &marks{next: 5}
	d, err := newService(t, memory.NewDeposits(time.Now), sources(), func(c *deposits.Config) {
		c.Marks = []ports.DepositMarks{m}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Match(t.Context(), "BTC", []core.DepositAddress{address(bitcoin[0], "")}); core.CodeOf(err) != core.Unavailable {
		t.Errorf("got %v", err)
	}
	broken, err := newService(t, away{memory.NewDeposits(time.Now)}, sources())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := broken.Match(t.Context(), "BTC", []core.DepositAddress{address(bitcoin[0], "")}); core.CodeOf(err) != core.Unavailable {
		t.Errorf("the database is away: got %v", err)
	}
}
