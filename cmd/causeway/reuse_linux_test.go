package main

import (
	"net"
	"net/netip"
	"os"
	"slices"
	"testing"
)

// TestWhoListensHere asks the machine's own kernel.
func TestWhoListensHere(t *testing.T) {
	t.Parallel()
	lc := net.ListenConfig{Control: reuse}
	first, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	address := netip.MustParseAddrPort(first.Addr().String())
	alone := listening(os.DirFS("/"), address)
	second, err := lc.Listen(t.Context(), "tcp", address.String())
	if err != nil {
		t.Fatal(err)
	}
	both := listening(os.DirFS("/"), address)
	_ = second.Close()
	if len(alone) != 1 || len(both) != 2 || !slices.Contains(both, alone[0]) || !slices.Equal(listening(os.DirFS("/"), address), alone) {
		t.Errorf("one: %v, two: %v", alone, both)
	}
}
