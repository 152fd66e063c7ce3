// Package delivery delivers the events of accounts to endpoints.
//
// An endpoint receives each event at least once, in any order, and says with a status of 200 to 299 that it has it.
// Otherwise the event is sent again, with growing pauses, for three days. An endpoint can make a pause longer with
// Retry-After, up to an hour, and none shorter. An endpoint that is slow or dead delays no other one.
//
// Several processes may run: each try is claimed in the database, so that one of them makes it.
package delivery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"causeway/core"
	"causeway/ports"
)

const (
	// Lifetime is how long the delivery of an event is tried. Then it expires.
	Lifetime = 3 * 24 * time.Hour

	// maxRetryAfter is the longest pause that an endpoint can ask for with Retry-After.
	maxRetryAfter = time.Hour

	width = 16 // tries of an endpoint at the same time
	// lease is how long a process may take for a try. A sender gives up much earlier.
	lease  = 20 * time.Second
	poll   = time.Second // time between two looks at the database
	settle = 5 * time.Second
)

// pauses are the times between the tries of a delivery, of which the last one is repeated. The specification of
// Standard Webhooks recommends them (standard-webhooks/standard-webhooks, spec/standard-webhooks.md, "Retries").
var pauses = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour,
	20 * time.Hour,
}

// Config configures a Service.
type Config struct {
	Endpoints []ports.WebhookEndpoint
	Store     ports.DeliveryStore
	Sender    ports.WebhookSender
	Clock     core.Clock
	Entropy   core.Entropy // spreads retries; nil: retries come after the exact pauses
	Events    Events
}

// Events are called when something happens. They disclose no personal data. All fields are optional.
type Events struct {
	// Tried reports each try, and why it failed.
	Tried func(endpoint, event string, err error)
	// Expired reports an event that an endpoint did not accept for three days.
	Expired func(endpoint, event string)
	// Failed reports that deliveries cannot be read or stored.
	Failed func(endpoint string, err error)
}

// Service delivers events. It is safe for concurrent use.
type Service struct {
	Config
}

// New makes a service. It delivers nothing yet.
func New(cfg Config) *Service {
	if cfg.Events.Tried == nil {
		cfg.Events.Tried = func(string, string, error) {}
	}
	if cfg.Events.Expired == nil {
		cfg.Events.Expired = func(string, string) {}
	}
	if cfg.Events.Failed == nil {
		cfg.Events.Failed = func(string, error) {}
	}
	return &Service{cfg}
}

// Run delivers events until ctx is done.
func (s *Service) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, e := range s.Endpoints {
		all.Go(func() { s.serve(ctx, e) })
	}
	all.Wait()
}

// serve delivers the events of an endpoint until ctx is done. While every try fails, it makes one at each look.
func (s *Service) serve(ctx context.Context, e ports.WebhookEndpoint) {
	failing := false
	core.Repeat(ctx, func() time.Duration {
		limit := width
		if failing {
			limit = 1
		}
		tries, accepted, err := s.work(ctx, e, limit)
		if err != nil && ctx.Err() == nil {
			s.Events.Failed(e.Name, err)
		}
		failing = accepted == 0 && (failing || tries > 0)
		if tries == limit && !failing && err == nil {
			return 0
		}
		return poll
	})
}

// work makes up to limit tries that are due, at the same time.
func (s *Service) work(ctx context.Context, e ports.WebhookEndpoint, limit int) (tries, accepted int, err error) {
	now := s.now()
	if _, err := s.Store.Plan(ctx, e, now); err != nil {
		return 0, 0, err
	}
	claimed, err := s.Store.Claim(ctx, e, now, now.Add(lease), limit)
	if err != nil {
		return 0, 0, err
	}
	if len(claimed) == 0 {
		return 0, 0, nil
	}
	var all sync.WaitGroup
	for i := range claimed {
		all.Go(func() { claimed[i] = s.try(ctx, claimed[i], s.now) })
	}
	all.Wait()
	for _, d := range claimed {
		if d.Status == core.DeliveryDelivered {
			accepted++
		}
	}
	return len(claimed), accepted, s.settle(ctx, claimed)
}

