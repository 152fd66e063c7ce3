package busha

import (
	"go.uber.org/fx"

	"causeway/ports"
)

// Module adds busha to the rate sources, to the bank directories and to the account resolvers: one provider, made once.
var Module = fx.Module(Name, fx.Provide(
	New,
	fx.Annotate(itself, fx.As(new(ports.RateSource)), fx.ResultTags(`group:"rate_sources"`)),
	fx.Annotate(itself, fx.As(new(ports.BankDirectory)), fx.ResultTags(`group:"bank_directories"`)),
	fx.Annotate(itself, fx.As(new(ports.AccountResolver)), fx.ResultTags(`group:"account_resolvers"`)),
))

// itself lets fx give the one provider to several groups: a single annotation has one group for all its interfaces.
func itself(p *Provider) *Provider { return p }
