package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"
)

// Entry is one request and what it caused. It never changes: whoever has one shares its lists with others and leaves them as they are.
type Entry struct {
	ID        string    `json:"id"`                // the request's, as in X-Request-Id
	Seq       uint64    `json:"seq"`               // place in the order in which answers ended, from 1
	At        time.Time `json:"at"`                // when it began, by the world's clock
	World     string    `json:"world"`             // id of the world
	Control   bool      `json:"control,omitempty"` // a call of the control API, which is no request to the product
	Operation string    `json:"operation"`
	Request   Request   `json:"request"`
	Applied   string    `json:"applied"` // what decided the outcome, as in Sim-Applied
	Cache     Cache     `json:"cache"`
	Attempts  []Attempt `json:"attempts"` // by question in the order in which these ended, each with all of its tries
	Votes     []Vote    `json:"votes"`    // of a price that was explained
	Answer    Answer    `json:"answer"`
	Took      float64   `json:"took_ms"`            // by the machine's clock, also where the world's stands still
	LeftOut   int       `json:"left_out,omitempty"` // parts that are not here, since there were too many of their kind
}

// Request is what was asked, masked.
type Request struct {
	Method    string          `json:"method"`
	Path      string          `json:"path"` // escaped
	Query     []Field         `json:"query"`
	Headers   []Field         `json:"headers"`        // those that matter, by name
	Body      json.RawMessage `json:"body,omitempty"` // absent for one that is no JSON, or too long to be shown
	BodyBytes int             `json:"body_bytes"`     // of the body as it was sent

	// Of what is masked, by place, and zero for what is shown as it was sent; of the body, the members of its object.
	segments, query, headers []digest
	members                  []hidden
}

// Field is a header or a query parameter.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Cache says whether an answer came from a cache.
type Cache string

// What a cache may have done. Uncached: none was asked.
const (
	Hit      Cache = "hit"
	Miss     Cache = "miss"
	Uncached Cache = "none"
)

// Attempt is one try of a question to a provider, or a question that was not asked since its breaker is open.
type Attempt struct {
	Provider  string  `json:"provider"`
	Operation string  `json:"operation"`
	Attempt   int     `json:"attempt"` // which try it was, from 1
	Outcome   string  `json:"outcome"` // of the last try what came of the question: found, not_found, cannot_tell, …; of one before: unavailable, timeout, …
	Status    int     `json:"status"`  // 0: no answer
	Breaker   string  `json:"breaker"` // its state before
	Fault     string  `json:"fault"`   // id of the rule that befell it; empty: none
	Took      float64 `json:"took_ms"` // by the machine's clock, what it waited after the try before it included: see Millis
	Hedged    bool    `json:"hedged"`  // asked beside another provider, not after it
}

// Vote is what a source said of a market, and whether the price rests on it. Numbers and ages are decimals, ages in seconds.
type Vote struct {
	Market string `json:"market"` // base and quote currency, such as BTC/USDT
	Source string `json:"source"`
	Family string `json:"family"`
	Bid    string `json:"bid"`
	Ask    string `json:"ask"`
	Age    string `json:"age"`
	Used   bool   `json:"used"`
	Reason string `json:"reason"` // why it was not used
}

// Answer is what the client got.
type Answer struct {
	Status      int      `json:"status"` // 0: the connection ended without one
	Error       string   `json:"error"`  // name of the error; empty: none
	Fields      []string `json:"fields"` // that were at fault
	ContentType string   `json:"content_type"`
	Bytes       int64    `json:"bytes"`
	SHA256      Sum      `json:"sha256"`             // of the body
	Streamed    bool     `json:"streamed,omitempty"` // it ended when somebody hung up: in no fingerprint, and in no bundle
}

// Sum is a SHA-256 sum. It is written in hexadecimal.
type Sum [sha256.Size]byte

// Next is a fingerprint continued by one answer: the sum of the fingerprint so far, the status in two bytes, high byte first, and
// the sum of the body.
func (s Sum) Next(status int, body Sum) Sum {
	var all [2*sha256.Size + 2]byte
	copy(all[:], s[:])
	binary.BigEndian.PutUint16(all[sha256.Size:], uint16(status)) //nolint:gosec // a status has three digits
	copy(all[sha256.Size+2:], body[:])
	return sha256.Sum256(all[:])
}

// String is the sum in hexadecimal.
func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// MarshalText writes the sum.
func (s Sum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Sum) UnmarshalText(text []byte) error {
	if len(text) != 2*len(s) {
		return errNoSum
	}
	if _, err := hex.Decode(s[:], text); err != nil {
		return errNoSum
	}
	return nil
}

var errNoSum = errors.New("not a SHA-256 sum; accepted: 64 hexadecimal digits")
