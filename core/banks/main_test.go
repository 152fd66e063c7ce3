package banks_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets each property hold for 30 random cases; the default of 100 takes most of the time of the package. The
// flag -rapid.checks overrides it.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "30"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
