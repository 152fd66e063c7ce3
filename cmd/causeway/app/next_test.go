package app

import (
	"net/http"
	"testing"
	"testing/synctest"

	"causeway/simulator"
)

// TestNextOutcome_InvalidRequest asks for an outcome, and sends what is refused before a provider is asked.
func TestNextOutcome_InvalidRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newPlayground(t)
		const line = "/worlds/refused/next"
		g.does(http.MethodPost, "/worlds", `{"id":"refused",`+standing+`}`)
		g.does(http.MethodPost, line, `{"operation":"resolve-account","outcomes":["unknown"]}`)
		ask := func(body string) (status int, applied string) {
			rec := g.send(simulator.Request{Method: http.MethodPost, Path: nameOf, Body: body, Headers: map[string]string{"Sim-World": "refused"}})
			return rec.Code, rec.Header().Get("Sim-Applied")
		}
		for _, body := range []string{
			`{"country_id":"NG"}`, `{bad`, ``, `{"country_id":"NG","currency_id":"NGN","channel":"bank_transfer","bank_code":"58","account_number":"0123456789"}`,
		} {
			if status, applied := ask(body); status != http.StatusBadRequest || applied != "none" {
				t.Errorf("%s: %d, decided by %s", body, status, applied)
			}
		}
		if status, applied := ask(somebody); status != http.StatusNotFound || applied != "next:unknown" {
			t.Errorf("the first good one: %d, decided by %s", status, applied)
		}
		if status, applied := ask(somebody); status != http.StatusOK || applied != "none" {
			t.Errorf("the one after it: %d, decided by %s", status, applied)
		}
	})
}
