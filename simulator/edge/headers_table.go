package edge

import "causeway/simulator"

// Header values that never change. They are shared by all requests and never written to.
var (
	homeWorld = []string{simulator.DefaultWorld}
	nothing   = []string{"none"}
	unkept    = []string{"no-store"}
)
