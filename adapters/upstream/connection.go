package upstream

import (
	"context"
	"errors"
	"math/bits"
	"net/http"
	"strconv"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/zap"
)

const (
	pingEvery  = 15 * time.Second // venues take 5 frames a second and drop connections that are idle for a minute
	pongWithin = 10 * time.Second // or the connection is dead, whatever TCP thinks of it
	mute       = time.Minute      // a connection that says nothing for so long is given up, though it answers pings

	renewal = 23 * time.Hour // venues hang up after 24

	redialMin  = time.Second // so that nobody is called more than 300 times in 5 minutes, the strictest limit (Binance)
	redialMost = time.Minute
	steady     = time.Minute // a connection that lasted so long, by the world's clock, makes up for failures before it
)

// errRenewal ends a connection that was held for long enough.
var errRenewal = errors.New("the connection is renewed")

// run holds one connection after the other until ctx ends. It does not call a provider that told its REST client to wait: a ban is of
// the address. A socket that is told to wait keeps that to itself, because limits of connections are not those of questions.
func (s *Socket) run(ctx context.Context) {
	defer close(s.done)
	for failures := 0; ctx.Err() == nil; {
		if wait := s.client.gate.held(s.client.cfg.MaxRetryAfter); wait > 0 {
			pause(ctx, min(wait, redialMost))
			continue
		}
		began := s.now()
		told, failure := s.connect(ctx)
		if ctx.Err() != nil {
			return
		}
		failures++
		if s.now().Sub(began) >= steady {
			failures = 0
		}
		s.lament(failure)
		pause(ctx, max(told, s.redial(failures)))
	}
}

// redial is the pause before the next connection: full jitter under a ceiling that doubles with every failure, on top of a second.
func (s *Socket) redial(failures int) time.Duration {
	ceiling := redialMost
	if failures < bits.Len(uint(redialMost/redialMin)) {
		ceiling = min(redialMost, redialMin<<failures)
	}
	share, _ := bits.Mul64(s.client.outside.Entropy(), uint64(ceiling))
	return redialMin + time.Duration(share) //nolint:gosec // share < ceiling
}

// lament tells the log that a socket was lost, once until it is back.
func (s *Socket) lament(failure *Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if failure != nil && !s.lost {
		s.lost = true
		s.log.Warn("a provider's stream is lost and opened again; it is polled meanwhile", zap.Error(failure))
	}
}

// connect holds one connection from its dialling to its end. The failure is nil where it was ended to be renewed; told is the
// provider's Retry-After, where it did not let us in.
func (s *Socket) connect(ctx context.Context) (told time.Duration, failure *Failure) {
	ctx, hangUp := context.WithCancelCause(ctx)
	defer hangUp(nil)
	query, first := s.stream.Subscribe(s.symbols) // which never change once there are any
	conn, told, failure := s.dial(ctx, query)
	if ctx.Err() != nil && failure != nil {
		return 0, failure
	}
	if failure != nil {
		s.client.metrics.connected(s.stream.Provider, failure.Outcome)
		return told, failure
	}
	s.client.metrics.connected(s.stream.Provider, OK)
	defer s.forget()
	old := time.AfterFunc(renewal, func() { hangUp(errRenewal) })
	defer old.Stop()
	pinged := make(chan struct{})
	go func() {
		defer close(pinged)
		s.ping(ctx, conn, hangUp)
	}()
	hangUp(s.listen(ctx, conn, first, hangUp)) // unless somebody else did: the first cause counts
	_ = conn.CloseNow()
	<-pinged
	if errors.Is(context.Cause(ctx), errRenewal) {
		return 0, nil
	}
	return 0, endOf(context.Cause(ctx))
}

// dial opens a connection.
func (s *Socket) dial(ctx context.Context, query string) (*websocket.Conn, time.Duration, *Failure) {
	c := s.client
	target := c.base
	target.Path += s.stream.Path
	target.RawQuery = query
	inTime, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	options := websocket.DialOptions{HTTPClient: c.http, HTTPHeader: c.header}
	conn, response, err := websocket.Dial(inTime, target.String(), &options) //nolint:bodyclose // Dial has closed it
	switch {
	case err == nil:
		conn.SetReadLimit(c.cfg.MaxBody)
		return conn, 0, nil
	case inTime.Err() != nil:
		return nil, 0, Fail(TimedOut, "no connection within "+c.cfg.Timeout.String())
	case response == nil:
		return nil, 0, connectionFailure(err)
	}
	told := retryAfter(response.Header, s.now(), c.believed(response.StatusCode))
	failure, ok := errors.AsType[*Failure](statusFailure(response.StatusCode))
	if !ok || response.StatusCode == http.StatusSwitchingProtocols {
		failure = &Failure{Outcome: Malformed, Status: response.StatusCode, Reason: "does not speak WebSocket"}
	}
	if failure.Outcome == Refused {
		c.gate.refused("socket", failure.Status)
	}
	return nil, told, failure
}

// listen subscribes and hears messages until the connection ends, and says why it did.
func (s *Socket) listen(ctx context.Context, conn *websocket.Conn, first [][]byte, hangUp context.CancelCauseFunc) error {
	silence := time.AfterFunc(mute, func() { hangUp(Fail(TimedOut, "silent for "+mute.String())) })
	defer silence.Stop()
	for _, message := range first {
		if err := conn.Write(ctx, websocket.MessageText, message); err != nil {
			return err
		}
	}
	for {
		_, message, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		silence.Reset(mute)
		if s.hear(message) {
			return Fail(Unavailable, "the provider is about to hang up")
		}
	}
}

// ping hangs up a connection at whose other end nobody is.
func (s *Socket) ping(ctx context.Context, conn *websocket.Conn, hangUp context.CancelCauseFunc) {
	for pause(ctx, pingEvery); ctx.Err() == nil; pause(ctx, pingEvery) {
		inTime, cancel := context.WithTimeout(ctx, pongWithin)
		err := conn.Ping(inTime)
		cancel()
		if err != nil {
			hangUp(Fail(TimedOut, "no answer to a ping within "+pongWithin.String()))
		}
	}
}

// endOf says in our own words how a connection ended: a provider's reason for closing it is its own text.
func endOf(cause error) *Failure {
	if failure, ok := errors.AsType[*Failure](cause); ok {
		return failure
	}
	if code := websocket.CloseStatus(cause); code >= 0 {
		return Fail(Unavailable, "closed with code "+strconv.Itoa(int(code)))
	}
	if errors.Is(cause, websocket.ErrMessageTooBig) {
		return Fail(Malformed, "a message is too large")
	}
	return connectionFailure(cause)
}
