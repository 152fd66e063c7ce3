package storage

import (
	"testing"
	"time"

	"causeway/ports"
	"causeway/ports/porttest"
)

func TestLookups_Contract(t *testing.T) {
	t.Parallel()
	for name, config := range backends() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			porttest.LookupLog(t, func(t *testing.T) (a, b ports.LookupLog, pass func(time.Duration)) {
				t.Helper()
				cfg := config(t)
				store := open(t, cfg)
				return store.Lookups(), open(t, cfg).Lookups(), func(by time.Duration) {
					execute(t, store, `UPDATE lookup_log SET at = at - $1`, by.Microseconds())
				}
			})
		})
	}
}
