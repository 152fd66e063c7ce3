// Package faults is a part of the simulator.
package faults

import "causeway/simulator"

type Rule = simulator.Rule
type Match = simulator.Match
type When = simulator.When
type Effect = simulator.Effect
type Kind = simulator.Kind
type Fault = simulator.Fault
type Set = simulator.Faults
type Hit = simulator.Hit
type Request = simulator.Question
type Capabilities = simulator.Offer
type Plane = simulator.Plane
type Phase = simulator.Phase
type Distribution = simulator.Distribution
type SetState = simulator.FaultsState
type RuleState = simulator.RuleState

const Upstream = simulator.Upstream
const Edge = simulator.Edge
const Before = simulator.Before
const After = simulator.After
const Fixed = simulator.Fixed
const Uniform = simulator.Uniform
const Lognormal = simulator.Lognormal
const Status = simulator.FaultStatus
const Latency = simulator.FaultLatency
const Hang = simulator.FaultHang
const Reset = simulator.FaultReset
const Refuse = simulator.FaultRefuse
const Redirect = simulator.FaultRedirect
const SlowHeaders = simulator.FaultSlowHeaders
const Dribble = simulator.FaultDribble
const HTML = simulator.FaultHTML
const Empty = simulator.FaultEmpty
const Truncate = simulator.FaultTruncate
const Malformed = simulator.FaultMalformed
const WrongContentType = simulator.FaultWrongContentType
const HugeBody = simulator.FaultHugeBody
const Duplicate = simulator.FaultDuplicate
const UnknownFields = simulator.FaultUnknownFields
const Times10 = simulator.FaultTimes10
const Times100 = simulator.FaultTimes100
const Times1000 = simulator.FaultTimes1000
const Times10000 = simulator.FaultTimes10000
const Times100000 = simulator.FaultTimes100000
const Times1000000 = simulator.FaultTimes1000000
const Times10000000 = simulator.FaultTimes10000000
const Times100000000 = simulator.FaultTimes100000000
const Inverted = simulator.FaultInverted
const SwappedPair = simulator.FaultSwappedPair
const Zero = simulator.FaultZero
const Negative = simulator.FaultNegative
const CommaDecimal = simulator.FaultCommaDecimal
const NaN = simulator.FaultNaN
const MissingField = simulator.FaultMissingField
const ChangedType = simulator.FaultChangedType
const StaleTimestamp = simulator.FaultStaleTimestamp
const FutureTimestamp = simulator.FaultFutureTimestamp
const SecondsForMillis = simulator.FaultSecondsForMillis

var Kinds = simulator.Kinds
var Preset = simulator.Preset
