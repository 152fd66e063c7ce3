package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/coder/websocket"
	"go.uber.org/zap"

	"causeway/core"
)

const (
	// patience is how long a connection counts as alive after its last sign of life, by the injected
	// clock. After that the provider is polled.
	patience = 5 * time.Second
	// maxSilence is the time after which a connection without messages is closed.
	maxSilence = time.Minute

	steady = time.Minute // a connection of this duration makes up for earlier failures
)

// Stream describes the WebSocket of a provider, as its adapter knows it.
type Stream struct {
	Provider string // stable, lower case; a metric label
	URL      string // absolute: ws, wss, http or https; may have a path
	Path     string // below URL

	// Symbol returns the symbol of a market in messages; empty if there is none.
	Symbol func(core.Pair) string
	// Subscribe returns how a connection subscribes: by the query of its URL, sent unchanged, or by
	// its first message.
	Subscribe func(symbols []string) (query string, first []byte)
	// Read parses one message. After an error any symbol may have changed.
	Read func(message []byte) (Message, error)
}

// Message is the content of a message. A zero Message is no sign of life.
type Message struct {
	Quotes    []Quote
	Heartbeat bool         // the feed is alive
	Status    MarketStatus // of all markets
}

// MarketStatus is what a provider says about trading in all its markets.
type MarketStatus int

// The statuses. The zero value says nothing.
const (
	Trading MarketStatus = iota + 1
	Halted               // no orders are matched
)

// Quote is the best bid and ask of an order book, with the digits of the message.
type Quote struct {
	Symbol   string
	Bid, Ask json.RawMessage
	At       time.Time // time of the provider; zero: none
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
// is its own time (from the provider, otherwise the time of receipt) plus the time from its
// receipt to the last sign of life.
//
// From the message that the markets are halted to the message that they trade again, Observe returns
// core.Unavailable and polls nothing: the REST API may still return the last quotes.
//
// The first call opens the connection and decides its symbols; other markets are polled. A
// lost connection is reopened until Close.
type Socket struct {
	stream  Stream
	client  *Client // for its address and transport; sends no requests
	running sync.WaitGroup

	mu       sync.Mutex
	stop     context.CancelFunc // nil: not started
	symbols  []string           // subscriptions
	quotes   map[string]latest  // by symbol
	lastSign time.Time          // of life; zero: none
	halted   bool               // by the last status
}

// latest is the last quote of a symbol.
type latest struct {
	core.Observation           // At is the time of the quote; Pair is empty
	received         time.Time // by the injected clock
}

// Socket returns a socket, or nil if sockets are disabled. The caller must close it after its first
// use.
func (f *Factory) Socket(stream Stream) (*Socket, error) {
	if f.cfg.NoSockets {
		return nil, nil //nolint:nilnil // a nil Socket polls
	}
	base := stream.URL
	if rest, ok := strings.CutPrefix(stream.URL, "ws"); ok { // ws:// and wss://
		base = "http" + rest
	}
	client, err := f.Client(Provider{Name: stream.Provider, BaseURL: base})
	if err != nil {
		return nil, fmt.Errorf("%s: socket_url is not an absolute ws, wss, http or https URL without user, query "+
			"and fragment", stream.Provider)
	}
	s := &Socket{stream: stream, client: client, quotes: map[string]latest{}}
	s.setUp(false)
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
	current, missing := s.current(markets)
	if len(missing) == 0 {
		return current, nil
	}
	if s.isHalted() {
		return nil, errHalted
	}
	polled, err := poll(ctx, missing)
	switch {
	case s.isHalted():
		return nil, errHalted
	case err != nil && len(current) == 0:
		return nil, err
	}
	return append(current, polled...), nil
}

var errHalted error = core.Errorf(core.Unavailable, "Temporarily unavailable. Retry later.").
	With(errors.New("the markets are halted"))

func (s *Socket) isHalted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.halted
}

// Close closes the connection and waits for its goroutine. After that everything is polled.
func (s *Socket) Close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	if s.stop == nil {
		s.stop = func() {} // begin does nothing
	}
	s.stop()
	s.mu.Unlock()
	s.running.Wait()
	s.setUp(false)
}

// current returns the quotes of the socket and the markets without one.
func (s *Socket) current(markets []core.Pair) (quotes []core.Observation, missing []core.Pair) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(markets)
	silence := s.now().Sub(s.lastSign)
	up := !s.lastSign.IsZero() && silence >= 0 && silence <= patience
	s.setUp(up)
	if !up {
		return nil, markets
	}
	for _, market := range markets {
		quote, ok := s.quotes[s.stream.Symbol(market)]
		if !ok {
			missing = append(missing, market)
			continue
		}
		quote.Pair, quote.At = market, quote.At.Add(s.lastSign.Sub(quote.received))
		quotes = append(quotes, quote.Observation)
	}
	return quotes, missing
}

// begin opens the socket for the markets of the first call.
func (s *Socket) begin(markets []core.Pair) {
	if s.stop != nil {
		return
	}
	for _, market := range markets {
		if symbol := s.stream.Symbol(market); symbol != "" && !slices.Contains(s.symbols, symbol) {
			s.symbols = append(s.symbols, symbol)
		}
	}
	if s.symbols == nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.running.Go(func() { s.run(ctx) })
}

