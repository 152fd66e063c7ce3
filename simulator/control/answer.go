package control

import (
	"crypto/sha256"
	"net/http"
	"strconv"

	"go.uber.org/zap"

	"causeway/adapters/httpapi/apierror"
	"causeway/simulator/journal"
)

// envelope is the body of a success.
type envelope struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

// begin gives a request its id.
func (a *api) begin(w http.ResponseWriter, r *http.Request) *call {
	c := &call{api: a, w: w, r: r, id: apierror.RequestID(r, a.Entropy)}
	h := w.Header()
	h.Set(apierror.RequestIDHeader, c.id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	return c
}

// succeed answers with data.
func (c *call) succeed(data any) {
	status := c.op.status
	if status == 0 {
		status = http.StatusOK
	}
	if f, ok := data.(file); ok {
		if f.name != "" {
			c.w.Header().Set("Content-Disposition", `attachment; filename="`+f.name+`"`)
		}
		c.send(status, f.contentType, f.body, journal.Answer{})
		return
	}
	c.send(status, contentJSON, apierror.Encode(envelope{"success", c.op.said, data}), journal.Answer{})
}

// fail answers with an error. The cause of an internal error goes to the log.
func (c *call) fail(e *apierror.Error) {
	if e.GetStatus() == http.StatusInternalServerError {
		operation := ""
		if c.op != nil {
			operation = c.op.id
		}
		c.api.Log.Error("control call failed", zap.String("operation", operation), zap.String("request_id", c.id), zap.Error(e.Unwrap()))
	}
	body := apierror.Encode(e.Prepare(c.w.Header(), c.r.Header["Accept"]))
	about := journal.Answer{Error: e.Detail.Name}
	for _, field := range e.FieldErrors() {
		about.Fields = append(about.Fields, field.Field)
	}
	c.send(e.GetStatus(), c.w.Header().Get("Content-Type"), body, about)
}

// send sends an answer, and records it before: whoever has it finds it in the journal.
func (c *call) send(status int, contentType string, body []byte, about journal.Answer) {
	if c.entry != nil {
		about.Status, about.ContentType, about.Bytes, about.SHA256 = status, contentType, int64(len(body)), sha256.Sum256(body)
		if len(c.recorded) > 0 {
			c.entry.Body(c.recorded)
		}
		c.entry.End(c.id, about)
	}
	h := c.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.w.WriteHeader(status)
	if c.r.Method != http.MethodHead {
		_, _ = c.w.Write(body) //nolint:gosec // JSON or plain text, with its type and nosniff
	}
}

const contentJSON = "application/json"
