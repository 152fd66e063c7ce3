package porttest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"causeway/core"
	"causeway/ports"
)

// Confirmer holds the inputs of the suite of ports.AccountConfirmer.
type Confirmer struct {
	// Open opens a confirmer over a working provider.
	Open func(t *testing.T) ports.AccountConfirmer
	// Matching are claims that are true and Different claims that are false, by name of the case.
	Matching, Different map[string]Claim
	// Unknown is an account that does not exist, Closed one that is closed.
	Unknown, Closed Claim
	// Doubtful are claims for which a working provider returns no clear result, by name of the case.
	Doubtful map[string]Claim
	// Unsupported are claims that the provider does not support, by name of the case.
	Unsupported map[string]Claim
	// Broken opens a confirmer over a failing provider, by kind of failure.
	Broken map[string]func(t *testing.T) ports.AccountConfirmer
	// Hanging opens a confirmer over a provider that never responds, in a synctest bubble.
	Hanging func(t *testing.T) ports.AccountConfirmer
}

// Claim is an account and its claimed holder.
type Claim struct {
	Query  core.AccountQuery
	Holder core.HolderClaim
}

// AccountConfirmer checks the contract of ports.AccountConfirmer.
func AccountConfirmer(t *testing.T, c Confirmer) {
	t.Helper()
	require(t, c.Open != nil && c.Hanging != nil, "Open and Hanging")
	require(t, len(c.Matching) > 0 && len(c.Different) > 0 && len(c.Unsupported) > 0 && len(c.Broken) > 0,
		"Matching, Different, Unsupported and Broken")
	require(t, c.Unknown.Query.Country != "" && c.Closed.Query.Country != "", "Unknown and Closed")
	known := c.Matching[slices.Sorted(maps.Keys(c.Matching))[0]]

	t.Run("name", func(t *testing.T) {
		t.Parallel()
		checkName(t, c.Open(t).Name)
	})
	t.Run("Confirms", c.confirms)
	t.Run("unsupported", func(t *testing.T) {
		t.Parallel()
		each(t, c.Unsupported, func(t *testing.T, claim Claim) { t.Helper(); refused(t, c.Open(t), claim, core.Unsupported) })
	})
	t.Run("matching", func(t *testing.T) {
		t.Parallel()
		each(t, c.Matching, func(t *testing.T, claim Claim) { t.Helper(); decided(t, c.Open(t), claim, core.Match) })
	})
	t.Run("different", func(t *testing.T) {
		t.Parallel()
		each(t, c.Different, func(t *testing.T, claim Claim) { t.Helper(); decided(t, c.Open(t), claim, core.NoMatch) })
	})
	t.Run("not found", c.notFound)
	t.Run("unavailable", func(t *testing.T) {
		t.Parallel()
		each(t, c.Doubtful, func(t *testing.T, claim Claim) { t.Helper(); refused(t, c.Open(t), claim, core.Unavailable) })
		for how, open := range c.Broken {
			t.Run(how, func(t *testing.T) {
				t.Parallel()
				refused(t, open(t), known, core.Unavailable)
			})
		}
	})
	t.Run("concurrent use", func(t *testing.T) {
		t.Parallel()
		confirmer := c.Open(t)
		concurrently(func() { decided(t, confirmer, known, core.Match) })
	})
	t.Run("canceled context", func(t *testing.T) {
		t.Parallel()
		checkCanceled(t, func(t *testing.T) func(context.Context) error {
			t.Helper()
			confirmer := c.Hanging(t)
			return func(ctx context.Context) error {
				_, err := confirmer.Confirm(ctx, known.Query, known.Holder)
				return err
			}
		})
	})
}

// each runs a check for each claim.
func each(t *testing.T, claims map[string]Claim, check func(t *testing.T, claim Claim)) {
	t.Helper()
	for name, claim := range claims {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, claim)
		})
	}
}

func (c Confirmer) confirms(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		confirmer := c.Hanging(t) // a request would never end
		for _, claims := range []map[string]Claim{c.Matching, c.Different} {
			for name, claim := range claims {
				if q := claim.Query; !confirmer.Confirms(q.Country, q.Channel, q.Bank) {
					t.Errorf("%s: Confirms is false, want true", name)
				}
			}
		}
	})
	confirmer := c.Open(t)
	for name, claim := range c.Unsupported {
		if q := claim.Query; confirmer.Confirms(q.Country, q.Channel, q.Bank) {
			t.Errorf("%s: Confirms is true, want false", name)
		}
	}
}

func (c Confirmer) notFound(t *testing.T) {
	t.Parallel()
	messages := map[string]bool{}
	for _, claim := range []Claim{c.Unknown, c.Closed} {
		messages[refused(t, c.Open(t), claim, core.NotFound)] = true
	}
	if len(messages) != 2 || messages[""] {
		t.Errorf("got messages %v, want one each for unknown and closed", messages)
	}
}

// decided checks the result for a claim.
func decided(t *testing.T, confirmer ports.AccountConfirmer, claim Claim, want core.NameMatch) {
	t.Helper()
	if got, err := confirmer.Confirm(t.Context(), claim.Query, claim.Holder); err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// refused checks that a claim fails with an error that contains no name, number or document, and
// returns its message.
func refused(t *testing.T, confirmer ports.AccountConfirmer, claim Claim, want core.Code) string {
	t.Helper()
	got, err := confirmer.Confirm(t.Context(), claim.Query, claim.Holder)
	wantCode(t, err, want)
	if got != "" {
		t.Errorf("got %q and an error, want no result", got)
	}
	e, ok := errors.AsType[*core.Error](err)
	if !ok {
		t.Errorf("got a %T, want a *core.Error", err)
		return ""
	}
	for _, private := range []string{
		claim.Query.Number.Reveal(), claim.Holder.Name.Reveal(), claim.Holder.Document.Number.Reveal(),
	} {
		if private != "" && strings.Contains(err.Error(), private) {
			t.Errorf("error %v contains %s", err, private)
		}
	}
	return e.Message
}
