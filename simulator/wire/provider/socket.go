package provider

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/coder/websocket"

	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/market"
	"causeway/simulator/world"
)

// SocketTick is the interval at which a venue publishes changes of its books.
const SocketTick = 250 * time.Millisecond

const (
	socketLife = 24 * time.Hour // a venue closes older connections
	socketPong = time.Minute    // within which a client must answer a ping
)

// session is one connection to a venue's WebSocket API. Messages are JSON documents.
type session interface {
	Answer(message []byte) []any // returns the responses to a message of the client
	Tick() []any                 // returns what changed; called every SocketTick
	Telling() []core.Pair        // returns the markets whose quotes it sends
}

// Venue is a venue in a world.
type Venue struct {
	World *world.World
	Name  string
}

// shut reports whether the venue accepts no connections: it is down, or a rule of the world
// concerns its responses. Such a rule can only match a request, so that clients must poll instead.
func (p Venue) shut(handshake http.Header) bool {
	now := p.World.Now()
	return p.World.Market().Down(p.Name, now) || p.World.Faults().Disturbs(p.Name, handshake, now)
}

// lost reports whether one of the markets is no longer traded there.
func (p Venue) lost(markets []core.Pair) bool {
	now := p.World.Now()
	return slices.ContainsFunc(markets, func(pair core.Pair) bool {
		return p.World.Market().State(p.Name, pair, now) == market.Absent
	})
}

// Serve upgrades a request and runs the session until either side closes the connection. It sends
// the first documents at once, and pings at an interval; zero: never.
func (p Venue) Serve(w http.ResponseWriter, r *http.Request, s session, ping time.Duration, first ...any) {
	if p.shut(r.Header) {
		Failure(faults.Effect{Status: http.StatusServiceUnavailable}).Send(w, p.World.Now())
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // from any page
	if err != nil {
		return // Accept has responded
	}
	ctx, cancel := context.WithTimeout(r.Context(), socketLife)
	defer cancel()
	messages, pinged := make(chan []byte), make(chan struct{})
	go func() {
		defer close(messages)
		read(ctx, conn, messages)
	}()
	go func() {
		defer close(pinged)
		pings(ctx, conn, ping)
	}()
	send(ctx, conn, first)
	for timer := time.NewTimer(SocketTick); ; {
		select {
		case message, ok := <-messages:
			if !ok {
				cancel()
				<-pinged
				_ = conn.CloseNow()
				return
			}
			send(ctx, conn, s.Answer(message))
		case <-timer.C:
			if timer.Reset(SocketTick); p.shut(r.Header) || p.lost(s.Telling()) {
				cancel() // ends read, which closes messages
				continue
			}
			send(ctx, conn, s.Tick())
		}
	}
}

// read passes messages on until the connection or ctx ends.
func read(ctx context.Context, conn *websocket.Conn, messages chan<- []byte) {
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

// pings closes the connection when a ping is not answered.
func pings(ctx context.Context, conn *websocket.Conn, every time.Duration) {
	if every == 0 {
		return
	}
	for timer := time.NewTimer(every); ; timer.Reset(every) {
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		inTime, cancel := context.WithTimeout(ctx, socketPong)
		err := conn.Ping(inTime)
		cancel()
		if err != nil {
			_ = conn.CloseNow()
			return
		}
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
