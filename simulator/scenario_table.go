package simulator

import "embed"

// incidents is the library: one file a scenario.
//
//go:embed incidents/*.yaml
var incidents embed.FS
