package app

import (
	"context"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/memory"
	"causeway/adapters/redis"
	"causeway/adapters/storage"
	"causeway/adapters/wallets"
	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/core/deposits"
	"causeway/ports"
)

// depositAddresses provides what production needs for deposit addresses.
var depositAddresses = fx.Module("deposits", fx.Provide(newDepositEvents))

// DepositMarks returns the file that remembers the highest indexes outside of the database, if any.
func DepositMarks(cfg config.Config) ([]ports.DepositMarks, error) {
	if cfg.State.Dir == "" {
		return nil, nil
	}
	file, err := storage.OpenMarks(cfg.State.Dir)
	return []ports.DepositMarks{file}, err
}

// newDeposits makes the service of a world. A simulated world makes addresses from its seed and keeps
// them in memory.
func newDeposits(
	cfg config.Config, catalog config.Catalog, env Environment, shared Shared, validator *addresses.Service,
) (*deposits.Service, error) {
	settings := deposits.Config{
		Store: shared.Deposits, Addresses: validator, Currencies: catalog.Currencies, Clock: env.Clock,
		Events: shared.DepositEvents,
	}
	if cfg.Mode == config.Production {
		var err error
		if settings.Sources, err = cfg.Deposits.Sources(); err != nil {
			return nil, err
		}
		if shared.Deposits != nil {
			if settings.Marks, err = DepositMarks(cfg); err != nil {
				return nil, err
			}
			if shared.Redis != nil {
				settings.Marks = append(settings.Marks, redis.NewDepositMarks(shared.Redis))
			}
		}
		settings.NewUsers = cfg.Deposits.NewUsersPerDay
		return deposits.New(settings)
	}
	settings.Store, settings.Sources = env.Deposits, sandboxSources(catalog, env, validator)
	if settings.Store == nil {
		settings.Store = memory.NewDeposits(env.Clock)
	}
	service, err := deposits.New(settings)
	if err != nil {
		return nil, err
	}
	for wallet := range settings.Sources {
		if _, err := service.Confirm(context.Background(), wallet); err != nil { // in memory
			return nil, err
		}
	}
	return service, nil
}

// sandboxSources returns the simulated sources of the networks that a catalog has.
func sandboxSources(
	catalog config.Catalog, env Environment, validator *addresses.Service,
) map[string]ports.AddressSource {
	all, used := wallets.Sandbox(env.Seed, !env.TestNetworks), map[string]ports.AddressSource{}
	for _, n := range validator.Networks() {
		wallet := deposits.WalletOf(n)
		carries := func(c core.Currency) bool { return slices.Contains(c.Networks, n.Code) }
		if source, ok := all[wallet]; ok && slices.ContainsFunc(catalog.Currencies, carries) {
			used[wallet] = source
		}
	}
	return used
}

// newDepositEvents logs and counts what happens to deposit addresses. Neither shows users or addresses.
func newDepositEvents(log *zap.Logger, reg prometheus.Registerer) deposits.Events {
	log = log.Named("deposits")
	factory := promauto.With(reg)
	gauge := func(name, help string) *prometheus.GaugeVec {
		return factory.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{"wallet"})
	}
	assigned := factory.NewCounterVec(prometheus.CounterOpts{
		Name: "causeway_deposits_addresses_assigned_total", Help: "Deposit addresses assigned by wallet.",
	}, []string{"wallet"})
	refused := factory.NewCounterVec(prometheus.CounterOpts{
		Name: "causeway_deposits_addresses_refused_total",
		Help: "Requests for deposit addresses that failed, by wallet and reason.",
	}, []string{"wallet", "reason"})
	up := gauge("causeway_deposits_wallet_up", "1 while a deposit wallet can assign addresses, otherwise 0.")
	next := gauge("causeway_deposits_wallet_next_index",
		"Index of the next address of a deposit wallet. Wallet software must look at all indexes below.")
	left := gauge("causeway_deposits_pool_left", "Unassigned addresses in the pool of a deposit wallet.")
	return deposits.Events{
		Assigned: func(wallet string) { assigned.WithLabelValues(wallet).Inc() },
		Refused: func(wallet string, reason deposits.Reason, err error) {
			refused.WithLabelValues(wallet, string(reason)).Inc()
			log.Warn("no deposit address returned", zap.String("wallet", wallet), zap.String("reason", string(reason)),
				zap.Error(err))
		},
		Stopped: func(wallet string, reason deposits.Reason, err error) {
			up.WithLabelValues(wallet).Set(0)
			log.Error("deposit wallet stopped; run causeway deposits verify, and resume when the cause is known",
				zap.String("wallet", wallet), zap.String("reason", string(reason)), zap.Error(err))
		},
		Checked: func(s deposits.Status) {
			next.WithLabelValues(s.Wallet).Set(float64(s.Next))
			up.WithLabelValues(s.Wallet).Set(asNumber(s.Reason == ""))
			if s.Kind == ports.PoolSource {
				left.WithLabelValues(s.Wallet).Set(float64(s.Left))
			}
			if s.Reason != "" {
				log.Warn("deposit wallet assigns no addresses", zap.String("wallet", s.Wallet),
					zap.String("reason", string(s.Reason)))
			}
		},
	}
}

func asNumber(condition bool) float64 {
	if condition {
		return 1
	}
	return 0
}
