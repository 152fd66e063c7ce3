package main

import (
	"cmp"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// shedShare is the part of all connections that is closed at once when there are too many: looking for the idle ones takes time, and is not to be done for
// every one that comes.
const shedShare = 64

// connections are the open connections of a listener. Beyond their limit those that are idle longest are closed, those first that never asked anything, so
// that whoever opens many and says nothing keeps nobody out; where all are busy the newest is.
type connections struct {
	net.Listener

	most  int // 0: any number
	shed  prometheus.Counter
	epoch time.Time // before all of them
	parts sync.Pool // of *[fullBuffer]byte

	mu   sync.Mutex
	open map[*connection]struct{}
}

func holding(l net.Listener, most int, shed prometheus.Counter) *connections {
	return &connections{Listener: l, most: most, shed: shed, epoch: time.Now(), open: map[*connection]struct{}{}}
}

// Accept waits for the next connection, and makes room for it where there is none.
func (c *connections) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return conn, nil
	}
	one := newConnection(tcp, c)
	one.idle.Store(time.Now().UnixNano())
	for _, victim := range c.add(one) {
		_ = victim.Close()
	}
	return one, nil
}

// add counts a connection, and returns those that are to be closed for it.
func (c *connections) add(one *connection) []*connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[one] = struct{}{}
	if c.most <= 0 || len(c.open) <= c.most {
		return nil
	}
	idle := c.idlest(one)
	if idle = idle[:min(len(idle), 1+c.most/shedShare)]; len(idle) == 0 {
		idle = []*connection{one}
	}
	c.shed.Add(float64(len(idle)))
	return idle
}

// idlest are the idle connections but one, in the order in which they are to be closed. What they are doing may change meanwhile: it is looked at once.
func (c *connections) idlest(but *connection) []*connection {
	type seen struct {
		*connection
		used bool
		idle int64
	}
	var all []seen
	for other := range c.open {
		if since := other.idle.Load(); since != 0 && other != but {
			all = append(all, seen{other, other.used.Load(), since})
		}
	}
	slices.SortFunc(all, func(a, b seen) int {
		if a.used != b.used {
			return map[bool]int{false: -1, true: 1}[a.used]
		}
		return cmp.Compare(a.idle, b.idle)
	})
	out := make([]*connection, len(all))
	for i := range all {
		out[i] = all[i].connection
	}
	return out
}

// remove counts a connection no more.
func (c *connections) remove(one *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, one)
}

// note remembers what a connection is doing; it is for http.Server.ConnState.
func note(conn net.Conn, state http.ConnState) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	one, ok := conn.(*connection)
	switch {
	case !ok:
	case state == http.StateActive:
		one.idle.Store(0)
		one.used.Store(true)
	case state == http.StateIdle:
		one.idle.Store(time.Now().UnixNano())
	}
}
