package app

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLogWriter_Order(t *testing.T) {
	t.Parallel()
	s := &sink{}
	w := newLogWriter(s)
	for range 1000 {
		_, _ = w.Write([]byte("a\n"))
		_, _ = w.Write([]byte("b\n"))
	}
	w.Close()
	if s.lines.String() != strings.Repeat("a\nb\n", 1000) || w.Dropped() != 0 {
		t.Errorf("%d bytes, %d dropped lines", s.lines.Len(), w.Dropped())
	}
}

// A sink that stalls blocks neither a request nor the end of the process.
func TestLogWriter_Stall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{stalled: make(chan struct{})}
		w := newLogWriter(s)
		line := []byte(strings.Repeat("x", 1023) + "\n")
		_, _ = w.Write(line)
		time.Sleep(2 * flushDelay)
		synctest.Wait() // the first line is being written
		start := time.Now()
		for range maxBuffered/len(line) + 7 {
			_, _ = w.Write(line)
		}
		if w.Dropped() != 7 || time.Since(start) != 0 {
			t.Errorf("%d dropped lines after %s", w.Dropped(), time.Since(start))
		}
		w.Close()
		if took := time.Since(start); took != closeTimeout {
			t.Errorf("Close took %s", took)
		}
		close(s.stalled)
		time.Sleep(2 * flushDelay)
		synctest.Wait()
		if s.lines.Len() != maxBuffered+len(line) {
			t.Errorf("%d bytes were written", s.lines.Len())
		}
	})
}
