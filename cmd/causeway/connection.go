package main

import (
	"bytes"
	"errors"
	"net"
	"strconv"
	"sync/atomic"
	"time"
)

// fullBuffer is how much of an answer net/http collects before it writes. What is longer comes in two writes: a full buffer, and the rest.
const fullBuffer = 4 << 10

// connection is one of the connections of a listener. net/http sets about nine deadlines for each request, and writes a long answer in two parts;
// a timer and a call of the kernel cost as much as making the answer. So a deadline is armed when it is needed (deadline), and both parts of an
// answer go out in one call.
type connection struct {
	net.Conn // without the shortcuts of a TCP connection, ReadFrom and WriteTo, which would pass by the deadlines

	tcp  *net.TCPConn // the same
	of   *connections
	idle atomic.Int64 // since when, in Unix nanoseconds; 0: it is busy
	used atomic.Bool  // it has asked something

	in, out deadline

	kept atomic.Pointer[[fullBuffer]byte] // the first part of an answer, until the rest of it comes
}

func newConnection(tcp *net.TCPConn, of *connections) *connection {
	c := &connection{Conn: tcp, tcp: tcp, of: of}
	c.in.init(of.epoch, tcp.SetReadDeadline)
	c.out.init(of.epoch, tcp.SetWriteDeadline)
	return c
}

// SetDeadline moves both deadlines.
func (c *connection) SetDeadline(t time.Time) error {
	return errors.Join(c.in.set(t), c.out.set(t))
}

// SetReadDeadline moves the deadline of reads.
func (c *connection) SetReadDeadline(t time.Time) error { return c.in.set(t) }

// SetWriteDeadline moves the deadline of writes. net/http takes it away when it is done with an answer: what is kept then has no rest, and goes out
// while the deadline of the answer still counts.
func (c *connection) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		c.finish()
	}
	return c.out.set(t)
}

// Read reads what comes.
func (c *connection) Read(p []byte) (int, error) {
	return c.in.within(func() (int, error) { return c.tcp.Read(p) })
}

// Write sends p, or keeps it until the rest of the answer comes.
func (c *connection) Write(p []byte) (int, error) {
	if c.keep(p) {
		return len(p), nil
	}
	return c.send(p)
}

// CloseWrite says that nothing more comes: net/http closes in halves where it can.
func (c *connection) CloseWrite() error { return c.tcp.CloseWrite() }

// Close ends the connection. It waits for nobody, and anybody may call it: what is kept is lost, as what the kernel did not send yet may be.
func (c *connection) Close() error {
	c.of.remove(c)
	return c.tcp.Close()
}

// keep keeps the first part of an answer that has another one. No handler may flush an answer of a told length and wait then: a buffer that was full by
// chance would wait with it. Streams tell no length.
func (c *connection) keep(p []byte) bool {
	if len(p) != fullBuffer || !isIncomplete(p) {
		return false
	}
	part, pooled := c.of.parts.Get().(*[fullBuffer]byte)
	if !pooled {
		part = new([fullBuffer]byte)
	}
	copy(part[:], p)
	return c.kept.CompareAndSwap(nil, part)
}

// isIncomplete reports whether p is the head of an answer and a part of its body.
func isIncomplete(p []byte) bool {
	if !bytes.HasPrefix(p, []byte("HTTP/1.1 200 ")) {
		return false
	}
	head, body, whole := bytes.Cut(p, []byte("\r\n\r\n"))
	_, length, told := bytes.Cut(head, []byte("\r\nContent-Length: "))
	length, _, _ = bytes.Cut(length, []byte("\r\n"))
	n, err := strconv.Atoi(string(length))
	return whole && told && err == nil && n > len(body)
}

// send sends p, behind what is kept.
func (c *connection) send(p []byte) (int, error) {
	part, sent := c.kept.Swap(nil), 0
	if part == nil {
		return c.out.within(func() (int, error) {
			n, err := c.tcp.Write(p[sent:])
			sent += n
			return sent, err
		})
	}
	defer c.of.parts.Put(part)
	rest := net.Buffers{part[:], p}
	return c.out.within(func() (int, error) {
		n, err := rest.WriteTo(c.tcp)
		sent += int(n)
		return max(sent-len(part), 0), err
	})
}

// finish sends what is kept where no rest of it came. Where that fails the connection ends, since net/http believes that it is sent.
func (c *connection) finish() {
	if c.kept.Load() == nil {
		return
	}
	if _, err := c.send(nil); err != nil {
		_ = c.Close()
	}
}
