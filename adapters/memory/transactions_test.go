package memory

import (
	"testing"

	"causeway/ports"
	"causeway/ports/porttest"
)

func TestTransactions_Contract(t *testing.T) {
	t.Parallel()
	porttest.Transactions{Open: func(_ *testing.T, processes int) []ports.TransactionStore {
		store := NewTransactions()
		var stores []ports.TransactionStore
		for range processes {
			stores = append(stores, store)
		}
		return stores
	}}.Run(t)
}
