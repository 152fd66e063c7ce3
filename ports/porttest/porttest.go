// Package porttest holds a test suite for the contract of each port that stores something. Every
// adapter runs the suite of its port. Providers have suites in adapters/providers/providertest.
package porttest

import (
	"sync"
	"testing"
)

// goroutines is the number of concurrent calls in tests of concurrent use.
const goroutines = 8

// require fails a suite that lacks an input, which would otherwise pass without checking anything.
func require(t *testing.T, given bool, what string) {
	t.Helper()
	if !given {
		t.Fatalf("the suite requires %s", what)
	}
}

// concurrently calls f in several goroutines at once and waits for them.
func concurrently(f func()) {
	var work sync.WaitGroup
	for range goroutines {
		work.Go(f)
	}
	work.Wait()
}
