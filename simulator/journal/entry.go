package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"
)

// Entry is one request and what it caused, with private values masked. Callers must not change its lists.
type Entry struct {
	ID        string    `json:"id" doc:"ID of the request, as in X-Request-Id" example:"req_5f0c2v7q9k3m1"`
	Seq       uint64    `json:"seq" doc:"Position in the order in which responses ended, from 1" example:"1"`
	At        time.Time `json:"at" doc:"When the request began, by the clock of the world" example:"2026-11-16T12:00:00Z"`
	World     string    `json:"world" doc:"Name of the world" example:"TestCheckout/pays"`
	Control   bool      `json:"control,omitempty" doc:"Whether it is a call of the control API, a block or a webhook"`
	Operation string    `json:"operation" doc:"Operation of the public API or of the control API, block or webhook" example:"resolve-account"`
	Request   Request   `json:"request" doc:"The request, with private values masked"`
	Applied   string    `json:"applied" doc:"What decided the outcome, as in Sim-Applied" example:"none"`
	Cache     Cache     `json:"cache" doc:"What the cache did" example:"miss"`
	Attempts  []Attempt `json:"attempts" doc:"Attempts at providers, in the order in which they ended"`
	Votes     []Vote    `json:"votes" doc:"Votes of sources, for requests about one price"`
	Answer    Answer    `json:"answer" doc:"The response"`
	Took      float64   `json:"took_ms" doc:"Duration by the clock of the machine" example:"0.4"`
	Block     *Block    `json:"block,omitempty" doc:"The block of a simulated chain, of an entry that is no request"`
	Webhook   *Webhook  `json:"webhook,omitempty" doc:"The webhook that was sent, of an entry that is no request to Causeway"`
	Withheld  bool      `json:"withheld,omitempty" doc:"Whether the request is not kept, because it is too large or holds what looks like a private key"`
}

// Block is a block of a simulated chain with payments.
type Block struct {
	Network      string   `json:"network" doc:"Network of the chain" example:"BSC"`
	Height       int64    `json:"height" doc:"Height of the block"`
	Hash         string   `json:"hash" doc:"Hash of the block"`
	Transactions []string `json:"transactions" doc:"Hashes of the transactions that calls of the control API sent"`
	Empty        int      `json:"empty" doc:"number of blocks without transfers since the last one with" example:"0"`
}

// Webhook is an event that was sent to a receiver, without what it holds. Its timestamp and its signature are not
// recorded: they follow the clock of the machine.
type Webhook struct {
	Receiver string `json:"receiver" doc:"Name of the receiver" example:"shop"`
	Event    string `json:"event" doc:"ID of the event" example:"evt_5f0c2a4b7f9e1d3c5a7b9d0c2a4b7f9e"`
	Type     string `json:"type" doc:"Type of the event" example:"transaction.completed"`
	Status   int    `json:"status" doc:"HTTP status of the response; 0: there was none, or nothing was sent" example:"204"`
	Fault    string `json:"fault,omitempty" doc:"ID of the fault that acted" example:"f1"`
	Effect   string `json:"effect,omitempty" doc:"What the fault did" example:"duplicate"`
}

// Request is a request, masked.
type Request struct {
	Method    string          `json:"method" doc:"HTTP method" example:"POST"`
	Path      string          `json:"path" doc:"Escaped path" example:"/v1/pairs/BTCUSDT"`
	Query     []Field         `json:"query" doc:"Query parameters"`
	Headers   []Field         `json:"headers" doc:"Headers that a response may depend on"`
	Body      json.RawMessage `json:"body,omitempty" doc:"The body; absent if it is not JSON or not kept"`
	BodyBytes int             `json:"body_bytes" doc:"Size of the body in bytes" example:"112"`
}

// Field is a header or a query parameter.
type Field struct {
	Name  string `json:"name" doc:"Name" example:"Accept"`
	Value string `json:"value" doc:"Value; private values are masked" example:"*/*"`
}

