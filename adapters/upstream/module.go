package upstream

import "go.uber.org/fx"

// Module provides the Factory of the process. It needs a Config, an Outside, a logger and a
// registerer.
var Module = fx.Module(Name, fx.Provide(New))
