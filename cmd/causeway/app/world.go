package app

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/memory"
	"causeway/adapters/redis"
	"causeway/adapters/telemetry"
	"causeway/adapters/upstream"
	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/core/banks"
	"causeway/core/deposits"
	"causeway/core/pairs"
	"causeway/core/recipients"
	"causeway/core/transactions"
	"causeway/ports"
)

// WorldServices are the services of one world. Production has one world, a sandbox has many.
type WorldServices struct {
	Environment  Environment
	Catalog      config.Catalog // with the listings of the environment
	Providers    Providers
	Banks        *banks.Service
	Recipients   *recipients.Service
	Addresses    *addresses.Service
	Deposits     *deposits.Service
	Transactions *transactions.Service
	Pairs        *pairs.Service
}

// Shared is what the worlds of a process have in common. The zero value is valid: it logs and
// counts nothing.
type Shared struct {
	Log     *zap.Logger
	Metrics *upstream.Metrics
	Tries   func(context.Context, upstream.Attempt) // called after each request to a provider; nil: no calls
	Events  recipients.Events
	Audit   func(context.Context, recipients.Resolution) error // see recipients.Config; nil: no audit
	Redis   *redis.Client                                      // shares names and lookups of all replicas; nil: none
	Lookups ports.LookupLog                                    // remembers lookups for later processes; nil: none
	Tracing *telemetry.Tracing
	// Deposits keeps deposit addresses. Nil: a simulated world keeps its own, and production has none.
	Deposits      ports.DepositStore
	DepositEvents deposits.Events
	// Transactions keeps transactions and the blocks that were read. Nil: a world keeps its own.
	Transactions      ports.TransactionStore
	TransactionEvents transactions.Events
	// WrapCache wraps the cache of account names. Nil: it is used as it is.
	WrapCache func(ports.NameCache) ports.NameCache

	// Banks is the bank list of another world. The providers' lists are the same in all worlds, so
	// one world fetches them. Nil: the world fetches them from its own providers.
	Banks *banks.Service
	// Confirmers belong to the world that fetches the bank lists: the lists say where names can
	// be confirmed.
	Confirmers []ports.AccountConfirmer
}

// NewWorldServices builds the services of a world. It sends no request.
func NewWorldServices(
	cfg config.Config, catalog config.Catalog, env Environment, shared Shared,
) (*WorldServices, error) {
	if shared.Log == nil {
		shared.Log = zap.NewNop()
	}
	if shared.Tracing == nil {
		shared.Tracing = &telemetry.Tracing{}
	}
	factory, err := upstream.New(cfg.Upstream, upstream.Options{
		Transport: shared.Tracing.Transport(env.Transport), Clock: env.Clock, Entropy: env.Entropy,
		Tracing: shared.Tracing.Provider(), Unlimited: env.Unlimited, OnAttempt: shared.Tries,
	}, shared.Log, shared.Metrics)
	if err != nil {
		return nil, err
	}
	w := &WorldServices{Environment: env, Catalog: catalog, Banks: shared.Banks}
	w.Catalog.PriceCatalog = catalog.With(env.Listings)
	if w.Providers, err = newProviders(cfg, factory); err != nil {
		return nil, err
	}
	if w.Recipients, err = w.newRecipients(cfg, env, shared); err != nil {
		return nil, err
	}
	if w.Banks == nil {
		w.Banks, err = banks.New(banks.Config{
			Countries: w.Catalog.Countries, Catalog: slices.Concat(w.Catalog.Banks, env.Banks),
			Excluded: w.Catalog.ExcludedBanks, Directories: w.Providers.Directories, Resolvable: w.Recipients.Resolvable,
			Clock: env.Clock, Entropy: env.Entropy, Report: logBankLists(shared.Log),
		})
		if err != nil {
			return nil, err
		}
		w.Banks.Subscribe(func(list *banks.List) { w.Recipients.Survey(list.Banks()) })
	}
	w.Recipients.Survey(w.Banks.List().Banks())
	w.Addresses, err = addresses.New(catalog.Currencies, addresses.Policy{Testnet: env.TestNetworks})
	if err != nil {
		return nil, err
	}
	if w.Deposits, err = newDeposits(cfg, catalog, env, shared, w.Addresses); err != nil {
		return nil, err
	}
	w.Transactions, err = newTransactions(cfg, w.Catalog, env, shared, factory, w.Deposits)
	if err != nil {
		return nil, err
	}
	w.Pairs, err = pairs.New(pairs.Config{
		PriceCatalog: FitLimits(w.Catalog.PriceCatalog, w.Providers.Sources, shared.Log.Named("rates")),
		Entropy:      env.Entropy, History: env.History,
	}, logHealth(w.Providers.Sources, shared.Log), env.Clock)
	if err != nil {
		return nil, err
	}
	w.Pairs.Subscribe(logWithheld(shared.Log))
	return w, nil
}

