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
	clock   core.Clock
	told    func(error)
	awaited bool // the database was away until now

	mu     sync.Mutex
	queued []row
	wake   chan struct{} // of capacity 1
}

var _ ports.RateHistory = (*Archive)(nil)

// row is a point in a database.
type row struct {
	step time.Duration
	at   time.Time // beginning of the step
	pair core.Pair
	mid  decimal.Decimal
}

// OpenFile opens the history in a SQLite file, making it where there is none. What the clock calls the future is not read. told hears of what goes
// wrong later, and of points that are left out. An error names the file, and says what the operator can do.
func OpenFile(ctx context.Context, path string, clock core.Clock, backfill Backfill, told func(error)) (*Archive, error) {
	s, err := openSQLite(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("the history in %s cannot be opened: %w; %s", path, err, Remedy(err))
	}
	a := &Archive{Memory: New(backfill), store: s, clock: clock, told: told, wake: make(chan struct{}, 1)}
	if err := a.load(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("the history in %s cannot be read: %w; %s", path, err, Remedy(err)), s.close())
	}
	return a, nil
}

// OpenPostgres opens the history in a PostgreSQL database, making its table where there is none. One that is away keeps nobody waiting, though one that
// takes the question and never answers does until ctx ends: told hears of it, and Run opens it once it is there. What it says itself against the address,
// the user or his rights is an error. What the clock calls the future is not read.
func OpenPostgres(ctx context.Context, url core.Secret, clock core.Clock, backfill Backfill, told func(error)) (*Archive, error) {
	s, err := postgres(url)
	if err != nil {
		return nil, fmt.Errorf("the history in PostgreSQL cannot be opened: %w", err)
	}
	a := &Archive{Memory: New(backfill), store: s, clock: clock, told: told, wake: make(chan struct{}, 1), awaited: true}
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

// load brings what can be asked for into memory. A point after now, which a clock that was ahead has left, waits for its time: it would make all
// others look old.
func (a *Archive) load(ctx context.Context) error {
	now := a.clock()
	newest, err := a.store.newest(ctx, now)
	if err != nil || newest.IsZero() {
		return err
	}
	odd := 0
	for _, span := range []struct{ step, of time.Duration }{{ports.CoarseStep, ports.CoarseSpan}, {ports.FineStep, ports.FineSpan}} {
		rows, out, err := a.store.read(ctx, span.step, newest.Add(-span.of), now)
		if err != nil {
			return err
		}
		odd += out
		for _, r := range rows {
			a.restore(r)
		}
	}
	if odd > 0 {
		a.tell(fmt.Errorf("%d points in the table rate_points are left out: their mid is no plain decimal above 0 of at most %d digits; delete or correct them", odd, digits))
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
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
	return nil
}

// Run writes what is new until ctx ends, then what is left, and closes the database. It tidies every hour, and not before, since a clock that is wrong
// at boot is soon set right, and what is deleted by it is gone.
func (a *Archive) Run(ctx context.Context) {
	tidy := time.NewTimer(tidyEvery)
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
	if a.awaited {
		return nil
	}
	now := a.clock()
	err := errors.Join(
		a.store.forget(ctx, ports.FineStep, now.Add(-fineRetention)),
		a.store.forget(ctx, ports.CoarseStep, now.Add(-coarseRetention)))
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
