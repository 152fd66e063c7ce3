package test_test

import (
	"fmt"
	"os"
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
	remove()
	os.Exit(code)
}
