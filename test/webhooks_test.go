package test_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"causeway/clients/go/sandbox"
	"causeway/test/driver"
)

// shop is a server that receives webhooks and verifies them.
type shop struct {
	*httptest.Server

	env []string // of a process that sends to it

	mu       sync.Mutex
	received map[string]int // by event: number of deliveries
	fault    string         // of a delivery
}

// newShop returns a shop for the events of the key bearer. It refuses the first try of every third event.
func newShop(t *testing.T) *shop {
	t.Helper()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	verify, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	s, seen := &shop{received: map[string]int{}}, map[string]bool{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		if err != nil { // the process was killed
			return
		}
		if err := verify.Verify(body, r.Header); err != nil {
			s.fault = err.Error()
		}
		id := r.Header.Get(standardwebhooks.HeaderWebhookID)
		if known := seen[id]; !known {
			if seen[id] = true; len(seen)%3 == 0 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
		}
		s.received[id]++
	}))
	t.Cleanup(s.Close)
	s.env = endpointEnv("SHOP", s.URL, secret)
	return s
}

// endpointEnv returns the environment with an endpoint for the events of the key bearer.
func endpointEnv(name, url, secret string) []string {
	account := sha256.Sum256([]byte(bearer)) // of a key of the settings
	prefix := "CAUSEWAY_WEBHOOKS__" + name + "__"
	return []string{
		prefix + "URL=" + url, prefix + "SECRET=" + secret, prefix + "ALLOW_PRIVATE=true",
		prefix + "ACCOUNT=config_" + hex.EncodeToString(account[:])[:10],
	}
}

// Secrets in the settings of the endpoints of a reading process.
const (
	endpointPath   = "planted-path-88bb?token=planted-token-99cc"
	plantedSecret  = "whsec_cGxhbnRlZC1zZWNyZXQtb2YtMzItYnl0ZXMtMTIzNA=="
	previousSecret = "whsec_cGxhbnRlZC1wcmV2aW91cy1vZi0zMi1ieXRlcy0xMg=="
	credentials    = "planted-user:planted-password"
	parroted       = "planted-answer-77aa"
)

// newParrot returns a server that refuses webhooks, and answers with what it received.
func newParrot(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Error", parroted+" "+r.Header.Get(standardwebhooks.HeaderWebhookSignature))
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write(append(body, parroted+" "+r.URL.String()...))
	}))
	t.Cleanup(s.Close)
	return s
}

// secretsOfEndpoints returns the secrets of the endpoints.
func (r *reading) secretsOfEndpoints() []string {
	key := func(secret string) string { return strings.TrimPrefix(secret, "whsec_") }
	return []string{
		"planted-path", "planted-token", key(plantedSecret), key(previousSecret), "planted-user", "planted-password", parroted,
	}
}

// testPrivacyOfCommands searches the outputs and errors of the commands about webhooks, and the debug page.
func (r *reading) testPrivacyOfCommands(t *testing.T, private []string) {
	t.Helper()
	check := func(what, output, want string) {
		t.Helper()
		if !strings.Contains(output, want) {
			t.Errorf("%s: got %s, want %q", what, output, want)
		}
		for _, value := range private {
			if strings.Contains(output, value) {
				t.Errorf("%s shows %q: %s", what, value, output)
			}
		}
	}
	for _, c := range []struct {
		want, env string
		args      []string
	}{
		{"answered 500", "", []string{"list", "-o", "json"}},
		{"connection refused", "", []string{"deliveries", "--wide"}},
		{"answered 500", "", []string{"deliveries", "--endpoint", "parrot", "-o", "json"}},
		{"events since", "", []string{"replay", "parrot", "--since", "1h"}},
		{"answered 500", "", []string{"test", "parrot"}},
		{"connection refused", "", []string{"test", "lost", "-o", "json"}},
		{"there is no endpoint", "", []string{"test", "nobody"}},
		{"has credentials", "CAUSEWAY_WEBHOOKS__LOST__URL=https://" + credentials + "@shop.test/" + endpointPath, []string{"test", "lost"}},
		{"is not whsec_ and base64", "CAUSEWAY_WEBHOOKS__LOST__SECRET=" + previousSecret + "!", []string{"list"}},
	} {
		cmd := exec.CommandContext(t.Context(), binary, append([]string{"webhooks"}, c.args...)...)
		cmd.Env = append(append(sandbox.Clean(os.Environ()), r.env...), c.env)
		out, _ := cmd.CombinedOutput() // some of them fail
		check("causeway webhooks "+strings.Join(c.args, " "), string(out), c.want)
	}
	check("/debug/webhooks", string(driver.Get(t, r.Operator+"/debug/webhooks").Body), "parrot")
}

// events returns the IDs of all events of the account, in their order.
func (p payer) events() (ids []string) {
	p.t.Helper()
	for after, more := "", true; more; {
		var got struct {
			Data       []struct{ ID string }
			Pagination struct {
				Next string `json:"next_cursor"`
				More bool   `json:"has_more"`
			}
		}
		r := driver.Get(p.t, p.api+"/v1/events?limit=100&after="+url.QueryEscape(after), p.header...)
		if err := json.Unmarshal(r.Body, &got); err != nil || r.Status != http.StatusOK {
			p.t.Fatalf("%d %s", r.Status, r.Body)
		}
		for _, e := range got.Data {
			ids = append(ids, e.ID)
		}
		after, more = got.Pagination.Next, got.Pagination.More
	}
	return ids
}

// expect waits until the shop has every event of the account, and no other.
func (s *shop) expect(t *testing.T, p payer) {
	t.Helper()
	events := p.events()
	wait(t, "every event is delivered", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, id := range events {
			if s.received[id] == 0 {
				return false
			}
		}
		return true
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	repeated := 0
	for _, n := range s.received {
		repeated += n - 1
	}
	t.Logf("%d events, each delivered, %d more than once", len(events), repeated)
	if len(s.received) != len(events) || s.fault != "" || len(events) == 0 {
		t.Errorf("got %d events and the fault %q, want %d and none", len(s.received), s.fault, len(events))
	}
}
