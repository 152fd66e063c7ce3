package app

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/adapters/memory"
	"causeway/adapters/upstream"
	"causeway/cmd/causeway/operator"
	"causeway/cmd/causeway/replicas"
	"causeway/config"
	"causeway/core"
	"causeway/core/deposits"
	"causeway/core/transactions"
	"causeway/ports"
	"causeway/simulator/console"
	"causeway/simulator/world"
)

// incomingDeposits provides what production needs to detect deposits. NewWorldServices builds the
// service itself.
var incomingDeposits = fx.Module("transactions", fx.Provide(newTransactionEvents),
	fx.Invoke(registerChainMetrics, showDeposits))

// newTransactions makes the service of a world. A simulated world keeps what it reads in memory.
func newTransactions(
	cfg config.Config, catalog config.Catalog, env Environment, shared Shared, factory *upstream.Factory,
	owners *deposits.Service,
) (*transactions.Service, error) {
	settings := transactions.Config{
		Chains: catalog.Chains, Store: cmp.Or(shared.Transactions, env.Transactions), Owners: owners, Clock: env.Clock,
		Holder: replicas.Name(cfg.OperatorListen), Serial: cfg.Upstream.Serial,
		Events: shared.TransactionEvents,
	}
	if settings.Store == nil {
		settings.Store = memory.NewTransactions() // nothing is read
	}
	var err error
	if settings.Backends, err = cfg.Deposits.Connect(factory, catalog.Chains); err != nil {
		return nil, err
	}
	if cfg.Mode == config.Production { // a sandbox has all wallets
		for _, network := range cfg.Unread() {
			delete(settings.Backends, network)
		}
	}
	return transactions.New(settings)
}

// ConnectChains connects the back ends that production is configured with, by network. It sends no
// request.
func ConnectChains(
	cfg config.Config, catalog config.Catalog, env Environment,
) (map[string][]ports.Chain, error) {
	options := upstream.Options{Transport: env.Transport, Clock: env.Clock, Entropy: env.Entropy}
	factory, err := upstream.New(cfg.Upstream, options, zap.NewNop(), nil)
	if err != nil {
		return nil, err
	}
	return cfg.Deposits.Connect(factory, catalog.Chains)
}

// readChains lets the services of a world read what its blockchains have, network by network.
func (one *sandboxWorld) readChains(ctx context.Context) {
	for _, network := range one.world.Chains().Active() {
		_, _ = one.readChain(ctx, network) // the next reading tries again
	}
}

// readChain lets the services of a world read a blockchain, and returns the height that they have
// read.
func (one *sandboxWorld) readChain(ctx context.Context, network string) (height int64, err error) {
	one.reading.Lock()
	defer one.reading.Unlock()
	ctx = world.WithRequest(context.WithoutCancel(ctx), nil)
	err = one.Transactions.Sync(ctx, network)
	all, unknown := one.Transactions.Status(ctx)
	for _, s := range all {
		if s.Network == network {
			height = s.Tip.Height
			if err == nil && s.Problem != "" {
				err = core.Errorf(core.Unavailable, "%s", s.Problem)
			}
		}
	}
	return height, cmp.Or(err, unknown)
}

// synced is control.Config.Synced.
func (s *sandbox) synced(ctx context.Context, w *world.World, network string) (height int64, problem string) {
	one, err := s.open(ctx, w)
	if err == nil {
		height, err = one.readChain(ctx, network)
	}
	if err != nil {
		problem = err.Error()
	}
	return height, problem
}

// received is console.Config.Received. While the clock runs, the services read the blockchains as in
// production; a world whose clock is frozen stays as it is.
func (s *sandbox) received(ctx context.Context, w *world.World) (console.Received, error) {
	one, err := s.open(ctx, w)
	if err != nil {
		return console.Received{}, err
	}
	if !w.ClockState().Frozen {
		one.readChains(ctx)
	}
	networks, err := one.Transactions.Status(ctx)
	if err != nil {
		return console.Received{}, err
	}
	out := console.Received{Problems: map[string]string{}}
	for _, n := range networks {
		if n.Epoch > 0 { // otherwise nothing was read yet
			out.Problems[n.Network] = n.Problem
		}
	}
	out.Transactions, err = storesOf(w).transactions.All(ctx)
	return out, err
}

// depositAddress is control.Config.DepositAddress.
func (s *sandbox) depositAddress(
	ctx context.Context, w *world.World, account, profile, currency, network string,
) (address, memo string, err error) {
	one, err := s.open(ctx, w)
	if err != nil {
		return "", "", err
	}
	found, err := one.Deposits.Get(ctx, deposits.Query{
		User:     core.DepositUser{Account: cmp.Or(account, httpapi.PublicAccount), Profile: core.Private(profile)},
		Currency: currency, Network: network,
	})
	if err != nil {
		return "", "", err
	}
	return found.Items[0].Address.Reveal(), found.Items[0].Memo.Reveal(), nil
}

