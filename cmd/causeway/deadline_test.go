package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// pipe is a connection whose deadline of reads is kept as a deadline, and how often it was armed.
type pipe struct {
	net.Conn
	in    deadline
	armed int
}

func newPipe(conn net.Conn) *pipe {
	p := &pipe{Conn: conn}
	p.in.init(time.Now(), func(t time.Time) error {
		p.armed++
		return conn.SetReadDeadline(t)
	})
	return p
}

func (p *pipe) SetReadDeadline(t time.Time) error { return p.in.set(t) }

func (p *pipe) Read(b []byte) (int, error) {
	return p.in.within(func() (int, error) { return p.Conn.Read(b) })
}

// step is what happens to a connection at an instant.
type step struct {
	set   bool // a deadline
	after time.Duration
	none  bool
	send  bool // a byte
	read  bool // somebody reads one
}

func (s step) String() string {
	switch {
	case s.send:
		return "send"
	case s.read:
		return "read"
	case s.none:
		return "no deadline"
	}
	return fmt.Sprintf("deadline in %s", s.after)
}

// play does one step each millisecond, and tells when which read ended in what way.
func play(t *testing.T, steps []step, wrap func(net.Conn) net.Conn) (told []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		far, near := net.Pipe()
		conn, start := wrap(near), time.Now()
		reads, sends := make(chan struct{}, len(steps)), make(chan struct{}, len(steps))
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range reads {
				n, err := conn.Read(make([]byte, 1))
				told = append(told, fmt.Sprintf("%s: %d %t", time.Since(start), n, errors.Is(err, os.ErrDeadlineExceeded)))
			}
		}()
		go func() {
			for range sends {
				_, _ = far.Write([]byte{1})
			}
		}()
		for _, s := range steps {
			switch {
			case s.send:
				sends <- struct{}{}
			case s.read:
				reads <- struct{}{}
			case s.none:
				_ = conn.SetReadDeadline(time.Time{})
			default: // never at the instant of a step
				_ = conn.SetReadDeadline(time.Now().Add(s.after + time.Millisecond/2))
			}
			synctest.Wait()
			time.Sleep(time.Millisecond)
		}
		close(reads)
		close(sends)
		_ = conn.SetReadDeadline(time.Time{})
		time.Sleep(time.Hour)
		_ = far.Close()
		_ = near.Close()
		<-done
	})
	return told
}

// TestDeadlinesEndReadsAsThoseOfTheConnectionDo: whatever is wanted when, reads end at the same instants and in the same way as without us.
func TestDeadlinesEndReadsAsThoseOfTheConnectionDo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) step {
			switch rapid.IntRange(0, 5).Draw(r, "kind") {
			case 0:
				return step{send: true}
			case 1:
				return step{read: true}
			case 2:
				return step{none: true}
			case 3:
				return step{set: true, after: -time.Duration(rapid.IntRange(1, 1000).Draw(r, "ago")) * time.Hour}
			default:
				return step{set: true, after: time.Duration(rapid.IntRange(-5, 20).Draw(r, "milliseconds")) * time.Millisecond}
			}
		}), 0, 60).Draw(r, "steps")
		want := play(t, steps, func(c net.Conn) net.Conn { return c })
		got := play(t, steps, func(c net.Conn) net.Conn { return newPipe(c) })
		if !slices.Equal(got, want) {
			r.Fatalf("%v: reads ended\n%v, want\n%v", steps, got, want)
		}
	})
}

// TestDeadlinesAreSeldomArmed moves a deadline as net/http does for each request.
func TestDeadlinesAreSeldomArmed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		far, near := net.Pipe()
		conn := newPipe(near)
		go func() {
			for {
				if _, err := far.Write([]byte{1}); err != nil {
					return
				}
			}
		}()
		const requests = 1000
		for range requests {
			for _, after := range []time.Duration{5 * time.Second, 15 * time.Second, 0, 2 * time.Minute} {
				var at time.Time
				if after > 0 {
					at = time.Now().Add(after)
				}
				if err := conn.SetReadDeadline(at); err != nil {
					t.Fatal(err)
				}
				if n, err := conn.Read(make([]byte, 1)); n != 1 || err != nil {
					t.Fatal(n, err)
				}
			}
			_ = conn.SetReadDeadline(time.Unix(1, 0)) // whoever reads is to stop
			if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		if conn.armed > 6 { // once in five seconds, of ten
			t.Errorf("%d times for %d requests", conn.armed, requests)
		}
		_ = near.Close()
	})
}

// TestADeadlineThatCannotBeArmedEndsTheRead: a connection without one would wait for ever.
func TestADeadlineThatCannotBeArmedEndsTheRead(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	var d deadline
	d.init(time.Now(), func(time.Time) error { return broken })
	if err := d.set(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.within(func() (int, error) { t.Error("it reads"); return 0, nil }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
