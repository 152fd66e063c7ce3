package operator_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"causeway/adapters/memory"
	"causeway/cmd/causeway/operator"
	"causeway/core"
	"causeway/core/delivery"
	"causeway/ports"
)

// refusing is a sender whose endpoint "dead" accepts nothing.
type refusing struct{}

func (refusing) Send(_ context.Context, endpoint string, _ core.Event) error {
	if endpoint == "dead" {
		return core.Errorf(core.Unavailable, "answered 301; redirects are not followed")
	}
	return nil
}

func TestHandler_Webhooks(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	store := memory.NewTransactions()
	service := delivery.New(delivery.Config{
		Endpoints: []ports.WebhookEndpoint{
			{Name: "dead", Account: "acc", Types: []core.EventType{core.TransactionPending}}, {Name: "shop", Account: "acc"},
		},
		Store: store.Deliveries(), Sender: refusing{}, Clock: clock,
	})
	if err := service.Plan(t.Context()); err != nil { // endpoints receive events from now on
		t.Fatal(err)
	}
	if _, err := store.Lease(t.Context(), "BTC", "test", 0); err != nil {
		t.Fatal(err)
	}
	chains, err := store.Chains(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Commit(t.Context(), ports.ChainBatch{
		State: chains[0], Before: chains[0].Tip, Transactions: []core.Transaction{{
			ID: core.TransactionID("BTC", "payment", 0), Network: "BTC", Hash: "payment",
			User: core.DepositUser{Account: "acc", Profile: "planted"}, Address: core.DepositAddress{Address: "planted"}, Currency: "BTC",
			Units: decimal.NewFromInt(1), Status: core.Pending, Revision: 1, Created: now, Updated: now,
		}},
	}); err != nil {
		t.Fatal(err)
	}
	if err := service.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	now = now.Add(3 * time.Second)
	handler := operator.New(operator.Config{Registry: prometheus.NewRegistry(), Clock: clock, Log: zap.NewNop()})
	handler.ShowWebhooks(service, func(endpoint string) string { return endpoint + ".test" })
	page := do(t, handler, http.MethodGet, operator.WebhooksPath, "")
	contains(t, page, http.StatusOK, `<th scope="row">dead</th>`, "answered 301; redirects are not followed", "dead.test",
		"has all events", `<span class="badge fresh">delivered</span>`, "3s ago", `aria-current="page">Webhooks`)
	if strings.Contains(page.Body.String(), "planted") {
		t.Errorf("the page shows a user or an address:\n%s", page.Body)
	}
	contains(t, do(t, handler, http.MethodGet, operator.WebhooksPath, "", "Accept", "application/json"), http.StatusOK,
		`"name":"dead","account":"acc","host":"dead.test","events":["transaction.pending"],"pending":1,`+
			`"oldest_undelivered":"2026-11-23T12:00:00Z","expired":0,"problem":"answered 301; redirects are not followed"`,
		`"status":"delivered","tries":1`)

	a, _ := newSandbox(t)
	contains(t, do(t, a.Operator, http.MethodGet, operator.WebhooksPath, ""), http.StatusOK, "No endpoint is configured")
}
