// Package receivers holds the webhook receivers of a simulated world. What the service sends to them passes the fault
// rules of the world, which lose, repeat, delay and spoil it.
//
// Receivers are real servers, mostly on the machine of a developer. So everything that they check follows the clock of
// the machine, and everything else the clock of the world.
package receivers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"causeway/core"
	"causeway/simulator/faults"
)

// Receiver is a server that receives the events of an account of the world.
type Receiver struct {
	Name    string           `json:"name" doc:"Name" example:"shop"`
	URL     string           `json:"url" doc:"URL that events are sent to; http is accepted, and so are private addresses" example:"http://127.0.0.1:3000/webhooks"`
	Secret  string           `json:"secret" doc:"Secret of the signatures" example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
	Account string           `json:"account" doc:"Account whose events it receives; public: of requests without a key" example:"public"`
	Events  []core.EventType `json:"events,omitempty" doc:"Types of events that it receives; absent: all" example:"transaction.completed"`
}

// Config connects a Set to its world.
type Config struct {
	Faults  *faults.Set
	Clock   core.Clock // of the world
	Machine core.Clock
	Record  func(Message)
}

// Message is a webhook that was sent, or that a fault held back.
type Message struct {
	Receiver string
	Event    string // ID
	Type     string
	Status   int    // of the response; 0: there was none
	Fault    string // ID of the fault that acted; empty: none
	Effect   faults.Kind
}

// most is how many receivers a world has.
const most = 10

// Set holds the receivers of a world. It is safe for concurrent use.
type Set struct {
	cfg Config

	mu        sync.Mutex
	receivers map[string]Receiver
	version   int
	held      []held
}

// held is a message that a fault holds back.
type held struct {
	at   time.Time // by the clock of the world; zero: after the next message to the receiver
	send func(context.Context)
	to   string
}

// NewSet returns a set without receivers.
func NewSet(cfg Config) *Set { return &Set{cfg: cfg, receivers: map[string]Receiver{}} }

// Put adds a receiver, or replaces the one with its name.
func (s *Set) Put(r Receiver) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.receivers[r.Name]; !known && len(s.receivers) == most {
		return core.Errorf(core.Conflict, "The world has %d webhook receivers, the most that are accepted; remove one", most)
	}
	s.receivers[r.Name] = r
	s.version++
	return nil
}

// Remove removes a receiver. It returns core.NotFound if there is none of that name.
func (s *Set) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.receivers[name]; !known {
		return core.Errorf(core.NotFound, "There is no webhook receiver %s", core.Quoted(name))
	}
	delete(s.receivers, name)
	s.version++
	return nil
}

// All returns the receivers by name, and a number that changes with them.
func (s *Set) All() (all []Receiver, version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	byName := func(a, b Receiver) int { return strings.Compare(a.Name, b.Name) }
	return slices.SortedFunc(maps.Values(s.receivers), byName), s.version
}

// Next returns when the next message that a delay holds back is sent, or the zero time.
func (s *Set) Next() (next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.held {
		if !h.at.IsZero() && (next.IsZero() || h.at.Before(next)) {
			next = h.at
		}
	}
	return next
}

// Release sends the messages whose delay has passed.
func (s *Set) Release(ctx context.Context) {
	now := s.cfg.Clock()
	s.release(ctx, func(h held) bool { return !h.at.IsZero() && !h.at.After(now) })
}

func (s *Set) release(ctx context.Context, due func(held) bool) {
	s.mu.Lock()
	var sent []held
	s.held = slices.DeleteFunc(s.held, func(h held) bool {
		if due(h) {
			sent = append(sent, h)
			return true
		}
		return false
	})
	s.mu.Unlock()
	for _, h := range sent {
		h.send(ctx)
	}
}

// Wrap returns the transport to a receiver, over which messages pass the fault rules.
func (s *Set) Wrap(name string, next http.RoundTripper) http.RoundTripper {
	return transport{s, name, next}
}

type transport struct {
	*Set

	name string
	next http.RoundTripper
}

// message is what is sent to a receiver.
type message struct {
	request *http.Request
	body    []byte
	Message
}

// The defaults of Effect.By.
const (
	defaultDelay = time.Minute
	defaultAge   = time.Hour
)

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	m := message{r, body, Message{Receiver: t.name, Event: r.Header.Get(standardwebhooks.HeaderWebhookID)}}
	var event struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(body, &event) // the type of a message that is no event is empty
	m.Type = event.Type
	hit, ok := t.cfg.Faults.Next(faults.Request{Plane: faults.Webhook, Operation: m.Type, Header: r.Header}, t.cfg.Clock())
	if ok {
		m.Fault, m.Effect = hit.Fault, hit.Effect.Kind
	}
	switch by := time.Duration(hit.Effect.By); m.Effect {
	case faults.Drop:
		return t.accept(m)
	case faults.Delay:
		return t.hold(m, t.cfg.Clock().Add(cmp.Or(by, defaultDelay)))
	case faults.Reorder:
		return t.hold(m, time.Time{})
	case faults.Duplicate:
		if response, err := t.send(r.Context(), m, m.request.Header); err == nil {
			_ = response.Body.Close()
		}
	case faults.WrongSignature:
		header := r.Header.Clone()
		header.Set(standardwebhooks.HeaderWebhookSignature, "v1,"+base64.StdEncoding.EncodeToString(make([]byte, 32)))
		return t.send(r.Context(), m, header)
	case faults.OldTimestamp:
		return t.send(r.Context(), m, t.signed(m, t.cfg.Machine().Add(-cmp.Or(by, defaultAge))))
	default: // no fault
	}
	return t.send(r.Context(), m, r.Header)
}

// send sends a message with a header, and then what waits for it.
func (t transport) send(ctx context.Context, m message, header http.Header) (*http.Response, error) {
	r := m.request.Clone(ctx)
	r.Header, r.Body = header, io.NopCloser(bytes.NewReader(m.body))
	response, err := t.next.RoundTrip(r)
	if err == nil {
		m.Status = response.StatusCode
	}
	t.cfg.Record(m.Message)
	t.release(ctx, func(h held) bool { return h.at.IsZero() && h.to == t.name })
	return response, err
}

// hold keeps a message until a time, or until the next message to the receiver, and accepts it.
func (t transport) hold(m message, at time.Time) (*http.Response, error) {
	const timeout = 10 * time.Second
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = append(t.held, held{at: at, to: t.name, send: func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		if response, err := t.send(ctx, m, t.signed(m, t.cfg.Machine())); err == nil {
			_ = response.Body.Close()
		}
	}})
	return accepted(m.request), nil
}

// accept records a message that is lost.
func (t transport) accept(m message) (*http.Response, error) {
	t.cfg.Record(m.Message)
	return accepted(m.request), nil
}

// accepted is the response to a message that the service believes to be received.
func accepted(r *http.Request) *http.Response {
	return &http.Response{
		StatusCode: http.StatusAccepted, Status: "202 Accepted", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: r,
	}
}

// signed returns the header of a message that is signed at a time.
func (t transport) signed(m message, at time.Time) http.Header {
	t.mu.Lock()
	secret := t.receivers[t.name].Secret
	t.mu.Unlock()
	header := m.request.Header.Clone()
	if w, err := standardwebhooks.NewWebhook(secret); err == nil {
		if signature, err := w.Sign(m.Event, at, m.body); err == nil {
			header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
			header.Set(standardwebhooks.HeaderWebhookSignature, signature)
		}
	}
	return header
}
