package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// reusable is whether this system lets two processes listen on one address, so that one can take over from the other.
const reusable = true

// reuse lets others of the same user listen on the socket's address, too. It is for net.ListenConfig.Control.
func reuse(_, _ string, raw syscall.RawConn) error {
	var failed error
	err := raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
	if err != nil {
		return err
	}
	return failed
}

// steer has the kernel give all new connections to the nth of the sockets that share an address, counted from 0 in the order in which they began to listen.
// When that one is gone, the others share them again. It needs no privilege; where the kernel cannot do it, connections go to any of them.
func steer(listener syscall.Conn, nth int) error {
	raw, err := listener.SyscallConn()
	if err != nil {
		return err
	}
	always := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: uint32(nth)}} //nolint:gosec // a handful of sockets
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_REUSEPORT_CBPF, &unix.SockFprog{Len: 1, Filter: &always[0]})
	})
	if err != nil {
		return err
	}
	return failed
}

// openFiles is how many files and connections the system lets this process have.
func openFiles() (uint64, error) {
	var limit unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit)
	return limit.Cur, err
}