// scanCode is console.Config.Code. It assigns no address, and leaves an amount out that no payment link carries.
func (s *sandbox) scanCode(
	ctx context.Context, w *world.World, user, currency, network, amount string,
) (console.Code, error) {
	one, err := s.open(ctx, w)
	if err != nil {
		return console.Code{}, err
	}
	found, err := one.Deposits.Get(ctx, deposits.Query{
		User:     core.DepositUser{Account: httpapi.PublicAccount, Profile: core.Private(user)},
		Currency: currency, Network: network, ReadOnly: true,
	})
	if core.CodeOf(err) == core.NotFound {
		return console.Code{Missing: "The code to scan is shown here when " + user + " has an address of " + currency +
			" on " + network + ". The first payment assigns it."}, nil
	}
	if err != nil {
		return noCode(err), nil
	}
	code, text, err := httpapi.ScanCode(&found.Items[0], amount)
	if err != nil {
		code, text, err = httpapi.ScanCode(&found.Items[0], "")
	}
	if err != nil {
		return noCode(err), nil
	}
	return console.Code{SVG: httpapi.SVG(code), Text: text}, nil
}

// noCode says why there is no code.
func noCode(err error) console.Code {
	if e, ok := errors.AsType[*core.Error](err); ok {
		return console.Code{Missing: "There is no code to scan: " + e.Message + "."}
	}
	return console.Code{Missing: "There is no code to scan."}
}

// newTransactionEvents logs and counts what happens to deposits. Neither shows users, addresses or
// transactions.
func newTransactionEvents(log *zap.Logger, reg prometheus.Registerer) transactions.Events {
	log = log.Named("transactions")
	count := newTransactionCounters(reg)
	progress := catchUp{logged: map[string]time.Time{}}
	on := func(network string) zap.Field { return zap.String("network", network) }
	return transactions.Events{
		Read: func(network string, height, head int64, found int) {
			count.transfers.WithLabelValues(network).Add(float64(found))
			log.Debug("blocks read", on(network), zap.Int64("height", height), zap.Int("transfers", found))
			progress.report(log, network, height, head)
		},
		Unassigned: func(network string, reason core.Unassigned) {
			count.unassigned.WithLabelValues(network, string(reason)).Inc()
		},
		FoundLate: func(network string, height int64, found int) {
			count.late.WithLabelValues(network).Add(float64(found))
			log.Warn("a block has transfers that its first reading did not show", on(network), zap.Int64("height", height),
				zap.Int("transfers", found))
		},
		Settled: func(network string, completed, dropped int) {
			count.settled.WithLabelValues(network, string(core.Completed)).Add(float64(completed))
			count.settled.WithLabelValues(network, string(core.Failed)).Add(float64(dropped))
		},
		Reorganized: func(network string, depth int64, undone, back int) {
			count.replaced.WithLabelValues(network).Inc()
			count.takenBack.WithLabelValues(network).Add(float64(back))
			write := log.Info
			if back > 0 {
				write = log.Error
			}
			write("the network replaced blocks", on(network), zap.Int64("blocks", depth), zap.Int("transactions", undone),
				zap.Int("credits_taken_back", back))
		},
		Disagreement: func(network, backend string, height int64) {
			count.differences.WithLabelValues(network, backend).Inc()
			log.Error("a back end does not show a block as it was read; nothing from this block on is completed",
				on(network), zap.String("backend", backend), zap.Int64("height", height))
		},
		Stopped: func(network, reason string) {
			log.Error("network stopped; see the runbook", on(network), zap.String("reason", reason))
		},
		Backend: func(name string, err error) {
			if err != nil {
				log.Warn("back end failed", zap.String("backend", name), zap.Error(err))
				return
			}
			log.Info("back end can be used", zap.String("backend", name))
		},
		Synced: func(network string, err error) {
			if err != nil {
				log.Debug("network not read to its end", on(network), zap.Error(err))
			}
		},
	}
}

// transactionCounters are the counters of newTransactionEvents.
type transactionCounters struct {
	transfers, unassigned, late, settled, replaced, takenBack, differences *prometheus.CounterVec
}

