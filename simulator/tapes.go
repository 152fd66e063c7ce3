package simulator

import (
	"maps"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"causeway/core"
)

// Tapes are those that are played in a world. It is safe for concurrent use.
type Tapes struct {
	offers func() map[string]Offer

	changing sync.Mutex
	made     uint64 // tapes so far
	playing  atomic.Pointer[[]*spool]
}

// spool is a tape that is played. All but its count is never changed.
type spool struct {
	id        string
	from      time.Time
	tape      Tape
	entries   map[string][]int // of tape.Entries, by provider
	providers []string         // with an entry, sorted
	bytes     int              // of bodies
	answered  atomic.Uint64
}

// Playback is a tape of a world with what came of it.
type Playback struct {
	ID        string    `json:"id"`
	Title     string    `json:"title,omitempty"`
	From      time.Time `json:"from"`
	Until     time.Time `json:"until,omitzero"` // zero: it begins again at its end
	Providers []string  `json:"providers"`
	Entries   int       `json:"entries"`
	Bytes     int       `json:"bytes"`
	Answered  uint64    `json:"answered"` // questions
}

func newTapes(offers func() map[string]Offer) *Tapes { return &Tapes{offers: offers} }

// Tapes are the tapes that are played in the world.
func (w *World) Tapes() *Tapes { return w.tapes }

// Play plays a tape from an instant on, and returns its id. Where tapes have an answer to the same question, the newest one decides. The error names what
// is not accepted, and then nothing is changed.
func (ts *Tapes) Play(t Tape, from time.Time) (Playback, error) {
	ts.changing.Lock()
	defer ts.changing.Unlock()
	s, err := newSpool("t"+strconv.FormatUint(ts.made+1, 10), t, from, ts.offers())
	if err != nil {
		return Playback{}, err
	}
	list := slices.DeleteFunc(ts.list(), func(s *spool) bool { return s.over(from) })
	if len(list) >= mostTapes {
		return Playback{}, core.InvalidField("entries", "%d tapes are played already; accepted: no more before one ends or is removed", len(list))
	}
	ts.made++
	list = append(list, s)
	ts.playing.Store(&list)
	return s.report(), nil
}

func newSpool(id string, t Tape, from time.Time, offers map[string]Offer) (*spool, error) {
	s := &spool{id: id, from: from.UTC(), tape: t.plain(), entries: map[string][]int{}}
	if err := s.tape.check(offers); err != nil {
		return nil, err
	}
	for i, e := range s.tape.Entries {
		s.entries[e.Provider] = append(s.entries[e.Provider], i)
		s.bytes += len(e.Body) + len(e.Text)
	}
	s.providers = slices.Sorted(maps.Keys(s.entries))
	return s, nil
}

// list is a copy of the tapes.
func (ts *Tapes) list() []*spool {
	if list := ts.playing.Load(); list != nil {
		return slices.Clone(*list)
	}
	return nil
}

// List returns the tapes in the order in which they were put in, those that ended too until there is a new one. The caller owns it.
func (ts *Tapes) List() []Playback {
	out := []Playback{}
	for _, s := range ts.list() {
		out = append(out, s.report())
	}
	return out
}

// Remove takes a tape out. It is core.NotFound where there is none of that id.
func (ts *Tapes) Remove(id string) error {
	ts.changing.Lock()
	defer ts.changing.Unlock()
	list := ts.list()
	i := slices.IndexFunc(list, func(s *spool) bool { return s.id == id })
	if i < 0 {
		return core.Errorf(core.NotFound, "There is no tape %s", core.Quoted(id))
	}
	list = slices.Delete(list, i, i+1)
	ts.playing.Store(&list)
	return nil
}

// Answer is what a tape says to a question at an instant.
type Answer struct {
	Tape  string // its id
	Entry TapeEntry
	Later time.Duration // than the instant that the times in it are of; zero: they stay as they are
}

// Answer returns what the newest tape that fits says to a question, and counts that; false where none fits.
func (ts *Tapes) Answer(provider, path string, query url.Values, at time.Time) (Answer, bool) {
	for _, s := range slices.Backward(ts.list()) {
		if a, found := s.answer(provider, path, query, at); found {
			s.answered.Add(1)
			return a, true
		}
	}
	return Answer{}, false
}

// Has reports whether a tape of a provider is played at an instant.
func (ts *Tapes) Has(provider string, at time.Time) bool {
	return slices.ContainsFunc(ts.list(), func(s *spool) bool {
		return len(s.entries[provider]) > 0 && !s.from.After(at) && !s.over(at)
	})
}

func (s *spool) answer(provider, asked string, query url.Values, at time.Time) (Answer, bool) {
	if s.from.After(at) || s.over(at) {
		return Answer{}, false
	}
	begun, lasts := s.from, time.Duration(s.tape.Lasts)
	if s.tape.Repeat {
		begun = begun.Add(at.Sub(begun).Truncate(lasts))
	}
	of := s.entries[provider]
	next := sort.Search(len(of), func(i int) bool { return time.Duration(s.tape.Entries[of[i]].At) > at.Sub(begun) })
	for _, i := range slices.Backward(of[:next]) {
		if e := s.tape.Entries[i]; e.fits(asked, query) {
			a := Answer{Tape: s.id, Entry: e}
			if !s.tape.Recorded.IsZero() {
				a.Later = begun.Sub(s.tape.Recorded)
			}
			return a, true
		}
	}
	return Answer{}, false
}

// fits reports whether an entry is an answer to a question of its provider.
func (e TapeEntry) fits(asked string, query url.Values) bool {
	for name, value := range e.Query {
		if query.Get(name) != value {
			return false
		}
	}
	return asked == e.Path
}

// over reports whether a tape will never answer anything again.
func (s *spool) over(at time.Time) bool { return !s.tape.Repeat && !s.until().After(at) }

func (s *spool) until() time.Time { return s.from.Add(time.Duration(s.tape.Lasts)) }

func (s *spool) report() Playback {
	out := Playback{
		ID: s.id, Title: s.tape.Title, From: s.from, Providers: slices.Clone(s.providers), Entries: len(s.tape.Entries), Bytes: s.bytes, Answered: s.answered.Load(),
	}
	if !s.tape.Repeat {
		out.Until = s.until()
	}
	return out
}

// next is the first instant after another at which a tape ends.
func (ts *Tapes) next(after time.Time) time.Time {
	var next time.Time
	for _, s := range ts.list() {
		if !s.tape.Repeat && s.until().After(after) {
			next = earlier(next, s.until())
		}
	}
	return next
}
