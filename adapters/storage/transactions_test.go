package storage

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

func TestTransactions_Contract(t *testing.T) {
	t.Parallel()
	for name, config := range backends() {
		open := func(t *testing.T, processes int) (stores []ports.TransactionStore) {
			t.Helper()
			cfg := config(t)
			for range processes {
				stores = append(stores, open(t, cfg).Transactions())
			}
			return stores
		}
		for _, suite := range []interface{ Run(t *testing.T) }{
			porttest.Transactions{Open: open}, porttest.Events{Open: open}, porttest.Deliveries{Open: open},
		} {
			t.Run(fmt.Sprintf("%s/%T", name, suite), func(t *testing.T) {
				t.Parallel()
				suite.Run(t)
			})
		}
	}
}

var assignedAddresses = flag.Int("addresses", 100_000, "assigned addresses in BenchmarkTransactions_Block")

// BenchmarkTransactions_Block reads a block with 3,000 transfers, of which some or all are to assigned addresses, and
// stores their transactions with and without events.
func BenchmarkTransactions_Block(b *testing.B) {
	const transfers = 3_000
	commits := map[string]func(context.Context, Transactions, ports.ChainBatch) error{
		"events": func(ctx context.Context, t Transactions, batch ports.ChainBatch) error { return t.Commit(ctx, batch) },
		"no events": func(ctx context.Context, t Transactions, batch ports.ChainBatch) error {
			return t.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
				_, err := t.put(ctx, tx, batch)
				return err
			})
		},
	}
	for name, config := range backends() {
		for _, ours := range []int{30, transfers} {
			for kind, commit := range commits {
				b.Run(fmt.Sprint(name, "/", ours, "/", kind), func(b *testing.B) {
					benchmarkBlock(b, open(b, config(b)), transfers, ours, commit)
				})
			}
		}
	}
}

func benchmarkBlock(
	b *testing.B, store *Store, transfers, ours int, commit func(context.Context, Transactions, ports.ChainBatch) error,
) {
	b.Helper()
	addresses := assignMany(b, store, *assignedAddresses)
	deposits, transactions := sealed(store), store.Transactions()
	state, err := transactions.Lease(b.Context(), "BSC", "a", 0)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		before := state.Tip
		state.Tip = core.BlockID{Height: before.Height + 1, Hash: fmt.Sprint(before.Height + 1)}
		found, err := deposits.FindAll(b.Context(), transferKeys(state.Tip.Height, transfers, ours, addresses))
		if err != nil || len(found) != ours {
			b.Fatalf("got %d addresses, %v; want %d", len(found), err, ours)
		}
		batch := ports.ChainBatch{
			State: state, Before: before,
			Blocks: []core.Block{{BlockID: state.Tip, Parent: before.Hash, Time: monday}},
		}
		for i, d := range found {
			hash := fmt.Sprint(state.Tip.Height, i)
			batch.Transactions = append(batch.Transactions, core.Transaction{
				ID: core.TransactionID("BSC", hash, 1), Network: "BSC", Hash: hash, User: d.User, Address: d.DepositAddress,
				Currency: "USDT", Units: decimal.NewFromInt(1), Decimals: 18, Status: core.Pending, Revision: 1,
				Created: monday, Updated: monday,
			})
		}
		if err := commit(b.Context(), transactions, batch); err != nil {
			b.Fatal(err)
		}
	}
}

// transferKeys returns the addresses of the transfers of a block, the first of which are ours.
func transferKeys(height int64, transfers, ours int, addresses []core.Private) (keys []ports.DepositKey) {
	for i := range transfers {
		at := int(height)*transfers + i
		address := core.Private(fmt.Sprintf("0x1%039x", at))
		if i < ours {
			address = addresses[(int(height)*transfers+i*7919)%len(addresses)]
		}
		keys = append(keys, ports.DepositKey{Wallet: "EVM", DepositAddress: core.DepositAddress{Address: address}})
	}
	return keys
}

// assignMany assigns addresses to as many users, without a transaction for each.
func assignMany(b *testing.B, store *Store, count int) (addresses []core.Private) {
	b.Helper()
	deposits := sealed(store)
	var rows [][]any
	for i := range count {
		address := core.Private(fmt.Sprintf("0x%040x", i*7919))
		row := depositRow{Deposit: core.Deposit{
			Wallet: "EVM", Index: int64(i), ID: fmt.Sprint("da_", i), DepositAddress: core.DepositAddress{Address: address},
			User: core.DepositUser{Account: "a", Profile: core.Private(fmt.Sprint(i))},
		}}
		addresses = append(addresses, address)
		rows = append(rows, []any{
			row.Wallet, row.Index, row.ID, row.User.Account, row.User.Profile.Reveal(), address.Reveal(), "", row.created,
			deposits.seal(row.columns()),
		})
	}
	into := table{
		name: "deposit_addresses", columns: "wallet, idx#, id, account, profile, address, memo, created_at#, seal",
	}
	for chunk := range slices.Chunk(rows, 10*rowsPerStatement) { // a transaction has a deadline
		err := store.update(b.Context(), func(ctx context.Context, tx *sql.Tx) error {
			return store.put(ctx, tx, into, chunk)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return addresses
}
