package app

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/adapters/webhooks"
	"causeway/cmd/causeway/operator"
	"causeway/config"
	"causeway/core"
	"causeway/core/delivery"
	"causeway/simulator/receivers"
	"causeway/simulator/world"
)

// eventDeliveries provides what delivers events to endpoints.
var eventDeliveries = fx.Module("webhooks", fx.Provide(newDelivery), fx.Invoke(registerWebhookMetrics, showWebhooks))

// newDelivery makes the service that delivers events to the endpoints of the settings. The worlds of a sandbox have
// receivers of their own.
func newDelivery(
	cfg config.Config, api *httpapi.API, stores configured, version Version, log *zap.Logger, reg prometheus.Registerer,
) (*delivery.Service, error) {
	tries := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "causeway_webhooks_tries_total", Help: "Tries to send an event to an endpoint, by endpoint and outcome.",
	}, []string{"endpoint", "outcome"})
	if cfg.Mode == config.Sandbox || len(cfg.Webhooks) == 0 {
		return delivery.New(delivery.Config{}), nil
	}
	sender, err := webhooks.New(cfg.Webhooks, webhooks.Options{
		Clock: time.Now, Version: string(version), Render: render(api.Instance()), Listeners: OwnListeners(cfg),
	})
	if err != nil {
		return nil, err
	}
	return delivery.New(delivery.Config{
		Endpoints: cfg.Webhooks.Endpoints(), Store: stores.Store.Transactions().Deliveries(), Sender: sender,
		Clock: time.Now, Entropy: SystemEntropy, Events: newDeliveryEvents(log.Named("webhooks"), tries),
	}), nil
}

// render returns the body of a webhook: an event as the API lists it.
func render(i *httpapi.Instance) func(core.Event) ([]byte, error) {
	return func(e core.Event) ([]byte, error) { return i.EncodeEvent(e), nil }
}

// OwnListeners returns the addresses of a process with a configuration, which receive no webhooks.
func OwnListeners(cfg config.Config) func() []net.Addr {
	return func() (own []net.Addr) {
		for _, address := range []string{cfg.Listen, cfg.OperatorListen} {
			if a, err := net.ResolveTCPAddr("tcp", address); err == nil {
				own = append(own, a)
			}
		}
		return own
	}
}

// newDeliveryEvents logs and counts what happens to deliveries. It shows no user and no content.
func newDeliveryEvents(log *zap.Logger, tries *prometheus.CounterVec) delivery.Events {
	on := func(endpoint string) zap.Field { return zap.String("endpoint", endpoint) }
	return delivery.Events{
		Tried: func(endpoint, event string, err error) {
			if err == nil {
				tries.WithLabelValues(endpoint, "accepted").Inc()
			} else {
				tries.WithLabelValues(endpoint, "failed").Inc()
				log.Info("webhook not accepted", on(endpoint), zap.String("event", event), zap.Error(err))
			}
		},
		Expired: func(endpoint, event string) {
			log.Error("webhook expired; run causeway webhooks replay when the endpoint works again",
				on(endpoint), zap.String("event", event))
		},
		Failed: func(endpoint string, err error) {
			log.Warn("webhooks cannot be delivered", on(endpoint), zap.Error(err))
		},
	}
}

var webhookMetrics = []metric{
	{
		"causeway_webhooks_oldest_undelivered_seconds",
		"Age of the oldest event that an endpoint has not received; 0: it has all of them.",
		[]string{"endpoint"},
	},
	{"causeway_webhooks_pending", "Events that are on their way to an endpoint.", []string{"endpoint"}},
	{
		"causeway_webhooks_expired",
		"Events of the last 30 days that an endpoint did not accept within three days, and that were not replayed.",
		[]string{"endpoint"},
	},
}

// registerWebhookMetrics registers the metrics of endpoints, which are the same in all processes with one database.
func registerWebhookMetrics(service *delivery.Service, reg prometheus.Registerer) error {
	const timeout = 2 * time.Second
	return registerCollector(reg, webhookMetrics, func(send sender) {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		all, err := service.Status(ctx)
		if err != nil {
			return // causeway_webhooks_oldest_undelivered_seconds is absent, which its alert notices
		}
		for _, s := range all {
			age := 0.0
			if !s.Oldest.IsZero() {
				age = max(0, service.Clock().Sub(s.Oldest).Seconds())
			}
			send("causeway_webhooks_oldest_undelivered_seconds", age, s.Name)
			send("causeway_webhooks_pending", float64(s.Pending), s.Name)
			send("causeway_webhooks_expired", float64(s.Expired), s.Name)
		}
	})
}

// showWebhooks adds the page of webhooks to the operator's listener.
func showWebhooks(o *operator.Handler, service *delivery.Service, cfg config.Config) {
	o.ShowWebhooks(service, func(endpoint string) string { return cfg.Webhooks[endpoint].Host() })
}

// worldWebhooks delivers the events of a simulated world to its receivers.
type worldWebhooks struct {
	mu      sync.Mutex
	version int // of the receivers
	service *delivery.Service

	kick      chan struct{} // capacity 1: something may be due
	following bool          // followWebhooks runs
	listeners func() []net.Addr
}

