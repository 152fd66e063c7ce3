package redistest

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"causeway/core"
)

// Proxy forwards connections to a server, and can interrupt or delay them.
type Proxy struct {
	t        testing.TB
	listener net.Listener
	to       string

	mu    sync.Mutex
	open  chan struct{} // closed while bytes are forwarded
	delay time.Duration
	conns map[net.Conn]bool
	work  sync.WaitGroup
}

// Proxy starts a proxy of the server. It ends with the test.
func (s *Server) Proxy() *Proxy {
	s.t.Helper()
	listener, err := new(net.ListenConfig).Listen(s.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	p := &Proxy{
		t: s.t, listener: listener, to: "127.0.0.1:" + s.port,
		open: make(chan struct{}), conns: map[net.Conn]bool{},
	}
	close(p.open)
	p.work.Go(p.accept)
	s.t.Cleanup(func() {
		_ = listener.Close()
		p.Join()
		p.Break()
		p.work.Wait()
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
	select {
	case <-p.open:
	default:
		close(p.open)
	}
}

// Slow delays everything that is forwarded.
func (p *Proxy) Slow(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = by
}

// Break closes all connections.
func (p *Proxy) Break() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *Proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		far, err := new(net.Dialer).DialContext(context.WithoutCancel(p.t.Context()), "tcp", p.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		p.mu.Lock()
		p.conns[near], p.conns[far] = true, true
		p.mu.Unlock()
		p.work.Go(func() { p.carry(near, far) })
		p.work.Go(func() { p.carry(far, near) })
	}
}

// carry forwards bytes in one direction until either connection is closed.
func (p *Proxy) carry(from, to net.Conn) {
	defer func() {
		_, _ = from.Close(), to.Close()
		p.mu.Lock()
		delete(p.conns, from)
		p.mu.Unlock()
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		open, delay := p.open, p.delay
		p.mu.Unlock()
		<-open
		if delay > 0 {
			<-time.NewTimer(delay).C
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
