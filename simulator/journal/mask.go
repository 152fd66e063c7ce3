package journal

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"causeway/core"
)

// hidden replaces a part of a request that is not kept.
const hidden = "****"

// harmless are the fields of bodies and the query parameters whose values are shown if they are
// codes, because they choose among things that are the same for all users. All others are masked.
var harmless = setOf(
	// The public API.
	"country", "country_id", "country_code", "currency", "currency_id", "channel", "bank_code",
	"network", "type", "memo_type", "base", "counter", "id", "sort", "sort_by", "period",
	// The control API. The ID of a world, a seed and the value of a header are free text.
	"now", "frozen", "rate", "by", "to", "ttl", "magic_pairs", "enforce_limits",
	"pin", "spread_bps", "volatility", "drift", "offset_bps", "lag_ms", "state",
	"scenario", "speed", "outcome", "outcomes", "operation", "plane", "provider", "nth",
	"kind", "phase", "probability", "after", "every", "max_hits", "status", "code",
	"retry_after", "ms", "max_ms", "distribution", "bytes", "blocks", "block_time", "depth", "contract",
)

// prose are the fields and parameters that may hold a sentence, or a name of several words.
var prose = setOf("account_name", "memo", "q")

func setOf(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	return out
}

// numbered matches a long number, or a letter beyond ASCII.
var numbered = regexp.MustCompile(`([0-9][ -]*){7}|[^ -~]`)

// isCode reports whether a text can only be a word or a code: more than six digits may be an account number, and
// more than 24 characters an address.
func isCode(text string) bool {
	digits := 0
	for _, c := range []byte(text) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == '_', c == '.', c == '-':
		default:
			return false
		}
	}
	return len(text) <= 24 && digits <= 6
}

// isCodes reports whether a text is a code, several of them, or a time.
func isCodes(text string) bool {
	for item := range strings.SplitSeq(text, ",") {
		if !isCode(strings.TrimSpace(item)) {
			_, err := time.Parse(time.RFC3339, text)
			return err == nil
		}
	}
	return true
}

func mask(text string) string { return core.Private(text).String() }

// maskValue masks the value of a parameter or field.
func maskValue(name, text string) string {
	if harmless[name] && isCodes(text) {
		return text
	}
	return mask(text)
}

// maskName masks the name of a parameter or field, which the client chose.
func maskName(text string) string {
	if isCode(text) {
		return text
	}
	return mask(text)
}

// maskHeader masks the value of a header that may hold a number or a name.
func maskHeader(name, text string) string {
	if name == "Sim-World" || !numbered.MatchString(text) {
		return text
	}
	return mask(text)
}

// maskPath masks the segments of an escaped path that are neither codes nor the world.
func maskPath(escaped, world string) string {
	segments := strings.Split(escaped, "/")
	for i, segment := range segments {
		text, err := url.PathUnescape(segment)
		if segment != "*" && !isCode(segment) && (err != nil || text != world) {
			segments[i] = strings.ReplaceAll(url.PathEscape(mask(text)), "%2A", "*")
		}
	}
	return strings.Join(segments, "/")
}

// maskRequest returns a request as entries show it.
func maskRequest(s *Sent, world string, bodyBytes int) Request {
	path, query := s.pathAndQuery()
	q := Request{Method: s.Method, Path: maskPath(path, world), Query: query, Headers: []Field{}, BodyBytes: bodyBytes}
	for i, p := range query {
		query[i] = Field{maskName(p.Name), maskValue(p.Name, p.Value)}
	}
	for _, h := range s.Headers {
		q.Headers = append(q.Headers, Field{h.Name, maskHeader(h.Name, h.Value)})
	}
	var document any
	if jsonv2.Unmarshal([]byte(s.Body), &document) == nil {
		q.Body, _ = json.Marshal(maskDocument("", document)) // made of maps, lists and scalars
	}
	return q
}

// maskDocument masks a value that a member of a name holds.
func maskDocument(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for inner, value := range v {
			out[maskName(inner)] = maskDocument(inner, value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = maskDocument(name, value)
		}
		return out
	case string:
		return maskValue(name, v)
	case float64:
		if text := scalar(v); maskValue(name, text) != text {
			return maskValue(name, text)
		}
	}
	return v
}

// scalar returns the text of a string, number, boolean or null; "" for a list or an object.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case nil:
		return "null"
	}
	return ""
}

// secret reports whether a text holds a secret. It looks at parts of a long text that overlap by more than any secret.
func (c Config) secret(text string, prose bool) bool {
	const part = 1024
	for ; len(text) > part; text = text[part/2:] {
		if c.Secret(text[:part], prose) {
			return true
		}
	}
	return c.Secret(text, prose)
}

func (c Config) secretHeader(h Field) bool {
	return h.Name != "Sim-World" && c.secret(strings.TrimPrefix(h.Value, "req_"), true)
}

// secretPath reports whether a path or a parameter of its query holds a secret.
func (c Config) secretPath(target string) bool {
	path, query := (&Sent{Path: target}).pathAndQuery()
	for segment := range strings.SplitSeq(path, "/") {
		if text := unescape(segment); text != c.World && c.secret(text, false) {
			return true
		}
	}
	for _, p := range query {
		if c.secret(p.Name, false) || c.secret(p.Value, prose[p.Name] || harmless[p.Name]) {
			return true
		}
	}
	return false
}

// secretBody reports whether a body holds a secret. One that is not JSON is split at quotes and the
// separators of forms.
func (c Config) secretBody(body string) bool {
	if body == "" {
		return false
	}
	var document any
	if err := jsonv2.Unmarshal([]byte(body), &document); err == nil {
		return c.secretDocument("", document)
	}
	for piece := range strings.FieldsFuncSeq(body, func(c rune) bool { return c == '"' || c == '&' || c == '=' }) {
		if c.secret(piece, false) || c.secret(unescape(piece), false) {
			return true
		}
	}
	return false
}

// secretDocument reports whether a value that a member of a name holds contains a secret.
func (c Config) secretDocument(name string, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for inner, value := range v {
			if c.secret(inner, false) || c.secretDocument(inner, value) {
				return true
			}
		}
		return false
	case []any:
		var texts []string // words or bytes of a secret
		for _, value := range v {
			if c.secretDocument(name, value) {
				return true
			}
			if text := scalar(value); text != "" {
				texts = append(texts, text)
			}
		}
		return !harmless[name] && c.secret("["+strings.Join(texts, ",")+"]", false)
	}
	return c.secret(scalar(v), prose[name] || harmless[name])
}
