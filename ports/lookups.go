package ports

import "context"

// LookupPage is how many records LookupLog.Read returns at most.
const LookupPage = 1000

// LookupLog keeps, for at least 24 hours, what replicas and earlier processes tell each other about
// account lookups. It cannot read the records: callers seal them.
//
// Append adds a record. Read returns records in the order in which they were added: those after a
// position, or all for an empty position, but at most LookupPage. Fewer mean that there are no
// more. last is the position of the last record returned, or after if there is none. A record that
// was added before Read is called is returned by some page. A record may be returned twice.
//
// A log that cannot be reached is core.Unavailable. Both methods are safe for concurrent use and
// return promptly when ctx is done.
type LookupLog interface {
	Append(ctx context.Context, record []byte) error
	Read(ctx context.Context, after string) (records [][]byte, last string, err error)
}
