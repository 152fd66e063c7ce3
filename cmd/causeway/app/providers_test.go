package app

import (
	"slices"
	"testing"

	"go.uber.org/zap"

	"causeway/adapters/providers"
	"causeway/adapters/upstream"
)

// TestNewProviders checks which provider has which capability.
func TestNewProviders(t *testing.T) {
	t.Parallel()
	env := NewEnvironment(nil)
	factory, err := upstream.New(upstream.Default(),
		upstream.Options{Transport: env.Transport, Clock: env.Clock, Entropy: env.Entropy}, zap.NewNop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newProviders(SandboxSettings(settings(t)), factory)
	if err != nil {
		t.Fatal(err)
	}
	check := func(capability string, got []string, want ...string) {
		t.Helper()
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", capability, got, want)
		}
	}
	check("bank lists", names(p.Directories), "afriex", "busha", "flutterwave", "korapay", "monnify", "paystack")
	accounts := providers.AccountProviders()
	slices.Sort(accounts)
	check("account names", names(p.Resolvers), accounts...)
	check("confirmation", names(p.Confirmers), "paystack")
	check("rates", names(p.Sources), "binance", "bitstamp", "busha", "bybit", "coinbase", "coingecko", "exchangerateapi", "frankfurter",
		"gemini", "kraken", "luno", "okx", "openexchangerates", "paycrest", "quidax", "valr")
}

func names[P interface{ Name() string }](providers []P) []string {
	var out []string
	for _, p := range providers {
		out = append(out, p.Name())
	}
	return out
}
