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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			porttest.Transactions{Open: func(t *testing.T, processes int) []ports.TransactionStore {
				cfg := config(t)
				var stores []ports.TransactionStore
				for range processes {
					stores = append(stores, open(t, cfg).Transactions())
				}
				return stores
			}}.Run(t)
		})
	}
}

func TestEvents_Contract(t *testing.T) {
	t.Parallel()
	for name, config := range backends() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := eventStores(config)
			t.Run("events", func(t *testing.T) { porttest.Events{Open: open}.Run(t) })
			t.Run("deliveries", func(t *testing.T) { porttest.Deliveries{Open: open}.Run(t) })
		})
	}
}

func eventStores(config func(t testing.TB) Config) func(t *testing.T, processes int) []porttest.EventStores {
	return func(t *testing.T, processes int) (stores []porttest.EventStores) {
		t.Helper()
		cfg := config(t)
		for range processes {
			store := open(t, cfg)
			stores = append(stores, porttest.EventStores{
				Transactions: store.Transactions(), Events: store.Transactions().Events(), Deliveries: store.Transactions().Deliveries(),
			})
		}
		return stores
	}
}

var assignedAddresses = flag.Int("addresses", 100_000, "assigned addresses in BenchmarkTransactions_Block")

// BenchmarkTransactions_Block reads a block with 3,000 transfers, 30 of which are to assigned addresses.
func BenchmarkTransactions_Block(b *testing.B) {
	const transfers, ours = 3_000, 30
	for name, config := range backends() {
		b.Run(name, func(b *testing.B) {
			store := open(b, config(b))
			addresses := assignMany(b, store, *assignedAddresses)
			deposits, transactions := sealed(store), store.Transactions()
			state, err := transactions.Lease(b.Context(), "BSC", "a", 0)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				before, height := state.Tip, state.Tip.Height+1
				var keys []ports.DepositKey
				for i := range int64(transfers) {
					address := core.Private(fmt.Sprintf("0x1%039x", height*transfers+i))
					if i < ours {
						address = addresses[(height*transfers+i*7919)%int64(len(addresses))]
					}
					keys = append(keys, ports.DepositKey{Wallet: "EVM", DepositAddress: core.DepositAddress{Address: address}})
				}
				found, err := deposits.FindAll(b.Context(), keys)
				if err != nil || len(found) != ours {
					b.Fatalf("got %d addresses, %v; want %d", len(found), err, ours)
				}
				batch := ports.ChainBatch{Before: before}
				for i, d := range found {
					hash := fmt.Sprint(height, i)
					batch.Transactions = append(batch.Transactions, core.Transaction{
						ID: core.TransactionID("BSC", hash, 1), Network: "BSC", Hash: hash, User: d.User, Address: d.DepositAddress,
						Currency: "USDT", Units: decimal.NewFromInt(1), Decimals: 18, Status: core.Pending, Revision: 1,
						Created: monday, Updated: monday,
					})
				}
				state.Tip = core.BlockID{Height: height, Hash: fmt.Sprint(height)}
				batch.State, batch.Blocks = state, []core.Block{{BlockID: state.Tip, Parent: before.Hash, Time: monday}}
				if err := transactions.Commit(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
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
