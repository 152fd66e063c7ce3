package kraken

import (
	"go.uber.org/fx"

	"causeway/adapters/upstream"
	"causeway/ports"
)

// Module adds Kraken to the rate sources, and closes it at the end.
var Module = fx.Module(Name, fx.Provide(fx.Annotate(
	func(cfg Config, factory *upstream.Factory, life fx.Lifecycle) (*Source, error) {
		source, err := New(cfg, factory)
		if err == nil {
			life.Append(fx.StopHook(source.Close))
		}
		return source, err
	},
	fx.As(new(ports.RateSource)), fx.ResultTags(`group:"rate_sources"`))))
