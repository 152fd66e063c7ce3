// Package fixedseed makes property tests deterministic: a test binary that imports it draws the same
// values in every run. The flag -rapid.seed=0 draws random ones.
package fixedseed

import (
	"flag"

	_ "pgregory.net/rapid" // defines the flag
)

var _ = set("rapid.seed", "1")

func set(name, value string) error {
	if err := flag.Set(name, value); err != nil {
		panic(err)
	}
	return nil
}
