package causeway

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"causeway/clients/go/api"
)

// Error is an error response. Use errors.As to get it.
type Error struct {
	Status     int                          // HTTP status
	Name       api.ErrorName                // such as api.ErrorNameNotFound; empty: the response is not one of Causeway
	Message    string                       // what is wrong, for people
	Fields     map[string][]api.FieldReason // what is wrong with which fields
	RequestID  string                       // for support
	RetryAfter time.Duration                // when a retry may succeed; 0: unknown
}

func (e *Error) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("causeway: status %d: %s", e.Status, e.Message)
	}
	return fmt.Sprintf("causeway: %s: %s (%s)", e.Name, e.Message, e.RequestID)
}

// decode reads the data of a response.
func decode[T any](resp *http.Response, err error) (T, error) {
	body, err := decodeBody[struct{ Data T }](resp, err)
	return body.Data, err
}

// decodeBody reads the body of a response, which has data. Its errors contain nothing of a response that is not
// Causeway's.
func decodeBody[T any](resp *http.Response, err error) (body T, _ error) {
	text, err := readBody(resp, err)
	if err != nil {
		return body, err
	}
	var envelope struct{ Data *json.RawMessage }
	if json.Unmarshal(text, &envelope) != nil || envelope.Data == nil || json.Unmarshal(text, &body) != nil {
		return body, foreign(resp)
	}
	return body, nil
}

// readBody reads the body of a response with status 200.
func readBody(resp *http.Response, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return nil, withoutQuery(resp.Request, fmt.Errorf("the response was cut off: %w", err))
	}
	if resp.StatusCode != http.StatusOK {
		return nil, newError(resp, text)
	}
	return text, nil
}

// newError returns the error of a response with another status than 200.
func newError(resp *http.Response, text []byte) error {
	var body api.APIError
	if err := json.Unmarshal(text, &body); err != nil || body.Error.Name == "" {
		return foreign(resp)
	}
	return &Error{
		Status: resp.StatusCode, Name: body.Error.Name, Message: body.Error.Message, Fields: body.Fields,
		RequestID: body.RequestID, RetryAfter: retryAfter(resp.Header),
	}
}

// foreign returns the error of a response that this version of Causeway does not send.
func foreign(resp *http.Response) error {
	return &Error{
		Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header),
		Message: fmt.Sprintf("%s sent %q, which is not a response of this version of Causeway; "+
			"check the address of the server, proxies on the way, and the server's version",
			resp.Request.URL.Host, resp.Header.Get("Content-Type")),
	}
}
