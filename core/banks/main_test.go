package banks_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain checks properties with 30 random cases instead of 100 to save time.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "30"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
