package core

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
)

// EventType says what happened to a transaction.
type EventType string

// The types of events.
const (
	TransactionPending   EventType = "transaction.pending"   // a block has it, or the block that had it was undone
	TransactionCompleted EventType = "transaction.completed" // it was confirmed, and its amount is available
	TransactionFailed    EventType = "transaction.failed"    // the network dropped it
	TransactionReversed  EventType = "transaction.reversed"  // it was completed, and is pending again
)

// EventTypes returns all types of events, in the order in which a transaction causes them.
func EventTypes() []EventType {
	return []EventType{TransactionPending, TransactionCompleted, TransactionFailed, TransactionReversed}
}

// Event is a revision of a transaction, which its account hears of.
type Event struct {
	Number int64  // place among the events of the account, from 1 on without gaps
	ID     string // a hash of the transaction and its revision
	Type   EventType
	// Transaction is the transaction after the event, which happened at its time Updated.
	Transaction Transaction
	// Tip is the height of the last block of the network that was read before the event.
	Tip int64
}

// NewEvent returns the event of a transaction that changed, without a number. The status before it is empty
// for a new transaction.
func NewEvent(before TransactionStatus, after Transaction, tip int64) Event {
	const idBytes = 16
	sum := sha256.Sum256([]byte(after.ID + "\n" + strconv.FormatInt(after.Revision, 10)))
	e := Event{ID: "evt_" + hex.EncodeToString(sum[:idBytes]), Transaction: after, Tip: tip}
	switch {
	case after.Status == Completed:
		e.Type = TransactionCompleted
	case after.Status == Failed:
		e.Type = TransactionFailed
	case before == Completed:
		e.Type = TransactionReversed
	default:
		e.Type = TransactionPending
	}
	return e
}

// DeliveryStatus is where the delivery of an event to an endpoint stands.
type DeliveryStatus string

// The statuses of deliveries.
const (
	DeliveryPending   DeliveryStatus = "pending"   // tried when it is due
	DeliveryDelivered DeliveryStatus = "delivered" // the endpoint accepted it
	DeliveryExpired   DeliveryStatus = "expired"   // the endpoint did not accept it in time
)

// Delivery is an event on its way to an endpoint.
type Delivery struct {
	Endpoint string
	Event    Event
	Status   DeliveryStatus
	Planned  time.Time // when it was added, or replayed
	Due      time.Time // of the next try; while one is in progress, when another process may repeat it
	Tries    int       // since Planned
	Updated  time.Time // of the last try; zero: none
	Problem  string    // why the last try failed; empty: it did not
}

// Backlog is what an endpoint has not received.
type Backlog struct {
	Pending int64
	Oldest  time.Time // event of the oldest pending delivery; zero: none is pending
	Expired int64     // of the last 30 days
	Problem string    // of the last try of a delivery that is pending; empty: none failed
}
