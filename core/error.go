package core

import (
	"errors"
	"fmt"
	"time"
)

// Code classifies an Error. Codes are added, never renamed.
type Code string

// The codes. "Not found", "cannot tell" (Unavailable) and "you asked wrongly" (Invalid, Unsupported)
// are three different answers, always.
const (
	Internal     Code = "internal"     // a defect of ours
	Invalid      Code = "invalid"      // the question is wrong; Fields says where
	NotFound     Code = "not_found"    // the thing asked for surely does not exist
	Unsupported  Code = "unsupported"  // no provider serves requests of this kind
	Unavailable  Code = "unavailable"  // it cannot be told now: outage, time-out, throttling, no fresh data
	Unauthorized Code = "unauthorized" // no key, or a wrong one
	// the caller asks too often, or what only an attacker asks; RetryAfter says when again
	TooMany  Code = "too_many"
	Conflict Code = "conflict" // the thing to be made is there already
	Expired  Code = "expired"  // it has ended, such as an unused simulated world
)

// FieldError says what is wrong with one field of a question.
type FieldError struct {
	Field  string // as the client spelled it, for example "bank_code"
	Reason string // what was wrong, the value given, what is accepted
}

// Error is the one error type. Message and Fields are for the client; the cause is for the log.
// They never mix: Message never quotes a cause.
type Error struct {
	Code       Code
	Message    string
	Fields     []FieldError
	RetryAfter time.Duration // for Unavailable and TooMany: when to ask again; zero when unknown
	Absence    Absence       // for an account that is NotFound: why, and how sure that is

	cause error
}

// Absence says why an account is NotFound. The zero value: there surely is none with that number.
type Absence string

// The other kinds of absence.
const (
	ClosedAccount Absence = "closed" // there is one, closed or dormant
	// there seems to be none, but the provider says the same while a bank cannot be reached
	DoubtfulNone Absence = "unsure"
	// the same, and the provider says it so often that it counts only if a second one agrees
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

// InvalidFields makes an Invalid error about every field at fault. The first one is the message.
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

// Retry returns the error with the time after which asking again makes sense.
func (e *Error) Retry(after time.Duration) *Error {
	c := *e
	c.RetryAfter = after
	return &c
}

// Error is the text for the log: code, message and cause.
func (e *Error) Error() string {
	if e.cause == nil {
		return string(e.Code) + ": " + e.Message
	}
	return string(e.Code) + ": " + e.Message + ": " + e.cause.Error()
}

// Unwrap returns the private cause.
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
