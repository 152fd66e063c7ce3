package daraja

import (
	"go.uber.org/fx"

	"causeway/ports"
)

// Module adds Daraja to the account resolvers.
var Module = fx.Module(Name, fx.Provide(fx.Annotate(New,
	fx.As(new(ports.AccountResolver)), fx.ResultTags(`group:"account_resolvers"`))))
