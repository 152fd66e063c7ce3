package wire

import (
	"slices"

	"causeway/simulator/wire/afriex"
	"causeway/simulator/wire/airtel"
	"causeway/simulator/wire/binance"
	"causeway/simulator/wire/bitstamp"
	"causeway/simulator/wire/blockbook"
	"causeway/simulator/wire/busha"
	"causeway/simulator/wire/bybit"
	"causeway/simulator/wire/coinbase"
	"causeway/simulator/wire/coingecko"
	"causeway/simulator/wire/daraja"
	"causeway/simulator/wire/evm"
	"causeway/simulator/wire/exchangerateapi"
	"causeway/simulator/wire/flutterwave"
	"causeway/simulator/wire/format"
	"causeway/simulator/wire/frankfurter"
	"causeway/simulator/wire/gemini"
	"causeway/simulator/wire/korapay"
	"causeway/simulator/wire/kraken"
	"causeway/simulator/wire/luno"
	"causeway/simulator/wire/monnify"
	"causeway/simulator/wire/mtnmomo"
	"causeway/simulator/wire/okx"
	"causeway/simulator/wire/openexchangerates"
	"causeway/simulator/wire/paycrest"
	"causeway/simulator/wire/paystack"
	"causeway/simulator/wire/quidax"
	"causeway/simulator/wire/tron"
	"causeway/simulator/wire/valr"
	"causeway/simulator/wire/xrpl"
)

// Descriptors are all simulated providers.
var Descriptors = []format.Descriptor{
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

// Chains are the simulated back ends of blockchains.
var Chains = slices.Concat(evm.Descriptors, blockbook.Descriptors, tron.Descriptors, xrpl.Descriptors)
