package redis

import (
	"context"
	"time"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"

	"causeway/core"
	"causeway/ports"
)

// SharingTiming has the durations of PriceSharing.
type SharingTiming struct {
	SnapshotTTL time.Duration // of the stored snapshot
	Lease       time.Duration // after which the leadership of a silent process ends; renewed after a third
	Election    time.Duration // between attempts to be elected
	ResignPause time.Duration // before a process that resigned campaigns again
}

// PriceSharing shares the price snapshot of the leader: one key that expires, and a channel of the
// same name. A lock of rueidislock elects the leader.
type PriceSharing struct {
	client *Client
	timing SharingTiming
	key    string
	locker rueidislock.Locker
}

var _ ports.PriceSharing = (*PriceSharing)(nil)

// NewPriceSharing returns the sharing of prices among the processes that use a server.
func NewPriceSharing(client *Client, timing SharingTiming) (*PriceSharing, error) {
	locker, err := rueidislock.NewLocker(rueidislock.LockerOption{
		// The locker uses the existing connection: one of its own would have to be up at the start.
		ClientBuilder: func(rueidis.ClientOption) (rueidis.Client, error) { return client.client, nil },
		ClientOption:  rueidis.ClientOption{DisableCache: true},
		KeyPrefix:     client.cfg.Prefix + "lock",
		KeyMajority:   1, // one server
		KeyValidity:   timing.Lease, ExtendInterval: timing.Lease / 3, TryNextAfter: timing.Election,
		FallbackSETPX: true, // the lease then starts by the server's clock
	})
	return &PriceSharing{client, timing, client.cfg.Prefix + "prices", locker}, err
}

// Publish stores the snapshot and sends it to all subscribers.
func (s *PriceSharing) Publish(ctx context.Context, snapshot []byte) error {
	value := rueidis.BinaryString(snapshot)
	err := s.client.do(ctx, "snapshot", func(ctx context.Context, client rueidis.Client) error {
		for _, reply := range client.DoMulti(ctx,
			client.B().Set().Key(s.key).Value(value).Px(s.timing.SnapshotTTL).Build(),
			client.B().Publish().Channel(s.key).Message(value).Build(),
		) {
			if err := reply.Error(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return core.Errorf(core.Unavailable, "the price snapshot cannot be shared").With(err)
	}
	return nil
}

// Subscribe calls f with the stored snapshot and with every one published later, until ctx ends. It
// misses one that is published while a subscription begins; a leader repeats its snapshot every
// second.
func (s *PriceSharing) Subscribe(ctx context.Context, f func(snapshot []byte)) {
	core.Repeat(ctx, func() time.Duration {
		if s.client.Up() {
			s.receive(ctx, f)
		}
		return pingInterval
	})
}

// receive returns when the connection fails.
func (s *PriceSharing) receive(ctx context.Context, f func(snapshot []byte)) {
	err := s.client.do(ctx, "snapshot", func(ctx context.Context, client rueidis.Client) error {
		stored, err := client.Do(ctx, client.B().Get().Key(s.key).Build()).AsBytes()
		if err == nil {
			f(stored)
		}
		return err
	})
	if err != nil && !rueidis.IsRedisNil(err) {
		return
	}
	subscribe := s.client.client.B().Subscribe().Channel(s.key).Build()
	_ = s.client.client.Receive(ctx, subscribe, func(m rueidis.PubSubMessage) { f([]byte(m.Message)) })
}

// Campaign calls lead each time this process is elected, until ctx ends.
func (s *PriceSharing) Campaign(ctx context.Context, lead func(ctx context.Context)) {
	core.Repeat(ctx, func() time.Duration { return s.term(ctx, lead) })
}

// term leads for one term if this process is elected. It returns the time until the next attempt.
func (s *PriceSharing) term(ctx context.Context, lead func(ctx context.Context)) time.Duration {
	if !s.client.Up() {
		return s.timing.Election
	}
	leading, resign, err := s.locker.TryWithContext(ctx, "prices")
	if err != nil {
		return s.timing.Election
	}
	lead(leading)
	resigned := leading.Err() == nil
	resign()
	if resigned {
		return s.timing.ResignPause
	}
	return s.timing.Election
}
