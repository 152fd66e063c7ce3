package wire

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// linkBuffer is how many bytes are on their way in one direction, before a writer has to wait for the reader.
const linkBuffer = 64 << 10

// link is a connection in process, by its two ends. As on a network, what is written is on its way before anybody reads it: two
// ends that write at the same time do not wait for each other.
func link() (near, far net.Conn) {
	there, back := newFlow(), newFlow()
	return &end{in: back, out: there}, &end{in: there, out: back}
}

// end is one end of a link. It has no deadlines: whoever is tired of waiting closes it.
type end struct{ in, out *flow }

// Read waits for bytes. After the other end was closed it gives what is left, then io.EOF.
func (e *end) Read(p []byte) (int, error) { return e.in.read(p) }

// Write puts bytes on their way.
func (e *end) Write(p []byte) (int, error) { return e.out.write(p) }

// Close ends both directions.
func (e *end) Close() error {
	e.in.close()
	e.out.close()
	return nil
}

// LocalAddr is the address of nobody.
func (*end) LocalAddr() net.Addr { return inProcess{} }

// RemoteAddr is the address of nobody.
func (*end) RemoteAddr() net.Addr { return inProcess{} }

// SetDeadline is not supported.
func (*end) SetDeadline(time.Time) error { return os.ErrNoDeadline }

// SetReadDeadline is not supported.
func (*end) SetReadDeadline(time.Time) error { return os.ErrNoDeadline }

// SetWriteDeadline is not supported.
func (*end) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }

type inProcess struct{}

// Network is "in process".
func (inProcess) Network() string { return "in process" }

// String is "in process".
func (inProcess) String() string { return "in process" }

// flow is one direction of a link.
type flow struct {
	mu      sync.Mutex
	changed *sync.Cond
	bytes   []byte
	closed  bool
}

func newFlow() *flow {
	f := &flow{}
	f.changed = sync.NewCond(&f.mu)
	return f
}

func (f *flow) read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.bytes) == 0 && !f.closed {
		f.changed.Wait()
	}
	n := copy(p, f.bytes)
	f.bytes = f.bytes[n:]
	f.changed.Broadcast()
	if n == 0 && f.closed {
		return 0, io.EOF
	}
	return n, nil
}

func (f *flow) write(p []byte) (written int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(p) > 0 {
		for len(f.bytes) >= linkBuffer && !f.closed {
			f.changed.Wait()
		}
		if f.closed {
			return written, io.ErrClosedPipe
		}
		n := min(len(p), linkBuffer-len(f.bytes))
		f.bytes = append(f.bytes, p[:n]...)
		written += n
		p = p[n:]
		f.changed.Broadcast()
	}
	return written, nil
}

func (f *flow) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.changed.Broadcast()
}