// try sends an event and returns its delivery after the try.
func (s *Service) try(ctx context.Context, d core.Delivery, now func() time.Time) core.Delivery {
	err := s.Sender.Send(ctx, d.Endpoint, d.Event)
	d.Updated, d.Problem = now(), ""
	if err != nil && ctx.Err() != nil { // the process stops: another one repeats the try
		d.Due, d.Problem = d.Updated, "the process stopped during the try"
		return d
	}
	s.Events.Tried(d.Endpoint, d.Event.ID, err)
	if err == nil {
		d.Status = core.DeliveryDelivered
		return d
	}
	wait := s.pause(d.Tries)
	if e, ok := errors.AsType[*core.Error](err); ok {
		wait = max(wait, min(e.RetryAfter, maxRetryAfter))
	}
	d.Problem = problem(err)
	d.Due = d.Updated.Add(wait)
	if d.Due.After(d.Planned.Add(Lifetime)) {
		d.Status, d.Due = core.DeliveryExpired, d.Updated
		s.Events.Expired(d.Endpoint, d.Event.ID)
	}
	return d
}

// problem returns the sentence of a sender's error.
func problem(err error) string {
	if e, ok := errors.AsType[*core.Error](err); ok {
		return e.Message
	}
	return "internal error"
}

// pause returns the time until the next try, after a number of tries.
func (s *Service) pause(tries int) time.Duration {
	const spread = 10 // part of a pause that is added at most
	pause := pauses[min(max(tries, 1), len(pauses))-1]
	if s.Entropy != nil {
		pause += time.Duration(s.Entropy() % uint64(pause/spread)) //nolint:gosec // far below 2^63
	}
	return pause
}

// settle stores the results of tries, also if the process stops.
func (s *Service) settle(ctx context.Context, tried []core.Delivery) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settle)
	defer cancel()
	return s.Store.Settle(ctx, tried)
}

func (s *Service) now() time.Time { return s.Clock().UTC().Truncate(time.Microsecond) }

// Plan adds the deliveries of new events, which become due now.
func (s *Service) Plan(ctx context.Context) error {
	var faults []error
	for _, e := range s.Endpoints {
		for added := 1; added > 0; {
			var err error
			if added, err = s.Store.Plan(ctx, e, s.now()); err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", e.Name, err))
				break
			}
		}
	}
	return errors.Join(faults...)
}

// Deliver makes the tries that are due by now, one after the other in the order of their times, as if each was made
// when it was due: the clock of a simulated world may jump over days.
func (s *Service) Deliver(ctx context.Context) error {
	if err := s.Plan(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil {
		next, due, err := s.next(ctx)
		if err != nil || due.IsZero() || due.After(s.now()) {
			return err
		}
		claimed, err := s.Store.Claim(ctx, next, due, s.now().Add(lease), 1)
		if err != nil {
			return err
		}
		for i := range claimed {
			claimed[i] = s.try(ctx, claimed[i], func() time.Time { return due })
		}
		if err := s.settle(ctx, claimed); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Next returns when the next delivery of any endpoint is due, or the zero time.
func (s *Service) Next(ctx context.Context) (time.Time, error) {
	_, due, err := s.next(ctx)
	return due, err
}

// next returns the endpoint with the delivery that is due first.
func (s *Service) next(ctx context.Context) (first ports.WebhookEndpoint, due time.Time, err error) {
	for _, e := range s.Endpoints {
		at, err := s.Store.Next(ctx, e)
		if err != nil {
			return first, due, err
		}
		if !at.IsZero() && (due.IsZero() || at.Before(due)) {
			first, due = e, at
		}
	}
	return first, due, nil
}

// Endpoint returns the endpoint with a name, or core.NotFound.
func (s *Service) Endpoint(name string) (ports.WebhookEndpoint, error) {
	i := slices.IndexFunc(s.Endpoints, func(e ports.WebhookEndpoint) bool { return e.Name == name })
	if i < 0 {
		return ports.WebhookEndpoint{}, core.Errorf(core.NotFound, "There is no webhook endpoint %s", core.Quoted(name))
	}
	return s.Endpoints[i], nil
}

// Status is what an endpoint has not received.
type Status struct {
	ports.WebhookEndpoint
	core.Backlog
}

// Status returns the state of all endpoints.
func (s *Service) Status(ctx context.Context) ([]Status, error) {
	var out []Status
	for _, e := range s.Endpoints {
		backlog, err := s.Store.Backlog(ctx, e)
		if err != nil {
			return nil, err
		}
		out = append(out, Status{e, backlog})
	}
	return out, nil
}
