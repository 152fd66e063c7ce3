package memory_test

import (
	"sync/atomic"
	"testing"
	"time"

	"causeway/adapters/memory"
	"causeway/ports"
	"causeway/ports/porttest"
)

func TestLookups(t *testing.T) {
	t.Parallel()
	porttest.LookupLog(t, func(*testing.T) (a, b ports.LookupLog, pass func(time.Duration)) {
		var passed atomic.Int64
		start := time.Now()
		log := memory.NewLookups(func() time.Time { return start.Add(time.Duration(passed.Load())) })
		return log, log, func(by time.Duration) { passed.Add(int64(by)) }
	})
}
