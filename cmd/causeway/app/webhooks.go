package app

import (
	"net"
	"time"

	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/adapters/webhooks"
	"causeway/config"
	"causeway/core"
	"causeway/core/delivery"
)

// newDelivery makes the service that delivers events to the endpoints of the settings. The worlds of a sandbox have
// receivers of their own.
func newDelivery(
	cfg config.Config, api *httpapi.API, stores configured, version Version, log *zap.Logger,
) (*delivery.Service, error) {
	if cfg.Mode == config.Sandbox || len(cfg.Webhooks) == 0 {
		return delivery.New(delivery.Config{}), nil
	}
	sender, err := webhooks.New(cfg.Webhooks, webhooks.Options{
		Clock: time.Now, Version: string(version), Render: render(api.Instance()), Listeners: ownListeners(cfg),
	})
	if err != nil {
		return nil, err
	}
	return delivery.New(delivery.Config{
		Endpoints: cfg.Webhooks.Endpoints(), Store: stores.Store.Transactions().Deliveries(), Sender: sender,
		Clock: time.Now, Entropy: SystemEntropy, Events: newDeliveryEvents(log.Named("webhooks")),
	}), nil
}

// render returns the body of a webhook: an event as the API lists it.
func render(i *httpapi.Instance) func(core.Event) ([]byte, error) {
	return func(e core.Event) ([]byte, error) { return i.EncodeEvent(e), nil }
}

// ownListeners returns the addresses of this process, which receive no webhooks.
func ownListeners(cfg config.Config) func() []net.Addr {
	return func() (own []net.Addr) {
		for _, address := range []string{cfg.Listen, cfg.OperatorListen} {
			if a, err := net.ResolveTCPAddr("tcp", address); err == nil {
				own = append(own, a)
			}
		}
		return own
	}
}

// newDeliveryEvents logs what happens to deliveries. It shows no user and no content.
func newDeliveryEvents(log *zap.Logger) delivery.Events {
	on := func(endpoint string) zap.Field { return zap.String("endpoint", endpoint) }
	return delivery.Events{
		Tried: func(endpoint, event string, err error) {
			if err != nil {
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

