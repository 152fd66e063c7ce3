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

// Resolver holds the inputs of the suite of ports.AccountResolver.
type Resolver struct {
	// Open opens a resolver over a working provider.
	Open func(t *testing.T) ports.AccountResolver
	// Found are accounts that exist with the names of their holders, by name of the case.
	Found map[string]Holder
	// Unknown is an account that does not exist, Closed one that is closed.
	Unknown, Closed core.AccountQuery
	// Doubtful are queries for which a working provider returns no clear result, by name of the case.
	Doubtful map[string]core.AccountQuery
	// Unsupported are queries that the provider does not support, by name of the case.
	Unsupported map[string]core.AccountQuery
	// Broken opens a resolver over a failing provider, by kind of failure.
	Broken map[string]func(t *testing.T) ports.AccountResolver
	// Hanging opens a resolver over a provider that never responds, in a synctest bubble.
	Hanging func(t *testing.T) ports.AccountResolver
	// Live marks a real provider, for which Unknown and Closed may be missing.
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
	require(t, r.Open != nil && r.Hanging != nil, "Open and Hanging")
	require(t, len(r.Found) > 0 && len(r.Unsupported) > 0 && len(r.Broken) > 0, "Found, Unsupported and Broken")
	require(t, r.Live || r.Unknown.Country != "" && r.Closed.Country != "", "Unknown and Closed")
	known := r.Found[slices.Sorted(maps.Keys(r.Found))[0]]

	t.Run("name", func(t *testing.T) {
		t.Parallel()
		checkName(t, r.Open(t).Name)
	})
	t.Run("Resolves", r.resolves)
	t.Run("unsupported", r.unsupported)
	t.Run("found", r.found)
	t.Run("not found", r.notFound)
	t.Run("unavailable", func(t *testing.T) {
		t.Parallel()
		r.unavailable(t, known.Query)
	})
	t.Run("concurrent use", func(t *testing.T) {
		t.Parallel()
		resolver := r.Open(t)
		concurrently(func() {
			if name, err := resolver.Resolve(t.Context(), known.Query); err != nil || name.Reveal() != known.Name {
				t.Errorf("got %q, %v; want %q", name.Reveal(), err, known.Name)
			}
		})
	})
	t.Run("canceled context", func(t *testing.T) {
		t.Parallel()
		checkCanceled(t, func(t *testing.T) func(context.Context) error {
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
		resolver := r.Hanging(t) // a request would never end
		for name, h := range r.Found {
			if q := h.Query; !resolver.Resolves(q.Country, q.Channel, q.Bank) {
				t.Errorf("%s: Resolves is false, want true", name)
			}
		}
		for name, q := range r.Unsupported {
			if resolver.Resolves(q.Country, q.Channel, q.Bank) {
				t.Errorf("%s: Resolves is true, want false", name)
			}
		}
	})
}

// unavailable checks doubtful queries to a working provider and a known one to broken providers.
func (r Resolver) unavailable(t *testing.T, known core.AccountQuery) {
	t.Helper()
	for name, q := range r.Doubtful {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkUnavailable(t, r.Open(t), q)
		})
	}
	for how, open := range r.Broken {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			checkUnavailable(t, open(t), known)
		})
	}
}

func (r Resolver) unsupported(t *testing.T) {
	t.Parallel()
	for name, q := range r.Unsupported {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := r.Open(t).Resolve(t.Context(), q)
			wantCode(t, err, core.Unsupported)
		})
	}
}

func (r Resolver) found(t *testing.T) {
	t.Parallel()
	for name, h := range r.Found {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			name, err := r.Open(t).Resolve(t.Context(), h.Query)
			if err != nil || name.Reveal() != h.Name {
				t.Errorf("got %q, %v; want %q", name.Reveal(), err, h.Name)
			}
			if got := name.Reveal(); got == "" || strings.Join(strings.Fields(got), " ") != got {
				t.Errorf("got %q, want a name that is trimmed and collapsed", got)
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
		messages[checkError(t, q, name, err)] = true
	}
	if len(messages) != len(queries) || messages[""] {
		t.Errorf("got messages %v, want one each for unknown and closed", messages)
	}
}

// checkUnavailable checks that a query fails with core.Unavailable.
func checkUnavailable(t *testing.T, resolver ports.AccountResolver, q core.AccountQuery) {
	t.Helper()
	name, err := resolver.Resolve(t.Context(), q)
	wantCode(t, err, core.Unavailable)
	checkError(t, q, name, err)
}

// checkError checks that a failed resolution returns no name and that its error does not contain the
// number. It returns the message.
func checkError(t *testing.T, q core.AccountQuery, name core.Private, err error) string {
	t.Helper()
	if name != "" {
		t.Errorf("got name %q and an error, want no name", name.Reveal())
	}
	if err == nil {
		return ""
	}
	if number := q.Number.Reveal(); strings.Contains(err.Error(), number) {
		t.Errorf("error %v contains the account number %s", err, number)
	}
	e, ok := errors.AsType[*core.Error](err)
	if !ok {
		t.Errorf("got a %T, want a *core.Error", err)
		return ""
	}
	return e.Message
}
