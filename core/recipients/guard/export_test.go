package guard

import (
	"context"
	"unsafe"
)

// Flush exchanges and saves what is remembered, as Run does every second.
func (g *Guard) Flush(ctx context.Context) { g.flush(ctx) }

// The memory of a caller, of a number, and of all of them.
const (
	CallerBytes = callerBytes
	NumberBytes = numberBytes
	MaxBytes    = maxBytes
)

// SetMaxBytes sets how much memory callers take.
func (g *Guard) SetMaxBytes(n int) { g.maxBytes = n }

// Memory returns how many callers and numbers are remembered, and the bytes that the numbers take.
func (g *Guard) Memory() (callers, numbers, bytes int) {
	for _, e := range g.states {
		s, _ := e.Value.(*state)
		numbers += len(s.numbers)
		bytes += cap(s.numbers) * int(unsafe.Sizeof(number{}))
	}
	return len(g.states), numbers, bytes
}
