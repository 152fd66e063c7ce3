package core

import (
	"errors"
	"fmt"
	"time"
)

// Code classifies an Error. Codes are added, never renamed.
type Code string

// The codes. Not found, unavailable and invalid (Invalid, Unsupported) are three different results
// and never stand in for each other.
const (
	Internal     Code = "internal"     // a bug in Causeway
	Invalid      Code = "invalid"      // the request is wrong; Fields lists the faults
	NotFound     Code = "not_found"    // the requested object certainly does not exist
	Unsupported  Code = "unsupported"  // no provider serves requests of this kind
	Unavailable  Code = "unavailable"  // temporary: outage, timeout, throttling, no fresh data
	Unauthorized Code = "unauthorized" // no key, or a wrong one
	// too many requests, or requests that only an attacker sends; RetryAfter is set
	TooMany  Code = "too_many"
	Conflict Code = "conflict" // the object already exists
	Expired  Code = "expired"  // the object has expired, such as an unused simulated world
	// what follows a cursor is no longer kept
	CursorExpired Code = "cursor_expired"
)

// FieldError describes what is wrong with one field of a request.
type FieldError struct {
	Field  string // as the client spelled it, for example "bank_code"
	Reason string // what was wrong, the value given, what is accepted
}

// Error is the error type of all services. Message and Fields are for the client; the cause is for
// the log. Message never quotes the cause.
type Error struct {
	Code       Code
	Message    string
	Fields     []FieldError
	RetryAfter time.Duration // for Unavailable and TooMany; zero: unknown
	Absence    Absence       // for an account that is NotFound: the reason and its certainty

	cause error
}

// Absence is the reason why an account is NotFound. The zero value means that it certainly does not
// exist.
type Absence string

// The other kinds of absence.
const (
	ClosedAccount Absence = "closed" // the account is closed or dormant
	// the provider reports the same while a bank is unreachable
	DoubtfulNone Absence = "unsure"
	// as above, and so often that a second provider must confirm it
	SharedNone Absence = "shared"
)

// Errorf makes an Error whose message the client may see.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// InvalidField makes an Invalid error about one field.
func InvalidField(field, format string, args ...any) *Error {
	return InvalidFields(FieldError{Field: field, Reason: fmt.Sprintf(format, args...)})
}

// InvalidFields makes an Invalid error about several fields. The first one is the message.
func InvalidFields(fields ...FieldError) *Error {
	e := &Error{Code: Invalid, Message: "The request is not valid", Fields: fields}
	if len(fields) > 0 {
		e.Message = fields[0].Field + " " + fields[0].Reason
	}
	return e
}

// With returns the error with a cause for the log.
func (e *Error) With(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// Because returns the error with the reason why an account is not found.
func (e *Error) Because(reason Absence) *Error {
	c := *e
	c.Absence = reason
	return &c
}

// Retry returns the error with the time to wait before a retry.
func (e *Error) Retry(after time.Duration) *Error {
	c := *e
	c.RetryAfter = after
	return &c
}

// Error returns the text for the log: code, message and cause.
func (e *Error) Error() string {
	if e.cause == nil {
		return string(e.Code) + ": " + e.Message
	}
	return string(e.Code) + ": " + e.Message + ": " + e.cause.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf returns the code of the first Error in err's chain, or Internal for any other error.
// It returns "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}