// delivery returns the service that delivers to the present receivers; nil: there are none.
func (one *sandboxWorld) delivery(ctx context.Context) (*delivery.Service, error) {
	all, version := one.world.Receivers().All()
	one.webhooks.mu.Lock()
	defer one.webhooks.mu.Unlock()
	if len(all) == 0 || version == one.webhooks.version {
		if len(all) == 0 {
			one.webhooks.service = nil
		}
		return one.webhooks.service, nil
	}
	cfg := webhooks.Config{}
	for _, r := range all {
		cfg[r.Name] = endpointOf(r)
	}
	sender, err := webhooks.New(cfg, webhooks.Options{
		Clock: time.Now, Version: "sandbox", Render: render(one.instance), Wrap: one.world.Receivers().Wrap,
		Listeners: one.webhooks.listeners,
	})
	if err != nil {
		return nil, err
	}
	service := delivery.New(delivery.Config{
		Endpoints: cfg.Endpoints(), Store: storesOf(one.world).transactions.Deliveries(), Sender: sender,
		Clock: one.world.Now,
	})
	one.webhooks.version, one.webhooks.service = version, service
	return service, service.Plan(ctx) // new receivers get events from now on
}

// endpointOf returns a receiver as an endpoint of the settings.
func endpointOf(r receivers.Receiver) webhooks.Endpoint {
	return webhooks.Endpoint{
		Account: r.Account, URL: core.Secret(r.URL), Secret: core.Secret(r.Secret), Events: r.Events, AllowPrivate: true,
	}
}

// planWebhooks makes the events of the moment due.
func (one *sandboxWorld) planWebhooks(ctx context.Context) error {
	service, err := one.delivery(ctx)
	if service == nil || err != nil {
		return err
	}
	return service.Plan(ctx)
}

// deliver sends what is due by the clock of the world. The caller holds no lock, because a receiver may call back.
func (one *sandboxWorld) deliver(ctx context.Context) {
	service, err := one.delivery(ctx)
	if service == nil || err != nil {
		return
	}
	_ = service.Deliver(ctx) // the store is in memory; what the context ended goes on in followWebhooks
	one.world.Receivers().Release(ctx)
}

// followWebhooks sends webhooks that no call waits for, while the clock of the world runs and after a kick. It returns
// when the world has no receivers.
func (one *sandboxWorld) followWebhooks() {
	const interval = 250 * time.Millisecond
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	ctx, kicked := one.world.Alive(), false
	for {
		select {
		case <-ctx.Done():
			return
		case <-one.webhooks.kick:
			kicked = true
		case <-ticker.C:
			kicked = false
		}
		frozen := one.world.ClockState().Frozen
		switch {
		case one.unreceived():
			return
		case frozen && !kicked:
			continue
		case !frozen:
			one.readChains(ctx)
		}
		one.deliver(ctx)
	}
}

// unreceived reports whether the world has no receivers, so that followWebhooks ends.
func (one *sandboxWorld) unreceived() bool {
	one.webhooks.mu.Lock()
	defer one.webhooks.mu.Unlock()
	all, _ := one.world.Receivers().All()
	one.webhooks.following = len(all) > 0
	return len(all) == 0
}

// startWebhooks starts followWebhooks unless it runs.
func (one *sandboxWorld) startWebhooks() {
	one.webhooks.mu.Lock()
	defer one.webhooks.mu.Unlock()
	if !one.webhooks.following {
		one.webhooks.following = true
		go one.followWebhooks()
	}
}

// kickWebhooks lets followWebhooks look at once.
func (one *sandboxWorld) kickWebhooks() {
	select {
	case one.webhooks.kick <- struct{}{}:
	default: // it looks anyway
	}
}

// worldReceivers is control.Webhooks.
type worldReceivers struct{ *sandbox }

// Put implements control.Webhooks.
func (s worldReceivers) Put(
	ctx context.Context, w *world.World, r receivers.Receiver,
) (receivers.Receiver, error) {
	if r.Account == "" {
		r.Account = httpapi.PublicAccount
	}
	if r.Secret == "" {
		sum := sha256.Sum256([]byte("webhooks\n" + w.Options().Seed + "\n" + r.Name))
		r.Secret = "whsec_" + base64.StdEncoding.EncodeToString(sum[:])
	}
	if err := webhooks.CheckReceiver(r.Name, endpointOf(r)); err != nil {
		return r, err
	}
	one, err := s.open(ctx, w)
	if err != nil {
		return r, err
	}
	if err := w.Receivers().Put(r); err != nil {
		return r, err
	}
	one.startWebhooks()
	_, err = one.delivery(ctx)
	return r, err
}

// Deliver implements control.Webhooks. It waits for at most ten seconds; followWebhooks sends the rest.
func (s worldReceivers) Deliver(ctx context.Context, w *world.World) {
	const most = 10 * time.Second
	if all, _ := w.Receivers().All(); len(all) == 0 {
		return
	}
	one, err := s.open(ctx, w)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	one.deliver(ctx)
	if ctx.Err() != nil {
		one.kickWebhooks()
	}
}
