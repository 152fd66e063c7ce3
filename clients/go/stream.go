package causeway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"causeway/clients/go/api"
)

// silence ends a connection: the server sends something every 15 seconds.
const silence = 45 * time.Second

// errStopped says that the loop over the events ended.
var errStopped = errors.New("stopped")

// The events of a price stream.
const (
	EventSnapshot = "snapshot" // Pairs are all pairs that pass the filters
	EventChange   = "change"   // Pairs are the changed pairs
)

// PriceEvent is one publication of prices.
type PriceEvent struct {
	ID    string
	Event string     // EventSnapshot or EventChange
	Pairs []api.Pair // replace what you hold by their IDs
}

// StreamPairs follows prices until the context ends or the loop does. It first yields a snapshot, and
// then changes. After the first event it never gives up: when the connection is lost, it connects
// again, waiting up to ten seconds between attempts, and continues with what changed since the last
// event, or with a new snapshot. An error is the last value: there was no first event, the server
// rejects the request, or the context ended.
func (c *Client) StreamPairs(ctx context.Context, filters api.StreamPairsParams) iter.Seq2[PriceEvent, error] {
	return func(yield func(PriceEvent, error) bool) {
		c, filters, began := c, filters, false
		for attempt := 0; ; attempt++ {
			err := c.stream(ctx, filters, func(event PriceEvent) bool {
				if !began { // from now on this loop repeats failed requests
					c, began = c.With(WithRetries(0)), true
				}
				filters.LastEventID, attempt = event.ID, 0
				return yield(event, nil)
			})
			response := &Error{}
			rejected := errors.As(err, &response) && !slices.Contains(retried, response.Status)
			switch {
			case errors.Is(err, errStopped):
				return
			case ctx.Err() != nil:
				yield(PriceEvent{}, context.Cause(ctx))
				return
			case rejected || !began:
				yield(PriceEvent{}, err)
				return
			}
			select { // stream fails if the context has ended
			case <-ctx.Done():
			case <-time.After(c.transport.wait(attempt, response.RetryAfter)):
			}
		}
	}
}

// stream yields the events of one connection and returns why it ended.
func (c *Client) stream(ctx context.Context, filters api.StreamPairsParams, yield func(PriceEvent) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, err := c.api().StreamPairs(ctx, &filters)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxBody)) // a part of it is no error response
		return newError(resp, text)
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return foreign(resp)
	}
	watchdog := time.AfterFunc(silence, cancel)
	defer watchdog.Stop()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxBody)
	var event PriceEvent
	for lines.Scan() {
		watchdog.Reset(silence)
		switch field, value, _ := strings.Cut(lines.Text(), ": "); field {
		case "id":
			event.ID = value
		case "event":
			event.Event = value
		case "data": // the last line of an event
			if event.Event != EventSnapshot && event.Event != EventChange {
				continue // of a newer server
			}
			event.Pairs = nil
			if err := json.Unmarshal([]byte(value), &event.Pairs); err != nil {
				return foreign(resp)
			}
			if !yield(event) {
				return errStopped
			}
		}
	}
	return withoutQuery(resp.Request, errors.Join(lines.Err(), io.ErrUnexpectedEOF))
}
