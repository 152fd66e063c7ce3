package httpapi

import (
	"context"
	"errors"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
	"causeway/core/pairs"
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
	epoch := newEpoch(uint64(a.now().UnixNano()))
	register(a, huma.Operation{
		OperationID: "stream-pairs", Method: http.MethodGet, Path: "/v1/pairs/stream", Tags: []string{"Pairs"},
		Summary: "Follow the prices",
		Description: "Server-sent events (EventSource in a browser). First `snapshot` with the pairs that pass the filters, as the list has " +
			"them; then `change` for every publication in which some of them changed in more than updated_at, with those that changed. " +
			"Replace what you hold by ID. A comment every 15 seconds keeps the connection alive. A client that reads too slowly is " +
			"disconnected and may return with Last-Event-ID.",
		Responses: a.streamResponses(),
	}, func(ctx context.Context, in *streamInput) (*huma.StreamResponse, error) {
		instance := instanceFrom(ctx)
		page, err := instance.pairs.page()
		if err != nil {
			return nil, err
		}
		select {
		case <-a.closing:
			return nil, core.Errorf(core.Unavailable, "The service is stopping; reconnect").Retry(reconnectAfter)
		default:
		}
		if !a.streams.Acquire(1) {
			requestFrom(ctx).rejected = true
			a.metrics.rejected.WithLabelValues("streams").Inc()
			return nil, core.Errorf(core.Unavailable, "The service is at its limit of streams; retry later, or use GET /v1/pairs").Retry(5 * time.Second)
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			defer a.streams.Release(1)
			ctx.SetHeader("Content-Type", "text/event-stream")
			ctx.SetHeader("Cache-Control", "no-store")
			ctx.SetHeader("X-Accel-Buffering", "no") // nginx would collect events
			ctx.SetStatus(http.StatusOK)
			if ctx.Method() == http.MethodHead {
				return
			}
			_, w := unwrap(ctx)
			f := follower{api: a, instance: instance, w: w, control: http.NewResponseController(w), filters: in.PairFilters, epoch: epoch}
			err := f.follow(ctx.Context(), page, in.LastEventID)
			a.metrics.streamsEnded.WithLabelValues(endReason(err)).Inc()
		}}, nil
	})
}

// streamResponses documents the stream as an array of its events.
func (a *API) streamResponses() map[string]*huma.Response {
	list := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[[]pairBody](), true, "")
	event := func(name, doc string) *huma.Schema {
		return &huma.Schema{
			Type: huma.TypeObject, Description: doc, Required: []string{"id", "event", "data"}, AdditionalProperties: false,
			Properties: map[string]*huma.Schema{
				"id":    {Type: huma.TypeInteger, Description: "To be sent back as Last-Event-ID"},
				"event": {Type: huma.TypeString, Enum: []any{name}, Description: "Always " + name},
				"data":  list,
			},
		}
	}
	example := []map[string]any{
		{"id": 7, "event": "snapshot", "data": []pairBody{examplePair()}}, {"id": 8, "event": "change", "data": []pairBody{examplePair()}},
	}
	all := map[string]*huma.Response{"200": {
		Description: "Server-sent events, without end. Every element of this array is one event: the lines id, event and data, of which data " +
			"is JSON",
		Headers: map[string]*huma.Param{},
		Content: map[string]*huma.MediaType{"text/event-stream": {
			Schema: &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{OneOf: []*huma.Schema{
				event("snapshot", "All pairs that pass the filters"), event("change", "Those that changed"),
			}}},
			Example: example,
		}},
	}}
	a.addErrors(all, apierror.RequestValidation, apierror.ServiceUnavailable)
	return all
}

// Event IDs are integers that JavaScript can hold. They consist of an epoch and the number of the publication, so that an ID of
// another process is never mistaken for one of this process.
const publications, epochs = 1_000_000_000, 9_000_000

func newEpoch(n uint64) uint64 { return n % epochs * publications }

// follower serves one client of the stream. Each event is encoded once for all clients with the same filters. A client that was
// busy while several publications came gets one event for all of them, so nothing is queued.
type follower struct {
	api      *API
	instance *Instance
	w        http.ResponseWriter
	control  *http.ResponseController
	filters  PairFilters
	epoch    uint64
}

var errClosing = errors.New("the process stops")

