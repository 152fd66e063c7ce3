package memory_test

import (
	"testing"
	"time"

	"causeway/adapters/memory"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

func TestDeposits_Contract(t *testing.T) {
	t.Parallel()
	porttest.Deposits{Open: func(_ *testing.T, processes int) []ports.DepositStore {
		store := memory.NewDeposits(time.Now)
		var stores []ports.DepositStore
		for range processes {
			stores = append(stores, store)
		}
		return stores
	}}.Run(t)
}

// A clone has the addresses of the original, and neither sees what the other assigns later.
func TestDeposits_Clone(t *testing.T) {
	t.Parallel()
	original := memory.NewDeposits(time.Now)
	if _, err := original.Import(t.Context(), "BTC", []core.Private{"x", "y", "z"}); err != nil {
		t.Fatal(err)
	}
	if err := original.Confirm(t.Context(), core.DepositBinding{Wallet: "BTC"}); err != nil {
		t.Fatal(err)
	}
	assign := func(d *memory.Deposits, profile core.Private, want core.Private) {
		t.Helper()
		got, _, err := d.Assign(t.Context(), ports.DepositRequest{
			User: core.DepositUser{Profile: profile}, Binding: core.DepositBinding{Wallet: "BTC"},
			Derive: func(_ int64, imported core.Private) (core.DepositAddress, error) {
				return core.DepositAddress{Address: imported}, nil
			},
		})
		if err != nil || got.Address != want {
			t.Errorf("got %q, %v; want %q", got.Address.Reveal(), err, want.Reveal())
		}
	}
	assign(original, "u", "x")
	clone := original.Clone(time.Now)
	assign(clone, "v", "y")
	assign(clone, "w", "z")
	assign(original, "w", "y")
	assign(clone, "u", "x")
}
