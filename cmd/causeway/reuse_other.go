//go:build !linux

package main

import (
	"errors"
	"math"
	"syscall"
)

// Elsewhere a taken port is taken: other systems have SO_REUSEPORT with another meaning, or not at all.
const reusable = false

var errNoSteering = errors.New("this system does not choose among listeners")

func reuse(_, _ string, _ syscall.RawConn) error { return nil }

func steer(syscall.Conn, int) error { return errNoSteering }

func openFiles() (uint64, error) { return math.MaxUint64, nil }
