package httpapi

import (
	"context"
	"errors"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"causeway/adapters/web/apierror"
	"causeway/core"
)

const (
	pingInterval    = 15 * time.Second
	eventTimeout    = 10 * time.Second // for the connection to accept one event
	reconnectAfter  = time.Second      // the shortest wait of the clients of a stopping process
	reconnectSpread = 4000             // up to so many milliseconds more, so that not all reconnect at once
	ping            = ": ping\n\n"
)

// Why a stream ended, in metrics.
const (
	endClient   = "client"   // the client closed it
	endSlow     = "slow"     // the client did not read an event in time
	endShutdown = "shutdown" // the process stops
)

type streamInput struct {
	PairFilters

	LastEventID string `header:"Last-Event-ID" doc:"The last ID that the client received: the stream begins with what changed since then if that is known, otherwise with everything. Browsers send it when they reconnect" example:"7"`
}

func (a *API) registerStream() {
	register(a, huma.Operation{
		OperationID: core.OpStreamPairs, Tags: []string{"Pairs"},
		Summary:   "Stream prices",
		Responses: a.streamResponses(),
		Errors:    []int{http.StatusBadRequest},
	}, func(ctx context.Context, in *streamInput) (*huma.StreamResponse, error) {
		instance := instanceFrom(ctx)
		page, err := instance.pairs.page()
		if err != nil {
			return nil, err
		}
		if a.closing.Err() != nil {
			return nil, core.Errorf(core.Unavailable, "The service is stopping; reconnect").Retry(reconnectAfter)
		}
		if !a.streams.Acquire(1) {
			requestFrom(ctx).reject("streams")
			return nil, core.Errorf(core.Unavailable, "The service is at its limit of streams; retry later, or "+
				"use GET /v1/pairs").Retry(5 * time.Second)
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			defer a.streams.Release(1)
			ctx.SetHeader("Content-Type", "text/event-stream")
			ctx.SetHeader("Cache-Control", "no-store")
			ctx.SetHeader("X-Accel-Buffering", "no") // nginx would collect events
			ctx.SetStatus(http.StatusOK)
			if ctx.Method() != http.MethodHead {
				err := a.follow(ctx, instance, page, in)
				a.metrics.streamsEnded.WithLabelValues(endReason(err)).Inc()
			}
		}}, nil
	})
}

// streamResponses documents the stream as an array of its events.
func (a *API) streamResponses() map[string]*huma.Response {
	list := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[[]pairBody](), true, "")
	list.Description = "The pairs"
	event := func(name, doc string) *huma.Schema {
		return &huma.Schema{
			Type: huma.TypeObject, Description: doc, Required: []string{"id", "event", "data"},
			AdditionalProperties: false,
			Properties: map[string]*huma.Schema{
				"id":    {Type: huma.TypeInteger, Description: "To be sent back as Last-Event-ID"},
				"event": {Type: huma.TypeString, Enum: []any{name}, Description: "Always " + name},
				"data":  list,
			},
		}
	}
	return map[string]*huma.Response{"200": {
		Description: "Server-sent events, without end. Every element of this array is one event: the lines id, " +
			"event and data, of which data is JSON",
		Content: map[string]*huma.MediaType{"text/event-stream": {
			Schema: &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{OneOf: []*huma.Schema{
				event("snapshot", "All pairs that pass the filters"), event("change", "Those that changed"),
			}}},
		}},
	}}
}

// recentEvents is the number of publications that a client can continue from.
const recentEvents = 600

var errClosing = errors.New("the process stops")

