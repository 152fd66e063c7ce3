package redis

import (
	"context"
	"time"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"

	"causeway/ports"
)

// A leader that dies is replaced after at most leaseDuration + electionInterval.
const (
	leaseDuration    = 3 * time.Second
	leaseRenewal     = time.Second
	electionInterval = 500 * time.Millisecond
	resignPause      = 10 * time.Second // before a process that resigned campaigns again
)

// Election elects a leader among the processes that share a server, by a lock of rueidislock.
type Election struct {
	client *Client
	locker rueidislock.Locker
}

var _ ports.LeaderElection = (*Election)(nil)

// NewElection returns the election of a server.
func NewElection(client *Client) (*Election, error) {
	locker, err := rueidislock.NewLocker(rueidislock.LockerOption{
		// The locker uses the existing connection: one of its own would have to be up at the start.
		ClientBuilder: func(rueidis.ClientOption) (rueidis.Client, error) { return client.client, nil },
		ClientOption:  rueidis.ClientOption{DisableCache: true},
		KeyPrefix:     client.cfg.Prefix + "lock",
		KeyMajority:   1, // one server
		KeyValidity:   leaseDuration, ExtendInterval: leaseRenewal, TryNextAfter: electionInterval,
		FallbackSETPX: true, // the lease then starts by the server's clock
	})
	return &Election{client, locker}, err
}

// Campaign calls lead each time this process is elected, until ctx ends.
func (e *Election) Campaign(ctx context.Context, lead func(ctx context.Context)) {
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		next.Reset(e.term(ctx, lead))
	}
}

// term leads for one term if this process is elected. It returns the time until the next attempt.
func (e *Election) term(ctx context.Context, lead func(ctx context.Context)) time.Duration {
	if !e.client.Up() {
		return electionInterval
	}
	leading, resign, err := e.locker.TryWithContext(ctx, "prices")
	if err != nil {
		return electionInterval
	}
	lead(leading)
	resigned := leading.Err() == nil
	resign()
	if resigned {
		return resignPause
	}
	return electionInterval
}