func (w *WorldServices) newRecipients(
	cfg config.Config, env Environment, shared Shared,
) (*recipients.Service, error) {
	local, err := memory.New(memory.DefaultBytes, env.Clock)
	if err != nil {
		return nil, err
	}
	var (
		cache   ports.NameCache = local
		lookups ports.LookupLog
	)
	if shared.Redis != nil {
		cache = redis.Layered(local, redis.NewNameCache(shared.Redis))
		lookups = redis.NewLookups(shared.Redis)
	}
	if shared.WrapCache != nil {
		cache = shared.WrapCache(cache)
	}
	return recipients.New(recipients.Config{
		Countries: w.Catalog.Countries,
		Registry: recipients.Registry{ // functions, because the bank list is built after this service
			Find:   func(country, code string) (core.Bank, error) { return w.Banks.Find(country, code) },
			Awaits: func(provider, country string) bool { return w.Banks.Awaits(provider, country) },
		},
		Resolvers: w.Providers.Resolvers, Confirmers: informed(w.Providers.Confirmers, shared.Confirmers),
		Settings: cfg.RecipientSettings(), Cache: cache, Shared: lookups, Saved: shared.Lookups,
		Clock: env.Clock, Stopwatch: time.Now, Entropy: env.Entropy, Events: shared.Events, Audit: shared.Audit,
	})
}

// defaultWorld points to the services that requests without a world name reach. A sandbox replaces
// them when its world "default" is reset. Background work, metrics, debug pages and reloads follow
// the pointer.
type defaultWorld struct {
	services atomic.Pointer[WorldServices]
	catalog  atomic.Pointer[config.Catalog] // of the last reload, without the listings of a world
	replaced chan struct{}                  // capacity 1: services changed

	mu sync.Mutex // held by a reload and by a reset
}

// newDefaultWorld builds the services of the default world. Their WebSockets close when the process
// stops.
func newDefaultWorld(
	life fx.Lifecycle, cfg config.Config, catalog config.Catalog, env Environment, shared Shared,
) (*defaultWorld, error) {
	if cfg.Mode == config.Sandbox {
		cfg = defaultSettings(cfg)
	}
	services, err := NewWorldServices(cfg, catalog, env, shared)
	if err != nil {
		return nil, err
	}
	d := &defaultWorld{replaced: make(chan struct{}, 1)}
	d.services.Store(services)
	d.catalog.Store(&catalog)
	life.Append(fx.StopHook(func() { _ = d.services.Load().Providers.Close() }))
	return d, nil
}

// pairs returns the price engine of the moment.
func (d *defaultWorld) pairs() *pairs.Service { return d.services.Load().Pairs }

// families describes the routes of every pair with the families of their sources.
func (d *defaultWorld) families() map[core.Pair][]string {
	catalog := *d.catalog.Load()
	catalog.PriceCatalog = catalog.With(d.services.Load().Environment.Listings)
	out := make(map[core.Pair][]string, len(catalog.Listings))
	for _, l := range catalog.Listings {
		out[l.Pair] = catalog.Families(l)
	}
	return out
}

// newProductionShared is Shared of production.
func newProductionShared(
	cfg config.Config, events recipients.Events, audit *auditLog, tracing *telemetry.Tracing, stores configured,
	depositEvents deposits.Events, transactionEvents transactions.Events, log *zap.Logger, reg prometheus.Registerer,
) (Shared, error) {
	shared := Shared{
		Log: log, Metrics: upstream.NewMetrics(reg), Events: events, Audit: audit.Record, Tracing: tracing,
		Redis: stores.Redis, DepositEvents: depositEvents, TransactionEvents: transactionEvents,
	}
	if stores.Store == nil {
		return shared, nil
	}
	if cfg.Privacy.HashKey != "" {
		shared.Lookups = stores.Store.Lookups()
	} else { // the next process could not read them
		log.Warn("the enumeration guard forgets lookups at a restart; set privacy.hash_key")
	}
	shared.Transactions = stores.Store.Transactions()
	var err error
	if len(cfg.Deposits.Wallets) > 0 {
		shared.Deposits, err = stores.Store.Deposits(cfg.Privacy.HashKey)
	}
	return shared, err
}
