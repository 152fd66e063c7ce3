package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestNoPageReachesTheSimulatedProvidersOperatorByANameOfItsOwn(t *testing.T) {
	t.Parallel()
	controls := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	server := httptest.NewServer(upstreamOperatorHandler(controls, "127.0.0.1:9201"))
	defer server.Close()
	for host, want := range map[string]int{"localhost:9201": http.StatusTeapot, "evil.example:9201": http.StatusMisdirectedRequest} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/_sim/v1/worlds", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%s: got %d, want %d", host, resp.StatusCode, want)
		}
	}
}
