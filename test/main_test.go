package test_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

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
	code := m.Run()
	for _, stop := range []func() error{stopBrowser, defaultSandbox.stop, unlimitedSandbox.stop} {
		if err := stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	remove()
	os.Exit(code)
}

// sharedSandbox is a process of several tests, none of which changes what another one reads. The
// first test starts it, and TestMain stops it.
type sharedSandbox struct {
	env      []string
	once     sync.Once
	instance *driver.Instance
	err      error
}

var (
	defaultSandbox   sharedSandbox
	unlimitedSandbox = sharedSandbox{env: []string{
		"CAUSEWAY_LIMITS__DEFAULT=none",
	}}
)

func (s *sharedSandbox) get(t *testing.T) *driver.Instance {
	t.Helper()
	s.once.Do(func() { s.instance, s.err = driver.Run(binary, s.env...) })
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.instance
}

func (s *sharedSandbox) stop() error {
	if s.instance == nil {
		return nil
	}
	return s.instance.Stop()
}
