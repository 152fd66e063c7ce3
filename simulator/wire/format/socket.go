package format

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/coder/websocket"

	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/market"
)

// socketTick is the interval at which a venue publishes changes of its books.
const socketTick = 250 * time.Millisecond

const (
	socketLife = 24 * time.Hour // a venue closes older connections
	socketPong = time.Minute    // within which a client must answer a ping
)

// Socket is one connection to a venue's WebSocket API. Messages are JSON documents.
type Socket struct {
	*Request

	Ping time.Duration // between pings; zero: none

	// Answer returns the responses to a message of the client.
	Answer func(message []byte) []any
	// Update returns the message about a market whose best prices changed.
	Update func(*Subscription) any
	// Heartbeat is sent after a second without an update if there is a subscription; nil: none.
	Heartbeat any

	Subscriptions []*Subscription

	quiet time.Duration // since the last update or heartbeat
}

// Subscription is a market whose quotes are sent.
type Subscription struct {
	Name string
	Pair core.Pair
	Sent *market.Book // last; nil: none yet
}

// Subscribed reports whether there is a subscription to a market.
func (s *Socket) Subscribed(pair core.Pair) bool {
	return slices.ContainsFunc(s.Subscriptions, func(added *Subscription) bool { return added.Pair == pair })
}

// refused reports whether the venue accepts no connections: it is down, or a rule of the world
// concerns its responses. Such a rule can only match a request, so that clients must poll instead.
func (s *Socket) refused() bool {
	now := s.World.Now()
	return s.World.Market().Down(s.provider, now) || s.World.Faults().Disturbs(s.provider, s.Header, now)
}

// absent reports whether a market is not traded at the moment.
func (s *Socket) absent(pair core.Pair) bool {
	return s.World.Market().State(s.provider, pair, s.World.Now()) == market.Absent
}

// delisted reports whether a market whose quotes were sent is no longer traded.
func (s *Socket) delisted() bool {
	return slices.ContainsFunc(s.Subscriptions, func(sub *Subscription) bool {
		return sub.Sent != nil && s.absent(sub.Pair)
	})
}

// tick returns what changed since the last tick.
func (s *Socket) tick() []any {
	var out []any
	for _, sub := range s.Subscriptions {
		book, _ := s.World.Market().Book(s.provider, sub.Pair, s.World.Now())
		changed := sub.Sent == nil || !sub.Sent.Bid.Equal(book.Bid) || !sub.Sent.Ask.Equal(book.Ask)
		if changed && !s.absent(sub.Pair) {
			sub.Sent = &book
			out = append(out, s.Update(sub))
		}
	}
	if s.quiet += socketTick; len(out) > 0 || len(s.Subscriptions) == 0 {
		s.quiet = 0
	}
	if s.Heartbeat != nil && s.quiet >= time.Second {
		s.quiet = 0
		out = append(out, s.Heartbeat)
	}
	return out
}

// Serve upgrades a request and runs the connection until either side closes it. It sends the first
// documents at once.
func (s *Socket) Serve(w http.ResponseWriter, first ...any) {
	if s.refused() {
		Failure(faults.Effect{Status: http.StatusServiceUnavailable}).Send(w, s.World.Now())
		return
	}
	anyPage := &websocket.AcceptOptions{InsecureSkipVerify: true}
	conn, err := websocket.Accept(w, s.Request.Request, anyPage)
	if err != nil {
		return // Accept has responded
	}
	defer func() { _ = conn.CloseNow() }()
	ctx, cancel := context.WithTimeout(s.Context(), socketLife)
	defer cancel()
	messages := make(chan []byte)
	go read(ctx, conn, messages)
	ticks, pings := time.NewTimer(socketTick), time.NewTimer(cmp.Or(s.Ping, socketLife))
	defer ticks.Stop()
	defer pings.Stop()
	send(ctx, conn, first)
	for {
		select {
		case message, ok := <-messages:
			if !ok {
				return
			}
			send(ctx, conn, s.Answer(message))
		case <-pings.C:
			pings.Reset(s.Ping)
			go ping(ctx, conn)
		case <-ticks.C:
			ticks.Reset(socketTick)
			if s.refused() || s.delisted() {
				return
			}
			send(ctx, conn, s.tick())
		}
	}
}

// read passes messages on until the connection or ctx ends.
func read(ctx context.Context, conn *websocket.Conn, messages chan<- []byte) {
	defer close(messages)
	for {
		_, message, err := conn.Read(ctx)
		if err != nil {
			return
		}
		select {
		case messages <- message:
		case <-ctx.Done():
			return
		}
	}
}

// ping closes the connection if the client does not answer a ping.
func ping(ctx context.Context, conn *websocket.Conn) {
	ctx, cancel := context.WithTimeout(ctx, socketPong)
	defer cancel()
	if conn.Ping(ctx) != nil {
		_ = conn.CloseNow()
	}
}

// send sends documents. It ignores a lost connection, which read notices.
func send(ctx context.Context, conn *websocket.Conn, documents []any) {
	for _, d := range documents {
		if conn.Write(ctx, websocket.MessageText, Answer(http.StatusOK, d).Body) != nil {
			return
		}
	}
}
