package redistest

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"causeway/core"
)

// Proxy forwards connections to a server, and can interrupt or delay them.
type Proxy struct {
	t        testing.TB
	listener net.Listener
	to       string
	delay    atomic.Int64 // of everything that is forwarded, in ns

	mu   sync.Mutex
	open chan struct{} // closed while bytes are forwarded
}

// Proxy starts a proxy of the server. It ends with the test.
func (s *Server) Proxy() *Proxy {
	s.t.Helper()
	listener, err := new(net.ListenConfig).Listen(s.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	p := &Proxy{t: s.t, listener: listener, to: "127.0.0.1:" + s.port, open: make(chan struct{})}
	p.Join()
	var work sync.WaitGroup
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	work.Go(func() { p.accept(ctx, &work) })
	s.t.Cleanup(func() {
		_ = listener.Close()
		cancel()
		work.Wait()
	})
	return p
}

// URL returns the URL of the proxy.
func (p *Proxy) URL() core.Secret { return core.Secret("redis://" + p.listener.Addr().String()) }

// Part stops forwarding in both directions. Connections stay open, and new ones are accepted.
func (p *Proxy) Part() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = make(chan struct{})
}

// Join forwards what arrived since Part, and everything later.
func (p *Proxy) Join() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.open)
}

// Slow delays everything that is forwarded.
func (p *Proxy) Slow(by time.Duration) { p.delay.Store(int64(by)) }

// wait returns when bytes may be forwarded, or false if ctx ends first.
func (p *Proxy) wait(ctx context.Context) bool {
	p.mu.Lock()
	open := p.open
	p.mu.Unlock()
	select {
	case <-open:
	case <-ctx.Done():
	}
	select {
	case <-time.After(time.Duration(p.delay.Load())):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

func (p *Proxy) accept(ctx context.Context, work *sync.WaitGroup) {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		far, err := new(net.Dialer).DialContext(ctx, "tcp", p.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		closeBoth := func() { _, _ = near.Close(), far.Close() }
		context.AfterFunc(ctx, closeBoth)
		work.Go(func() { p.forward(ctx, near, far); closeBoth() })
		work.Go(func() { p.forward(ctx, far, near); closeBoth() })
	}
}

// forward forwards bytes in one direction until a connection is closed.
func (p *Proxy) forward(ctx context.Context, from, to net.Conn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || !p.wait(ctx) {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}
