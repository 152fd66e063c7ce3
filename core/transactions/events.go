package transactions

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Retention is how long events are kept.
const Retention = 30 * 24 * time.Hour

// EventQuery selects events of an account, the oldest first.
type EventQuery struct {
	Account string
	Type    core.EventType // empty: all
	After   string         // Next of an earlier page, or the ID of an event; empty: from the oldest event on
	Limit   int            // of the items of a page, above zero
}

// EventPage is a part of the events of a query.
type EventPage struct {
	Items []EventItem
	Next  string // the value of After that continues after the page, also if there is nothing more at the moment
	More  bool   // there are more items at the moment
}

// EventItem is an event as its account sees it.
type EventItem struct {
	core.Event

	Item Item // the transaction after the event
}

// Events returns a page of the events of an account. The error is core.CursorExpired if events after q.After are no
// longer kept.
func (s *Service) Events(ctx context.Context, q EventQuery) (EventPage, error) {
	stored, err := s.log.Range(ctx, q.Account) // before the events: a page without more items ends here at least
	if err != nil {
		return EventPage{}, unavailable(err)
	}
	after, err := s.eventNumber(ctx, q, stored)
	if err != nil {
		return EventPage{}, err
	}
	if after < stored.Pruned {
		return EventPage{}, s.expiredCursor(ctx, q.Account, stored)
	}
	found, err := s.log.Events(ctx, ports.EventQuery{Account: q.Account, After: after, Type: q.Type, Limit: q.Limit + 1})
	if err != nil {
		return EventPage{}, unavailable(err)
	}
	page := EventPage{More: len(found) > q.Limit}
	last := max(after, stored.Last)
	if page.More {
		found = found[:q.Limit]
	}
	for _, e := range found {
		page.Items = append(page.Items, s.Event(e))
		if page.More || e.Number > last {
			last = e.Number
		}
	}
	page.Next = eventCursor(q.Account, last)
	return page, nil
}

// Event returns an event as its account sees it.
func (s *Service) Event(e core.Event) EventItem {
	return EventItem{Event: e, Item: s.item(e.Transaction, e.Tip)}
}

// expiredCursor returns the error of a cursor before the oldest event that is kept.
func (s *Service) expiredCursor(ctx context.Context, account string, stored ports.EventRange) error {
	days := int(Retention / (24 * time.Hour))
	oldest, err := s.log.Events(ctx, ports.EventQuery{Account: account, After: stored.Pruned, Limit: 1})
	switch {
	case err != nil:
		return unavailable(err)
	case len(oldest) == 0:
		return core.Errorf(core.CursorExpired, "Events after this cursor are older than %d days, and none is kept. "+
			"Compare with GET /v1/transactions, and list events without after", days)
	}
	return core.Errorf(core.CursorExpired, "Events after this cursor are older than %d days. The oldest event kept is %s "+
		"of %s. Compare with GET /v1/transactions, and list events without after", days, oldest[0].ID,
		oldest[0].Transaction.Updated.Format(time.RFC3339))
}

// eventNumber returns the number of the event that a query continues after.
func (s *Service) eventNumber(ctx context.Context, q EventQuery, stored ports.EventRange) (int64, error) {
	if q.After == "" {
		return stored.Pruned, nil
	}
	if strings.HasPrefix(q.After, "evt_") {
		e, err := s.log.Find(ctx, q.Account, q.After)
		if core.CodeOf(err) == core.NotFound {
			return 0, core.InvalidField("after", "is no event of this account that is kept; send next_cursor of an earlier "+
				"response, the id of an event, or nothing to begin with the oldest event")
		}
		return e.Number, unavailable(err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(q.After)
	if err == nil && len(raw) == sumBytes+numberBytes {
		number := int64(binary.BigEndian.Uint64(raw[sumBytes:])) //nolint:gosec // the checksum makes it one of ours
		if eventCursor(q.Account, number) == q.After && number <= stored.Last {
			return number, nil
		}
	}
	return 0, core.InvalidField("after", "is not a cursor of this account; send next_cursor of an earlier response, "+
		"the id of an event, or nothing to begin with the oldest event")
}

const numberBytes = 8

// eventCursor returns the cursor after an event of an account: a checksum of both, and the number.
func eventCursor(account string, number int64) string {
	encoded := binary.BigEndian.AppendUint64(nil, uint64(number)) //nolint:gosec // above zero
	sum := sha256.Sum256(bytes.Join([][]byte{[]byte("events"), []byte(account), encoded}, []byte{0}))
	return base64.RawURLEncoding.EncodeToString(append(sum[:sumBytes], encoded...))
}

// pruneEvents removes events that are older than Retention, now and then, until ctx is done.
func (s *Service) pruneEvents(ctx context.Context) {
	const interval = time.Hour
	core.Repeat(ctx, func() time.Duration {
		if _, err := s.log.Prune(ctx, s.now().Add(-Retention)); err != nil {
			s.events.Unpruned(err)
		}
		return interval
	})
}
