package app

import (
	"errors"
	"io"

	"causeway/adapters/providers/afriex"
	"causeway/adapters/providers/binance"
	"causeway/adapters/providers/busha"
	"causeway/adapters/providers/bybit"
	"causeway/adapters/providers/coinbase"
	"causeway/adapters/providers/coingecko"
	"causeway/adapters/providers/daraja"
	"causeway/adapters/providers/flutterwave"
	"causeway/adapters/providers/frankfurter"
	"causeway/adapters/providers/korapay"
	"causeway/adapters/providers/kraken"
	"causeway/adapters/providers/monnify"
	"causeway/adapters/providers/okx"
	"causeway/adapters/providers/openexchangerates"
	"causeway/adapters/providers/paystack"
	"causeway/adapters/providers/quidax"
	"causeway/adapters/upstream"
	"causeway/config"
	"causeway/ports"
)

// Providers are the clients of all upstream providers of one world, by what they can do.
type Providers struct {
	Directories []ports.BankDirectory
	Resolvers   []ports.AccountResolver
	Confirmers  []ports.AccountConfirmer
	Sources     []ports.RateSource
}

// newProviders makes a client of every provider. The error names every provider whose settings are
// wrong.
func newProviders(cfg config.Config, factory *upstream.Factory) (Providers, error) {
	var (
		p      Providers
		faults []error
	)
	add := func(provider any, err error) {
		if err != nil {
			faults = append(faults, err)
			return
		}
		if d, ok := provider.(ports.BankDirectory); ok {
			p.Directories = append(p.Directories, d)
		}
		if r, ok := provider.(ports.AccountResolver); ok {
			p.Resolvers = append(p.Resolvers, r)
		}
		if c, ok := provider.(ports.AccountConfirmer); ok {
			p.Confirmers = append(p.Confirmers, c)
		}
		if s, ok := provider.(ports.RateSource); ok {
			p.Sources = append(p.Sources, s)
		}
	}
	add(paystack.New(cfg.Paystack, factory))
	add(flutterwave.New(cfg.Flutterwave, factory))
	add(korapay.New(cfg.Korapay, factory))
	add(monnify.New(cfg.Monnify, factory))
	add(afriex.New(cfg.Afriex, factory))
	add(daraja.New(cfg.Daraja, factory))
	add(kraken.New(cfg.Kraken, factory))
	add(binance.New(cfg.Binance, factory))
	add(coinbase.New(cfg.Coinbase, factory))
	add(okx.New(cfg.OKX, factory))
	add(bybit.New(cfg.Bybit, factory))
	add(quidax.New(cfg.Quidax, factory))
	add(busha.New(cfg.Busha, factory))
	add(openexchangerates.New(cfg.OpenExchangeRates, factory))
	add(frankfurter.New(cfg.Frankfurter, factory))
	add(coingecko.New(cfg.CoinGecko, factory))
	return p, errors.Join(faults...)
}

// Close closes the WebSockets of the rate sources.
func (p Providers) Close() error {
	var faults []error
	for _, source := range p.Sources {
		if c, ok := source.(io.Closer); ok {
			faults = append(faults, c.Close())
		}
	}
	return errors.Join(faults...)
}
