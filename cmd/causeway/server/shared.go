package server

import (
	"net"
	"net/netip"
	"sync"

	"go.uber.org/zap"

	"causeway/adapters/web/middleware"
)

// sharedListener closes connections beyond the share of their address, so that one address cannot
// take the places of all others by sending requests slowly.
type sharedListener struct {
	net.Listener

	server *Server
}

// Accept returns the next connection that its address may open.
func (l sharedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		shares, client := l.server.shares, networkOf(conn)
		if shares.Acquire(client, 1) {
			return &sharedConn{conn, sync.OnceFunc(func() { shares.Release(client, 1) })}, nil
		}
		l.server.refused.Add(1)
		l.server.warnOnce.Do(func() {
			l.server.log.Warn("closing connections of an address that has its share (limits.address_share) open; "+
				"name the networks of proxies in api.trusted_proxies", zap.Int("share", l.server.cfg.MaxPerAddress))
		})
		_ = conn.Close()
	}
}

// networkOf returns the client of a connection, or the zero Prefix if it has no address.
func networkOf(conn net.Conn) netip.Prefix {
	tcp, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	return middleware.Network(tcp.AddrPort().Addr())
}

// sharedConn is a connection that counts until it is closed.
type sharedConn struct {
	net.Conn

	release func()
}

// Close closes the connection.
func (c *sharedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
