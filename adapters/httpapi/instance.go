package httpapi

import (
	"context"
	"sync/atomic"

	"causeway/core"
	"causeway/core/banks"
	"causeway/core/pairs"
	"causeway/ports"
)

// InstanceConfig is what an Instance takes from its world in addition to the services.
type InstanceConfig struct {
	Clock   core.Clock
	Entropy core.Entropy
	// Limiter counts calls. nil: limits are shown but not enforced.
	Limiter ports.RateLimiter
	// SharedCurrencies makes the Instance show the currencies of the default Instance, also after
	// SetCurrencies.
	SharedCurrencies bool
	// SameCurrencies says that the default Instance has the same currencies at the moment, so that the Instance
	// shows the encoded list.
	SameCurrencies bool
}

// Instance is one world as the API shows it: its services and the lists that they published,
// encoded.
type Instance struct {
	services Services
	cfg      InstanceConfig

	pairs      *pairList
	banks      *atomic.Pointer[bankPage]
	countries  *atomic.Pointer[encoded]
	currencies *atomic.Pointer[currencyList]
}

// NewInstance returns an Instance and follows the publications of its services. A list that the
// default Instance has, too, is encoded once.
func (a *API) NewInstance(services Services, cfg InstanceConfig) *Instance {
	if services.Transactions == nil {
		services.Transactions = unread{}
	}
	i := &Instance{services: services, cfg: cfg}
	if d := a.instance; d != nil && services.Banks == d.services.Banks {
		i.banks, i.countries = d.banks, d.countries
	} else {
		i.banks, i.countries = new(atomic.Pointer[bankPage]), new(atomic.Pointer[encoded])
		services.Banks.Subscribe(func(list *banks.List) {
			i.banks.Store(newBankPage(list))
			i.countries.Store(newCountryList(services))
		})
	}
	if cfg.SharedCurrencies && a.instance != nil {
		i.currencies = a.instance.currencies
	} else if i.currencies = new(atomic.Pointer[currencyList]); cfg.SameCurrencies && a.instance != nil {
		i.currencies.Store(a.instance.currencies.Load())
	} else {
		i.SetCurrencies(services.Currencies)
	}
	i.pairs = &pairList{book: services.Pairs, clock: cfg.Clock}
	services.Pairs.Subscribe(func(s *pairs.Snapshot) { i.pairs.publish(s) })
	return i
}

// SetCurrencies replaces the list of currencies.
func (i *Instance) SetCurrencies(currencies []core.Currency) {
	i.currencies.Store(newCurrencyList(currencies, i.services.Addresses.Networks(), i.services.Transactions))
}

type instanceKey struct{}

// WithInstance returns a context in which the API answers from i.
func WithInstance(ctx context.Context, i *Instance) context.Context {
	return context.WithValue(ctx, instanceKey{}, i)
}

// instanceFrom returns the Instance that answers a request.
func instanceFrom(ctx context.Context) *Instance {
	if i, ok := ctx.Value(instanceKey{}).(*Instance); ok {
		return i
	}
	return requestFrom(ctx).api.instance
}
