package httpapi

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"causeway/core"
	"causeway/core/addresses"
)

// failure is an error as the client sees it. err, for the log only, is what it was made from.
type failure struct {
	name       errorName
	message    string
	fields     []core.FieldError
	retryAfter time.Duration
	allow      string // for methodNotAllowed
	err        error
}

func fail(name errorName, format string, args ...any) *failure {
	return &failure{name: name, message: fmt.Sprintf(format, args...)}
}

// Error is the text for the log.
func (f *failure) Error() string { return string(f.name) + ": " + f.message }

// defaultRetry is the Retry-After of an outage whose length nobody knows.
const defaultRetry = 5 * time.Second

// failureOf says how an error appears on the wire. Anything that is no core.Error shows nothing of itself.
func failureOf(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	var e *core.Error
	if !errors.As(err, &e) {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return &failure{name: serviceUnavailable, message: "The request was cut off before there was an answer", retryAfter: defaultRetry, err: err}
		}
		return &failure{name: internalServerError, message: "Internal error", err: err}
	}
	f = &failure{name: nameOf(e), message: e.Message, fields: e.Fields, retryAfter: e.RetryAfter, err: err}
	if f.name == internalServerError {
		f.message, f.fields = "Internal error", nil
	}
	if f.name == serviceUnavailable && f.retryAfter <= 0 {
		f.retryAfter = defaultRetry
	}
	return f
}

// nameOf maps every code of the core to a name on the wire.
func nameOf(e *core.Error) errorName {
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
	case core.Unauthorized:
		return unauthorized
	case core.TooMany:
		return tooManyRequests
	case core.Conflict:
		return conflict
	case core.Expired:
		return worldExpired
	case core.Internal:
		return internalServerError
	}
	return internalServerError
}

// given quotes a value that a client sent, short and printable, unless it is nothing to be repeated.
func given(value string) string {
	if addresses.Secret(value) {
		return "a value that looks like a private key or recovery phrase"
	}
	return core.Quoted(value)
}

// seconds is a duration as Retry-After has it: whole, rounded up, at least one.
func seconds(d time.Duration) string {
	return strconv.FormatInt(max(1, int64((d+time.Second-1)/time.Second)), 10)
}
