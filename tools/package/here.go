package main

import (
	"os"
	"runtime"
)

// runsHere reports whether a binary for linux of an architecture can be run.
func runsHere(arch string) bool { return runtime.GOOS == "linux" && runtime.GOARCH == arch }

// isRoot reports whether this process may mount and change its root.
func isRoot() bool { return os.Geteuid() == 0 }
