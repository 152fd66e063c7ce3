// Package fixedseed makes property tests deterministic: a test binary that imports it draws the same
// values in every run. The flag -rapid.seed=0 draws random ones.
package fixedseed

import (
	"flag"

	_ "pgregory.net/rapid" // defines the flag
)

var _ = flag.Set("rapid.seed", "1")
