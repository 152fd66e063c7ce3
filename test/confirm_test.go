package test_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	simulatedpaystack "causeway/simulator/wire/paystack"
	"causeway/test/driver"
	"causeway/test/faults"
)

// TestConfirm_ProviderFaults breaks the provider that confirms South Africa's account holders in every way. The result is
// an outage, never a match or a mismatch, and nothing is cached.
func TestConfirm_ProviderFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := &saboteur{provider: faults.Confirmation, plots: map[string]plot{}, heard: map[string]int{}}
	env := append(served(t, w, accountProviders, gates{"paystack": func(honest http.Handler) http.Handler { s.honest = honest; return s }}),
		"CAUSEWAY_PAYSTACK__KEYS__ZA="+simulatedpaystack.Key("ZA"), "CAUSEWAY_RESOLUTION__GUARD__MODE=off")
	c := startLoaded(t, append(production(), env...)...)
	at := where{"ZA", "ZAR", "bank_transfer", "632005", ""}
	const document, another = "8001015009087", "9001015009086"
	ask := func(number, document string) driver.Reply {
		question := strings.Replace(at.question(number), `{`,
			`{"account_name":"Ann Bron","document_type":"identity_number","document_number":"`+document+`",`, 1)
		return driver.Do(t, http.MethodPost, c.API+resolvePath, question, "Authorization", "Bearer "+bearer)
	}
	var running sync.WaitGroup
	turns := make(chan struct{}, 6) // fewer than the failures in a row that open the circuit breaker
	for _, p := range plots(w, at, 0) {
		switch p.fault.Name {
		case "another account's answer", "a name that is true": // an answer has no more than flags: these are good ones
			continue
		}
		s.watch(p.number)
		s.lay(p)
		running.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			name := at.holders(w)(p.number).Name
			r := ask(p.number, document)
			fine := p.fault.Kind == faults.Harmless || p.fault.Kind == faults.Late
			if fine != (r.Status == http.StatusOK) || !fine && (r.Status != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "") || strings.Contains(string(r.Body), name) {
				t.Errorf("%s: %d %s", p.fault.Name, r.Status, r.Body)
			}
			s.lift(p.number)
			if r := ask(p.number, document); r.Status != http.StatusOK || !strings.Contains(string(r.Body), `"document_match":"match"`) {
				t.Errorf("%s, when it is over: %d %s", p.fault.Name, r.Status, r.Body)
			}
			if r := ask(p.number, another); r.Status != http.StatusOK || !strings.Contains(string(r.Body), `"document_match":"no_match"`) {
				t.Errorf("%s, another document: %d %s", p.fault.Name, r.Status, r.Body)
			}
		})
	}
	running.Wait()
}

// TestResolve_CachePerCaller counts the questions to the provider: what one caller looked up is no quicker for another.
func TestResolve_CachePerCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := &saboteur{provider: "paystack", plots: map[string]plot{}, heard: map[string]int{}}
	env := append(served(t, w, accountProviders, gates{"paystack": func(honest http.Handler) http.Handler { s.honest = honest; return s }}),
		"CAUSEWAY_AUTH__KEYS=one-0123456789abcdef,two-0123456789abcdef", guarded.route("paystack"))
	c := startLoaded(t, append(production(), env...)...)
	p := plots(w, guarded, 300)[0]
	for number, status := range map[string]int{p.number: http.StatusOK, p.none: http.StatusNotFound} {
		s.watch(number)
		const one, two = "one-0123456789abcdef", "two-0123456789abcdef"
		for i, key := range []string{one, one, two, one, two} {
			if r := (caller{c, key, guarded}).ask(t, number); r.Status != status {
				t.Fatalf("%d %s", r.Status, r.Body)
			}
			want := 1
			if i >= 2 {
				want = 2
			}
			if got := s.asked(number); got != want {
				t.Errorf("status %d: the provider was asked %d times after %d questions of two callers, want %d", status, got, i+1, want)
			}
		}
	}
	if metrics := string(driver.Get(t, c.Operator+"/metrics").Body); !strings.Contains(metrics, `causeway_resolution_cache_total{result="hit"} 6`) || !strings.Contains(metrics, `causeway_resolution_cache_total{result="miss"} 4`) {
		t.Error("the metrics do not tell hits from misses")
	}
}
