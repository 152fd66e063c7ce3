package banks

import "time"

// Reason is the reason why an institution of a provider's list was left out.
type Reason string

// The reasons.
const (
	// no code or name, another country, or an unsupported currency, type or channel
	Malformed     Reason = "malformed"
	DifferentName Reason = "different_name" // one of its codes belongs to an institution with another name
	DifferentNIP  Reason = "different_nip"  // its NIP code differs from the known one, or between lists
	// its codes belong to several institutions, or the list has its code for another name, too
	Ambiguous Reason = "ambiguous"
	SameName  Reason = "same_name" // its codes are new, but its name belongs to an institution with other codes
	// it has no accounts of people: a central bank, or a code for many institutions
	NotAnInstitution Reason = "not_an_institution"
	Closed           Reason = "closed" // it no longer exists
)

// Institution identifies an institution in reports.
type Institution struct{ Code, Name string }

// LeftOut is an institution of a provider's list that could not be joined to the registry; its code
// and name are the provider's.
type LeftOut struct {
	Institution

	Reason Reason
}

// source is one directory's list of one country.
type source struct{ directory, country string }

// Outcome describes the last list of a country that was merged from a directory.
type Outcome struct {
	Directory string
	Country   string
	Listed    int           // institutions in the provider's list
	Joined    int           // of these, joined to the catalog
	Learned   int           // institutions of the catalog whose code at the provider was new
	Added     int           // of those listed, known only from directories
	New       []Institution // the added ones, by the provider's code and name
	Gone      []Institution // institutions of earlier lists; requests for them no longer go to the provider
	LeftOut   []LeftOut
}

// HeldBack is a list that was not merged because too many institutions would be missing.
type HeldBack struct {
	At      time.Time
	Missing []Institution // from the list, or from the registry
	Of      int           // institutions before
}

// State is the state of one directory for one country.
type State struct {
	Outcome

	LastSuccess time.Time // when a list was last merged; zero: never
	LastError   error     // of the last request; nil if it succeeded
	Failures    int       // consecutive failures; a held-back list counts as one
	Succeeded   uint64    // lists merged
	Failed      uint64    // requests without a usable list
	Held        uint64    // lists held back
	HeldBack    *HeldBack // the list that waits for Accept, or nil
}

// States returns the state of every directory and country, in that order.
func (s *Service) States() []State {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]State, 0, len(s.feeds))
	for _, f := range s.feeds {
		out = append(out, f.state)
	}
	return out
}
