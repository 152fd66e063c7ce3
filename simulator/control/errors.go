package control

import (
	"errors"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
	"causeway/simulator/journal"
)

// apiError converts an error of a handler.
func apiError(err error) *apierror.Error {
	if errors.Is(err, journal.ErrClosed) {
		return apierror.New(apierror.WorldExpired, "The world was reset or ended while the call waited for it")
	}
	return apierror.From(err)
}

// onlyProviders refuses what is about requests to the product, where there are none; nil elsewhere.
func (c *call) onlyProviders(field, what, accepted string) error {
	if !c.api.NoAPI {
		return nil
	}
	return core.InvalidField(field, "%s is about requests to the API, and here there are the providers alone; accepted: %s; the rest is at a sandbox (causeway serve)", what, accepted)
}
