package app

import (
	"net/http"
	"strings"
	"testing"

	"causeway/simulator"
	"causeway/simulator/control"
	"causeway/simulator/journal"
)

func TestJournal_SecretKeys(t *testing.T) {
	t.Parallel()
	const (
		key    = "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617"
		phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
		usual  = `{"type":"address","currency":"BTC","network":"BTC","address":"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"}`
		path   = control.Prefix + "/worlds/TestSecrets/journal"
	)
	g := newPlayground(t, "BTC", "USD", "NGN", "USDT")
	says := func(method, path, body string) string {
		rec := g.send(simulator.Request{Method: method, Path: path, Body: body, Headers: map[string]string{"Sim-World": "TestSecrets"}})
		if rec.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
		return rec.Body.String()
	}
	says(http.MethodPost, "/v1/validate", usual)
	for _, secret := range []string{key, phrase, phrase[:36]} {
		body := strings.Replace(usual, "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", secret, 1)
		if answer := says(http.MethodPost, "/v1/validate", body) + says(http.MethodPost, "/v1/validate/batch", `{"items":[`+usual+`,`+body+`]}`); strings.Count(answer, `"secret_key"`) != 2 {
			t.Error(answer)
		}
	}
	bundle := says(http.MethodGet, path+"?format=bundle", "")
	b, err := journal.DecodeBundle([]byte(bundle))
	if err != nil || len(b.Requests) != 1 || b.LeftOut != 6 || b.Complete {
		t.Errorf("%v: %d requests, %d left out", err, len(b.Requests), b.LeftOut)
	}
	shown := bundle
	for _, format := range []string{"json", "har", "curl"} {
		shown += says(http.MethodGet, path+"?format="+format, "")
	}
	for _, planted := range []string{key, key[:2] + "****", "winner", "le****"} {
		if strings.Contains(shown, planted) {
			t.Errorf("%q is in %s", planted, shown)
		}
	}
}