// Cache says whether a response came from a cache.
type Cache string

// What a cache did. Uncached: the operation has no cache.
const (
	Hit      Cache = "hit"
	Miss     Cache = "miss"
	Uncached Cache = "none"
)

// Attempt is a request to a provider. An open circuit breaker leaves it without a status.
type Attempt struct {
	Provider  string  `json:"provider" doc:"Name of the provider" example:"paystack"`
	Operation string  `json:"operation" doc:"Operation of the provider" example:"resolve"`
	Attempt   int     `json:"attempt" doc:"Number of the attempt, from 1" example:"1"`
	Outcome   string  `json:"outcome" doc:"Result, such as found, not_found, unavailable or timeout: the guide lists all" example:"found"`
	Status    int     `json:"status" doc:"HTTP status; 0: no response" example:"200"`
	Breaker   string  `json:"breaker" doc:"State of the circuit breaker before" example:"closed"`
	Fault     string  `json:"fault" doc:"ID of the fault that applied; empty: none"`
	Start     float64 `json:"start_ms" doc:"When it was sent, after the beginning of the request" example:"0.3"`
	Took      float64 `json:"took_ms" doc:"Duration by the clock of the machine" example:"12.5"`
	Hedged    bool    `json:"hedged" doc:"Whether it was sent while another provider was still awaited" example:"false"`
}

// Vote is the quote of a source, and whether the price uses it. Prices and ages are decimals, ages in seconds.
type Vote struct {
	Market string `json:"market" doc:"Base and quote currency" example:"BTC/USDT"`
	Source string `json:"source" doc:"Name of the source" example:"kraken"`
	Family string `json:"family" doc:"Sources of a family have one vote" example:"kraken"`
	Bid    string `json:"bid" doc:"Best bid, a decimal" example:"64999.1"`
	Ask    string `json:"ask" doc:"Best ask, a decimal" example:"65001.2"`
	Age    string `json:"age" doc:"Age in seconds, a decimal" example:"1.2"`
	Used   bool   `json:"used" doc:"Whether the price uses the vote" example:"true"`
	Reason string `json:"reason" doc:"Why the vote is not used"`
}

// Answer is the response.
type Answer struct {
	Status      int      `json:"status" doc:"HTTP status; 0: the connection ended without a response" example:"200"`
	Error       string   `json:"error" doc:"Name of the error; empty: none"`
	Fields      []string `json:"fields" doc:"Fields at fault"`
	ContentType string   `json:"content_type" doc:"Content type" example:"application/json"`
	Bytes       int64    `json:"bytes" doc:"Size of the body" example:"812"`
	SHA256      Sum      `json:"sha256,omitzero" doc:"SHA-256 of the body; absent for a stream"`
	Streamed    bool     `json:"streamed,omitempty" doc:"Whether it is a stream, which is in no fingerprint"`
}

// Sum is a SHA-256 sum. It is written in hexadecimal.
type Sum [sha256.Size]byte

// Next returns a fingerprint extended by a response: the sum of the fingerprint so far, the status
// in two bytes, high byte first, and the sum of the body.
func (s Sum) Next(status int, body Sum) Sum {
	var all [2*sha256.Size + 2]byte
	copy(all[:], s[:])
	binary.BigEndian.PutUint16(all[sha256.Size:], uint16(status)) //nolint:gosec // a status has three digits
	copy(all[sha256.Size+2:], body[:])
	return sha256.Sum256(all[:])
}

// String returns the sum in hexadecimal.
func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// MarshalText writes the sum.
func (s Sum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Sum) UnmarshalText(text []byte) error {
	if n, err := hex.Decode(s[:], text[:min(len(text), 2*len(s))]); err != nil || n < len(s) || len(text) > 2*len(s) {
		return errors.New("not a SHA-256 sum; accepted: 64 hexadecimal digits")
	}
	return nil
}

// Millis returns a duration in milliseconds, with whole microseconds, as entries have it.
func Millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
