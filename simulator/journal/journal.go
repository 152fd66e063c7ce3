// Package journal records the requests to one simulated world, so that tests can check what happened: each Entry is a
// request with everything that it caused, from the cache over every attempt at a provider to the response.
//
// A journal keeps requests as they were sent, without credentials, so that a Bundle can send them
// again. Everything else that it shows is masked: values are shown as core.Private, except codes in
// fields that are the same for all users. A part of a request that looks like a private key or a
// recovery phrase is not kept at all.
//
// A journal is bounded and drops the oldest entries. An Assertion that depends on dropped entries does not pass.
package journal

import (
	"sync"

	"causeway/core"
)

// Limits of a journal. The limit that is reached first decides.
const (
	MaxEntries = 500
	MaxBytes   = 1 << 20
)

// Config configures a Journal.
type Config struct {
	World     string     // its ID
	Clock     core.Clock // of the world: when a request began
	Stopwatch core.Clock // of the machine: how long the request took
	// Secret reports whether a text looks like a private key, a seed or a recovery phrase, or contains one. prose says
	// that the text may be a sentence. It may be nil.
	Secret func(text string, prose bool) bool
}

// Journal is the record of one world. It is safe for concurrent use. A world that is reset gets a new one.
type Journal struct {
	cfg Config

	mu          sync.Mutex
	past        []Sent  // before the entries, in a world that is a copy
	pastLeftOut int     // requests that are missing there
	entries     []*Open // oldest first
	bytes       int
	seq         uint64
	dropped     uint64
	fingerprint Sum
	changed     chan struct{} // closed at the next entry; nil if no call waits
	closed      bool
}

// ErrClosed is the error of Wait when the world is reset or ends.
var ErrClosed = core.Errorf(core.Expired, "The world was reset or ended during the call")

// New returns an empty journal.
func New(cfg Config) *Journal {
	if cfg.Secret == nil {
		cfg.Secret = func(string, bool) bool { return false }
	}
	return &Journal{cfg: cfg}
}

// State says how full a journal is.
type State struct {
	Entries     int    `json:"entries" doc:"Number of requests to the public API" example:"3"`
	Controls    int    `json:"control_calls" doc:"Number of calls of the control API and of blocks" example:"1"`
	Bytes       int    `json:"bytes" doc:"Approximate memory in bytes" example:"1200"`
	Last        uint64 `json:"last" doc:"Number of the newest entry; 0: none yet" example:"3"`
	Dropped     uint64 `json:"dropped" doc:"Number of entries that were dropped for newer ones" example:"0"`
	Fingerprint Sum    `json:"fingerprint" doc:"Rolling SHA-256 of the responses: equal in worlds with the same responses"`
}

// State returns how full the journal is.
func (j *Journal) State() State {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := State{Bytes: j.bytes, Last: j.seq, Dropped: j.dropped, Fingerprint: j.fingerprint}
	for _, o := range j.entries {
		if o.Control {
			s.Controls++
		} else {
			s.Entries++
		}
	}
	return s
}

// Fingerprint returns the rolling sum of the responses of the world, in the order in which they ended: see Sum.Next.
// Streams and calls of the control API are not part of it.
func (j *Journal) Fingerprint() Sum { return j.State().Fingerprint }

// Close ends all calls of Wait and records nothing from now on.
func (j *Journal) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	j.broadcast()
}

// broadcast wakes all calls of Wait. The caller holds the lock.
func (j *Journal) broadcast() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

// add adds an entry and drops the oldest ones beyond the limits.
func (j *Journal) add(o *Open) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return
	}
	j.seq++
	o.Seq = j.seq
	if !o.Control && !o.Answer.Streamed {
		j.fingerprint = j.fingerprint.Next(o.Answer.Status, o.Answer.SHA256)
	}
	j.bytes += o.size
	j.entries = append(j.entries, o)
	for len(j.entries) > MaxEntries || j.bytes > MaxBytes {
		j.bytes -= j.entries[0].size
		j.entries[0], j.entries = nil, j.entries[1:]
		j.dropped++
	}
	j.broadcast()
}

// view is the part of a journal that a Match looks at, at one instant.
type view struct {
	entries []*Open // oldest first
	dropped uint64  // entries in the range of the match that are gone
	changed <-chan struct{}
	closed  bool
}

// view returns the entries after the number of the match, on its side of the API.
func (j *Journal) view(m Match) view {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.changed == nil && !j.closed {
		j.changed = make(chan struct{})
	}
	v := view{changed: j.changed, closed: j.closed, dropped: j.dropped - min(m.After, j.dropped)}
	for _, o := range j.entries {
		if o.Seq > m.After && o.Control == m.Control {
			v.entries = append(v.entries, o)
		}
	}
	return v
}

// Find returns the entries that match, oldest first: the newest limit of them or, with Match.After, the first limit, so
// that one page follows the other. Limit 0 is no limit.
func (j *Journal) Find(m Match, limit int) ([]Entry, error) {
	if err := m.check(""); err != nil {
		return nil, err
	}
	found := m.filter(j.view(m).entries)
	if limit > 0 && len(found) > limit {
		if m.After > 0 {
			found = found[:limit]
		} else {
			found = found[len(found)-limit:]
		}
	}
	return shown(found), nil
}

// Entry returns the entry with a number, if the journal has it.
func (j *Journal) Entry(seq uint64) (Entry, bool) {
	o := j.open(seq)
	if o == nil {
		return Entry{}, false
	}
	return shown([]*Open{o})[0], true
}

// open returns the record of an entry; nil if the journal does not have it.
func (j *Journal) open(seq uint64) *Open {
	j.mu.Lock()
	defer j.mu.Unlock()
	if seq <= j.dropped || seq > j.seq {
		return nil
	}
	return j.entries[seq-j.dropped-1]
}

// Exchange returns the request of an entry as it was sent and the beginning of the response's body,
// unmasked. ok is false if the entry is gone or its request is not kept.
func (j *Journal) Exchange(seq uint64) (request Sent, response string, ok bool) {
	o := j.open(seq)
	if o == nil || o.Withheld || o.isFact() {
		return Sent{}, "", false
	}
	return o.sent, o.response, true
}
