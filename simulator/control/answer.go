package control

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"causeway/core"
	"causeway/simulator/journal"
)

// envelope is the body of a success.
type envelope struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

// errorBody is the body of an error.
type errorBody struct {
	Error     errorDetail              `json:"error"`
	RequestID string                   `json:"request_id"`
	Fields    map[string][]fieldReason `json:"fields,omitempty"`
}

type errorDetail struct {
	Name    string `json:"name"`
	Message string `json:"message"`
}

type fieldReason struct {
	Reason string `json:"reason"`
}

// begin gives a request its id.
func (a *api) begin(w http.ResponseWriter, r *http.Request) *call {
	c := &call{api: a, w: w, r: r, id: requestID(r.Header["X-Request-Id"], a.Entropy)}
	h := w.Header()
	h.Set("X-Request-Id", c.id)
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
	body, err := encode(envelope{"success", c.op.said, data})
	if err != nil {
		c.fail(failureOf(err))
		return
	}
	c.send(status, contentJSON, body, journal.Answer{})
}

// fail answers with an error. The cause of one that is our fault goes to the log.
func (c *call) fail(f *failure) {
	if f.name == internalServerError {
		operation := ""
		if c.op != nil {
			operation = c.op.id
		}
		c.api.Log.Error("control call failed", zap.String("operation", operation), zap.String("request_id", c.id), zap.Error(f.err))
	}
	if f.retryAfter > 0 {
		c.w.Header().Set("Retry-After", strconv.FormatInt(max(1, int64((f.retryAfter+time.Second-1)/time.Second)), 10))
	}
	if f.name == unsupportedMediaType {
		c.w.Header().Set("Accept-Encoding", "identity")
	}
	body, err := encode(f.body(c.id))
	if err != nil {
		panic(err) // of texts
	}
	about := journal.Answer{Error: string(f.name)}
	for _, field := range f.fields {
		about.Fields = append(about.Fields, field.Field)
	}
	c.send(errorKinds[f.name].status, contentJSON, body, about)
}

func (f *failure) body(id string) errorBody {
	out := errorBody{Error: errorDetail{string(f.name), f.message}, RequestID: id}
	for _, field := range f.fields {
		if out.Fields == nil {
			out.Fields = map[string][]fieldReason{}
		}
		out.Fields[field.Field] = append(out.Fields[field.Field], fieldReason{field.Reason})
	}
	return out
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

const (
	contentJSON = "application/json"
	contentText = "text/plain; charset=utf-8"
)

// encode writes JSON as the public API does: nothing escaped for the sake of HTML.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

const (
	requestPrefix = "req_"
	minRequestID  = len(requestPrefix) + 12
	maxRequestID  = 128
	alphabet      = "0123456789abcdefghjkmnpqrstvwxyz"
)

// requestID keeps a well-formed id that the client sent, and makes one otherwise.
func requestID(sent []string, entropy core.Entropy) string {
	if len(sent) == 1 && len(sent[0]) >= minRequestID && len(sent[0]) <= maxRequestID {
		rest, ours := strings.CutPrefix(sent[0], requestPrefix)
		if ours && strings.IndexFunc(rest, func(c rune) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') }) < 0 {
			return sent[0]
		}
	}
	id := []byte(requestPrefix)
	for bits, left := entropy(), 64; left > 0; bits, left = bits>>5, left-5 {
		id = append(id, alphabet[bits&31])
	}
	return string(id)
}
