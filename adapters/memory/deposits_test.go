package memory

import (
	"testing"

	"causeway/ports"
	"causeway/ports/porttest"
)

func TestDeposits_Contract(t *testing.T) {
	t.Parallel()
	porttest.Deposits{Open: func(_ *testing.T, processes int) []ports.DepositStore {
		store := NewDeposits()
		var stores []ports.DepositStore
		for range processes {
			stores = append(stores, store)
		}
		return stores
	}}.Run(t)
}
