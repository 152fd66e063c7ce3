package busha

import (
	"go.uber.org/fx"

	"causeway/ports"
)

// Module adds busha to the rate sources.
var Module = fx.Module(Name, fx.Provide(fx.Annotate(New,
	fx.As(new(ports.RateSource)), fx.ResultTags(`group:"rate_sources"`))))
