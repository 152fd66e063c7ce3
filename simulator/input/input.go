// Package input is a part of the simulator.
package input

import "causeway/simulator"

type Duration = simulator.Duration
