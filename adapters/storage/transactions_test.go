package storage

import (
	"testing"

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
