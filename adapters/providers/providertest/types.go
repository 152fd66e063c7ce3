package providertest

import "causeway/ports/porttest"

type (
	Quote  = porttest.Quote
	Holder = porttest.Holder
	Claim  = porttest.Claim
	Claims = porttest.Confirmer
)
