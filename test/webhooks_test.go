package test_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

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
	account := sha256.Sum256([]byte(bearer)) // of a key of the settings
	s.env = []string{
		"CAUSEWAY_WEBHOOKS__SHOP__URL=" + s.URL, "CAUSEWAY_WEBHOOKS__SHOP__SECRET=" + secret,
		"CAUSEWAY_WEBHOOKS__SHOP__ALLOW_PRIVATE=true",
		"CAUSEWAY_WEBHOOKS__SHOP__ACCOUNT=config_" + hex.EncodeToString(account[:])[:10],
	}
	return s
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
