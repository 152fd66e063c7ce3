package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// unlimited holds as many connections as come.
func unlimited(socket net.Listener) *connections {
	return holding(socket, 0, prometheus.NewCounter(prometheus.CounterOpts{Name: "shed_total", Help: "of the test"}))
}

// line is a connection of a listener, and its other end.
func line(t *testing.T) (near *connection, far net.Conn) {
	t.Helper()
	var lc net.ListenConfig
	socket, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	var d net.Dialer
	if far, err = d.DialContext(t.Context(), "tcp", socket.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = far.Close() })
	_ = far.SetDeadline(time.Now().Add(patience))
	accepted, err := unlimited(socket).Accept()
	if err != nil {
		t.Fatal(err)
	}
	near, ok := accepted.(*connection)
	if !ok {
		t.Fatalf("a %T", accepted)
	}
	t.Cleanup(func() { _ = near.Close() })
	return near, far
}

// begun is a full buffer of an answer whose body has so many bytes in all.
func begun(length int) []byte {
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\nEtag: \"x\"\r\n\r\n", length)
	return append([]byte(head), bytes.Repeat([]byte("b"), fullBuffer-len(head))...)
}

// TestWhatIsKeptForTheRestOfAnAnswer: only a full buffer that says itself that there is more.
func TestWhatIsKeptForTheRestOfAnAnswer(t *testing.T) {
	t.Parallel()
	head := bytes.Index(begun(5000), []byte("\r\n\r\n")) + len("\r\n\r\n")
	for name, c := range map[string]struct {
		part []byte
		kept bool
	}{
		"more to come":          {begun(5000), true},
		"a byte to come":        {begun(fullBuffer - head + 1), true},
		"all of it":             {begun(fullBuffer - head), false},
		"a part that is short":  {begun(5000)[:fullBuffer-1], false},
		"a part that is longer": {append(begun(5000), 'b'), false},
		"in chunks":             {bytes.Replace(begun(50000), []byte("Content-Length: 50000"), []byte("Transfer-Encoding: ok"), 1), false},
		"an error":              {bytes.Replace(begun(5000), []byte("200"), []byte("503"), 1), false},
		"the head is not over":  {bytes.ReplaceAll(begun(5000), []byte("\r\n\r\n"), []byte("\r\nA:")), false},
		"a length in the body":  {append([]byte("HTTP/1.1 200 OK\r\n\r\n\r\nContent-Length: 9999\r\n"), begun(1)[:fullBuffer-43]...), false},
		"no number":             {bytes.Replace(begun(50000), []byte(" 50000"), []byte(" 5000x"), 1), false},
		"no answer":             {bytes.Repeat([]byte("b"), fullBuffer), false},
	} {
		near, _ := line(t)
		if got := near.keep(c.part); got != c.kept {
			t.Errorf("%s: kept: %t", name, got)
		}
	}
}

// TestNothingIsKeptForGood: what no rest comes for goes out when net/http is done with the answer.
func TestNothingIsKeptForGood(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(c *connection) error{
		"the rest": func(c *connection) error { _, err := c.Write([]byte("rest")); return err },
		"the next": func(c *connection) error { _, err := c.Write(begun(5000)); return err },
		"done":     func(c *connection) error { return c.SetWriteDeadline(time.Time{}) },
	} {
		near, far := line(t)
		if n, err := near.Write(begun(9000)); n != fullBuffer || err != nil || near.kept.Load() == nil {
			t.Fatalf("%s: %d bytes, %v", name, n, err)
		}
		if err := end(near); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := io.ReadFull(far, make([]byte, fullBuffer)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHalfAnAnswerEndsItsConnection, whether it cannot be sent or somebody closes the connection: nobody takes what comes next for the rest, and nobody waits.
func TestHalfAnAnswerEndsItsConnection(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(c *connection) error{
		"closed": (*connection).Close,
		"late": func(c *connection) error {
			return errors.Join(c.SetWriteDeadline(time.Now().Add(-time.Nanosecond)), c.SetWriteDeadline(time.Time{}))
		},
	} {
		near, far := line(t)
		if _, err := near.Write(begun(9000)); err != nil || near.kept.Load() == nil {
			t.Fatalf("%s: nothing is kept, %v", name, err)
		}
		if err := end(near); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := near.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: the connection goes on: %v", name, err)
		}
		if got, err := io.ReadAll(far); err != nil || len(got) > 0 {
			t.Errorf("%s: %d bytes came, %v", name, len(got), err)
		}
	}
}

// TestAWriteGoesOnBehindADeadlineThatWasMoved: it loses nothing, and repeats nothing.
func TestAWriteGoesOnBehindADeadlineThatWasMoved(t *testing.T) {
	t.Parallel()
	rest := make([]byte, 1<<20)
	for i := range rest {
		rest[i] = byte(i * i >> 7)
	}
	for _, first := range [][]byte{nil, begun(2 << 20)} {
		near, far := line(t)
		_ = near.tcp.SetWriteBuffer(8 << 10)
		_, _ = near.Write(first)
		_ = near.SetWriteDeadline(time.Now().Add(2 * time.Second)) // there is time to move it before it has passed
		done := make(chan error, 1)
		go func() {
			n, err := near.Write(rest)
			if err == nil && n != len(rest) {
				err = fmt.Errorf("%d bytes of %d", n, len(rest))
			}
			done <- err
		}()
		until := func(what string, is func(armed int64) bool) int64 {
			for giveUp := time.Now().Add(patience); ; runtime.Gosched() {
				if armed := near.out.armed.Load(); is(armed) {
					return armed
				} else if time.Now().After(giveUp) {
					t.Fatalf("the deadline was not armed %s", what)
				}
			}
		}
		before := until("when somebody waited", func(armed int64) bool { return armed != never })
		_ = near.SetWriteDeadline(time.Now().Add(patience))
		until("anew when it had passed", func(armed int64) bool { return armed != before })
		got, want := make([]byte, len(first)+len(rest)), slices.Concat(first, rest)
		if n, err := io.ReadFull(far, got); err != nil || !bytes.Equal(got, want) {
			t.Errorf("read %d bytes, %v; as they were written: %t", n, err, bytes.Equal(got, want))
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestADeadlineOfBothIsOneOfEach ends reads and writes.
func TestADeadlineOfBothIsOneOfEach(t *testing.T) {
	t.Parallel()
	near, _ := line(t)
	_ = near.SetDeadline(time.Unix(1, 0))
	if _, err := near.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read: %v", err)
	}
	if _, err := near.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("write: %v", err)
	}
}
