package paystack

import (
	"go.uber.org/fx"

	"causeway/ports"
)

// Module adds Paystack to the bank directories, to the account resolvers and to the account confirmers: one provider, made once.
var Module = fx.Module(Name, fx.Provide(
	New,
	fx.Annotate(itself, fx.As(new(ports.BankDirectory)), fx.ResultTags(`group:"bank_directories"`)),
	fx.Annotate(itself, fx.As(new(ports.AccountResolver)), fx.ResultTags(`group:"account_resolvers"`)),
	fx.Annotate(itself, fx.As(new(ports.AccountConfirmer)), fx.ResultTags(`group:"account_confirmers"`)),
))

// itself lets fx give the one provider to several groups: a single annotation has one group for all its interfaces.
func itself(p *Provider) *Provider { return p }
