// Package testport finds ports for programs that are restarted on the same one, or cannot say which one they chose.
package testport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// Free returns an address of this host that nothing listens on. Its port is below those that Linux gives to outgoing
// connections and to listeners on port 0, from 32768 (net.ipv4.ip_local_port_range). One of these could take it before
// the program does.
func Free(t testing.TB) string {
	t.Helper()
	var err error
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))
		var l net.Listener
		if l, err = new(net.ListenConfig).Listen(t.Context(), "tcp", address); err == nil {
			_ = l.Close()
			return address
		}
	}
	t.Fatal(err)
	return ""
}
