package control

import (
	"context"
	"errors"
	"time"

	"causeway/core"
	"causeway/simulator/journal"
)

// failure is an error as the client sees it. err, for the log only, is what it was made from.
type failure struct {
	name       name
	message    string
	fields     []core.FieldError
	retryAfter time.Duration
	err        error
}

// Error is the text for the log.
func (f *failure) Error() string { return string(f.name) + ": " + f.message }

// shortWait is the Retry-After of what was cut off.
const shortWait = time.Second

// failureOf says how an error appears on the wire. Anything that is no core.Error shows nothing of itself.
func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if errors.Is(err, journal.ErrClosed) {
		return &failure{name: worldExpired, message: "The world was reset or ended while the call waited for it"}
	}
	e, ok := errors.AsType[*core.Error](err)
	if !ok {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return &failure{name: serviceUnavailable, message: "The call was cut off before it was done", retryAfter: shortWait, err: err}
		}
		return &failure{name: internalServerError, message: "Internal error", err: err}
	}
	f := &failure{name: nameOf(e), message: e.Message, fields: e.Fields, retryAfter: e.RetryAfter, err: err}
	if f.name == internalServerError {
		f.message, f.fields = "Internal error", nil
	}
	return f
}

// onlyProviders refuses what is about requests to the product, where there are none; nil elsewhere.
func (c *call) onlyProviders(field, what, accepted string) error {
	if !c.api.NoAPI {
		return nil
	}
	return core.InvalidField(field, "%s is about requests to the API, and here there are the providers alone; accepted: %s; the rest is at a sandbox (causeway serve)", what, accepted)
}

// nameOf maps every code of the core to a name on the wire.
func nameOf(e *core.Error) name {
	switch e.Code {
	case core.Invalid, core.Unsupported:
		if len(e.Fields) > 0 {
			return requestValidation
		}
		return badRequest
	case core.NotFound:
		return notFound
	case core.Unavailable:
		return serviceUnavailable
	case core.TooMany:
		return tooManyRequests
	case core.Conflict:
		return conflict
	case core.Expired:
		return worldExpired
	case core.Unauthorized, core.Internal:
		return internalServerError
	}
	return internalServerError
}
