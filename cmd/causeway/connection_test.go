package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"pgregory.net/rapid"
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

// TestNothingIsKeptForGood: what no rest comes for goes out as soon as the answer or the connection ends.
func TestNothingIsKeptForGood(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(c *connection) error{
		"the rest":       func(c *connection) error { _, err := c.Write([]byte("rest")); return err },
		"the next":       func(c *connection) error { _, err := c.Write(begun(5000)); return err },
		"idle":           func(c *connection) error { note(c, http.StateIdle); return nil },
		"closed":         (*connection).Close,
		"closed by half": (*connection).CloseWrite,
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

// TestAnswersAreThoseOfAnyOtherServer: of any length, written and flushed in any way, they come as they were written.
func TestAnswersAreThoseOfAnyOtherServer(t *testing.T) {
	t.Parallel()
	type part struct {
		length int
		flush  bool
	}
	type answer struct {
		parts []part
		sized bool
	}
	next := make(chan answer, 1)
	var lc net.ListenConfig
	socket, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ConnState: note, ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		a, total := <-next, 0
		for _, p := range a.parts {
			total += p.length
		}
		if a.sized {
			w.Header().Set("Content-Length", fmt.Sprint(total))
		}
		for i, p := range a.parts {
			_, _ = io.WriteString(w, strings.Repeat(string(rune('a'+i%26)), p.length))
			if p.flush {
				_ = http.NewResponseController(w).Flush()
			}
		}
	})}
	go func() { _ = server.Serve(unlimited(socket)) }()
	t.Cleanup(func() { _ = server.Close() })
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", socket.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	rapid.Check(t, func(r *rapid.T) {
		length := rapid.OneOf(rapid.IntRange(0, 300), rapid.IntRange(fullBuffer-400, fullBuffer+400), rapid.IntRange(0, 40_000))
		parts := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) part {
			return part{length.Draw(r, "length"), rapid.Bool().Draw(r, "flush")}
		}), 0, 4).Draw(r, "parts")
		next <- answer{parts, rapid.Bool().Draw(r, "sized")}
		_ = conn.SetDeadline(time.Now().Add(patience))
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			r.Fatal(err)
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			r.Fatal(err)
		}
		defer res.Body.Close()
		var want strings.Builder
		for i, p := range parts {
			want.WriteString(strings.Repeat(string(rune('a'+i%26)), p.length))
		}
		if got, err := io.ReadAll(res.Body); err != nil || string(got) != want.String() {
			r.Fatalf("%d bytes, %v; want %d", len(got), err, want.Len())
		}
	})
}
