package recipients

import (
	"context"
	"time"

	"causeway/core"
)

// Events are told what happens, for metrics and for the audit. They carry no account number and no name. The functions are called
// by many at once and while a client waits, with the values of the context that the question came with; nil ones are left out.
type Events struct {
	Attempt    func(context.Context, Attempt)    // a provider was asked
	Resolution func(context.Context, Resolution) // a good question was answered, or refused
	Search     func(Search)                      // a caller seems to search through account numbers: an operator should know
}

// Outcome is what came of asking.
type Outcome string

// The outcomes.
const (
	Found     Outcome = "found"     // there is such an account: its holder was named, or a name was judged
	Missing   Outcome = "not_found" // there is none, or it is closed; of an attempt also where that is doubtful, and the next one was asked
	Untold    Outcome = "cannot_tell"
	Abandoned Outcome = "abandoned" // nobody waited for it any more: another provider was quicker, or the client left
	Panicked  Outcome = "panicked"  // a defect of an adapter of ours; the next one was asked
	Refused   Outcome = "refused"   // by the guard: nobody was asked
)

// Attempt is one question to one provider.
type Attempt struct {
	Provider string
	Country  string
	Channel  core.Channel
	Outcome  Outcome
	Latency  time.Duration // by the stopwatch
	Hedged   bool          // asked while one before it had yet to answer
	Stack    []byte        // of what Panicked
}

// Resolution is one good question of a client and what it got.
type Resolution struct {
	At       time.Time // by the world's clock
	Caller   string    // keyed hash of Request.Caller
	Key      string    // id of the caller's key; empty: it has none
	Country  string
	Channel  core.Channel
	Bank     string // our code; empty where the channel has none
	Account  string // keyed hash of country, channel, bank and number: the same account has the same one under one Settings.Key
	Outcome  Outcome
	Match    core.NameMatch // of the name that was claimed; empty where none was
	Hidden   bool           // the holder's name was not told
	Provider string         // who answered, now or when it was remembered
	Cached   bool
	Reason   Reason        // why it was Refused; empty: names are only confirmed, and none was claimed
	Took     time.Duration // by the stopwatch
}

// Reason is why the guard refused a question.
type Reason string

// The reasons. All but the first are what a search through account numbers looks like.
const (
	Spent     Reason = "spent"     // the caller's tokens are used up
	Adjacent  Reason = "adjacent"  // many numbers beside each other
	ManyBanks Reason = "banks"     // one number at many banks
	Misses    Reason = "not_found" // many numbers that do not exist
)

// Search is a caller's search through account numbers, when it was noticed.
type Search struct {
	At     time.Time
	Caller string // keyed hash of Request.Caller
	Key    string // id of the caller's key; empty: it has none
	Reason Reason
	Until  time.Time // when the caller may go on
	Mode   GuardMode
}

// whole replaces what is nil.
func (e Events) whole() Events {
	if e.Attempt == nil {
		e.Attempt = func(context.Context, Attempt) {}
	}
	if e.Resolution == nil {
		e.Resolution = func(context.Context, Resolution) {}
	}
	if e.Search == nil {
		e.Search = func(Search) {}
	}
	return e
}
