package contract_test

import (
	"net/http"
	"testing"

	"causeway/test/driver"
)

func TestAuth_Resolve(t *testing.T) {
	t.Parallel()
	closed := start(t, "CAUSEWAY_AUTH__RESOLUTION=required", "CAUSEWAY_AUTH__KEYS=first-key-0123456789,second-key-0123456789")
	for _, header := range [][]string{nil, {"Authorization", "Bearer wrong"}, {"Authorization", "Basic first-key-0123456789"}, {"Authorization", "Bearer "}, {"Authorization", "first-key-0123456789"}} {
		r := driver.Do(t, http.MethodPost, closed.API+resolvePath, published, header...)
		wantError(t, r, http.StatusUnauthorized, "unauthorized")
		if r.Header.Get("WWW-Authenticate") == "" {
			t.Error("401 without WWW-Authenticate")
		}
	}
	for _, key := range []string{"first-key-0123456789", "second-key-0123456789"} {
		if r := driver.Do(t, http.MethodPost, closed.API+resolvePath, published, "Authorization", "Bearer "+key); r.Status != 200 {
			t.Errorf("a right key: %d %s", r.Status, r.Body)
		}
	}
	for _, path := range []string{"/v1/pairs", "/v1/banks", "/v1/currencies", "/v1/countries"} {
		if r := driver.Get(t, closed.API+path, "Authorization", "Bearer wrong"); r.Status != 200 {
			t.Errorf("%s is public, got %d", path, r.Status)
		}
	}
}
