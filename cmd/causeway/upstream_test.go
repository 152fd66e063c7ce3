package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"causeway/cmd/causeway/server"
)

func TestNoPageReachesTheSimulatedProvidersOperatorByANameOfItsOwn(t *testing.T) {
	t.Parallel()
	controls := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	api := httptest.NewServer(upstreamOperatorHandler(controls, &server.Health{}, "127.0.0.1:9201"))
	defer api.Close()
	for host, want := range map[string]int{"localhost:9201": http.StatusTeapot, "evil.example:9201": http.StatusMisdirectedRequest} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, api.URL+"/_sim/v1/worlds", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := api.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%s: got %d, want %d", host, resp.StatusCode, want)
		}
	}
}
