package keyring

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"causeway/core"
)

const (
	usedEvery = time.Minute // when keys were last used is written down
	lastWords = time.Second // for the last writing, when the process ends
)

// ErrNotNoted is told where it cannot be written down when keys were last used. The keys themselves are as they should be.
var ErrNotNoted = errors.New("when keys were last used cannot be written down")

// note remembers when a key was last used.
func (r *Ring) note(id string, now time.Time) {
	at, ok := r.used.Load(id)
	if !ok {
		at, _ = r.used.LoadOrStore(id, new(atomic.Int64))
	}
	if last, ok := at.(*atomic.Int64); ok {
		last.Store(now.UnixNano())
	}
}

// keepUsed writes down when keys were used, and tells of a fault once as long as that stays the same.
func (r *Ring) keepUsed(ctx context.Context) {
	again := time.NewTimer(usedEvery)
	defer again.Stop()
	last := ""
	for {
		select {
		case <-ctx.Done():
			words, done := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
			defer done()
			r.noteUsed(words, last)
			return
		case <-again.C:
			last = r.noteUsed(ctx, last)
			again.Reset(usedEvery)
		}
	}
}

// noteUsed writes down when keys were used. It returns the fault of that as a text, and tells of it unless it is the last one, or one of the
// whole store, which is told already.
func (r *Ring) noteUsed(ctx context.Context, last string) string {
	fresh := map[string]time.Time{}
	r.used.Range(func(id, at any) bool {
		name, _ := id.(string)
		if last, ok := at.(*atomic.Int64); ok {
			fresh[name] = time.Unix(0, last.Load()).UTC()
		}
		return true
	})
	if r.store == nil || len(fresh) == 0 {
		return last
	}
	err := r.store.Note(ctx, fresh)
	switch {
	case err == nil:
		return ""
	case errors.Is(ctx.Err(), context.Canceled), core.CodeOf(err) == core.Unavailable && r.away.Load():
		return last
	case err.Error() != last:
		r.told(fmt.Errorf("%w: %w", ErrNotNoted, err))
	}
	return err.Error()
}
