package guard

import (
	"context"
	"unsafe"
)

// Flush exchanges and saves what is remembered, as Run does every second.
func (g *Guard) Flush(ctx context.Context) { g.flush(ctx) }

// SetMaxTotal sets how many numbers are remembered of all callers together.
func (g *Guard) SetMaxTotal(n int) { g.maxTotal = n }

// Memory returns how many callers and numbers are remembered, and the bytes that the numbers take.
func (g *Guard) Memory() (callers, numbers, bytes int) {
	for e := g.recent.Front(); e != nil; e = e.Next() {
		s, _ := e.Value.(*state)
		numbers += len(s.numbers)
		bytes += cap(s.numbers) * int(unsafe.Sizeof(number{}))
	}
	return g.recent.Len(), numbers, bytes
}
