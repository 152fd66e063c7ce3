package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"causeway/core"
)

// patience is how long a connection counts as alive after its last sign of life, by the injected
// clock. After that the provider is polled.
const patience = 5 * time.Second

// Stream describes the WebSocket of a provider, as its adapter knows it.
type Stream struct {
	Provider string // stable, lower case; a metric label
	URL      string // absolute: ws, wss, http or https; may have a path
	Path     string // below URL
	Most     int    // symbols of one connection; others are polled; zero: any number

	// Symbol returns the symbol of a market in messages; empty if there is none.
	Symbol func(core.Pair) string
	// Subscribe returns how a connection subscribes: by the query of its URL, sent unchanged, or by
	// its first messages.
	Subscribe func(symbols []string) (query string, first [][]byte)
	// Read parses one message. After an error any symbol may have changed.
	Read func(message []byte) (News, error)
}

// News is the content of a message. A zero News is no sign of life.
type News struct {
	Quotes    []Quote
	Heartbeat bool // the feed is alive
	Refused   bool // a subscription was rejected; the others remain
	Leaving   bool // the provider is about to close the connection
}

// Quote is the best bid and ask of an order book, with the digits of the message.
type Quote struct {
	Symbol   string
	Bid, Ask json.RawMessage
	At       time.Time // time of the provider; zero: none
	Sequence uint64    // never decreases for a symbol on a connection; zero: none
}

// Socket stores the latest quote of each symbol from the WebSocket of a provider, so that prices
// are read from memory, and from the REST API of the provider if the socket has none. A nil Socket
// polls everything.
//
// A quote is valid while its connection is alive: the last sign of life (a readable quote or a
// heartbeat of the feed) is at most 5 s old. Ping and pong frames are no signs of life, because an
// edge server answers them even if the feed behind it is stalled. A quote is dropped when its
// connection ends, when a newer one of its symbol is unreadable, and with all others when a message
// is unreadable, because the message may have contained a newer quote.
//
// An order book that a live connection does not mention is unchanged. Therefore the time of a quote
// is its own time (that of the provider, otherwise the time of receipt) plus the time from its
// receipt to the last sign of life. Only the time moves, so a stalled price can still be detected.
//
// The symbols are those of the first call; other markets are polled. That call opens the
// connection. It is renewed before the provider closes it after a day, and reopened when it is
// lost, until Close.
type Socket struct {
	stream      Stream
	client      *Client // for its address, gate, metrics and transport; sends no requests
	log         *zap.Logger
	start, stop func()
	done        chan struct{} // closed when the goroutine of start has ended

	mu      sync.Mutex
	symbols []string          // subscriptions; nil: not started
	quotes  map[string]latest // by symbol
	sign    time.Time         // last sign of life; zero: none
	closed  bool
	lost    bool // logged
}

// latest is the last quote of a symbol; without prices if it was unreadable.
type latest struct {
	core.Observation           // At is the time of the quote; Pair is empty
	received         time.Time // by the injected clock
	sequence         uint64
}

// Socket returns a socket, or nil if sockets are disabled. The caller must close it after its first use.
func (f *Factory) Socket(stream Stream) (*Socket, error) {
	if f.cfg.NoSockets {
		return nil, nil //nolint:nilnil // a nil Socket polls
	}
	base := stream.URL
	for ws, web := range map[string]string{"ws://": "http://", "wss://": "https://"} {
		if rest, ok := strings.CutPrefix(stream.URL, ws); ok {
			base = web + rest
		}
	}
	client, err := f.Client(Provider{Name: stream.Provider, BaseURL: base})
	if err != nil {
		return nil, fmt.Errorf("%s: socket_url is not an absolute ws, wss, http or https URL without user, query "+
			"and fragment", stream.Provider)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Socket{
		stream: stream, client: client, log: f.log.With(zap.String("provider", stream.Provider)),
		stop: stop, done: make(chan struct{}), quotes: map[string]latest{},
	}
	s.start = func() { go s.run(ctx) }
	client.metrics.streams(stream.Provider, false)
	return s, nil
}

// Observe returns the quotes of the socket and polls the other markets in one call. If polling
// fails, Observe still returns the quotes of the socket; the client of poll has counted the
// failure.
func (s *Socket) Observe(
	ctx context.Context, markets []core.Pair, poll func(context.Context, []core.Pair) ([]core.Observation, error),
) ([]core.Observation, error) {
	if s == nil {
		return poll(ctx, markets)
	}
	told, missing := s.told(markets)
	if len(missing) == 0 {
		return told, nil
	}
	polled, err := poll(ctx, missing)
	if err != nil && len(told) == 0 {
		return nil, err
	}
	return append(told, polled...), nil
}

// Close closes the connection and waits for its goroutine. After that everything is polled.
func (s *Socket) Close() {
	if s == nil {
		return
	}
	s.stop()
	s.mu.Lock()
	s.closed = true
	started := s.symbols != nil
	s.mu.Unlock()
	if started {
		<-s.done
	}
	s.client.metrics.streams(s.stream.Provider, false)
}

// told returns the quotes of the socket and the markets without one.
func (s *Socket) told(markets []core.Pair) (told []core.Observation, missing []core.Pair) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(markets)
	silence := s.now().Sub(s.sign)
	up := !s.sign.IsZero() && silence >= 0 && silence <= patience
	s.client.metrics.streams(s.stream.Provider, up)
	if !up {
		return nil, markets
	}
	for _, market := range markets {
		quote := s.quotes[s.stream.Symbol(market)]
		if quote.Bid.IsZero() {
			missing = append(missing, market)
			continue
		}
		quote.Pair, quote.At = market, quote.At.Add(s.sign.Sub(quote.received))
		told = append(told, quote.Observation)
	}
	return told, missing
}

// begin opens the socket for the markets of the first call.
func (s *Socket) begin(markets []core.Pair) {
	if s.symbols != nil || s.closed {
		return
	}
	for _, market := range markets {
		symbol := s.stream.Symbol(market)
		full := s.stream.Most > 0 && len(s.symbols) == s.stream.Most
		if symbol != "" && !full && !slices.Contains(s.symbols, symbol) {
			s.symbols = append(s.symbols, symbol)
		}
	}
	if s.symbols != nil {
		s.start()
	}
}

func (s *Socket) now() time.Time { return s.client.outside.Clock() }
