// Package fixedseed makes property tests deterministic: a test binary that imports it draws the same
// values in every run. The flag -rapid.seed=0 draws random ones.
package fixedseed

import (
	"flag"

	_ "pgregory.net/rapid" // defines the flag
)

func init() { //nolint:gochecknoinits // an import is all that a test file needs
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}
