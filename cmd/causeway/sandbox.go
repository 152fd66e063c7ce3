package main

import (
	"math"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/fx"

	"causeway/adapters/afriex"
	"causeway/adapters/binance"
	"causeway/adapters/busha"
	"causeway/adapters/bybit"
	"causeway/adapters/coinbase"
	"causeway/adapters/coingecko"
	"causeway/adapters/daraja"
	"causeway/adapters/flutterwave"
	"causeway/adapters/frankfurter"
	"causeway/adapters/korapay"
	"causeway/adapters/kraken"
	"causeway/adapters/monnify"
	"causeway/adapters/okx"
	"causeway/adapters/openexchangerates"
	"causeway/adapters/paystack"
	"causeway/adapters/quidax"
	"causeway/adapters/upstream"
	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/simulator"
	"causeway/simulator/wire"
)

// newWorlds makes the worlds of a sandbox, with the one of whoever names none.
func newWorlds(cfg config.Config, catalog config.Catalog) (*simulator.Worlds, error) {
	return simulator.NewWorlds(simulator.Shared{
		Clock: time.Now, Banks: slices.Concat(catalog.Banks, simulator.Banks(catalog.Countries)), Offers: wire.Offers(), Order: cfg.ResolutionSettings().Order,
		Default: simulator.Options{Seed: cfg.Simulator.Seed, EdgeChaos: cfg.Simulator.EdgeChaos}, Idle: cfg.Simulator.Idle, KeepRequests: true, Secret: secretIn,
	})
}

// secretIn tells the journals what they keep nothing of.
func secretIn(text string, prose bool) bool {
	if prose {
		return addresses.SecretInProse(text)
	}
	return addresses.Secret(text)
}

// noWorlds are the simulated worlds of production.
func noWorlds() *simulator.Worlds { return nil }

// simulated is the outside world of a sandbox: the providers' wire in process, the world's clock and entropy, and
// the magic institutions.
func simulated(worlds *simulator.Worlds, catalog config.Catalog) (surroundings, error) {
	world, err := worlds.Find(simulator.DefaultWorld)
	if err != nil {
		return surroundings{}, err
	}
	s, now := surroundingsOf(world, catalog), newStandIn(worlds, world)
	s.Transport, s.Clock, s.Still = now, now.clock, now.still
	return s, nil
}

// standIn is the world `default` as it is now, for what the process keeps for all worlds, such as the lists of banks: a reset puts another world in its place.
type standIn struct {
	mu sync.Mutex // held by whoever changes it
	at atomic.Pointer[place]
}

// place is a world with its wire.
type place struct {
	http.RoundTripper

	world *simulator.World
}

func newStandIn(worlds *simulator.Worlds, first *simulator.World) *standIn {
	s := new(standIn)
	s.at.Store(&place{wire.New(first), first})
	worlds.OnEnd(func(w *simulator.World) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if next, err := worlds.Find(simulator.DefaultWorld); err == nil && w.ID() == simulator.DefaultWorld {
			s.at.Store(&place{wire.New(next), next})
		}
	})
	return s
}

// RoundTrip asks the providers of the world.
func (s *standIn) RoundTrip(r *http.Request) (*http.Response, error) {
	return s.at.Load().RoundTrip(r)
}

func (s *standIn) clock() time.Time { return s.at.Load().world.Now() }

func (s *standIn) still() bool { return s.at.Load().world.ClockState().Frozen }

// surroundingsOf are those of the services of one world.
func surroundingsOf(world *simulator.World, catalog config.Catalog) surroundings {
	return surroundings{
		Transport: wire.New(world), Clock: world.Now, Entropy: world.Entropy, Banks: simulator.Banks(catalog.Countries), Past: simulatedPast(world, catalog),
		Still: func() bool { return world.ClockState().Frozen }, Tried: tried, Meant: pinsOf(world.Market(), world.Now),
	}
}

// pinsOf tells what the markets of a world are pinned to.
func pinsOf(m *simulator.Market, now core.Clock) meant {
	return func(pair core.Pair) (decimal.Decimal, bool) {
		at := now()
		if m.Settings(at)[pair].Pin == "" {
			return decimal.Decimal{}, false
		}
		price, known := m.Reference(pair, at)
		return decimal.NewFromUint64(price.Units).Shift(-int32(price.Places)), known //nolint:gosec // a number of digits
	}
}

// quietBreakers keeps the breakers of the world that everybody shares closed: magic account numbers make a provider fail on purpose, and whoever
// tests for that must not have the next question refused, nor somebody else's. Worlds of their own have breakers of their own.
func quietBreakers() fx.Option {
	return fx.Decorate(func(c upstream.Config) upstream.Config { c.Breaker.MinCalls = math.MaxInt; return c })
}

// simulatedAccounts replaces whatever addresses and keys were configured: a sandbox has accounts at all of its
// providers, and a real key never enters it. Nothing there has limits: its providers count no calls, and its clock may run ahead of
// ours.
func simulatedAccounts() fx.Option {
	return fx.Decorate(
		func(o upstream.Outside) upstream.Outside { o.Unlimited = true; return o },
		func(paystack.Config) paystack.Config {
			keys := map[string]core.Secret{}
			for _, country := range []string{"NG", "GH", "KE", "ZA"} {
				keys[country] = core.Secret(wire.PaystackKey(country))
			}
			return paystack.Config{Keys: keys}
		},
		func(flutterwave.Config) flutterwave.Config {
			return flutterwave.Config{SecretKey: wire.FlutterwaveKey}
		},
		func(korapay.Config) korapay.Config { return korapay.Config{SecretKey: wire.KorapayKey} },
		func(monnify.Config) monnify.Config {
			return monnify.Config{APIKey: wire.MonnifyAPIKey, SecretKey: wire.MonnifySecretKey}
		},
		func(afriex.Config) afriex.Config { return afriex.Config{APIKey: wire.AfriexKey} },
		func(daraja.Config) daraja.Config {
			return daraja.Config{ConsumerKey: wire.DarajaKey, ConsumerSecret: wire.DarajaSecret}
		},
		func(kraken.Config) kraken.Config { return kraken.Config{} },
		func(binance.Config) binance.Config { return binance.Config{} },
		func(coinbase.Config) coinbase.Config { return coinbase.Config{} }, // no pace: the world has no limits, and may run ahead of time
		func(okx.Config) okx.Config { return okx.Config{} },
		func(bybit.Config) bybit.Config { return bybit.Config{} },
		func(quidax.Config) quidax.Config { return quidax.Config{} },
		func(busha.Config) busha.Config { return busha.Config{APIKey: wire.BushaKey} },
		func(frankfurter.Config) frankfurter.Config { return frankfurter.Config{} },
		func(coingecko.Config) coingecko.Config { return coingecko.Config{} },
		func(openexchangerates.Config) openexchangerates.Config {
			return openexchangerates.Config{AppID: wire.AppID}
		},
	)
}
