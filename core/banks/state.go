package banks

import "time"

// Reason says why an institution of a provider's list was left out.
type Reason string

// The reasons.
const (
	Malformed     Reason = "malformed"      // no code or name, another country, or a currency, type or channel that the country has not
	DifferentName Reason = "different_name" // one of its codes is known for an institution with another name
	DifferentNIP  Reason = "different_nip"  // it is known by another NIP code, or two lists give it different ones
	Ambiguous     Reason = "ambiguous"      // its codes are known for more than one institution, or its code comes twice in the list
	SameName      Reason = "same_name"      // its codes are new, but its name is that of an institution with other codes
)

// Institution names an institution to people.
type Institution struct{ Code, Name string }

// LeftOut is an institution of a provider's list that could not be joined to the registry; its code and name are the provider's.
type LeftOut struct {
	Institution

	Reason Reason
}

// source is one directory's list of one country.
type source struct{ directory, country string }

// Outcome says what became of the last list of a country that was taken over from a directory.
type Outcome struct {
	Directory string
	Country   string
	Listed    int           // institutions in the provider's list
	Joined    int           // of these, joined to one of the catalog
	Learned   int           // institutions of the catalog whose code at the provider nobody else knew
	Added     int           // of those listed, ones that directories alone know
	Gone      []Institution // institutions that earlier lists had: the provider is not asked about them
	LeftOut   []LeftOut
}

// HeldBack is a list that was not taken over because too much would be missing.
type HeldBack struct {
	At      time.Time
	Missing []Institution // what it lacks, or what would leave the registry
	Of      int           // how many institutions the directory has told, or the country has
}

// State is how a directory does for a country.
type State struct {
	Outcome

	LastSuccess time.Time // when a list was last taken over; zero: never
	LastError   error     // of the last question; nil: it was answered
	Failures    int       // in a row; a list that is held back is one
	Answered    uint64    // lists taken over
	Failed      uint64    // questions without a usable answer
	Held        uint64    // lists held back
	HeldBack    *HeldBack // waits for Accept; nil: nothing
}

// States says how every directory does, in the order of directory and country.
func (s *Service) States() []State {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]State, 0, len(s.feeds))
	for _, f := range s.feeds {
		out = append(out, f.state)
	}
	return out
}
