package main

import (
	"context"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/afriex"
	"causeway/adapters/binance"
	"causeway/adapters/busha"
	"causeway/adapters/bybit"
	"causeway/adapters/coinbase"
	"causeway/adapters/coingecko"
	"causeway/adapters/daraja"
	"causeway/adapters/flutterwave"
	"causeway/adapters/frankfurter"
	"causeway/adapters/history"
	"causeway/adapters/httpapi"
	"causeway/adapters/keyring"
	"causeway/adapters/korapay"
	"causeway/adapters/kraken"
	"causeway/adapters/memory"
	"causeway/adapters/monnify"
	"causeway/adapters/okx"
	"causeway/adapters/openexchangerates"
	"causeway/adapters/paystack"
	"causeway/adapters/quidax"
	"causeway/adapters/telemetry"
	"causeway/adapters/upstream"
	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/core/banks"
	"causeway/core/pairs"
	"causeway/core/recipients"
	"causeway/ports"
)

// graph is the whole program: the outside world, the adapters that ask it, the cores that decide, the edge that answers.
func graph(cfg config.Config, log *zap.Logger, failed failures) fx.Option {
	return fx.Options(
		fx.NopLogger, // whatever fails comes back as an error, once
		fx.Supply(cfg, log, failed),
		adapters(cfg),
		fx.Provide(newRegistry, newTracing, config.Config.LoadCatalog, newReloader, newInstitutions, newAddresses, newHistory, newPairs, newShared, newBook, newPricesPage, newBankDesk, newKeys, newLimiter, newCertificate, newAPI, newFront, newProcess),
		outside(cfg), sharing(cfg),
		fx.Invoke(func(*process) {}), // the one that nobody else asks for
	)
}

// adapters are everything that asks the outside, with its settings.
func adapters(cfg config.Config) fx.Option {
	return fx.Options(
		fx.Supply(cfg.Upstream, cfg.Paystack, cfg.Kraken, cfg.Binance, cfg.Coinbase, cfg.OKX, cfg.Bybit, cfg.OpenExchangeRates, cfg.ResolutionSettings(), cfg.Memory),
		fx.Supply(cfg.Quidax, cfg.Busha, cfg.Frankfurter, cfg.CoinGecko, cfg.Flutterwave, cfg.Korapay, cfg.Monnify, cfg.Afriex, cfg.Daraja),
		flutterwave.Module, korapay.Module, monnify.Module, afriex.Module, daraja.Module,
		memory.Module, upstream.Module, paystack.Module, kraken.Module, binance.Module, coinbase.Module, okx.Module, bybit.Module, openexchangerates.Module,
		quidax.Module, busha.Module, frankfurter.Module, coingecko.Module,
	)
}

// surroundings are what sandbox and production differ in: the three seams, and the institutions that exist only there.
type surroundings struct {
	Transport http.RoundTripper
	Clock     core.Clock
	Entropy   core.Entropy
	Banks     []core.Bank
	Past      history.Backfill // what was, in a world that knows; nil: nobody does
	Meant     meant            // what markets are set to, in a world where that may be; nil: nobody can
	Still     func() bool      // whether no time passes, in a world where that may be; nil: it does
	Tried     func(context.Context, upstream.Try)
}

// meant is what somebody set a market to, as in pairs.Config.
type meant = func(core.Pair) (decimal.Decimal, bool)

// seams hands the surroundings out to whoever needs a part of them.
type seams struct {
	fx.Out

	Outside upstream.Outside
	Clock   core.Clock
	Entropy core.Entropy
}

func newSeams(s surroundings, t *telemetry.Tracing) seams {
	return seams{
		Outside: upstream.Outside{
			Transport: t.Transport(s.Transport), Clock: s.Clock, Entropy: s.Entropy, Still: s.Still, Tried: s.Tried, Tracing: t.Provider(),
		},
		Clock: s.Clock, Entropy: s.Entropy,
	}
}

// outside chooses the outside world, here and nowhere else.
func outside(cfg config.Config) fx.Option {
	if cfg.Mode == config.Sandbox {
		return fx.Options(fx.Provide(newWorlds, simulated, newSeams), simulatedAccounts(), quietBreakers())
	}
	return fx.Provide(noWorlds, network, newSeams)
}

// providers are the adapters, by what they can do. fx hands groups over in any order; the cores sort them.
type providers struct {
	fx.In

	Directories []ports.BankDirectory    `group:"bank_directories"`
	Resolvers   []ports.AccountResolver  `group:"account_resolvers"`
	Confirmers  []ports.AccountConfirmer `group:"account_confirmers"`
	Sources     []ports.RateSource       `group:"rate_sources"`
}

func newAddresses(catalog config.Catalog, cfg config.Config) (*addresses.Service, error) {
	return addresses.New(catalog.Currencies, addresses.Policy{Testnet: cfg.Mode == config.Sandbox})
}

func newPairs(
	catalog config.Catalog, p providers, past ports.RateHistory, s surroundings, log *zap.Logger, reg prometheus.Registerer,
) (*pairs.Service, error) {
	engine := priceConfig(catalog, p, past, s.Entropy, log)
	engine.Meant = s.Meant
	service, err := pairs.New(engine, watch(p.Sources, log), s.Clock)
	if err != nil {
		return nil, err
	}
	return service, newPriceMetrics(service, s.Clock, reg)
}

// priceConfig is what a price engine needs to know.
func priceConfig(catalog config.Catalog, p providers, past ports.RateHistory, entropy core.Entropy, log *zap.Logger) pairs.Config {
	return pairs.Config{
		Currencies: catalog.Currencies, Sources: scheduled(catalog.Sources, catalog.Markets, p.Sources, log.Named("rates")), Rules: catalog.Rules,
		MarketClasses: catalog.MarketClasses, Markets: catalog.Markets, ListingClasses: catalog.ListingClasses, Listings: catalog.Listings,
		Entropy: entropy, History: past, Alarm: alarm(log),
	}
}

// cores are the domains and the catalog that the edge shows.
type cores struct {
	fx.In

	Banks      *banks.Service
	Recipients *recipients.Service
	Addresses  *addresses.Service
	Pairs      *pairs.Service
	Catalog    config.Catalog
	Confirmers []ports.AccountConfirmer `group:"account_confirmers"`
}

// parts are what a running process is made of.
type parts struct {
	fx.In

	Config   config.Config
	Log      *zap.Logger
	Registry *prometheus.Registry
	Banks    *banks.Service
	Pairs    *pairs.Service
	Book     *replica
	Shared   shared
	Prices   pricesPage
	Keys     *keyring.Ring
	Reload   *reloader
	History  historian
	BankDesk *bankDesk
	API      *httpapi.API
	Front    front

	Certificate *certificate
}
