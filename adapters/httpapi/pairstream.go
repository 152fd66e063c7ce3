package httpapi

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
)

const (
	pingEvery    = 15 * time.Second
	writeLimit   = 10 * time.Second // for one event to be taken by the connection
	reconnect    = time.Second      // the shortest wait before a client of a stopping process comes back
	reconnectVar = 4000             // milliseconds that are added to it at most, so that not all come back at once
	ping         = ": ping\n\n"
)

// Why a stream ended.
const (
	endClient   = "client"   // the client went away
	endSlow     = "slow"     // it did not take an event in time
	endShutdown = "shutdown" // the process stops
)

type streamParams struct {
	pairFilters
	LastEventID string `header:"Last-Event-ID" doc:"The last id that the client got: it is told what changed since then, if that is known here, else everything. Browsers send it by themselves when they reconnect" example:"7"`
}

// pairStreams lets clients follow the prices. Nobody waits for them: a publication is left where all of them find it, each event is
// encoded once for all who follow the same filters, and who was busy with one publication while others came is told of these in one.
// So there is nothing to queue, and a client that takes an event too slowly is dropped.
type pairStreams struct {
	params  []param
	epoch   uint64 // of this process
	closing <-chan struct{}
	api     *API
}

// newEpoch tells the event ids of this process from those of others, by the instant at which it starts: an id of another one must not
// be taken for one of ours. Ids stay whole numbers that JavaScript can hold, and end in the number of the publication.
func newEpoch(start time.Time) uint64 {
	return uint64(start.UnixNano()) % epochs * publications
}

const publications, epochs = 1_000_000_000, 9_000_000

// epochOf is what is added to the number of a publication: where replicas share one book it is that of the leader's term, so that their clients may
// go from one to the other.
func (s *pairStreams) epochOf(page *pairPage) uint64 {
	if page.Term == 0 {
		return s.epoch
	}
	return page.Term % epochs * publications
}

func (a *API) registerStream() {
	described, params := parametersOf[streamParams](a)
	s := &pairStreams{params: params, epoch: newEpoch(a.stopwatch()), closing: a.closing, api: a}
	a.register(huma.Operation{
		OperationID: "stream-pairs", Method: http.MethodGet, Path: "/pairs/stream", Tags: []string{"Pairs"},
		Summary: "Follow the prices",
		Description: "Server-sent events (EventSource in a browser). First `snapshot` with the pairs that pass the filters, as the list has them; then `change` for every publication in which some of them changed in more than updated_at, with those that did. " +
			"Replace what you hold by id. A comment every 15 seconds shows that the connection lives. A client that reads too slowly is cut off and may come back with Last-Event-ID.",
		Parameters: described,
		Responses:  a.streamResponses(requestValidation, serviceUnavailable),
	}, s.serve)
}

// serve begins a stream. Whatever is wrong is said in the envelope, before.
func (s *pairStreams) serve(x *exchange) error {
	var filters [pairFilterCount]string
	faults := readQuery(x.r.URL.RawQuery, s.params, filters[:])
	if faults = append(faults, readPairType(&filters[pairType])...); len(faults) > 0 {
		return invalid(faults)
	}
	page := x.in.pairs.current.Load()
	if page == nil {
		return errNoPrices()
	}
	select {
	case <-s.closing:
		return core.Errorf(core.Unavailable, "The service is stopping; please connect again").Retry(reconnect)
	default:
	}
	if x.r.Method != http.MethodHead {
		end, err := s.api.crowd.follow(x.who().id)
		if err != nil {
			x.crowded = true
			return err
		}
		defer end()
	}
	h := x.w.Header()
	h[headerType], h[headerCacheControl], h["X-Accel-Buffering"] = typeEvents, noStore, unbuffered
	if s.api.origins != nil {
		h[headerVary] = s.api.varyError
	}
	x.WriteHeader(http.StatusOK)
	if x.r.Method == http.MethodHead {
		return nil
	}
	f := follower{pairStreams: s, x: x, control: http.NewResponseController(x.w), filters: filters}
	s.api.metrics.streamsEnded.WithLabelValues(endOf(f.follow(x.r.Context(), page))).Inc()
	return nil
}

// follower is one client of the stream.
type follower struct {
	*pairStreams
	x       *exchange
	control *http.ResponseController
	filters [pairFilterCount]string
}

// errClosing ends a stream because the process stops.
var errClosing = errors.New("the process stops")

// follow tells the client of one publication after the other, until one of them goes away.
func (f *follower) follow(ctx context.Context, page *pairPage) error {
	event := page.event(f.epochOf(page), f.filters, f.known(page))
	if len(event) == 0 {
		event = []byte(ping) // the client should know that it is connected
	}
	pings := time.NewTimer(pingEvery)
	defer pings.Stop()
	for {
		if err := f.send(event); err != nil {
			return err
		}
		select {
		case <-page.replaced:
			before := page
			page = f.x.in.pairs.current.Load()
			event = page.event(f.epochOf(page), f.filters, page.since(before))
		case <-pings.C:
			pings.Reset(pingEvery)
			event = []byte(ping)
		case <-ctx.Done():
			return ctx.Err()
		case <-f.closing:
			return errors.Join(errClosing, f.send(f.farewell()))
		}
	}
}

// known is the publication that the client says it has, if it was one of those that this process showed under the present term, else 0.
func (f *follower) known(page *pairPage) uint64 {
	id, err := strconv.ParseUint(f.x.r.Header.Get("Last-Event-ID"), 10, 64)
	epoch := f.epochOf(page)
	if err != nil || id < epoch+page.first || id > epoch+page.ID {
		return 0
	}
	return id - epoch
}

// send writes an event, all of it within the limit. There may be nothing to send.
func (f *follower) send(event []byte) error {
	if len(event) == 0 {
		return nil
	}
	_ = f.control.SetWriteDeadline(f.api.stopwatch().Add(writeLimit))
	if _, err := f.x.Write(event); err != nil {
		return err
	}
	return f.control.Flush()
}

// farewell asks the client to wait a moment before it connects again.
func (f *follower) farewell() []byte {
	wait := uint64(reconnect/time.Millisecond) + f.x.in.entropy()%reconnectVar
	return append(strconv.AppendUint([]byte("retry: "), wait, 10), "\n\n"...)
}

func endOf(err error) string {
	switch {
	case errors.Is(err, errClosing):
		return endShutdown
	case errors.Is(err, os.ErrDeadlineExceeded):
		return endSlow
	}
	return endClient
}
