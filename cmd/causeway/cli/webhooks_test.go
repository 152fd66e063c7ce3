package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"causeway/adapters/storage"
	"causeway/core"
	"causeway/ports"
)

const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// webhookSet is an installation with the endpoints shop and till, and its database.
type webhookSet struct {
	settings string
	store    *storage.Store
}

func newWebhookSet(t *testing.T, url string) webhookSet {
	t.Helper()
	dir := t.TempDir()
	text, err := json.Marshal(map[string]any{
		"state": map[string]string{"dir": dir},
		"webhooks": map[string]any{
			"shop": map[string]any{"account": "acc", "url": url + "/planted", "secret": webhookSecret, "allow_private": true},
			"till": map[string]any{
				"account": "acc", "url": "https://till.test/planted", "secret": webhookSecret, "events": "transaction.completed",
			},
		},
	})
	settings := filepath.Join(dir, "causeway.yaml")
	if err := errors.Join(err, os.WriteFile(settings, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	store, err := storage.Open(t.Context(), storage.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return webhookSet{settings, store}
}

// pay adds an event at a time.
func (s webhookSet) pay(t *testing.T, at time.Time) {
	t.Helper()
	if _, err := s.store.Transactions().Lease(t.Context(), "BTC", "test", 0); err != nil {
		t.Fatal(err)
	}
	chains, err := s.store.Transactions().Chains(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.store.Transactions().Commit(t.Context(), ports.ChainBatch{
		State: chains[0], Before: chains[0].Tip, Transactions: []core.Transaction{{
			ID: core.TransactionID("BTC", "payment", 0), Network: "BTC", Hash: "payment",
			User: core.DepositUser{Account: "acc", Profile: "planted"}, Currency: "BTC", Units: decimal.NewFromInt(1),
			Status: core.Pending, Revision: 1, Created: at, Updated: at,
		}},
	}); err != nil {
		t.Fatal(err)
	}
}

// The commands show what endpoints have not received, and make it pending again.
func TestWebhooksCommand(t *testing.T) {
	t.Parallel()
	s := newWebhookSet(t, "http://127.0.0.1:1")
	at := time.Now().UTC().Add(-time.Hour).Truncate(time.Second)
	s.pay(t, at)
	command := func(want string, args ...string) {
		t.Helper()
		out, err := run(t, "", append([]string{"webhooks", "--config", s.settings}, args...)...)
		got := strings.Join(strings.Fields(out+fmt.Sprint(err)), " ")
		if !strings.Contains(got, want) || strings.Contains(got, "planted") || strings.Contains(got, "whsec_") {
			t.Errorf("%q: got %s, want %s", args, got, want)
		}
	}
	command("NAME ACCOUNT HOST EVENTS PENDING OLDEST EXPIRED PROBLEM shop acc 127.0.0.1:1 all 0 - 0 - "+
		"till acc till.test transaction.completed 0 - 0 -", "list")
	command("TRIES LAST TRY NEXT TRY EVENT PROBLEM <nil>", "deliveries")
	command("1 events since ", "replay", "shop", "--since", "2h")
	command("0 events since ", "replay", "shop", "--since", "30m")
	command("0 events since ", "replay", "till", "--since", at.Format(time.RFC3339))
	command(at.Format(time.RFC3339)+" shop transaction.pending pending 0 - ", "deliveries", "--status", "pending")

	shop := ports.WebhookEndpoint{Name: "shop", Account: "acc"}
	now := time.Now().UTC().Truncate(time.Microsecond)
	claimed, err := s.store.Transactions().Deliveries().Claim(t.Context(), shop, now, now.Add(time.Minute), 1)
	if err != nil || len(claimed) != 1 {
		t.Fatal(claimed, err)
	}
	claimed[0].Updated, claimed[0].Problem = now, "answered 500"
	if err := s.store.Transactions().Deliveries().Settle(t.Context(), claimed); err != nil {
		t.Fatal(err)
	}
	command(`"pending": 1, "oldest_undelivered": "`+at.Format(time.RFC3339)+`", "expired": 0, "problem": "answered 500"`,
		"list", "-o", "json")
	command("[] <nil>", "deliveries", "--endpoint", "till", "-o", "json")
	command(`there is no endpoint "shops"; configured: shop, till`, "deliveries", "--endpoint", "shops")
	command("accepted: 1 to 1000", "deliveries", "--limit", "0")
	command("accepted: pending, delivered, expired", "deliveries", "--status", "lost")
	command(`there is no endpoint "shops"`, "replay", "shops", "--since", "2h")
	command(`--since is "yesterday"; accepted: a duration such as 2h or 3d, or a time`, "replay", "shop", "--since", "yesterday")
	command("which is not in the past", "replay", "shop", "--since", "2200-01-01T00:00:00Z")
	command("which is not in the past", "replay", "shop", "--since", "-2h")
	if _, err := run(t, "", "webhooks", "replay", "shop", "--since", "soon", "--config", s.settings); ExitCode(err) != exitUsage {
		t.Errorf("got exit code %d, want %d", ExitCode(err), exitUsage)
	}
	empty := filepath.Join(t.TempDir(), "causeway.yaml")
	if err := os.WriteFile(empty, []byte("state: {dir: "+t.TempDir()+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"list"}, {"test", "shop"}} {
		_, err := run(t, "", append([]string{"webhooks", "--config", empty}, args...)...)
		if err == nil || !strings.Contains(err.Error(), "no endpoint is configured: set webhooks.NAME.url") {
			t.Errorf("%s: got %v", args, err)
		}
	}
}

// A test reaches the endpoint once, signed, and is about no transaction.
func TestWebhooksCommand_Test(t *testing.T) {
	t.Parallel()
	status := http.StatusNoContent
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		verifier, wrong := standardwebhooks.NewWebhook(webhookSecret)
		if err := errors.Join(err, wrong, verifier.Verify(body, r.Header)); err != nil {
			t.Error(err)
		}
		if id := r.Header.Get("webhook-id"); !strings.Contains(string(body), `"id":"`+id+`"`) {
			t.Errorf("the header has %s, and the body %s", id, body)
		}
		bodies = append(bodies, string(body))
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	s := newWebhookSet(t, server.URL)
	host := strings.TrimPrefix(server.URL, "http://")
	out, err := run(t, "", "webhooks", "test", "shop", "--config", s.settings)
	if err != nil || !strings.HasPrefix(out, "shop ("+host+") answered 204 after 0.") {
		t.Errorf("got %q, %v", out, err)
	}
	status = http.StatusMovedPermanently
	_, err = run(t, "", "webhooks", "test", "shop", "--config", s.settings)
	if want := "shop (" + host + ") answered 301; redirects are not followed"; err == nil || err.Error() != want || ExitCode(err) != 1 {
		t.Errorf("got %v, want %s", err, want)
	}
	out, err = run(t, "", "webhooks", "test", "shop", "-o", "json", "--config", s.settings)
	if err == nil || !strings.Contains(out, `"status": 301`) || !strings.Contains(out, `"problem": "answered 301; `) {
		t.Errorf("got %s, %v", out, err)
	}
	if len(bodies) != 3 || !strings.Contains(bodies[0], `"type":"webhook.test"`) || !strings.Contains(bodies[0], `"data":{}`) ||
		bodies[0] == bodies[1] {
		t.Errorf("got %q, want three events with IDs of their own and no data", bodies)
	}
}
