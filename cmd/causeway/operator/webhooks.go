package operator

import (
	"net/http"
	"time"

	"go.uber.org/zap"

	"causeway/core"
	"causeway/core/delivery"
	"causeway/ports"
)

// WebhooksPath is the path of the page of webhooks.
const WebhooksPath = "/debug/webhooks"

// ShowWebhooks adds the page of webhooks. host returns the host of an endpoint.
func (h *Handler) ShowWebhooks(service *delivery.Service, host func(endpoint string) string) {
	h.Handle("GET "+WebhooksPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.webhooks(w, r, service, host)
	}))
}

// webhooksPage shows what endpoints have not received, and the newest deliveries. It shows no users, no content of
// events, and no URLs, which may have tokens.
type webhooksPage struct {
	page
	Endpoints  []endpointRow `json:"endpoints"`
	Deliveries []deliveryRow `json:"deliveries"` // the newest ones
}

// endpointRow is the state of an endpoint.
type endpointRow struct {
	Name    string           `json:"name"`
	Account string           `json:"account"`
	Host    string           `json:"host"`
	Types   []core.EventType `json:"events"` // empty: all
	Pending int64            `json:"pending"`
	Oldest  time.Time        `json:"oldest_undelivered,omitzero"`
	Expired int64            `json:"expired"`
	Problem string           `json:"problem,omitempty"`
}

// deliveryRow is a delivery.
type deliveryRow struct {
	Endpoint string              `json:"endpoint"`
	Event    string              `json:"event"`
	Type     core.EventType      `json:"type"`
	Time     time.Time           `json:"timestamp"`
	Status   core.DeliveryStatus `json:"status"`
	Tries    int                 `json:"tries"`
	Tried    time.Time           `json:"last_try,omitzero"`
	Problem  string              `json:"problem,omitempty"`
}

func (h *Handler) webhooks(
	w http.ResponseWriter, r *http.Request, service *delivery.Service, host func(endpoint string) string,
) {
	const newest = 50
	p := webhooksPage{page: h.newPage(r, "Webhooks"), Endpoints: []endpointRow{}, Deliveries: []deliveryRow{}}
	all, err := service.Status(r.Context())
	var deliveries []core.Delivery
	if err == nil && len(all) > 0 {
		deliveries, err = service.Store.Deliveries(r.Context(), ports.DeliveryQuery{Limit: newest})
	}
	if err != nil {
		h.cfg.Log.Warn("page of webhooks not shown", zap.Error(err))
		WriteReply(w, http.StatusServiceUnavailable, "unavailable", "the database cannot be read; see the log")
		return
	}
	for _, s := range all {
		p.Endpoints = append(p.Endpoints, endpointRow{
			Name: s.Name, Account: s.Account, Host: host(s.Name), Types: append([]core.EventType{}, s.Types...),
			Pending: s.Pending, Oldest: s.Oldest, Expired: s.Expired, Problem: s.Problem,
		})
	}
	for _, d := range deliveries {
		p.Deliveries = append(p.Deliveries, deliveryRow{
			Endpoint: d.Endpoint, Event: d.Event.ID, Type: d.Event.Type, Time: d.Event.Transaction.Updated,
			Status: d.Status, Tries: d.Tries, Tried: d.Updated, Problem: d.Problem,
		})
	}
	h.respond(w, r, "webhooks.html", p)
}
