package contract_test

import (
	"net/http"
	"strings"
	"testing"

	"causeway/test/driver"
)

// TestAccess checks a process that requires a key for resolution, allows one origin and never returns names.
func TestAccess(t *testing.T) {
	t.Parallel()
	const first, second = "first-key-0123456789", "second-key-0123456789"
	closed := start(t, "CAUSEWAY_AUTH__RECIPIENTS=required", "CAUSEWAY_AUTH__KEYS="+first+","+second,
		"CAUSEWAY_API__CORS_ORIGINS=https://app.example", "CAUSEWAY_RECIPIENTS__CONFIRM_ONLY=true")
	claim := changed(t, published, "account_name", "Somebody Else")
	resolve := func(t *testing.T, body string, header ...string) driver.Reply {
		t.Helper()
		return driver.Do(t, http.MethodPost, closed.API+resolvePath, body, header...)
	}
	t.Run("wrong field", func(t *testing.T) { // before any valid request
		wantFieldErrors(t, resolve(t, changed(t, claim, "account_number", "1"), "Authorization", "Bearer "+first), "account_number")
		metrics := string(driver.Get(t, closed.Operator+"/metrics").Body)
		if strings.Contains(metrics, "causeway_recipients_attempts_total{") || !strings.Contains(metrics, `operation="resolve-account",status="400"`) {
			t.Error("a provider was called with an invalid number, or the request was not counted")
		}
	})
	for name, header := range map[string][]string{
		"no key": nil, "unknown key": {"Authorization", "Bearer wrong"}, "another scheme": {"Authorization", "Basic " + first},
	} {
		t.Run(name, func(t *testing.T) {
			r := resolve(t, claim, header...)
			wantError(t, r, http.StatusUnauthorized, "unauthorized")
			if r.Header.Get("WWW-Authenticate") == "" {
				t.Error("401 without WWW-Authenticate")
			}
		})
	}
	for _, key := range []string{first, second} {
		t.Run(key, func(t *testing.T) {
			r := resolve(t, claim, "Authorization", "Bearer "+key)
			if got := data[account](t, r); got.NameMatch != "no_match" || strings.Contains(string(r.Body), `"account_name"`) {
				t.Errorf("got %s, want no_match and no name", r.Body)
			}
		})
	}
	t.Run("no claimed name", func(t *testing.T) {
		wantFieldErrors(t, resolve(t, published, "Authorization", "Bearer "+first), "account_name")
	})
	for origin, want := range map[string]string{"https://app.example": "https://app.example", "https://evil.example": ""} {
		t.Run(origin, func(t *testing.T) {
			if got := driver.Get(t, closed.API+"/v1/pairs", "Origin", origin).Header.Get("Access-Control-Allow-Origin"); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	t.Run("preflight", func(t *testing.T) {
		r := driver.Do(t, http.MethodOptions, closed.API+"/v1/validate", "", "Origin", "https://app.example",
			"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type")
		if r.Status/100 != 2 || !strings.Contains(r.Header.Get("Access-Control-Allow-Methods"), "POST") {
			t.Errorf("got %d %v", r.Status, r.Header)
		}
	})
}

func TestCORS_Sandbox(t *testing.T) {
	t.Parallel()
	const origin = "https://app.example"
	if got := get(t, "/v1/pairs", "Origin", origin).Header.Get("Access-Control-Allow-Origin"); got != origin {
		t.Errorf("got %q, want %q", got, origin)
	}
}
