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
	pingEvery  = 15 * time.Second // venues accept 5 frames per second and drop connections that are idle for a minute
	pongWithin = 10 * time.Second // without a pong the connection is considered dead
	mute       = time.Minute      // a connection without messages is closed, even if it answers pings

	renewal = 23 * time.Hour // venues close connections after 24 h

	redialMin  = time.Second // at most 300 connections in 5 minutes, the strictest limit (Binance)
	redialMost = time.Minute
	steady     = time.Minute // a connection of this duration, by the injected clock, resets the backoff
)

// errRenewal ends a connection that is replaced because of its age.
var errRenewal = errors.New("connection renewed")

// run opens one connection after another until ctx ends. It does not connect while the Retry-After
// of the REST client is in effect, because a ban applies to the address. A Retry-After of the
// WebSocket does not delay REST calls, because limits of connections and of requests are separate.
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

// redial returns the pause before the next connection: one second plus full jitter below a ceiling
// that doubles with each failure.
func (s *Socket) redial(failures int) time.Duration {
	ceiling := redialMost
	if failures < bits.Len(uint(redialMost/redialMin)) {
		ceiling = min(redialMost, redialMin<<failures)
	}
	share, _ := bits.Mul64(s.client.outside.Entropy(), uint64(ceiling))
	return redialMin + time.Duration(share) //nolint:gosec // share < ceiling
}

// lament logs a lost connection, once until it is back.
func (s *Socket) lament(failure *Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if failure != nil && !s.lost {
		s.lost = true
		s.log.Warn("websocket lost; polling until it is back", zap.Error(failure))
	}
}

// connect holds one connection until it ends. The failure is nil if the connection is to be
// renewed. told is the Retry-After of a rejected connection.
func (s *Socket) connect(ctx context.Context) (told time.Duration, failure *Failure) {
	ctx, hangUp := context.WithCancelCause(ctx)
	defer hangUp(nil)
	query, first := s.stream.Subscribe(s.symbols) // symbols do not change once set
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
	hangUp(s.listen(ctx, conn, first, hangUp)) // the first cause is kept
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
	conn, response, err := websocket.Dial(inTime, target.String(), &options) //nolint:bodyclose // Dial closes it
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
		failure = &Failure{Outcome: Malformed, Status: response.StatusCode, Reason: "no WebSocket protocol"}
	}
	if failure.Outcome == Refused {
		c.gate.refused("socket", failure.Status)
	}
	return nil, told, failure
}

// listen subscribes, reads messages until the connection ends and returns the reason.
func (s *Socket) listen(
	ctx context.Context, conn *websocket.Conn, first [][]byte, hangUp context.CancelCauseFunc,
) error {
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
			return Fail(Unavailable, "the provider announced that it closes the connection")
		}
	}
}

// ping closes a connection that does not answer pings.
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

// endOf describes the end of a connection without the text of the provider.
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
