package test_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"causeway/adapters/storage/storagetest"
	"causeway/test/driver"
)

var binary string

func TestMain(m *testing.M) {
	built, remove, err := driver.Build()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = built
	code := storagetest.Main(m)
	for _, stop := range []func() error{stopBrowser, defaultSandbox.stop, unlimitedSandbox.stop, defaultUpstream.stop} {
		if err := stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	remove()
	os.Exit(code)
}

// sharedProcess is a process of several tests, none of which changes what another one reads. The first test
// starts it, and TestMain stops it.
type sharedProcess struct {
	start    func() (*driver.Instance, []string, error)
	once     sync.Once
	instance *driver.Instance
	env      []string // of processes that call it
	err      error
}

var (
	defaultSandbox   = sandboxWith()
	unlimitedSandbox = sandboxWith("CAUSEWAY_LIMITS__DEFAULT=none")
	defaultUpstream  = sharedProcess{start: func() (*driver.Instance, []string, error) { return driver.Upstream(binary) }}
)

func sandboxWith(env ...string) sharedProcess {
	return sharedProcess{start: func() (*driver.Instance, []string, error) {
		i, err := driver.Run(binary, env...)
		return i, nil, err
	}}
}

func (s *sharedProcess) get(t *testing.T) *driver.Instance {
	t.Helper()
	s.once.Do(func() { s.instance, s.env, s.err = s.start() })
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.instance
}

func (s *sharedProcess) stop() error {
	if s.instance == nil {
		return nil
	}
	return s.instance.Stop()
}
