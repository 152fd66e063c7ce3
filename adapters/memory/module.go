package memory

import (
	"go.uber.org/fx"

	"causeway/ports"
)

// Module makes the process's own cache.
var Module = fx.Module(Name, fx.Provide(fx.Annotate(New, fx.As(new(ports.NameCache)))))
