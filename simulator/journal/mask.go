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

// Tell reports whether a text is or contains what looks like a private key, a seed or a recovery
// phrase. prose says that the text may be a sentence or a name of several words.
type Tell func(text string, prose bool) bool

// masker masks the private values of one request.
type masker struct {
	world string
	tell  Tell
	found bool // a secret was found
}

const (
	maxCode      = 24   // characters of a code; longer texts may be addresses
	maxDigits    = 6    // digits of a code; longer ones may be account numbers
	secretWindow = 1024 // bytes that are examined at once; windows overlap by half, more than any secret
	hiddenSecret = "****"
)

var (
	code       = regexp.MustCompile(`^[A-Za-z0-9_.-]{0,24}$`)
	digit      = regexp.MustCompile(`[0-9]`)
	numbered   = regexp.MustCompile(`([0-9][ -]*){7}|[^ -~]`) // a long number, or a letter beyond ASCII
	requestIDs = regexp.MustCompile(`^req_[A-Za-z0-9]*$`)
)

// isCode reports whether a text can only be a word or a code.
func isCode(text string) bool {
	return code.MatchString(text) && len(digit.FindAllString(text, -1)) <= maxDigits
}

// isCodes reports whether a text is a code, several of them, or a time.
func isCodes(text string) bool {
	for item := range strings.SplitSeq(text, ",") {
		if !isCode(strings.TrimSpace(item)) {
			_, err := time.Parse(time.RFC3339, text)
			return err == nil
		}
	}
	return len(text) <= longestText
}

// secret reports whether a text holds a secret.
func (m *masker) secret(text string, prose bool) bool {
	if m.tell == nil {
		return false
	}
	isSecret := false
	for ; len(text) > secretWindow; text = text[secretWindow/2:] {
		isSecret = isSecret || m.tell(text[:secretWindow], prose)
	}
	isSecret = isSecret || m.tell(text, prose)
	m.found = m.found || isSecret
	return isSecret
}

// search looks for a secret in a body that is not JSON, between quotes and the separators of forms.
func (m *masker) search(body string) {
	for piece := range strings.FieldsFuncSeq(body, func(c rune) bool { return c == '"' || c == '&' || c == '=' }) {
		plain, err := url.QueryUnescape(piece)
		if m.secret(piece, false) || err == nil && m.secret(plain, false) {
			return
		}
	}
}

// mask returns a value as core.Private shows it, and nothing of one that holds a secret.
func (m *masker) mask(text string, prose bool) string {
	if m.secret(text, prose) {
		return hiddenSecret
	}
	return core.Private(text).String()
}

// value masks the value of a parameter or field, unless its name promises a code and it is one.
func (m *masker) value(name, text string) string {
	if harmless[name] && isCodes(text) && !m.secret(text, true) {
		return text
	}
	return m.mask(text, prose[name])
}

// word masks a name that a client chose, unless it is a code.
func (m *masker) word(text string) string {
	if isCode(text) {
		return text
	}
	return m.mask(text, false)
}

// path masks the segments of an escaped path that are neither codes nor the world.
func (m *masker) path(escaped string) string {
	segments := strings.Split(escaped, "/")
	for i, segment := range segments {
		text, err := url.PathUnescape(segment)
		if segment != "*" && !isCode(segment) && (err != nil || text != m.world) {
			segments[i] = strings.ReplaceAll(url.PathEscape(m.mask(text, false)), "%2A", "*")
		}
	}
	return cut(strings.Join(segments, "/"), longestPath)
}

// queryFields returns the parameters of a query in their order, and how many more there are.
func queryFields(query string) (fields []Field, more int) {
	fields = []Field{}
	for item := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(item, "=")
		switch {
		case item == "":
		case len(fields) == mostFields:
			more++
		default:
			fields = append(fields, Field{unescape(name), unescape(value)})
		}
	}
	return fields, more
}

func unescape(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// header masks the value of a header. The names of worlds and the IDs of requests are shown.
func (m *masker) header(name, text string) string {
	var shown bool
	switch name {
	case "Sim-World":
		shown = true
	case "If-None-Match": // hexadecimal, which may be a number
	case "X-Request-Id":
		shown = requestIDs.MatchString(text) && !m.secret(strings.TrimPrefix(text, "req_"), false)
	default:
		shown = !numbered.MatchString(text) && len(text) <= longestText && !m.secret(text, true)
	}
	if !shown {
		return m.mask(text, true)
	}
	return cut(text, longestText)
}

// json returns a body with its values masked and its shape kept; nil if it is not a JSON document or
// names a member twice.
func (m *masker) json(body []byte) json.RawMessage {
	var document any
	if err := jsonv2.Unmarshal(body, &document); err != nil {
		return nil
	}
	masked, _ := json.Marshal(m.document("", document)) // made of maps, lists and scalars
	return masked
}

// document masks a value that a member of a name holds.
func (m *masker) document(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for inner, value := range v {
			out[m.word(inner)] = m.document(inner, value)
		}
		return out
	case []any:
		out, texts := make([]any, len(v)), []string{}
		for i, value := range v {
			out[i] = m.document(name, value)
			if text := scalar(value); text != "" {
				texts = append(texts, text)
			}
		}
		if !harmless[name] {
			m.secret("["+strings.Join(texts, ",")+"]", false) // words or bytes of a secret
		}
		return out
	case string:
		return m.value(name, v)
	case float64:
		if text := scalar(v); m.value(name, text) != text {
			return m.value(name, text)
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

// members returns the members of a body's object as text.
func members(body string) []Field {
	var object map[string]any
	if jsonv2.Unmarshal([]byte(body), &object) != nil {
		return nil
	}
	out := make([]Field, 0, len(object))
	for name, value := range object {
		out = append(out, Field{name, scalar(value)})
	}
	return out
}

// clip bounds texts of clients, and name those of our own.
func clip(text string) string { return cut(text, longestText) }

func name(text string) string { return cut(text, longestName) }

func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}
