package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

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
