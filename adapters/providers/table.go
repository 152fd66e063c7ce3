// Package providers lists the providers of Causeway.
package providers

import (
	"causeway/adapters/providers/afriex"
	"causeway/adapters/providers/airtel"
	"causeway/adapters/providers/binance"
	"causeway/adapters/providers/bitstamp"
	"causeway/adapters/providers/busha"
	"causeway/adapters/providers/bybit"
	"causeway/adapters/providers/coinbase"
	"causeway/adapters/providers/coingecko"
	"causeway/adapters/providers/daraja"
	"causeway/adapters/providers/exchangerateapi"
	"causeway/adapters/providers/flutterwave"
	"causeway/adapters/providers/frankfurter"
	"causeway/adapters/providers/gemini"
	"causeway/adapters/providers/korapay"
	"causeway/adapters/providers/kraken"
	"causeway/adapters/providers/luno"
	"causeway/adapters/providers/monnify"
	"causeway/adapters/providers/mtnmomo"
	"causeway/adapters/providers/okx"
	"causeway/adapters/providers/openexchangerates"
	"causeway/adapters/providers/paycrest"
	"causeway/adapters/providers/paystack"
	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/quidax"
	"causeway/adapters/providers/valr"
)

// Descriptors are all providers, in the order of the configuration.
var Descriptors = []provider.Descriptor{
	paystack.Descriptor,
	flutterwave.Descriptor,
	korapay.Descriptor,
	monnify.Descriptor,
	afriex.Descriptor,
	daraja.Descriptor,
	mtnmomo.Descriptor,
	airtel.Descriptor,
	kraken.Descriptor,
	binance.Descriptor,
	coinbase.Descriptor,
	okx.Descriptor,
	bybit.Descriptor,
	bitstamp.Descriptor,
	gemini.Descriptor,
	quidax.Descriptor,
	busha.Descriptor,
	luno.Descriptor,
	openexchangerates.Descriptor,
	frankfurter.Descriptor,
	coingecko.Descriptor,
	valr.Descriptor,
	exchangerateapi.Descriptor,
	paycrest.Descriptor,
}
