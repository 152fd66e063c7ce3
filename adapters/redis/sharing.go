package redis

import (
	"context"
	"time"

	"github.com/redis/rueidis"

	"causeway/core"
	"causeway/ports"
)

// snapshotTTL outlasts a change of leader, so that a process that starts meanwhile finds prices.
const snapshotTTL = 10 * time.Second

// SnapshotStore shares the price snapshot of the leader: one key that expires, and a channel of the same name.
type SnapshotStore struct {
	client *Client
	key    string
}

var _ ports.SnapshotStore = (*SnapshotStore)(nil)

// NewSnapshotStore returns the store of a server.
func NewSnapshotStore(client *Client) *SnapshotStore {
	return &SnapshotStore{client, client.cfg.Prefix + "prices"}
}

// Publish stores the snapshot and sends it to all subscribers.
func (s *SnapshotStore) Publish(ctx context.Context, snapshot []byte) error {
	value := rueidis.BinaryString(snapshot)
	err := s.client.do(ctx, "snapshot", func(ctx context.Context, client rueidis.Client) error {
		for _, reply := range client.DoMulti(ctx,
			client.B().Set().Key(s.key).Value(value).Px(snapshotTTL).Build(),
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
// misses one that is published while a subscription begins; a leader repeats its snapshot every second.
func (s *SnapshotStore) Subscribe(ctx context.Context, f func(snapshot []byte)) {
	retry := time.NewTicker(pingInterval)
	defer retry.Stop()
	for ctx.Err() == nil {
		if s.client.Up() {
			s.receive(ctx, f)
		}
		select {
		case <-ctx.Done():
		case <-retry.C:
		}
	}
}

// receive returns when the connection fails.
func (s *SnapshotStore) receive(ctx context.Context, f func(snapshot []byte)) {
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