func newTransactionCounters(reg prometheus.Registerer) transactionCounters {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return promauto.With(reg).NewCounterVec(prometheus.CounterOpts{Name: "causeway_transactions_" + name, Help: help},
			labels)
	}
	return transactionCounters{
		transfers: counter("transfers_total", "Transfers to deposit addresses in the blocks that were read, by network.",
			"network"),
		unassigned: counter("unassigned_total",
			"Transfers to deposit addresses that were credited to nobody, by network and reason.", "network", "reason"),
		late: counter("found_late_total",
			"Transfers to deposit addresses that only the second reading of a block showed, by network.", "network"),
		settled: counter("settled_total", "Transactions that were completed or that failed, by network and status.",
			"network", "status"),
		replaced: counter("reorganizations_total", "Times that a network replaced blocks that were read.", "network"),
		takenBack: counter("taken_back_total",
			"Completed transactions that are pending again because the network replaced their blocks.", "network"),
		differences: counter("disagreements_total",
			"Blocks that a back end does not show as they were read, by network and back end.", "network", "backend"),
	}
}

// catchUp logs the progress of networks that are far behind.
type catchUp struct {
	mu     sync.Mutex
	logged map[string]time.Time // by network, while it is far behind
}

// report logs the progress of a network at most once a minute, and when it has caught up.
func (c *catchUp) report(log *zap.Logger, network string, height, head int64) {
	const far, interval = 100, time.Minute
	c.mu.Lock()
	defer c.mu.Unlock()
	last, behind := c.logged[network]
	fields := []zap.Field{zap.String("network", network), zap.Int64("height", height), zap.Int64("newest", head)}
	switch {
	case behind && height >= head:
		delete(c.logged, network)
		log.Info("the network is read to its newest block", fields...)
	case head-height >= far && (!behind || time.Since(last) >= interval):
		c.logged[network] = time.Now()
		log.Info("reading the blocks that were missed", append(fields, zap.Int64("left", head-height))...)
	}
}

var chainMetrics = []metric{
	{"causeway_transactions_read_height", "Height of the last block that was read, by network.", []string{"network"}},
	{"causeway_transactions_unread_blocks", "Blocks of a network that are not read yet.", []string{"network"}},
	{
		"causeway_transactions_unverified_blocks", "Confirmed blocks of a network that are not read again yet.",
		[]string{"network"},
	},
	{"causeway_transactions_delayed", "1 while deposits of a network arrive late, otherwise 0.", []string{"network"}},
	{
		"causeway_transactions_stopped", "1 while a network is not read until an operator resumes it, otherwise 0.",
		[]string{"network"},
	},
	{
		"causeway_transactions_disagreement", "1 while back ends do not show a block as it was read, otherwise 0.",
		[]string{"network"},
	},
	{
		"causeway_transactions_backend_up",
		"1 while the back end of a network that this process reads can be used, otherwise 0.",
		[]string{"backend"},
	},
}

// showDeposits adds the page of deposits to the operator's listener. A sandbox reads first what its
// blockchains have.
func showDeposits(o *operator.Handler, home *defaultWorld, parts simulated) {
	o.ShowDeposits(func(ctx context.Context) *transactions.Service {
		if parts.Sandbox != nil {
			parts.Sandbox.readDefault(ctx)
		}
		return home.services.Load().Transactions
	})
}

// readDefault lets the default world read what its blockchains have.
func (s *sandbox) readDefault(ctx context.Context) {
	w, err := s.worlds.Find(world.Default)
	if err != nil {
		return
	}
	if one, err := s.open(ctx, w); err == nil {
		one.readChains(ctx)
	}
}

// registerChainMetrics registers the metrics of the networks that are read. A sandbox has none: it reads
// when it is used.
func registerChainMetrics(cfg config.Config, home *defaultWorld, reg prometheus.Registerer) error {
	const timeout = 2 * time.Second
	return registerCollector(reg, chainMetrics, func(send sender) {
		if cfg.Mode == config.Sandbox {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		all, err := home.services.Load().Transactions.Status(ctx)
		if err != nil {
			return // causeway_transactions_delayed is absent, which its alert notices
		}
		for _, s := range all {
			send("causeway_transactions_read_height", float64(s.Tip.Height), s.Network)
			send("causeway_transactions_unread_blocks", float64(s.Unread), s.Network)
			send("causeway_transactions_unverified_blocks", float64(s.Unverified), s.Network)
			send("causeway_transactions_delayed", asNumber(s.Problem != ""), s.Network)
			send("causeway_transactions_stopped", asNumber(s.Stopped != ""), s.Network)
			send("causeway_transactions_disagreement", asNumber(s.ChainState.Problem != ""), s.Network)
			for _, b := range s.Backends {
				if b.State != transactions.BackendUnused {
					send("causeway_transactions_backend_up", asNumber(b.State == transactions.BackendUp), b.Name)
				}
			}
		}
	})
}
