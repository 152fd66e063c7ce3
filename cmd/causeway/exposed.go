package main

import (
	"go.uber.org/zap"

	"causeway/config"
)

// warnOfExposure says at the start of a production process what its settings leave open: each may be right behind the right network, and is not to be
// there by accident.
func warnOfExposure(cfg config.Config, log *zap.Logger) {
	if cfg.Mode != config.Production {
		return
	}
	if plain := cfg.PlainProviders(); len(plain) > 0 {
		log.Warn("providers are asked without TLS: keys and account numbers travel in the clear", zap.Strings("keys", plain))
	}
	if !cfg.ResolutionNeedsKey() {
		log.Warn("auth.resolution is open: whoever reaches this process learns the names of account holders, without a key")
	}
}
