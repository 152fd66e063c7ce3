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

// Confirmer says how to open a ports.AccountConfirmer, and what it must say.
type Confirmer struct {
	// Open opens it over a provider that works.
	Open func(t *testing.T) ports.AccountConfirmer
	// Matching are claims that are true, Different such as are not, by what is special about them.
	Matching, Different map[string]Claim
	// Unknown does not exist, Closed no longer does.
	Unknown, Closed Claim
	// CannotTell are claims to a working provider whose answers leave a doubt, by why.
	CannotTell map[string]Claim
	// Unsupported are claims about which the provider cannot be asked, by why.
	Unsupported map[string]Claim
	// Broken opens it over a provider that fails, by how it does.
	Broken map[string]func(t *testing.T) ports.AccountConfirmer
	// Hanging opens it over a provider that never answers, in a synctest bubble.
	Hanging func(t *testing.T) ports.AccountConfirmer
}

// Claim is an account, and who is said to hold it.
type Claim struct {
	Query  core.AccountQuery
	Holder core.HolderClaim
}

// AccountConfirmer checks the contract of ports.AccountConfirmer.
func AccountConfirmer(t *testing.T, c Confirmer) {
	t.Helper()
	need(t, c.Open != nil && c.Hanging != nil, "Open and Hanging")
	need(t, len(c.Matching) > 0 && len(c.Different) > 0 && len(c.Unsupported) > 0 && len(c.Broken) > 0,
		"Matching, Different, Unsupported and Broken")
	need(t, c.Unknown.Query.Country != "" && c.Closed.Query.Country != "", "Unknown and Closed")
	known := c.Matching[slices.Sorted(maps.Keys(c.Matching))[0]]

	t.Run("has a stable, lower-case name", func(t *testing.T) {
		t.Parallel()
		named(t, c.Open(t).Name)
	})
	t.Run("says without asking anybody whether it can be asked", c.confirms)
	t.Run("does not support a question that it cannot be asked:", func(t *testing.T) {
		t.Parallel()
		each(t, c.Unsupported, func(t *testing.T, claim Claim) { t.Helper(); refused(t, c.Open(t), claim, core.Unsupported) })
	})
	t.Run("says that a claim is true:", func(t *testing.T) {
		t.Parallel()
		each(t, c.Matching, func(t *testing.T, claim Claim) { t.Helper(); decided(t, c.Open(t), claim, core.Match) })
	})
	t.Run("says that a claim is not true:", func(t *testing.T) {
		t.Parallel()
		each(t, c.Different, func(t *testing.T, claim Claim) { t.Helper(); decided(t, c.Open(t), claim, core.NoMatch) })
	})
	t.Run("says that an account does not exist, or is closed, and which", c.notFound)
	t.Run("is unavailable where the answer leaves a doubt:", func(t *testing.T) {
		t.Parallel()
		each(t, c.CannotTell, func(t *testing.T, claim Claim) { t.Helper(); refused(t, c.Open(t), claim, core.Unavailable) })
		for how, open := range c.Broken {
			t.Run(how, func(t *testing.T) {
				t.Parallel()
				refused(t, open(t), known, core.Unavailable)
			})
		}
	})
	t.Run("is safe for concurrent use", func(t *testing.T) {
		t.Parallel()
		confirmer := c.Open(t)
		together(func() { decided(t, confirmer, known, core.Match) })
	})
	t.Run("returns promptly when its context is done:", func(t *testing.T) {
		t.Parallel()
		leavesPromptly(t, func(t *testing.T) func(context.Context) error {
			t.Helper()
			confirmer := c.Hanging(t)
			return func(ctx context.Context) error {
				_, err := confirmer.Confirm(ctx, known.Query, known.Holder)
				return err
			}
		})
	})
}

// each runs a check for each claim, by its name.
func each(t *testing.T, claims map[string]Claim, check func(t *testing.T, claim Claim)) {
	t.Helper()
	for what, claim := range claims {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			check(t, claim)
		})
	}
}

func (c Confirmer) confirms(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		confirmer := c.Hanging(t) // asking would never end
		for _, claims := range []map[string]Claim{c.Matching, c.Different} {
			for name, claim := range claims {
				if q := claim.Query; !confirmer.Confirms(q.Country, q.Channel, q.Bank) {
					t.Errorf("%s: cannot be asked", name)
				}
			}
		}
	})
	confirmer := c.Open(t)
	for name, claim := range c.Unsupported {
		if q := claim.Query; confirmer.Confirms(q.Country, q.Channel, q.Bank) {
			t.Errorf("%s: can be asked", name)
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
		t.Errorf("unknown and closed have the messages %v", messages)
	}
}

// decided checks the verdict on a claim.
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
		t.Errorf("got %q beside an error", got)
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
			t.Errorf("%s is in the error: %v", private, err)
		}
	}
	return e.Message
}
