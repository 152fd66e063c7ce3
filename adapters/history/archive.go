package history

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/ports"
)

// How long points are kept in a database, longer than anybody is shown today.
const (
	fineRetention   = 35 * 24 * time.Hour
	coarseRetention = 2 * 365 * 24 * time.Hour
)

const (
	writeAgain = 5 * time.Second // after a failed writing
	writeLimit = 10 * time.Second
	tidyEvery  = time.Hour
	mostQueued = 100_000 // points that wait for a database that is gone: a day of a hundred pairs and more
)

// Archive is a history in memory that survives the process: whatever is new in it is written to a database, and read back at the start.
// Questions are answered from memory alone, so that a slow or absent database delays nobody; what could not be written yet is
// written later, and a PostgreSQL that is away at the start is read later, the oldest points being given up where too many wait. Several processes may share a database: the first mid of
// a step that is written stands.
type Archive struct {
	*Memory

	store   store
	told    func(error)
	awaited bool // the database was away until now

	mu     sync.Mutex
	queued []row
	wake   chan struct{} // of capacity 1
	newest time.Time     // of the records
}

var _ ports.RateHistory = (*Archive)(nil)

// row is a point in a database.
type row struct {
	step time.Duration
	at   time.Time // beginning of the step
	pair core.Pair
	mid  decimal.Decimal
}

// OpenFile opens the history in a SQLite file, making it where there is none. told hears of what goes wrong later.
func OpenFile(ctx context.Context, path string, backfill Backfill, told func(error)) (*Archive, error) {
	s, err := openSQLite(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("the history in %s cannot be opened: %w", path, err)
	}
	return open(ctx, s, backfill, told)
}

// OpenPostgres opens the history in a PostgreSQL database, making its table where there is none. One that is away keeps nobody waiting: told hears of it,
// and Run opens it once it is there. What it says itself against the address, the user or his rights is an error.
func OpenPostgres(ctx context.Context, url core.Secret, backfill Backfill, told func(error)) (*Archive, error) {
	s, err := postgres(url)
	if err != nil {
		return nil, fmt.Errorf("the history in PostgreSQL cannot be opened: %w", err)
	}
	a := &Archive{Memory: New(backfill), store: s, told: told, wake: make(chan struct{}, 1), awaited: true}
	if err := a.arrive(ctx); err != nil {
		if refuses(err) {
			return nil, errors.Join(err, s.close())
		}
		a.tell(err)
		a.wake <- struct{}{} // Run tries again
	}
	return a, nil
}

// arrive prepares and reads the database, if that could not be done before.
func (a *Archive) arrive(ctx context.Context) error {
	if !a.awaited {
		return nil
	}
	if err := a.store.migrate(ctx); err != nil {
		return fmt.Errorf("the history in PostgreSQL cannot be opened: %w", err)
	}
	if err := a.load(ctx); err != nil {
		return fmt.Errorf("the history cannot be read: %w", err)
	}
	a.awaited = false
	return nil
}

func open(ctx context.Context, s store, backfill Backfill, told func(error)) (*Archive, error) {
	a := &Archive{Memory: New(backfill), store: s, told: told, wake: make(chan struct{}, 1)}
	if err := a.load(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("the history cannot be read: %w", err), s.close())
	}
	return a, nil
}

// load brings what can be asked for into memory.
func (a *Archive) load(ctx context.Context) error {
	newest, err := a.store.newest(ctx)
	if err != nil || newest.IsZero() {
		return err
	}
	for _, span := range []struct{ step, of time.Duration }{{ports.CoarseStep, ports.CoarseSpan}, {ports.FineStep, ports.FineSpan}} {
		rows, err := a.store.read(ctx, span.step, newest.Add(-span.of))
		if err != nil {
			return err
		}
		for _, r := range rows {
			a.restore(r)
		}
	}
	return nil
}

// Record notes the mids of one instant.
func (a *Archive) Record(ctx context.Context, at time.Time, mids []core.PairMid) error {
	fresh := a.record(at, mids)
	if len(fresh) == 0 {
		return ctx.Err()
	}
	a.mu.Lock()
	a.queued = append(a.queued, fresh...)
	if over := len(a.queued) - mostQueued; over > 0 {
		a.queued = a.queued[over:]
	}
	if at.After(a.newest) {
		a.newest = at
	}
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
	return nil
}

// Run writes what is new until ctx ends, then what is left, and closes the database.
func (a *Archive) Run(ctx context.Context) {
	tidy := time.NewTimer(0)
	defer tidy.Stop()
	for {
		select {
		case <-ctx.Done():
			last, done := context.WithTimeout(context.WithoutCancel(ctx), writeLimit)
			defer done()
			a.tell(errors.Join(a.write(last), a.store.close()))
			return
		case <-tidy.C:
			tidy.Reset(tidyEvery)
			a.tell(a.tidy(ctx))
		case <-a.wake:
			if err := a.write(ctx); err != nil && ctx.Err() == nil {
				a.tell(err)
				a.later(ctx)
			}
		}
	}
}

// later tries again after a while.
func (a *Archive) later(ctx context.Context) {
	pause := time.NewTimer(writeAgain)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
	}
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// write writes what is queued, in one transaction. What could not be written stays queued.
func (a *Archive) write(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, writeLimit)
	defer done()
	if err := a.arrive(ctx); err != nil {
		return err
	}
	a.mu.Lock()
	rows := a.queued
	a.queued = nil
	a.mu.Unlock()
	if len(rows) == 0 {
		return nil
	}
	err := a.store.write(ctx, rows)
	if err == nil {
		return nil
	}
	a.mu.Lock()
	a.queued = append(rows, a.queued...)
	a.mu.Unlock()
	return fmt.Errorf("the history cannot be written; %d points wait: %w", len(rows), err)
}

// tidy forgets what is older than anybody asks for.
func (a *Archive) tidy(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, writeLimit)
	defer done()
	a.mu.Lock()
	newest := a.newest
	a.mu.Unlock()
	if newest.IsZero() || a.awaited {
		return nil
	}
	err := errors.Join(
		a.store.forget(ctx, ports.FineStep, newest.Add(-fineRetention)),
		a.store.forget(ctx, ports.CoarseStep, newest.Add(-coarseRetention)))
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("old points of the history cannot be deleted: %w", err)
	}
	return nil
}

func (a *Archive) tell(err error) {
	if err != nil && a.told != nil {
		a.told(err)
	}
}