// follow sends events until the client, the world or the process ends the stream.
func (f *follower) follow(ctx context.Context, page *pairPage, lastEventID string) error {
	event := f.event(page, f.known(page, lastEventID))
	if len(event) == 0 {
		event = []byte(ping) // the client should notice that it is connected
	}
	pings := time.NewTicker(pingInterval)
	defer pings.Stop()
	for {
		if err := f.send(event); err != nil {
			return err
		}
		select {
		case <-page.events.replaced:
			before := page
			page = f.instance.pairs.current.Load()
			event = f.event(page, page.events.since(before))
		case <-pings.C:
			event = []byte(ping)
		case <-ctx.Done():
			return ctx.Err()
		case <-f.api.closing:
			wait := uint64(reconnectAfter/time.Millisecond) + f.instance.env.Entropy()%reconnectSpread
			return errors.Join(errClosing, f.send([]byte("retry: "+strconv.FormatUint(wait, 10)+"\n\n")))
		}
	}
}

// epochOf returns the epoch of a publication. Replicas that share prices share the epoch of their leader's term, so that a client
// may change replicas.
func (f *follower) epochOf(page *pairPage) uint64 {
	if page.snapshot.Term == 0 {
		return f.epoch
	}
	return newEpoch(page.snapshot.Term)
}

// known returns the publication of a Last-Event-ID, or 0 if it is none of this epoch.
func (f *follower) known(page *pairPage, lastEventID string) uint64 {
	id, err := strconv.ParseUint(lastEventID, 10, 64)
	epoch := f.epochOf(page)
	if err != nil || id < epoch+page.events.first || id > epoch+page.snapshot.ID {
		return 0
	}
	return id - epoch
}

func (f *follower) event(page *pairPage, since uint64) []byte {
	return page.event(f.epochOf(page), f.filters, since)
}

// send writes an event within the time limit. An empty event sends nothing.
func (f *follower) send(event []byte) error {
	if len(event) == 0 {
		return nil
	}
	_ = f.control.SetWriteDeadline(f.api.now().Add(eventTimeout))
	if _, err := f.w.Write(event); err != nil {
		return err
	}
	return f.control.Flush()
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
	bodies   []pairBody    // without updated_at, to detect changes
	changed  []uint64      // by index: the publication in which the pair last changed
	first    uint64        // the first publication of the term
	restarts uint64        // how often the numbers of publications began again, as they do when a replica changes its leader
	replaced chan struct{} // closed by the next publication

	mu      sync.Mutex
	encoded map[eventKey][]byte
}

// eventKey selects an event of a publication: the filters, and the last publication that the client knows, or 0.
type eventKey struct {
	filters PairFilters
	since   uint64
}

// newPairEvents compares a publication with the one before, which may be nil.
func newPairEvents(s *pairs.Snapshot, bodies []pairBody, before *pairPage) *pairEvents {
	e := &pairEvents{
		bodies: make([]pairBody, len(bodies)), changed: make([]uint64, len(bodies)), first: s.ID, replaced: make(chan struct{}),
		encoded: map[eventKey][]byte{},
	}
	continues := before != nil && before.snapshot.ID < s.ID
	if before != nil {
		e.restarts = before.events.restarts
		if !continues {
			e.restarts++
		} else if before.snapshot.Term == s.Term {
			e.first = before.events.first
		}
	}
	for i, body := range bodies {
		body.UpdatedAt = instant{}
		e.bodies[i], e.changed[i] = body, s.ID
		if !continues {
			continue
		}
		if was, known := before.byID[body.ID]; known && before.events.bodies[was] == body {
			e.changed[i] = before.events.changed[was]
		}
	}
	return e
}

// since returns the number of an earlier publication, or 0 if the numbers began again after it.
func (e *pairEvents) since(before *pairPage) uint64 {
	if e.restarts != before.events.restarts {
		return 0
	}
	return before.snapshot.ID
}

// event encodes the event for clients that know the publication since: the pairs that changed after it. For 0 it is a snapshot. It
// is empty if no pair changed.
func (p *pairPage) event(epoch uint64, filters PairFilters, since uint64) []byte {
	p.events.mu.Lock()
	defer p.events.mu.Unlock()
	key := eventKey{filters, since}
	if event, ok := p.events.encoded[key]; ok {
		return event
	}
	at, name := p.filter(&filters), "snapshot"
	if since > 0 {
		name = "change"
		at = slices.DeleteFunc(at, func(i int) bool { return p.events.changed[i] <= since })
	}
	var event []byte
	if since == 0 || len(at) > 0 {
		head := "id: " + strconv.FormatUint(epoch+p.snapshot.ID, 10) + "\nevent: " + name + "\ndata: "
		event = append(appendItems([]byte(head), p.items, at), "\n\n"...)
	}
	p.events.encoded[key] = event
	return event
}
