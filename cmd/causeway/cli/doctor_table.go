package cli

import (
	"causeway/adapters/providers/afriex"
	"causeway/adapters/providers/busha"
	"causeway/adapters/providers/coingecko"
	"causeway/adapters/providers/daraja"
	"causeway/adapters/providers/flutterwave"
	"causeway/adapters/providers/korapay"
	"causeway/adapters/providers/monnify"
	"causeway/adapters/providers/openexchangerates"
	"causeway/adapters/providers/paystack"
	"causeway/config"
	"causeway/core"
)

// credential is one that an operator got from a provider.
type credential struct {
	provider string
	key      string // of the configuration
	of       func(config.Config) core.Secret
	live     string // what it begins with; empty: anything
	test     string // what one for tests begins with
	wrong    string // what another one begins with that stands beside it on the same page
	untried  bool   // there is nothing harmless to ask with it
}

// credentials are all of them. What they begin with is from the providers' documentation (see the adapters), and not known of the others.
var credentials = []credential{
	{paystack.Name, "paystack.keys.ng", func(c config.Config) core.Secret { return c.Paystack.Keys["NG"] }, "sk_live_", "sk_test_", "pk_", false},
	{paystack.Name, "paystack.keys.gh", func(c config.Config) core.Secret { return c.Paystack.Keys["GH"] }, "sk_live_", "sk_test_", "pk_", false},
	{paystack.Name, "paystack.keys.ke", func(c config.Config) core.Secret { return c.Paystack.Keys["KE"] }, "sk_live_", "sk_test_", "pk_", false},
	{paystack.Name, "paystack.keys.za", func(c config.Config) core.Secret { return c.Paystack.Keys["ZA"] }, "sk_live_", "sk_test_", "pk_", false},
	{paystack.Name, "paystack.keys.ci", func(c config.Config) core.Secret { return c.Paystack.Keys["CI"] }, "sk_live_", "sk_test_", "pk_", false},
	{flutterwave.Name, "flutterwave.secret_key", func(c config.Config) core.Secret { return c.Flutterwave.SecretKey }, "FLWSECK-", "FLWSECK_TEST-", "FLWPUBK", false},
	{korapay.Name, "korapay.secret_key", func(c config.Config) core.Secret { return c.Korapay.SecretKey }, "sk_live_", "sk_test_", "pk_", false},
	{monnify.Name, "monnify.api_key", func(c config.Config) core.Secret { return c.Monnify.APIKey }, "MK_PROD_", "MK_TEST_", "", false},
	{monnify.Name, "monnify.secret_key", func(c config.Config) core.Secret { return c.Monnify.SecretKey }, "", "", "MK_", false},
	{afriex.Name, "afriex.api_key", func(c config.Config) core.Secret { return c.Afriex.APIKey }, "", "", "", false},
	{daraja.Name, "daraja.consumer_key", func(c config.Config) core.Secret { return c.Daraja.ConsumerKey }, "", "", "", false},
	{daraja.Name, "daraja.consumer_secret", func(c config.Config) core.Secret { return c.Daraja.ConsumerSecret }, "", "", "", false},
	{busha.Name, "busha.api_key", func(c config.Config) core.Secret { return c.Busha.APIKey }, "", "", "", true},
	{openexchangerates.Name, "open_exchange_rates.app_id", func(c config.Config) core.Secret { return c.OpenExchangeRates.AppID }, "", "", "", false},
	{coingecko.Name, "coingecko.api_key", func(c config.Config) core.Secret { return c.CoinGecko.APIKey }, "CG-", "", "", false},
}
