package httpapi

import (
	"slices"
	"strconv"
	"sync"
	"time"
)

// pairEvents is what the stream tells of one publication.
type pairEvents struct {
	bodies   []pairBody    // the pairs, without the time of their update: what differs in more than that has changed
	changed  []uint64      // by place: the publication in which the pair last changed
	first    uint64        // the first publication under the present term
	counts   uint64        // how often the numbers of publications began anew here, as they do when a shared book was away or is back
	replaced chan struct{} // closed as soon as there is a newer one

	mu      sync.Mutex
	encoded map[eventKey][]byte // every event once, for all who follow the same
}

// eventKey is what an event depends on: the filters, and the last publication that the client knows, or 0.
type eventKey struct {
	filters [pairFilterCount]string
	since   uint64
}

func newPairEvents(count int) pairEvents {
	return pairEvents{
		bodies: make([]pairBody, count), changed: make([]uint64, count), replaced: make(chan struct{}), encoded: map[eventKey][]byte{},
	}
}

// compare notes whether the pair at a place changed since the publication before.
func (p *pairPage) compare(before *pairPage, i int, body pairBody) {
	body.UpdatedAt = pairInstant(time.Time{})
	p.bodies[i], p.changed[i] = body, p.ID
	if before == nil || before.ID >= p.ID {
		return
	}
	if was, known := before.byID[body.ID]; known && before.bodies[was] == body {
		p.changed[i] = before.changed[was]
	}
}

// succeed takes its place behind the publication before.
func (p *pairPage) succeed(before *pairPage) {
	p.first = p.ID
	if before == nil {
		return
	}
	p.counts = before.counts
	switch {
	case before.ID >= p.ID:
		p.counts++
	case before.Term == p.Term:
		p.first = before.first
	}
}

// since is the number of a publication before, if this one can be told from it by number, else 0.
func (p *pairPage) since(before *pairPage) uint64 {
	if p.counts != before.counts {
		return 0
	}
	return before.ID
}

// event encodes what a client should be told that knows a publication already: the pairs that changed since then, or nothing where none
// did. One that knows nothing (0) is told all pairs. epoch is added to the id of the publication.
func (p *pairPage) event(epoch uint64, filters [pairFilterCount]string, since uint64) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := eventKey{filters, since}
	event, made := p.encoded[key]
	if !made {
		event = p.encodeEvent(epoch, filters[:], since)
		p.encoded[key] = event
	}
	return event
}

func (p *pairPage) encodeEvent(epoch uint64, filters []string, since uint64) []byte {
	at, name := p.where(filters), "snapshot"
	if since > 0 {
		name = "change"
		if at = slices.DeleteFunc(at, func(i int) bool { return p.changed[i] <= since }); len(at) == 0 {
			return nil
		}
	}
	out := make([]byte, 0, p.size(at)+64)
	out = append(strconv.AppendUint(append(out, "id: "...), epoch+p.ID, 10), "\nevent: "...)
	out = append(append(out, name...), "\ndata: "...)
	return append(p.appendTo(out, at), "\n\n"...)
}
