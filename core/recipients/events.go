package recipients

import (
	"context"
	"time"

	"causeway/core"
	"causeway/core/recipients/guard"
)

// Events are called while a client waits, for metrics and logs. They contain no account number and
// no name, and may be called concurrently. The context belongs to the request. Nil functions are
// skipped.
type Events struct {
	Attempt    func(context.Context, Attempt)    // a provider was called
	Resolution func(context.Context, Resolution) // a valid request was resolved or refused
	Alarm      func(guard.Alarm)                 // a caller seems to enumerate accounts
	// LookupsFailed reports that the guard cannot use a log of lookups, "shared" or "saved", and
	// counts alone.
	LookupsFailed func(log string, err error)
}

// Attempt is one call of a provider.
type Attempt struct {
	Provider string
	Country  string
	Channel  core.Channel
	Outcome  Outcome
	Latency  time.Duration
	Hedged   bool   // called while another provider was pending
	Stack    []byte // of a panic
}

// Resolution is one valid request and its result.
type Resolution struct {
	At       time.Time // by the world's clock
	Caller   string    // keyed hash
	Key      string    // ID of the caller's API key; empty if it has none
	Country  string
	Channel  core.Channel
	Bank     string // Causeway's code; empty if the channel has no banks
	Account  string // keyed hash of country, channel, bank and number
	Outcome  Outcome
	Match    core.NameMatch // of a claimed name
	Document core.NameMatch // of a document
	Hidden   bool           // the name was not disclosed
	Provider string         // that resolved it, now or when the result was cached
	Cached   bool
	Reason   guard.Reason // why it was refused; empty if a claimed name was missing
	Took     time.Duration
}

func (e Events) withDefaults() Events {
	if e.Attempt == nil {
		e.Attempt = func(context.Context, Attempt) {}
	}
	if e.Resolution == nil {
		e.Resolution = func(context.Context, Resolution) {}
	}
	if e.Alarm == nil {
		e.Alarm = func(guard.Alarm) {}
	}
	if e.LookupsFailed == nil {
		e.LookupsFailed = func(string, error) {}
	}
	return e
}
