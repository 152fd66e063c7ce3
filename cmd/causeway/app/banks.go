package app

import (
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/cmd/causeway/operator"
	"causeway/core"
	"causeway/core/banks"
	"causeway/ports"
)

// bankLists registers the metrics of the bank lists. NewWorldServices builds the service itself.
var bankLists = fx.Module("banks", fx.Invoke(registerBankMetrics))

// informedConfirmer is the confirmer of a world that does not fetch bank lists. Which banks take
// part is known from those lists, so the confirmer of the world that fetches them says it.
type informedConfirmer struct {
	ports.AccountConfirmer

	lister ports.AccountConfirmer
}

// Confirms reports whether names can be confirmed at a bank.
func (c informedConfirmer) Confirms(country string, channel core.Channel, bank core.Bank) bool {
	return c.lister.Confirms(country, channel, bank)
}

// informed pairs the confirmers of a world with the confirmers of the world that fetches the bank lists.
// Without listers the world fetches the lists itself. Both are in the order of newProviders.
func informed(own, listers []ports.AccountConfirmer) []ports.AccountConfirmer {
	if listers == nil {
		return own
	}
	out := make([]ports.AccountConfirmer, len(own))
	for i, confirmer := range own {
		out[i] = informedConfirmer{confirmer, listers[i]}
	}
	return out
}

// logBankLists returns a function that logs the outcome of each refresh of a provider's bank list.
func logBankLists(log *zap.Logger) func(banks.State) {
	log = log.Named("banks")
	return func(s banks.State) {
		log := log.With(zap.String("directory", s.Directory), zap.String("country", s.Country))
		switch {
		case s.HeldBack != nil && s.LastError != nil:
			log.Error("bank list held back; the last good one stays until an operator accepts this one",
				zap.Int("missing", len(s.HeldBack.Missing)), zap.Int("of", s.HeldBack.Of),
				zap.String("see", operator.BanksPath), zap.Error(s.LastError))
		case s.LastError != nil:
			log.Warn("bank list not refreshed; the last good one stays", zap.Error(s.LastError))
		default:
			log.Debug("bank list refreshed", zap.Int("listed", s.Listed), zap.Int("left_out", len(s.LeftOut)))
		}
	}
}

var bankMetrics = []metric{
	{"causeway_banks", "Institutions on the bank list by country.", []string{"country"}},
	{
		"causeway_banks_resolvable",
		"Institutions on the bank list by country whose accounts a provider resolves.",
		[]string{"country"},
	},
	{
		"causeway_banks_directory_last_success_timestamp_seconds",
		"Time of the last successful refresh of the list of a directory.",
		[]string{"directory", "country"},
	},
	{
		"causeway_banks_directory_age_seconds",
		"Time since the last successful refresh of the list of a directory.",
		[]string{"directory", "country"},
	},
	{
		"causeway_banks_directory_institutions",
		"Institutions of the last list of a directory by state.",
		[]string{"directory", "country", "state"},
	},
	{
		"causeway_banks_directory_refreshes_total",
		"Refreshes of the list of a directory by outcome.",
		[]string{"directory", "country", "outcome"},
	},
	{
		"causeway_banks_directory_held_back",
		"1 while a list with too many missing institutions waits for approval, otherwise 0.",
		[]string{"directory", "country"},
	},
}

func registerBankMetrics(home *defaultWorld, reg prometheus.Registerer) error {
	world := home.services.Load()
	return registerCollector(reg, bankMetrics, func(send sender) {
		for _, c := range operator.CountCountries(world.Banks.List()) {
			send("causeway_banks", float64(c.Institutions), c.Country)
			send("causeway_banks_resolvable", float64(c.Resolvable), c.Country)
		}
		now := world.Environment.Clock()
		for _, s := range world.Banks.States() {
			send := func(name string, value float64, labels ...string) {
				send("causeway_banks_directory_"+name, value, append([]string{s.Directory, s.Country}, labels...)...)
			}
			if !s.LastSuccess.IsZero() {
				send("last_success_timestamp_seconds", float64(s.LastSuccess.UnixMilli())/1000)
				send("age_seconds", now.Sub(s.LastSuccess).Seconds())
			}
			for state, n := range map[string]int{
				"listed": s.Listed, "joined": s.Joined, "learned": s.Learned, "new": s.Added,
				"vanished": len(s.Gone), "unjoined": len(s.LeftOut),
			} {
				send("institutions", float64(n), state)
			}
			for outcome, n := range map[string]uint64{"ok": s.Succeeded, "failed": s.Failed, "held_back": s.Held} {
				send("refreshes_total", float64(n), outcome)
			}
			send("held_back", asNumber(s.HeldBack != nil))
		}
	})
}
