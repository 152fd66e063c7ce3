package server

import (
	"context"
	"time"

	"go.uber.org/fx"
	"go.uber.org/zap"
)

// Background is work that runs from the start of an application to its stop. All of it ends together,
// because each part may need the whole flushTimeout to write what it has in memory.
type Background struct {
	life fx.Lifecycle
	log  *zap.Logger

	cancels []func()
	flushBy time.Time // zero: the application runs
}

// NewBackground returns a Background without work.
func NewBackground(life fx.Lifecycle, log *zap.Logger) *Background {
	return &Background{life: life, log: log}
}

// Run appends work to the hooks of the application. The work returns when its context ends.
func (b *Background) Run(work func(context.Context)) {
	done := make(chan struct{})
	b.life.Append(fx.StartStopHook(func(ctx context.Context) {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		b.cancels = append(b.cancels, cancel)
		go func() {
			defer close(done)
			work(ctx)
		}()
	}, func(ctx context.Context) {
		b.end()
		ctx, cancel := context.WithDeadline(ctx, b.flushBy)
		defer cancel()
		select {
		case <-done:
		case <-ctx.Done():
			b.log.Warn("background work did not end in time", zap.Duration("timeout", flushTimeout))
		}
	}))
}

// end asks all work to end.
func (b *Background) end() {
	if !b.flushBy.IsZero() {
		return
	}
	b.flushBy = time.Now().Add(flushTimeout)
	for _, cancel := range b.cancels {
		cancel()
	}
}
