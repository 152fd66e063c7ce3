package deposits

import (
	"context"
	"fmt"
	"strings"

	"causeway/core"
	"causeway/ports"
)

// Match returns what is known about each address of a network, in the same order. Every address that
// belongs to a user was derived again: a stored row that differs from its source belongs to no user,
// and stops its wallet. A shared address belongs to a user only together with the user's memo.
//
// An error means that owners may exist that the store does not know at the moment.
func (s *Service) Match(
	ctx context.Context, network string, addresses []core.DepositAddress,
) ([]core.DepositMatch, error) {
	t, err := s.carrier(network)
	if err != nil {
		return nil, err
	}
	matches := make([]core.DepositMatch, len(addresses))
	if t.wallet == nil || len(addresses) == 0 {
		return matches, nil
	}
	m := matcher{Service: s, target: t, known: map[core.DepositAddress]*core.DepositMatch{}}
	entries := make([]*core.DepositMatch, len(addresses))
	for i, a := range addresses {
		entries[i] = m.add(a)
	}
	if err := m.find(ctx); err != nil {
		return nil, core.Errorf(core.Unavailable, "Deposit addresses of %s are temporarily unavailable. Retry later.",
			t.wallet.name).With(fmt.Errorf("deposit wallet %s: %w", t.wallet.name, err))
	}
	for i, e := range entries {
		if e != nil {
			matches[i] = *e
		}
	}
	return matches, nil
}

// matcher finds the owners of addresses of a network.
type matcher struct {
	*Service
	target

	canonical map[core.Private]core.DepositAddress // by address as the network writes it; empty: invalid
	known     map[core.DepositAddress]*core.DepositMatch
}

// add returns the entry of an address, which find fills, or nil for a text that is no address.
func (m *matcher) add(a core.DepositAddress) *core.DepositMatch {
	key, seen := m.canonical[a.Address]
	if !seen {
		key, _ = m.check(m.currency.Code, m.network.Code, core.DepositAddress{Address: a.Address})
		if m.canonical == nil {
			m.canonical = map[core.Private]core.DepositAddress{}
		}
		m.canonical[a.Address] = key
	}
	if key.Address == "" {
		return nil
	}
	if key.Memo == "" && m.network.Memo.Supported { // otherwise the address contains its memo
		key.Memo = plainMemo(a.Memo)
	}
	if m.known[key] == nil {
		m.known[key] = &core.DepositMatch{Deposit: core.Deposit{DepositAddress: key}}
	}
	return m.known[key]
}

// plainMemo returns a memo of digits without leading zeros, as Causeway gives it out.
func plainMemo(memo core.Private) core.Private {
	text := memo.Reveal()
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return memo
	}
	if text = strings.TrimLeft(text, "0"); text == "" {
		text = "0"
	}
	return core.Private(text)
}

// find fills the entries.
func (m *matcher) find(ctx context.Context) error {
	if err := m.current(ctx); err != nil {
		return err
	}
	keys := make([]ports.DepositKey, 0, len(m.known))
	for a := range m.known {
		keys = append(keys, ports.DepositKey{Wallet: m.wallet.name, DepositAddress: a})
	}
	found, err := m.store.FindAll(ctx, keys)
	if err != nil {
		return err
	}
	assigned := make(map[core.DepositAddress]core.Deposit, len(found))
	for _, d := range found {
		assigned[d.DepositAddress] = d
	}
	var unknown []core.Private
	for key, match := range m.known {
		d, ok := assigned[key]
		if !ok { // an address without a memo belongs to its user with any memo
			d, ok = assigned[core.DepositAddress{Address: key.Address}]
		}
		switch {
		case ok:
			if err := m.own(ctx, match, d); err != nil {
				return err
			}
		case m.wallet.shared && key.Address == m.wallet.binding.First:
			match.Ours, match.Reason = true, core.UnknownMemo
			if key.Memo == "" {
				match.Reason = core.WithoutMemo
			}
		default:
			unknown = append(unknown, key.Address)
		}
	}
	return m.pooled(ctx, unknown)
}

// current returns an error if the store lost assignments: their transfers would seem to have no user.
func (m *matcher) current(ctx context.Context) error {
	known, err := m.remember(ctx, m.wallet, 0)
	if err != nil {
		return err
	}
	stored, err := m.store.Wallets(ctx)
	if err != nil {
		return err
	}
	next := int64(0)
	for _, w := range stored {
		if w.Wallet == m.wallet.name {
			next = w.Next
		}
	}
	if next < known {
		return fmt.Errorf("%w: the next index is %d, and the indexes below %d are used", ports.ErrRolledBack, next, known)
	}
	return nil
}

// own fills the entry of an assigned address after deriving it again.
func (m *matcher) own(ctx context.Context, match *core.DepositMatch, d core.Deposit) error {
	err := d.Fault
	if err == nil {
		err = m.compare(m.wallet, d)
	}
	switch reason := reasonOf(err); {
	case err == nil:
		match.Deposit, match.Ours = d, true
	case reason == Tampered || reason == Invalid:
		m.stop(ctx, m.wallet, err)
		match.Ours, match.Reason = true, core.TamperedAddress
	default:
		return err
	}
	return nil
}

// pooled fills the entries of pool addresses that no user has.
func (m *matcher) pooled(ctx context.Context, addresses []core.Private) error {
	if m.wallet.source.Kind() != ports.PoolSource || len(addresses) == 0 {
		return nil
	}
	pool, err := m.store.Pooled(ctx, m.wallet.name, addresses)
	if err != nil {
		return err
	}
	mine := make(map[core.Private]error, len(pool))
	for _, a := range pool {
		mine[a.Address] = a.Fault
	}
	for key, match := range m.known {
		fault, ok := mine[key.Address]
		if !ok || match.Ours {
			continue
		}
		match.Ours, match.Reason = true, core.UnassignedAddress
		if reasonOf(fault) == Tampered {
			m.stop(ctx, m.wallet, fault)
			match.Reason = core.TamperedAddress
		}
	}
	return nil
}
