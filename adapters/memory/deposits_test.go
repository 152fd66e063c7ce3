package memory

import (
	"testing"
	"time"

	"causeway/ports"
	"causeway/ports/porttest"
)

func TestDeposits_Contract(t *testing.T) {
	t.Parallel()
	porttest.Deposits{Open: func(_ *testing.T, processes int) []ports.DepositStore {
		store := NewDeposits(time.Now)
		var stores []ports.DepositStore
		for range processes {
			stores = append(stores, store)
		}
		return stores
	}}.Run(t)
}