// follow serves one client of the stream until the client, the world or the process ends it. Each
// event is encoded once for all clients with the same filters. A client that was busy while several
// publications came gets one event for all of them, so nothing is queued.
func (a *API) follow(ctx huma.Context, instance *Instance, page *pairPage, in *streamInput) error {
	_, w := humago.Unwrap(ctx)
	control := http.NewResponseController(w)
	send := func(event []byte) error {
		if len(event) == 0 {
			return nil
		}
		_ = control.SetWriteDeadline(a.config.Now().Add(eventTimeout))
		if _, err := w.Write(event); err != nil {
			return err
		}
		return control.Flush()
	}
	event := page.event(in.PairFilters, page.events.known(in.LastEventID))
	if len(event) == 0 {
		event = []byte(ping) // the client should notice that it is connected
	}
	pings := time.NewTimer(pingInterval)
	defer pings.Stop()
	for {
		if err := send(event); err != nil {
			return err
		}
		select {
		case <-page.events.replaced:
			before := page
			page = instance.pairs.current.Load()
			event = page.event(in.PairFilters, before.snapshot.ID)
		case <-pings.C:
			pings.Reset(pingInterval)
			event = []byte(ping)
		case <-ctx.Context().Done():
			return ctx.Context().Err()
		case <-a.closing.Done():
			wait := uint64(reconnectAfter/time.Millisecond) + instance.cfg.Entropy()%reconnectSpread
			err := send([]byte("retry: " + strconv.FormatUint(wait, 10) + "\n\n"))
			_ = control.SetWriteDeadline(time.Time{}) // for the end of the body, which the shutdown bounds
			return errors.Join(errClosing, err)
		}
	}
}

func endReason(err error) string {
	switch {
	case errors.Is(err, errClosing):
		return endShutdown
	case errors.Is(err, os.ErrDeadlineExceeded):
		return endSlow
	}
	return endClient
}

// pairEvents is what the stream needs of one publication.
type pairEvents struct {
	changed  []uint64      // by index: the publication in which the pair last changed
	recent   []uint64      // IDs of the publications up to this one that are remembered
	replaced chan struct{} // closed by the next publication
	encoded  encodedCache[eventKey, []byte]
}

// eventKey selects an event of a publication: the filters, and the last publication that the client
// knows, or 0.
type eventKey struct {
	filters PairFilters
	since   uint64
}

// newPairEvents compares a publication with the publication before, which may be nil.
func newPairEvents(page, before *pairPage) *pairEvents {
	e := &pairEvents{changed: make([]uint64, len(page.bodies)), replaced: make(chan struct{})}
	if before != nil {
		e.recent = before.events.recent[max(0, len(before.events.recent)-recentEvents+1):]
	}
	e.recent = append(slices.Clone(e.recent), page.snapshot.ID)
	for i, body := range page.bodies {
		e.changed[i] = page.snapshot.ID
		if before == nil {
			continue
		}
		if was, known := before.byID[body.ID]; known {
			body.UpdatedAt = before.bodies[was].UpdatedAt
			if body == before.bodies[was] {
				e.changed[i] = before.events.changed[was]
			}
		}
	}
	return e
}

// known returns the publication of a Last-Event-ID, or 0 if this process does not remember it.
func (e *pairEvents) known(lastEventID string) uint64 {
	id, err := strconv.ParseUint(lastEventID, 10, 64)
	if err != nil || !slices.Contains(e.recent, id) {
		return 0
	}
	return id
}

// event encodes the event for clients that know the publication since: the pairs that changed after
// it. For 0 it is a snapshot. It is empty if no pair changed.
func (p *pairPage) event(filters PairFilters, since uint64) []byte {
	event, _ := cached(&p.events.encoded, eventKey{filters, since}, func() ([]byte, bool, error) {
		at, name := p.filter(&filters), "snapshot"
		if since > 0 {
			name = "change"
			at = slices.DeleteFunc(at, func(i int) bool { return p.events.changed[i] <= since })
			if len(at) == 0 {
				return nil, false, nil
			}
		}
		head := "id: " + strconv.FormatUint(p.snapshot.ID, 10) + "\nevent: " + name + "\ndata: "
		return slices.Concat([]byte(head), apierror.Encode(pick(p.items, at)), []byte("\n\n")), len(at) > 0, nil
	})
	return event
}
