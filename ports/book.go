package ports

import "context"

// PriceBook is the one book of prices that replicas share. One of them leads and writes it, the others read it. What is in it is bytes: the book
// does not know prices.
//
// Every edition has a Mark that is above those of all editions before. A book may forget everything at any time, and its marks rise even then.
//
// Lead asks for the lead once, and returns core.Conflict where somebody else has it. Whoever gets it has it while while runs: the lead is kept
// up meanwhile, and the context that while is given ends as soon as it cannot be, or is somebody else's. When while returns the lead is
// given up, and Lead returns nil. A leader that disappears is followed by the next one who asks, at most three seconds later.
// Read returns the newest edition above a mark, or core.NotFound. Follow tells every edition as it is written, until ctx is done, and survives
// outages of the book; some may be missing or come twice, so a follower reads as well. An edition without a body says that the lead is
// free; it has no mark. heard must be quick. Say leaves a word for the leader, who finds it for some seconds, however often it looks.
//
// A book that cannot be reached, or is full, is core.Unavailable. All methods are safe for concurrent use and return promptly when ctx is done.
type PriceBook interface {
	Lead(ctx context.Context, while func(context.Context, Lead)) error
	Read(ctx context.Context, above Mark) (Edition, error)
	Follow(ctx context.Context, heard func(Edition))
	Say(ctx context.Context, word string) error
}

// Lead is the lead of a PriceBook, for as long as it lasts.
//
// Publish writes an edition under the lead's term. It returns core.Conflict, and nothing is written, if the lead is somebody else's, or the number
// is not above that of the newest edition, whoever wrote that. After core.Unavailable it may be written or not. Words are those that
// were left for the leader lately.
type Lead interface {
	Term() uint64   // above that of every edition so far, and below 2^53
	Newest() uint64 // the number of the newest edition when the lead was got, or zero
	Publish(ctx context.Context, number uint64, body []byte) error
	Words(ctx context.Context) ([]string, error)
}

// Mark is the place of an edition in a PriceBook: numbers rise within a term, terms from leader to leader.
type Mark struct{ Term, Number uint64 }

// Above reports whether the mark is the later one.
func (m Mark) Above(other Mark) bool {
	return m.Term > other.Term || m.Term == other.Term && m.Number > other.Number
}

// Edition is the whole book at an instant.
type Edition struct {
	Mark
	Body []byte
}