// run opens one connection after another until ctx ends, with growing pauses.
func (s *Socket) run(ctx context.Context) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = 2*time.Second, time.Minute // Binance allows one a second
	for lost := false; ; {
		began := s.now()
		retryAfter, failure := s.connect(ctx)
		if ctx.Err() != nil {
			return
		}
		if s.now().Sub(began) >= steady {
			pauses.Reset()
			lost = false
		}
		if !lost {
			lost = true
			s.client.gate.log.Warn("websocket lost; polling until it is back", zap.Error(failure))
		}
		pause(ctx, max(retryAfter, pauses.NextBackOff()))
	}
}

// connect holds one connection until it ends. It also returns the Retry-After of a rejected
// connection.
func (s *Socket) connect(ctx context.Context) (retryAfter time.Duration, failure *Failure) {
	query, first := s.stream.Subscribe(s.symbols) // symbols do not change once set
	conn, retryAfter, failure := s.dial(ctx, query)
	if ctx.Err() != nil && failure != nil {
		return 0, failure
	}
	outcome := OK
	if failure != nil {
		outcome = failure.Outcome
	}
	s.client.metrics.socketConnects.WithLabelValues(s.stream.Provider, string(outcome)).Inc()
	if failure != nil {
		return retryAfter, failure
	}
	defer s.drop()
	defer func() { _ = conn.CloseNow() }()
	if first != nil {
		if err := conn.Write(ctx, websocket.MessageText, first); err != nil {
			return 0, endFailure(err)
		}
	}
	for {
		inTime, cancel := context.WithTimeout(ctx, maxSilence)
		_, message, err := conn.Read(inTime)
		silent := inTime.Err() != nil
		cancel()
		switch {
		case silent:
			return 0, Fail(TimedOut, "silent for "+maxSilence.String())
		case err != nil:
			return 0, endFailure(err)
		}
		s.receive(message)
	}
}

// dial opens a connection.
func (s *Socket) dial(ctx context.Context, query string) (*websocket.Conn, time.Duration, *Failure) {
	c := s.client
	target := c.base
	target.Path += s.stream.Path
	target.RawQuery = query
	inTime, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	options := websocket.DialOptions{HTTPClient: c.http, HTTPHeader: c.header}
	conn, response, err := websocket.Dial(inTime, target.String(), &options) //nolint:bodyclose // Dial closes it
	switch {
	case err == nil:
		conn.SetReadLimit(maxBody)
		return conn, 0, nil
	case inTime.Err() != nil:
		return nil, 0, timeoutFailure("no connection within " + c.timeout.String())
	case response == nil:
		return nil, 0, connectionFailure(err)
	}
	failure, ok := errors.AsType[*Failure](statusFailure(response.StatusCode))
	if !ok || response.StatusCode == http.StatusSwitchingProtocols {
		failure = &Failure{Outcome: Malformed, Status: response.StatusCode, Reason: "no WebSocket protocol"}
	}
	return nil, retryAfter(response, s.now()), failure
}

// endFailure describes the end of a connection without the text of the provider.
func endFailure(err error) *Failure {
	if code := websocket.CloseStatus(err); code >= 0 {
		return Fail(Unavailable, "closed with code "+strconv.Itoa(int(code)))
	}
	if errors.Is(err, websocket.ErrMessageTooBig) {
		return Fail(Malformed, "a message is too large")
	}
	return connectionFailure(err)
}

// receive processes a message.
func (s *Socket) receive(message []byte) {
	news, err := s.stream.Read(message)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil: // any quote may be outdated
		s.forget()
		s.count("malformed")
	case news.Heartbeat:
		s.lastSign = s.now()
		s.count("heartbeat")
	case len(news.Quotes) == 0:
		s.count("other")
	}
	if news.Status != 0 {
		s.setHalted(news.Status == Halted)
	}
	if s.halted {
		s.forget()
		return
	}
	for _, quote := range news.Quotes {
		s.count(s.store(quote))
	}
}

// setHalted records whether the markets are halted.
func (s *Socket) setHalted(halted bool) {
	switch {
	case halted && !s.halted:
		s.client.gate.log.Warn("markets halted; no quotes until they trade again")
	case !halted && s.halted:
		s.client.gate.log.Info("markets trade again")
	}
	s.halted = halted
}

// store replaces the quote of a symbol and returns the outcome for the metric. A zero side means an
// empty book and is no quote.
func (s *Socket) store(q Quote) (outcome string) {
	if !slices.Contains(s.symbols, q.Symbol) {
		return "other"
	}
	now := s.now()
	bid, bidOK := Decimal(q.Bid)
	ask, askOK := Decimal(q.Ask)
	if !bidOK || !askOK || bid.IsZero() || ask.IsZero() {
		delete(s.quotes, q.Symbol)
		return "unreadable"
	}
	if q.At.IsZero() {
		q.At = now
	}
	s.quotes[q.Symbol] = latest{
		Observation: core.Observation{Bid: bid, Ask: ask, At: q.At, Source: s.stream.Provider, Streamed: true},
		received:    now,
	}
	s.lastSign = now
	return "quote"
}

// drop drops the quotes of a connection that ended.
func (s *Socket) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
}

// forget drops all quotes.
func (s *Socket) forget() {
	clear(s.quotes)
	s.lastSign = time.Time{}
}

// setUp records whether prices come from the WebSocket.
func (s *Socket) setUp(up bool) {
	value := 0.0
	if up {
		value = 1
	}
	s.client.metrics.socketUp.WithLabelValues(s.stream.Provider).Set(value)
}

// count counts a message, or a quote of one.
func (s *Socket) count(outcome string) {
	s.client.metrics.socketMessages.WithLabelValues(s.stream.Provider, outcome).Inc()
}

func (s *Socket) now() time.Time { return s.client.options.Clock() }
