package main

import (
	"go.uber.org/zap"

	"causeway/core/pairs"
)

// alarm logs what the price engine did not publish because it broke an invariant, once for as long as it stays the same.
func alarm(log *zap.Logger) func(pairs.Alarm) {
	return func(a pairs.Alarm) {
		if len(a.Quotes) > 0 {
			log.Error("prices broke an invariant and were not published; the last good ones stay", zap.Strings("pairs", a.Quotes))
		}
		if len(a.Cycle) > 0 {
			log.Error("the prices would have given money away and were not published; the last good ones stay",
				zap.Strings("cycle", a.Cycle), zap.Strings("pairs", a.Pairs))
		}
	}
}
