package monnify_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/adapters/providers/monnify"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
)

// visitor is a Monnify that hands out token-1, token-2, …, notes what was asked with, and takes the tokens that accepts has.
type visitor struct {
	logins  int
	asked   []string
	accepts func(token string) bool
}

func (v *visitor) open(t *testing.T, clock func() time.Time) *monnify.Provider {
	t.Helper()
	login := func(r *http.Request) (*http.Response, error) {
		v.logins++
		if r.Header.Get("Authorization") != basic || r.URL.RawQuery != "" {
			t.Errorf("a login by %q", r.Header.Get("Authorization"))
		}
		body := strings.ReplaceAll(upstreamtest.Read(t, "login.json"), "token-1", "token-"+string(rune('0'+v.logins)))
		return upstreamtest.Text(http.StatusOK, body)(r)
	}
	answer := func(r *http.Request) (*http.Response, error) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		v.asked = append(v.asked, token)
		if !v.accepts(token) {
			return file(t, http.StatusUnauthorized, "unauthorized.json")(r)
		}
		if strings.HasSuffix(r.URL.Path, "/banks") {
			return file(t, http.StatusOK, "banks.json")(r)
		}
		return file(t, http.StatusOK, "resolved.json")(r)
	}
	provider, err := monnify.New(monnify.Config{APIKey: key, SecretKey: secret}, upstreamtest.OpenAt(t, with(t, login, answer), clock).Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

func TestATokenIsUsedUntilFourFifthsOfItsLifeAreOver(t *testing.T) {
	t.Parallel()
	now := upstreamtest.Noon()
	v := &visitor{accepts: func(string) bool { return true }}
	provider := v.open(t, func() time.Time { return now })
	for _, after := range []time.Duration{0, 40 * time.Minute, 50 * time.Minute} {
		now = upstreamtest.Noon().Add(after)
		if _, err := provider.Resolve(t.Context(), atZenith(benji)); err != nil {
			t.Fatal(err)
		}
		if _, err := provider.Banks(t.Context(), "NG"); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"token-1", "token-1", "token-1", "token-1", "token-2", "token-2"}; !slices.Equal(v.asked, want) || v.logins != 2 {
		t.Errorf("got %v after %d logins, want %v", v.asked, v.logins, want)
	}
}

func TestATokenThatEndedEarlyIsRenewedOnce(t *testing.T) {
	t.Parallel()
	v := &visitor{accepts: func(string) bool { return true }}
	provider := v.open(t, upstreamtest.Noon)
	if _, err := provider.Resolve(t.Context(), atZenith(benji)); err != nil {
		t.Fatal(err)
	}
	v.accepts = func(token string) bool { return token == "token-2" }
	if holder, err := provider.Resolve(t.Context(), atZenith(benji)); err != nil || holder.Reveal() != "MARVELOUS BENJI" {
		t.Errorf("got %q, %v", holder.Reveal(), err)
	}
	v.accepts = func(string) bool { return false }
	if _, err := provider.Resolve(t.Context(), atZenith(benji)); core.CodeOf(err) != core.Unavailable {
		t.Errorf("got %v", err)
	}
	if want := []string{"token-1", "token-1", "token-2", "token-2", "token-3"}; !slices.Equal(v.asked, want) || v.logins != 3 {
		t.Errorf("got %v after %d logins, want %v", v.asked, v.logins, want)
	}
}

// TestLives checks what is believed of a token's life: one that makes no sense is used until it is refused.
func TestLives(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		life   string
		after  time.Duration
		logins int
	}{
		"none told":       {`"unknown":1`, 1000 * time.Hour, 1},
		"null":            {`"expiresIn":null`, 1000 * time.Hour, 1},
		"less than none":  {`"expiresIn":-5`, 1000 * time.Hour, 1},
		"text":            {`"expiresIn":"3567"`, 1000 * time.Hour, 1},
		"an hour, before": {`"expiresIn":3600`, 47 * time.Minute, 1},
		"an hour, after":  {`"expiresIn":3600`, 49 * time.Minute, 2},
		"a year":          {`"expiresIn":31536000`, 20 * time.Hour, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logins, now := 0, upstreamtest.Noon()
			login := func(r *http.Request) (*http.Response, error) {
				logins++
				return upstreamtest.Edited(t, "login.json", `"expiresIn": 3567`, c.life)(r)
			}
			world := upstreamtest.OpenAt(t, with(t, login, file(t, 200, "resolved.json")), func() time.Time { return now })
			provider, err := monnify.New(monnify.Config{APIKey: key, SecretKey: secret}, world.Factory)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if _, err := provider.Resolve(t.Context(), atZenith(benji)); err != nil {
					t.Fatal(err)
				}
				now = now.Add(c.after)
			}
			if logins != c.logins {
				t.Errorf("got %d logins, want %d", logins, c.logins)
			}
		})
	}
}

func TestARefusedKeyIsTheOperatorsAffair(t *testing.T) {
	t.Parallel()
	provider, world := open(t, with(t, file(t, 401, "login_refused.json"), file(t, 200, "resolved.json")))
	if _, err := provider.Resolve(t.Context(), atZenith(benji)); core.CodeOf(err) != core.Unavailable {
		t.Errorf("got %v", err)
	}
	wantOutcomes(t, world, "login refused")
	if !strings.Contains(world.Printed(t), `"level":"error"`) {
		t.Error("nobody is alerted")
	}
}
