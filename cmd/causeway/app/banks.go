package app

import (
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

// informed pairs the confirmers of a world with those of the world that fetches the bank lists.
// Without listers the world fetches the lists itself.
func informed(own, listers []ports.AccountConfirmer) []ports.AccountConfirmer {
	if listers == nil {
		return own
	}
	var out []ports.AccountConfirmer
	for _, confirmer := range own {
		for _, lister := range listers {
			if lister.Name() == confirmer.Name() {
				out = append(out, informedConfirmer{confirmer, lister})
			}
		}
	}
	return out
}

// logBankLists returns a function that logs the outcome of each refresh of a provider's bank list.
func logBankLists(log *zap.Logger) func(banks.State) {
	log = log.Named("banks")
	return func(s banks.State) {
		where := []zap.Field{zap.String("directory", s.Directory), zap.String("country", s.Country)}
		switch {
		case s.HeldBack != nil && s.LastError != nil:
			log.Error("bank list held back; the last good one stays until an operator accepts this one", append(where,
				zap.Int("missing", len(s.HeldBack.Missing)), zap.Int("of", s.HeldBack.Of),
				zap.String("see", operator.BanksPath), zap.Error(s.LastError))...)
		case s.LastError != nil:
			log.Warn("bank list not refreshed; the last good one stays", append(where, zap.Error(s.LastError))...)
		default:
			log.Debug("bank list refreshed",
				append(where, zap.Int("listed", s.Listed), zap.Int("left_out", len(s.LeftOut)))...)
		}
	}
}
