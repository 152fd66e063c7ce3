package test_test

import (
	"net/http"
	"sync"
	"testing"

	"causeway/test/driver"
	"causeway/test/faults"
)

// doorkeeper is a provider that wants a login. While a fault is set it takes no token, and the login goes wrong.
type doorkeeper struct {
	honest http.Handler
	login  string // its path

	mu     sync.Mutex
	broken *faults.Fault
	logins int
}

func (d *doorkeeper) set(f *faults.Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.broken, d.logins = f, 0
}

func (d *doorkeeper) tried() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.logins
}

func (d *doorkeeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	f := d.broken
	if r.URL.Path == d.login {
		d.logins++
	}
	d.mu.Unlock()
	switch {
	case f == nil:
		d.honest.ServeHTTP(w, r)
	case r.URL.Path == d.login:
		f.Play(faults.Scene{}, w, r, "")
	default:
		w.WriteHeader(http.StatusUnauthorized)
	}
}

// TestResolve_LoginFaults takes the tokens of the providers that want a login away and breaks the login itself in every way that
// does not depend on an account.
func TestResolve_LoginFaults(t *testing.T) {
	t.Parallel()
	for provider, c := range map[string]struct {
		login, next  string
		first, alone where
	}{
		"monnify": {
			"/api/v1/auth/login", "korapay", where{"NG", "NGN", "bank_transfer", "000013", ""}, where{"NG", "NGN", "mobile_money", "000015", ""},
		},
		"daraja": {"/oauth/v1/generate", "busha", where{"KE", "KES", "pay_bill", "", ""}, where{"KE", "KES", "till", "", ""}},
	} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			door := &doorkeeper{login: c.login}
			env := served(t, w, accountProviders, gates{provider: func(honest http.Handler) http.Handler { door.honest = honest; return door }})
			env = append(env, c.first.route(provider, c.next), c.alone.route(provider), "CAUSEWAY_RESOLUTION__GUARD__MODE=off", "CAUSEWAY_UPSTREAM__TIMEOUT=1s")
			process := startLoaded(t, append(production(), env...)...)
			firsts, alones := plots(w, c.first, 0), plots(w, c.alone, 500)
			for i, f := range faults.Logins() {
				door.set(&f)
				for _, x := range []struct {
					at     where
					number string
					want   int
				}{{c.first, firsts[i].number, http.StatusOK}, {c.alone, alones[i].number, http.StatusServiceUnavailable}} {
					r := driver.Do(t, http.MethodPost, process.API+resolvePath, x.at.question(x.number), "Authorization", "Bearer "+bearer)
					if r.Status != x.want || r.Status != http.StatusOK && r.Header.Get("Retry-After") == "" {
						t.Errorf("%s, by %s: %d %s, want %d", f.Name, x.at.channel, r.Status, r.Body, x.want)
					}
				}
				if door.tried() == 0 {
					t.Errorf("%s: nobody logged in: this shows nothing", f.Name)
				}
				door.set(nil)
				r := driver.Do(t, http.MethodPost, process.API+resolvePath, c.alone.question(alones[i].number), "Authorization", "Bearer "+bearer)
				if want := c.alone.holders(w)(alones[i].number).Name; r.Status != http.StatusOK || r.JSON(t)["data"].(map[string]any)["account_name"] != want {
					t.Errorf("%s, when it is over: %d %s, want %s", f.Name, r.Status, r.Body, want)
				}
			}
		})
	}
}
