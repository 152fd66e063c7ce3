package replicas

import (
	"time"

	"causeway/adapters/redis"
)

// Durations of a leader.
const (
	heartbeat = time.Second      // between publications, at most
	maxDelay  = 2 * time.Second  // by which a leader may be late to let a price age
	silence   = 10 * time.Second // without a reply from any rate source, until a leader resigns
)

// Durations of the other replicas.
const (
	joinTimeout   = 500 * time.Millisecond // how long a start waits for a stored snapshot
	followTimeout = 5 * time.Second        // without a snapshot, until a follower computes prices itself
	distrust      = time.Minute            // after a forged message, until a replica follows again
	messageAge    = snapshotTTL + maxSkew  // beyond which a message is not used
	maxSkew       = 2 * time.Second        // between the clocks of replicas
	snapshotTTL   = 10 * time.Second       // outlasts a change of leader, so that a start meanwhile finds prices
)

// Timing has the durations of Redis. A leader that dies is replaced after at most Lease + Election.
var Timing = redis.SharingTiming{
	Lease: 3 * time.Second, Election: 500 * time.Millisecond, ResignPause: 10 * time.Second, SnapshotTTL: snapshotTTL,
}
