package app

import (
	"io"
	"sync"
	"time"
)

const (
	maxBuffered  = 1 << 20 // bytes of log lines that wait for the sink
	flushDelay   = 10 * time.Millisecond
	closeTimeout = time.Second
)

// logWriter passes log lines on in the background. It never blocks: if the sink stalls, it keeps
// maxBuffered bytes and drops further lines.
type logWriter struct {
	out  io.Writer
	wake chan struct{} // has a token while lines wait
	done chan struct{}

	mu      sync.Mutex
	waiting []byte
	dropped uint64
	closed  bool
}

func newLogWriter(out io.Writer) *logWriter {
	w := &logWriter{out: out, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go w.run()
	return w
}

// Write implements io.Writer. It always succeeds.
func (w *logWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || len(w.waiting)+len(line) > maxBuffered {
		w.dropped++
		return len(line), nil
	}
	w.waiting = append(w.waiting, line...)
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return len(line), nil
}

// Sync implements zapcore.WriteSyncer. Lines are written after flushDelay.
func (*logWriter) Sync() error { return nil }

func (w *logWriter) run() {
	defer close(w.done)
	var lines []byte
	for range w.wake {
		time.Sleep(flushDelay) // a write for every line would cost more than a request
		w.mu.Lock()
		lines, w.waiting = w.waiting, lines[:0]
		w.mu.Unlock()
		_, _ = w.out.Write(lines) // there is no other place for this error
	}
}

// Dropped returns the number of dropped lines.
func (w *logWriter) Dropped() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dropped
}

// Close waits until all lines are written, for at most closeTimeout.
func (w *logWriter) Close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.wake)
	}
	w.mu.Unlock()
	timeout := time.NewTimer(closeTimeout)
	defer timeout.Stop()
	select {
	case <-w.done:
	case <-timeout.C:
	}
}
