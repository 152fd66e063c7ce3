package ports

import "context"

// PriceSharing elects the replica that computes prices, the leader, and passes its snapshots on to
// the others. It does not interpret the bytes of a snapshot, and anyone with access to the store
// may have written them: sign a snapshot before Publish, and check it after Subscribe.
//
// Publish replaces the stored snapshot, which expires after a few seconds, and sends it to all
// subscribers, including this process. It returns core.Unavailable on failure. Subscribe calls f with
// the stored snapshot, if there is one, and with every snapshot published later, until ctx ends; it
// reconnects after failures. Snapshots can get lost, so a leader publishes at least every second. f
// must return quickly.
//
// Campaign calls lead each time this process is elected, with a context that ends when the
// leadership is lost, and returns when ctx ends. If lead returns earlier, Campaign resigns and lets
// other replicas win for some seconds. Leadership is a lease, not a fence: while a lost connection
// is being noticed, two processes may lead for a moment.
//
// All methods are safe for concurrent use and return promptly when ctx ends.
type PriceSharing interface {
	Publish(ctx context.Context, snapshot []byte) error
	Subscribe(ctx context.Context, f func(snapshot []byte))
	Campaign(ctx context.Context, lead func(ctx context.Context))
}
