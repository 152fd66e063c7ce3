package wire

import (
	"net/http"

	"go.uber.org/fx"

	"causeway/core"
	"causeway/simulator"
)

// Module makes a *simulator.World the three seams of a process: its transport, its clock and its entropy.
var Module = fx.Module("simulator", fx.Provide(
	fx.Annotate(New, fx.As(fx.Self()), fx.As(new(http.RoundTripper))),
	func(w *simulator.World) (core.Clock, core.Entropy) { return w.Now, w.Entropy },
))
