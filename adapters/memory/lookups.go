package memory

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"causeway/core"
	"causeway/ports"
)

const lookupsKept = 25 * time.Hour

// Lookups is a log of lookups in memory.
type Lookups struct {
	clock core.Clock

	mu      sync.Mutex
	dropped int // records before the first one
	records []lookupRecord
}

type lookupRecord struct {
	at    time.Time
	value []byte
}

var _ ports.LookupLog = (*Lookups)(nil)

// NewLookups returns an empty log.
func NewLookups(clock core.Clock) *Lookups { return &Lookups{clock: clock} }

// Append implements ports.LookupLog.
func (l *Lookups) Append(_ context.Context, record []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock()
	l.records = append(l.records, lookupRecord{now, slices.Clone(record)})
	for now.Sub(l.records[0].at) > lookupsKept {
		l.records, l.dropped = l.records[1:], l.dropped+1
	}
	return nil
}

// Read implements ports.LookupLog. A position is the number of records up to it.
func (l *Lookups) Read(_ context.Context, after string) (page [][]byte, last string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	position, _ := strconv.Atoi(after) // empty: 0
	from := max(0, position-l.dropped)
	to := min(from+ports.LookupPage, len(l.records))
	if from >= to {
		return nil, after, nil
	}
	for _, r := range l.records[from:to] {
		page = append(page, slices.Clone(r.value))
	}
	return page, strconv.Itoa(l.dropped + to), nil
}
