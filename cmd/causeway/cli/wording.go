package cli

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Annotations of commands and flags, from which NewWording knows what sends a request and its fields.
const (
	endpointAnnotation = "endpoint" // of a command: method and path, with {} for an argument
	fieldAnnotation    = "field"    // of a flag
)

// Wording rewords the errors of an API for callers that do not write requests: users of a command and assistants.
type Wording struct {
	// Fields is what the caller calls a field, such as --bank for bank_code.
	Fields map[string]string
	// Endpoint returns how the caller calls an operation; empty: it cannot.
	Endpoint func(method, path string, query url.Values) string
}

// SetField says which field of a request a flag sets.
func SetField(cmd *cobra.Command, flag, field string) {
	_ = cmd.Flags().SetAnnotation(flag, fieldAnnotation, []string{field}) // the flag exists
}

// arguments are the fields that arguments of commands set, by placeholder, besides fields of the same name.
var arguments = map[string]string{
	"name": "id", "pair": "id", "outcome": "outcomes", "duration": "by", "time": "to",
}

// NewWording returns the wording of a command: the flags and arguments that set fields, and the members that the
// command takes as name=value.
func NewWording(cmd *cobra.Command, members []string) Wording {
	w := Wording{Fields: map[string]string{"Sim-World": "--world"}, Endpoint: func(
		method, path string, query url.Values,
	) string {
		return commandLine(cmd.Root(), method+" "+path, query)
	}}
	for _, word := range strings.FieldsFunc(cmd.Use, func(r rune) bool { return strings.ContainsRune(" []|…", r) }) {
		if name := strings.ToLower(word); name != word {
			w.Fields[name], w.Fields[cmp.Or(arguments[name], name)] = word, word
		}
	}
	for _, name := range members {
		w.Fields[name] = name
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		for _, field := range f.Annotations[fieldAnnotation] {
			w.Fields[field] = "--" + f.Name
		}
	})
	return w
}

// commandLine returns the command that calls an endpoint, with flags for the query.
func commandLine(cmd *cobra.Command, endpoint string, query url.Values) string {
	if cmd.Annotations[endpointAnnotation] != endpoint {
		for _, c := range cmd.Commands() {
			if line := commandLine(c, endpoint, query); line != "" {
				return line
			}
		}
		return ""
	}
	words := []string{cmd.CommandPath()}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		for _, field := range f.Annotations[fieldAnnotation] {
			if query.Has(field) {
				words = append(words, "--"+f.Name, query.Get(field))
			}
		}
	})
	return strings.Join(words, " ")
}

var (
	endpointPattern = regexp.MustCompile(`\b(GET|POST|PUT|DELETE) (/[\w/{}-]+)(?:\?([\w=&%-]+))?`)
	acceptedPattern = regexp.MustCompile(`"([^"]+)"[^"]*(; accepted: )([\w:, -]+)(\. .*)?$`)
	fieldPattern    = regexp.MustCompile(`\b[a-z]+(_[a-z]+)+\b`)
)

// text rewords a text that names endpoints, or fields of several words.
func (w Wording) text(text string) string {
	text = endpointPattern.ReplaceAllStringFunc(text, func(found string) string {
		parts := endpointPattern.FindStringSubmatch(found)
		query, _ := url.ParseQuery(parts[3]) // of our own texts
		if w.Endpoint == nil {
			return found
		}
		return cmp.Or(w.Endpoint(parts[1], parts[2], query), found)
	})
	return fieldPattern.ReplaceAllStringFunc(text, func(name string) string { return cmp.Or(w.Fields[name], name) })
}

// field returns what the caller calls a field, and for a field that the API does not know a suggestion.
func (w Wording) field(field, reason string) string {
	whole, _, _ := strings.Cut(strings.ReplaceAll(field, "[", "."), ".")
	name := w.Fields[field]
	if name == "" && w.Fields[whole] != whole {
		name = w.Fields[whole]
	}
	line := cmp.Or(name, field) + " " + suggest(w.text(reason))
	if w.Fields[field] == "" && strings.HasPrefix(reason, "is not a ") {
		meant := nearest(field, slices.Collect(maps.Keys(w.Fields)))
		for i, name := range meant {
			meant[i] = w.Fields[name]
		}
		if meant != nil {
			slices.Sort(meant)
			line += "; did you mean " + strings.Join(slices.Compact(meant), " or ") + "?"
		}
	}
	return line
}

// suggest adds the accepted value that was probably meant to the reason why a value is refused.
func suggest(reason string) string {
	found := acceptedPattern.FindStringSubmatch(reason)
	if found == nil {
		return reason
	}
	meant := nearest(found[1], strings.Split(found[3], ", "))
	if meant == nil {
		return reason
	}
	return strings.Replace(reason, found[2], "; did you mean "+strings.Join(meant, " or ")+"? Accepted: ", 1)
}

// errorText returns the message of an error envelope, with the name of the error, or else a line for each field at
// fault. It is empty if the body is not an error envelope.
func (w Wording) errorText(body []byte) string {
	var e struct {
		Error  struct{ Name, Message string }
		Fields map[string][]struct{ Reason string }
	}
	if err := json.Unmarshal(body, &e); err != nil || e.Error.Name == "" {
		return ""
	}
	var lines []string
	for _, field := range slices.Sorted(maps.Keys(e.Fields)) {
		for _, f := range e.Fields[field] {
			line := w.field(field, f.Reason)
			if field+" "+f.Reason == e.Error.Message {
				lines = slices.Insert(lines, 0, line)
			} else {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) == 0 {
		return e.Error.Name + ": " + w.text(e.Error.Message)
	}
	return strings.Join(lines, "\n")
}

// nearest returns the names that were probably meant: names with few other letters, or of which the text is a part.
func nearest(text string, names []string) (found []string) {
	const lettersPerMistake = 3
	least := len(text)/lettersPerMistake + 1
	for _, name := range slices.Sorted(slices.Values(names)) {
		distance := levenshtein.ComputeDistance(text, name)
		for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '.' || r == '_' || r == '-' }) {
			distance = min(distance, levenshtein.ComputeDistance(text, part)+1)
		}
		if end := name[strings.LastIndex(name, ".")+1:]; end == text {
			distance = 0
		}
		switch {
		case distance < least:
			found, least = []string{name}, distance
		case distance == least && found != nil:
			found = append(found, name)
		}
	}
	return found
}
