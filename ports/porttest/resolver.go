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

// Resolver says how to open a ports.AccountResolver, and what it must say.
type Resolver struct {
	// Open opens it over a provider that works.
	Open func(t *testing.T) ports.AccountResolver
	// Found are accounts that exist, by what is special about them, with the names of their
	// holders.
	Found map[string]Holder
	// Unknown does not exist, Closed no longer does.
	Unknown, Closed core.AccountQuery
	// CannotTell are questions to a working provider whose answers leave a doubt, by why.
	CannotTell map[string]core.AccountQuery
	// Unsupported are questions that the provider cannot be asked, by why.
	Unsupported map[string]core.AccountQuery
	// Broken opens it over a provider that fails, by how it does.
	Broken map[string]func(t *testing.T) ports.AccountResolver
	// Hanging opens it over a provider that never answers, in a synctest bubble.
	Hanging func(t *testing.T) ports.AccountResolver
	// Live is true over a real provider, which has accounts of few kinds: Unknown and Closed may be
	// missing.
	Live bool
}

// Holder is an account and the name of its holder, trimmed and with inner spaces collapsed.
type Holder struct {
	Query core.AccountQuery
	Name  string
}

// AccountResolver checks the contract of ports.AccountResolver.
func AccountResolver(t *testing.T, r Resolver) {
	t.Helper()
	need(t, r.Open != nil && r.Hanging != nil, "Open and Hanging")
	need(t, len(r.Found) > 0 && len(r.Unsupported) > 0 && len(r.Broken) > 0, "Found, Unsupported and Broken")
	need(t, r.Live || r.Unknown.Country != "" && r.Closed.Country != "", "Unknown and Closed")
	known := r.Found[slices.Sorted(maps.Keys(r.Found))[0]]

	t.Run("has a stable, lower-case name", func(t *testing.T) {
		t.Parallel()
		named(t, r.Open(t).Name)
	})
	t.Run("says without asking anybody whether it can be asked", r.resolves)
	t.Run("does not support a question that it cannot be asked:", r.unsupported)
	t.Run("returns the holder's name, trimmed and collapsed, its case as given:", r.found)
	t.Run("says that an account does not exist, or is closed, and which", r.notFound)
	t.Run("is unavailable where the answer leaves a doubt:", func(t *testing.T) {
		t.Parallel()
		r.cannotTell(t, known.Query)
	})
	t.Run("is safe for concurrent use", func(t *testing.T) {
		t.Parallel()
		resolver := r.Open(t)
		together(func() {
			if name, err := resolver.Resolve(t.Context(), known.Query); err != nil || name.Reveal() != known.Name {
				t.Errorf("got %q, %v", name.Reveal(), err)
			}
		})
	})
	t.Run("returns promptly when its context is done:", func(t *testing.T) {
		t.Parallel()
		leavesPromptly(t, func(t *testing.T) func(context.Context) error {
			t.Helper()
			resolver := r.Hanging(t)
			return func(ctx context.Context) error {
				_, err := resolver.Resolve(ctx, known.Query)
				return err
			}
		})
	})
}

func (r Resolver) resolves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		resolver := r.Hanging(t) // asking would never end
		for name, h := range r.Found {
			if q := h.Query; !resolver.Resolves(q.Country, q.Channel, q.Bank) {
				t.Errorf("%s: cannot be asked", name)
			}
		}
		for name, q := range r.Unsupported {
			if resolver.Resolves(q.Country, q.Channel, q.Bank) {
				t.Errorf("%s: can be asked", name)
			}
		}
	})
}

// cannotTell goes through what leaves a doubt: questions to a working provider, and one question to
// broken ones.
func (r Resolver) cannotTell(t *testing.T, known core.AccountQuery) {
	t.Helper()
	for why, q := range r.CannotTell {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			cannotTell(t, r.Open(t), q)
		})
	}
	for how, open := range r.Broken {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			cannotTell(t, open(t), known)
		})
	}
}

func (r Resolver) unsupported(t *testing.T) {
	t.Parallel()
	for why, q := range r.Unsupported {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			_, err := r.Open(t).Resolve(t.Context(), q)
			wantCode(t, err, core.Unsupported)
		})
	}
}

func (r Resolver) found(t *testing.T) {
	t.Parallel()
	for what, h := range r.Found {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			name, err := r.Open(t).Resolve(t.Context(), h.Query)
			if err != nil || name.Reveal() != h.Name {
				t.Errorf("got %q, %v; want %q", name.Reveal(), err, h.Name)
			}
			if got := name.Reveal(); got == "" || strings.Join(strings.Fields(got), " ") != got {
				t.Errorf("%q is empty, or not trimmed and collapsed", got)
			}
		})
	}
}

func (r Resolver) notFound(t *testing.T) {
	t.Parallel()
	messages := map[string]bool{}
	queries := slices.DeleteFunc([]core.AccountQuery{r.Unknown, r.Closed}, func(q core.AccountQuery) bool {
		return q.Country == ""
	})
	for _, q := range queries {
		name, err := r.Open(t).Resolve(t.Context(), q)
		wantCode(t, err, core.NotFound)
		messages[silent(t, q, name, err)] = true
	}
	if len(messages) != len(queries) || messages[""] {
		t.Errorf("unknown and closed have the messages %v", messages)
	}
}

// cannotTell checks that a question stays open.
func cannotTell(t *testing.T, resolver ports.AccountResolver, q core.AccountQuery) {
	t.Helper()
	name, err := resolver.Resolve(t.Context(), q)
	wantCode(t, err, core.Unavailable)
	silent(t, q, name, err)
}

// silent checks that a failed resolution gives away neither a name nor the number, and returns its
// message.
func silent(t *testing.T, q core.AccountQuery, name core.Private, err error) string {
	t.Helper()
	if name != "" {
		t.Errorf("got the name %q beside an error", name.Reveal())
	}
	if err == nil {
		return ""
	}
	if number := q.Number.Reveal(); strings.Contains(err.Error(), number) {
		t.Errorf("the account number %s is in the error: %v", number, err)
	}
	e, ok := errors.AsType[*core.Error](err)
	if !ok {
		t.Errorf("got a %T, want a *core.Error", err)
		return ""
	}
	return e.Message
}
