package market

import (
	"maps"
	"slices"
	"time"
)

// Exponential is e^x in 2^-60, for x in 2^-40.
func Exponential(x int64) uint64 { return exponential(x) }

// Codes returns all assets.
func (m *Market) Codes() []string { return slices.Sorted(maps.Keys(m.assets)) }

// RoundTrip converts a time to an instant and back.
func RoundTrip(at time.Time) time.Time { return timeOf(instantOf(at)) }
