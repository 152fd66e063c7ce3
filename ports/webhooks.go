package ports

import (
	"context"
	"time"

	"causeway/core"
)

// WebhookEndpoint is a receiver of the events of an account.
type WebhookEndpoint struct {
	Name    string
	Account string
	Types   []core.EventType // that it receives; empty: all
}

// DeliveryQuery selects deliveries.
type DeliveryQuery struct {
	Endpoint string              // empty: all
	Status   core.DeliveryStatus // empty: all
	Limit    int                 // of the newest ones
}

// DeliveryStore keeps the deliveries of events to endpoints. An endpoint is identified by its name and account: with
// another account it is a new one, and deliveries of the old one are not claimed.
//
// Plan adds pending deliveries, due at now, for the events of the endpoint's account after the last call, and returns
// their number, which is bounded: call it again until it is 0. The first call for an endpoint adds none: an endpoint
// receives events from then on.
//
// Claim selects up to limit pending deliveries of an endpoint that are due at now, those that were due first. It makes
// them due at until, and returns them in the order of their events, each with one try more. Processes that claim at
// once get different deliveries: each try is made by one process, and another may repeat it if the process does not
// settle it by then. Next returns when the next pending delivery of an endpoint is due, or the zero time.
//
// Settle stores Status, Due, Updated and Problem of claimed deliveries. It does nothing for one that was claimed again
// or replayed meanwhile.
//
// Replay makes the deliveries of an endpoint for the events of its types since a time pending, due at now and without
// tries, adds those that are missing, and returns their number. Planned becomes now, or a microsecond later than
// before if that is later. Events that Plan would add are added first.
//
// Deliveries returns the deliveries of a query, the newest events first. Backlog returns what an endpoint has not
// received.
//
// A database that cannot be reached is core.Unavailable. All methods are safe for concurrent use and return promptly
// when ctx is done.
//
//nolint:interfacebloat // one table, one store
type DeliveryStore interface {
	Plan(ctx context.Context, endpoint WebhookEndpoint, now time.Time) (added int, err error)
	Claim(ctx context.Context, endpoint WebhookEndpoint, now, until time.Time, limit int) ([]core.Delivery, error)
	Next(ctx context.Context, endpoint WebhookEndpoint) (time.Time, error)
	Settle(ctx context.Context, deliveries []core.Delivery) error
	Replay(ctx context.Context, endpoint WebhookEndpoint, since, now time.Time) (deliveries int64, err error)
	Deliveries(ctx context.Context, query DeliveryQuery) ([]core.Delivery, error)
	Backlog(ctx context.Context, endpoint WebhookEndpoint) (core.Backlog, error)
}

// WebhookSender sends events to endpoints.
//
// Send makes one try and returns nil if the endpoint answered with a status of 200 to 299 in time. Otherwise the error
// is core.Unavailable, and its message says what happened in words for an operator: it holds no secret, no body, no
// query of the URL and no personal data. Its RetryAfter is what the endpoint asked for. Send is safe for concurrent use
// and returns promptly when ctx is done.
type WebhookSender interface {
	Send(ctx context.Context, endpoint string, event core.Event) error
}
