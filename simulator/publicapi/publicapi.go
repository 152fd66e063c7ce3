// Package publicapi is a part of the simulator.
package publicapi

import "causeway/simulator"

type Operation = simulator.Operation

const ResolveAccount = simulator.ResolveAccount

var Operations = simulator.Operations
var Member = simulator.MemberOf
