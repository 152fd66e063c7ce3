// Package journal remembers what happened in one simulated world, so that a test can ask instead of guess: each Entry is a request
// with the tree of what it caused, from the cache's decision over every attempt at a provider to the answer.
//
// What is about people never gets in. Values of a request are masked as core.Private before they are stored, all but those of a list of
// harmless names (mask_table.go); a credential is not stored at all. The one exception is a request that a repro Bundle will send again:
// where the world keeps requests, its bytes wait in memory beside the entry, bounded with it, and leave in a bundle only, which says so. A request that holds a private
// key or a recovery phrase is no such exception: it is never kept (see Tell).
// Masked means the first and last two characters at most, so that two numbers may look the same: a keyed digest beside the mask tells them apart when they are asked for.
//
// A journal is bounded by entries and by bytes, and drops the oldest; what it dropped is counted, and an Assertion that depends on
// it does not pass. It is written on the path of every request: Begin, what happens, End. Requests that are under way are not in
// it. It knows nothing of worlds, of HTTP servers and of the API whose requests it records, and asks nobody the time but its two clocks.
package journal

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"causeway/core"
)

// Limits bound a journal. Whichever is reached first decides.
type Limits struct {
	Entries int `json:"entries" doc:"Maximum number of entries" example:"500"`
	Bytes   int `json:"bytes" doc:"Maximum memory in bytes, kept requests included" example:"1048576"`
}

// Limits that may be set. An entry always fits into the fewest bytes.
const (
	mostEntries = 100_000
	leastBytes  = 256 << 10
	mostBytes   = 1 << 30
)

// Usual is what a world has unless it asks for something else: 500 entries or 1 MiB.
func Usual() Limits { return Limits{Entries: 500, Bytes: 1 << 20} }

// Check returns what is wrong with the limits, each with what is accepted.
func (l Limits) Check() error {
	var faults []core.FieldError
	if l.Entries < 1 || l.Entries > mostEntries {
		faults = append(faults, fault("entries", "is %d; accepted: 1 to %d", l.Entries, mostEntries))
	}
	if l.Bytes < leastBytes || l.Bytes > mostBytes {
		faults = append(faults, fault("bytes", "is %d; accepted: %d to %d", l.Bytes, leastBytes, mostBytes))
	}
	return invalid(faults)
}

// Config says which journal to make.
type Config struct {
	World     string     // its id, in every entry
	Clock     core.Clock // the world's: when a request began
	Stopwatch core.Clock // the machine's: how long it took, also where the world's clock stands still
	Limits    Limits     // zero: Usual
	// KeepRequests keeps the requests as they were sent, for a Bundle.
	KeepRequests bool
	// Secret tells what nobody may keep: a request that holds such is not kept for a Bundle, which counts it as left out, and its entry shows nothing of it. nil: there
	// are no secrets.
	Secret Tell
}

// Journal is the record of one world. It is safe for concurrent use. A world that is reset gets a new one, and closes the old.
type Journal struct {
	cfg  Config
	late atomic.Uint64

	mu          sync.Mutex
	entries     []*Open // oldest first
	bytes       int
	controls    int // entries that are calls of the control API
	seq         uint64
	dropped     uint64
	fingerprint Sum
	changed     chan struct{} // closed at the next entry; nil while nobody waits
	closed      bool
}

// ErrClosed is what waiting on a journal ends with when its world is reset or ends.
var ErrClosed = errors.New("journal: closed, since its world was reset or ended")

// New makes an empty journal.
func New(cfg Config) (*Journal, error) {
	if cfg.Limits == (Limits{}) {
		cfg.Limits = Usual()
	}
	if cfg.Clock == nil || cfg.Stopwatch == nil {
		return nil, errors.New("journal: a clock is missing")
	}
	if err := cfg.Limits.Check(); err != nil {
		return nil, err
	}
	return &Journal{cfg: cfg}, nil
}

// State says how full a journal is.
type State struct {
	Entries     int    `json:"entries" doc:"Number of requests to the public API" example:"3"`
	Controls    int    `json:"control_calls" doc:"Number of calls of the control API" example:"1"`
	Bytes       int    `json:"bytes" doc:"Memory in bytes" example:"1200"`
	Limits      Limits `json:"limits" doc:"Limits of the journal"`
	Last        uint64 `json:"last" doc:"Number of the newest entry; 0: none yet" example:"3"`
	Dropped     uint64 `json:"dropped" doc:"Number of entries that were dropped for newer ones" example:"0"`
	Late        uint64 `json:"late" doc:"Number of events that came after their entry had ended" example:"0"`
	Keeps       bool   `json:"keep_requests" doc:"Whether requests are kept for bundles" example:"true"`
	Fingerprint Sum    `json:"fingerprint" doc:"Rolling SHA-256 of the responses: equal in worlds with the same responses"`
}

// State returns how full the journal is.
func (j *Journal) State() State {
	j.mu.Lock()
	defer j.mu.Unlock()
	return State{
		Entries: len(j.entries) - j.controls, Controls: j.controls, Bytes: j.bytes, Limits: j.cfg.Limits, Last: j.seq, Dropped: j.dropped,
		Late: j.late.Load(), Keeps: j.cfg.KeepRequests, Fingerprint: j.fingerprint,
	}
}

// Fingerprint is the rolling sum of the world's answers, in the order in which they ended: see Sum.Next. It is zero before the
// first. Streams and calls of the control API have no part in it.
func (j *Journal) Fingerprint() Sum {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.fingerprint
}

// Close ends all waiting. What is recorded afterwards is lost, and counted as late; what is there can still be read.
func (j *Journal) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	j.broadcast()
}

// broadcast wakes whoever waits. The caller holds the lock.
func (j *Journal) broadcast() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

// add gives an entry its number and its place.
func (j *Journal) add(o *Open) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		j.late.Add(1)
		return
	}
	j.seq++
	o.entry.Seq = j.seq
	if !o.entry.Control && !o.entry.Answer.Streamed {
		j.fingerprint = j.fingerprint.Next(o.entry.Answer.Status, o.entry.Answer.SHA256)
	}
	for len(j.entries) > 0 && (len(j.entries) >= j.cfg.Limits.Entries || j.bytes+o.size > j.cfg.Limits.Bytes) {
		j.drop()
	}
	j.entries = append(j.entries, o)
	j.bytes += o.size
	if o.entry.Control {
		j.controls++
	}
	j.broadcast()
}

// drop forgets the oldest entry. The caller holds the lock.
func (j *Journal) drop() {
	oldest := j.entries[0]
	j.entries[0], j.entries = nil, j.entries[1:]
	j.bytes -= oldest.size
	j.dropped++
	if oldest.entry.Control {
		j.controls--
	}
}

// masker returns a masker for one request.
func (j *Journal) masker() masker { return masker{world: j.cfg.World, tell: j.cfg.Secret} }

// after returns the entries with a higher number, oldest first, and how many such were dropped.
func (j *Journal) after(seq uint64) (entries []*Open, dropped uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.since(seq)
}

// since is after, for a caller that holds the lock. Numbers have no gaps, so that they are positions.
func (j *Journal) since(seq uint64) (entries []*Open, dropped uint64) {
	if seq < j.dropped {
		dropped, seq = j.dropped-seq, j.dropped
	}
	if seq >= j.seq {
		return nil, dropped
	}
	return slices.Clone(j.entries[seq-j.dropped:]), dropped
}

// Millis is a duration in milliseconds, whole microseconds kept: how JSON has it.
func Millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
