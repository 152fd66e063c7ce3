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

// patience is how long a socket counts as alive after its last sign of life, by the world's clock. Then its provider is polled.
const patience = 5 * time.Second

// Stream is a provider's WebSocket of quotes, as its adapter knows it.
type Stream struct {
	Provider string // stable, lower case; a metric label
	URL      string // absolute: ws, wss, http or https; a path is kept
	Path     string // below URL
	Most     int    // symbols that one connection may have; further ones are polled. Zero: any number

	// Symbol is what the provider's messages call a market; empty for what they cannot call anything.
	Symbol func(core.Pair) string
	// Subscribe is how a new connection asks for symbols: by the query of its URL, which is sent as it is, or by what it says first.
	Subscribe func(symbols []string) (query string, first [][]byte)
	// Read understands one message. An error means that it cannot be read, and may have been about any symbol.
	Read func(message []byte) (News, error)
}

// News is what a message tells. A message that is about something else tells nothing, and is no sign of life.
type News struct {
	Quotes    []Quote
	Heartbeat bool // the feed behind the connection is alive, and had nothing else to tell
	Refused   bool // a subscription was refused; the others stand
	Leaving   bool // the provider is about to hang up
}

// Quote is the top of one book, in the digits of the message.
type Quote struct {
	Symbol   string
	Bid, Ask json.RawMessage
	At       time.Time // the provider's own; zero: it tells none
	Sequence uint64    // never falls for one symbol on one connection; zero: there is none
}

// Socket keeps what a provider's WebSocket last told of each symbol, so that a question is answered from memory, and from the
// provider's REST API where the socket cannot tell. A nil Socket is none: everything is polled.
//
// A quote counts for as long as the connection that brought it is alive: its last sign of life (a quote that can be read, a heartbeat of
// the feed) is at most 5 s old. Frames of the protocol itself (ping, pong) are no signs: an edge server answers them while the
// feed behind it stands still. A quote is forgotten with its connection; when a newer one of its symbol cannot be read; and
// with all others when a message cannot be read at all, because that may have been a newer one.
//
// What is quiet is current: an order book that a living connection does not mention is unchanged. So a quote's time is that of its making (the
// provider's own, else the instant of receipt) moved on by the time from its receipt to the last sign of life.
// Nothing but the time moves: whoever looks for a price that stands still sees it standing still.
//
// The symbols are those of the first question; other markets are polled. The connection is opened then, renewed before the provider cuts it
// after a day, and opened again when it is lost, until Close.
type Socket struct {
	stream      Stream
	client      *Client // for its address, gate, metrics and transport: it asks nothing
	log         *zap.Logger
	start, stop func()
	done        chan struct{} // closed when what start started has ended

	mu      sync.Mutex
	symbols []string          // subscribed to; nil: nobody asked yet
	quotes  map[string]latest // that the connection told, by symbol
	sign    time.Time         // of life, the connection's last; zero: none yet
	closed  bool
	lost    bool // the log has said so
}

// latest is the last quote of a symbol; without sides where that could not be read.
type latest struct {
	core.Observation           // At is the time of its making; there is no Pair
	received         time.Time // by the world's clock
	sequence         uint64
}

// Socket returns a socket of a provider. Whoever asked it anything closes it.
func (f *Factory) Socket(stream Stream) (*Socket, error) {
	base := stream.URL
	for ws, web := range map[string]string{"ws://": "http://", "wss://": "https://"} {
		if rest, ok := strings.CutPrefix(stream.URL, ws); ok {
			base = web + rest
		}
	}
	client, err := f.Client(Provider{Name: stream.Provider, BaseURL: base})
	if err != nil {
		return nil, fmt.Errorf("%s: socket_url is not an absolute ws, wss, http or https URL without user, query and fragment", stream.Provider)
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

// Observe returns what the socket tells of the markets, and lets poll ask for the others, in one call. If that fails, what the
// socket tells is still the answer: it is as good as ever, and poll's client has counted the failure.
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

// Close hangs up and waits until everything that the socket started has ended. Then everything is polled.
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

// told returns what the socket knows of the markets, and of which it knows nothing.
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

// begin opens the socket for the markets of the first question.
func (s *Socket) begin(markets []core.Pair) {
	if s.symbols != nil || s.closed {
		return
	}
	for _, market := range markets {
		symbol := s.stream.Symbol(market)
		if full := s.stream.Most > 0 && len(s.symbols) == s.stream.Most; symbol != "" && !full && !slices.Contains(s.symbols, symbol) {
			s.symbols = append(s.symbols, symbol)
		}
	}
	if s.symbols != nil {
		s.start()
	}
}

func (s *Socket) now() time.Time { return s.client.outside.Clock() }
