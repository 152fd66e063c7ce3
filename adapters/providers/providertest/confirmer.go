package providertest

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
	"causeway/simulator/wire/wiretest"
)

// Confirmer are the fixtures and expectations of a provider that compares holders with claims.
type Confirmer struct {
	API
	Op    string   // of metrics
	Claim Claim    // about which the responses are
	Good  Response // says that Claim is true

	Responses []Exception // of a provider that works
	Contract  Claims      // its claims; the runner adds the rest

	Cases    []ClaimCase
	Doubtful map[upstream.Outcome][]Response // to Claim
	Requests []ClaimRequest

	FuzzStatus int // of fuzzed refusals

	Simulated *SimulatedConfirmer
}

// SimulatedConfirmer says what a simulated provider confirms.
type SimulatedConfirmer struct {
	Settings provider.Settings
	Banks    []core.Bank
	Contract Claims // its claims
}

// ClaimCase is one row: what a confirmer makes of a response. Without a Want, a NotFound and an
// Outcome, the claim is unsupported and no request is sent.
type ClaimCase struct {
	Name     string // empty: the name of the response
	Claim    Claim  // default: the confirmer's claim
	Respond  Response
	Want     core.NameMatch
	NotFound string           // part of the error of a request that found nothing
	Outcome  upstream.Outcome // of a request that decided nothing
}

// ClaimRequest is what a claim sends.
type ClaimRequest struct {
	Claim Claim
	Want  string // without the URL: "POST validate {…}"
}

// Run tests the confirmer, in parallel with other tests.
func (s Confirmer) Run(t *testing.T) {
	t.Helper()
	t.Parallel()
	t.Run("contract", func(t *testing.T) {
		t.Parallel()
		WorkingConfirmer{s.Contract, func(t *testing.T) ports.AccountConfirmer {
			t.Helper()
			clients, _, _ := s.open(t, byRequest(t, s.Responses))
			return clients.Confirmer
		}}.Run(t)
	})
	t.Run("bad input", func(t *testing.T) {
		t.Parallel()
		s.badInput(t, malformed(t, s.Good), nil, s.confirm, private(s.Claim)...)
	})
	t.Run("simulated", func(t *testing.T) { t.Parallel(); s.simulated(t) })
	t.Run("time-out", func(t *testing.T) { t.Parallel(); s.timeout(t, s.Op, s.confirm) })
	for _, r := range s.Requests {
		t.Run("request "+r.Want, func(t *testing.T) {
			t.Parallel()
			clients, server, _ := s.open(t, always(t, s.Good))
			got, err := clients.Confirmer.Confirm(t.Context(), r.Claim.Query, r.Claim.Holder)
			if err != nil || got != core.Match || !slices.Equal(server.requests, []string{r.Want}) {
				t.Errorf("got %q, %v and requests %q", got, err, server.requests)
			}
		})
	}
	t.Run("Confirms", func(t *testing.T) {
		t.Parallel()
		clients, server, _ := s.open(t, always(t, s.Good))
		clients.Confirmer.Confirms(s.Claim.Query.Country, s.Claim.Query.Channel, s.Claim.Query.Bank)
		if len(server.requests) > 0 {
			t.Errorf("got requests %q, want none", server.requests)
		}
	})
	for name, claim := range s.Contract.Unsupported {
		t.Run("unsupported: "+name, func(t *testing.T) { t.Parallel(); s.unsupported(t, claim) })
	}
	cases := slices.Clone(s.Cases)
	for outcome, responses := range s.Doubtful {
		for _, r := range responses {
			cases = append(cases, ClaimCase{Respond: r, Outcome: outcome})
		}
	}
	for _, c := range cases {
		if c.Name == "" {
			c.Name = c.Respond.name()
		}
		t.Run(c.Name, func(t *testing.T) { t.Parallel(); s.check(t, c) })
	}
}

// unsupported checks a claim about which no request is sent.
func (s Confirmer) unsupported(t *testing.T, c Claim) {
	t.Helper()
	clients, server, _ := s.open(t, always(t, s.Good))
	if q := c.Query; clients.Confirmer.Confirms(q.Country, q.Channel, q.Bank) {
		t.Error("Confirms is true, want false")
	}
	refusedClaim(t, clients.Confirmer, c, core.Unsupported)
	if len(server.requests) > 0 {
		t.Errorf("got requests %q, want none", server.requests)
	}
}

// confirm confirms the claim.
func (s Confirmer) confirm(ctx context.Context, c provider.Clients) error {
	got, err := c.Confirmer.Confirm(ctx, s.Claim.Query, s.Claim.Holder)
	return alone(err, got != "")
}

// private returns the parts of a claim that must not leave the adapter.
func private(c Claim) []string {
	return []string{c.Query.Number.Reveal(), c.Holder.Name.Reveal(), c.Holder.Document.Number.Reveal()}
}

func (s Confirmer) check(t *testing.T, c ClaimCase) {
	t.Helper()
	if c.Claim.Query.Country == "" {
		c.Claim = s.Claim
	}
	clients, server, world := s.open(t, always(t, c.Respond))
	got, err := clients.Confirmer.Confirm(t.Context(), c.Claim.Query, c.Claim.Holder)
	s.wantSilence(t, err, world, private(c.Claim)...)
	code, outcome := core.Unavailable, c.Outcome
	switch {
	case c.Want != "":
		code, outcome = "", upstream.OK
	case c.NotFound != "":
		code, outcome = core.NotFound, upstream.NotFound
	case c.Outcome == "":
		code = core.Unsupported
	}
	if got != c.Want || core.CodeOf(err) != code || err != nil && !strings.Contains(err.Error(), c.NotFound) {
		t.Errorf("got %q, %v; want %q, %s %q", got, err, c.Want, code, c.NotFound)
	}
	if code == core.Unsupported && len(server.requests) > 0 {
		t.Errorf("got requests %q, want none", server.requests)
	} else if code != core.Unsupported {
		s.wantOutcome(t, world, s.Op, outcome)
	}
}

// simulated runs the contract over the simulated provider.
func (s Confirmer) simulated(t *testing.T) {
	t.Helper()
	_, w := wiretest.Open(t, s.Simulated.Banks...)
	client := func(c provider.Clients) ports.AccountConfirmer { return c.Confirmer }
	WorkingConfirmer{s.Simulated.Contract, overWire(w, s.Simulated.Settings, client)}.Run(t)
}

// Fuzz checks that arbitrary bodies decide only in a successful response.
func (s Confirmer) Fuzz(f *testing.F) {
	f.Helper()
	for _, body := range fixtures(f) {
		f.Add(true, body)
		f.Add(false, body)
	}
	f.Fuzz(func(t *testing.T, good bool, body []byte) {
		status := s.FuzzStatus
		if good {
			status = http.StatusOK
		}
		clients, _, _ := s.open(t, always(t, Body(status, string(body))))
		got, err := clients.Confirmer.Confirm(context.Background(), s.Claim.Query, s.Claim.Holder)
		switch core.CodeOf(err) {
		case "":
			if !good || got != core.Match && got != core.NoMatch {
				t.Errorf("got %q with status %d", got, status)
			}
		case core.NotFound, core.Unavailable:
			if got != "" {
				t.Errorf("got %q with the error %v", got, err)
			}
		default:
			t.Errorf("got %v", err)
		}
	})
}
