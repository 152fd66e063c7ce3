package control

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
)

// receive reads the whole body.
func (c *call) receive(o *operation) error {
	for _, coding := range c.r.Header["Content-Encoding"] {
		if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
			return apierror.New(apierror.UnsupportedMediaType, "Content-Encoding %s is not supported; send the body without compression", core.Quoted(coding))
		}
	}
	most := o.most
	if most == 0 {
		most = usualBody
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, most))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return apierror.New(apierror.PayloadTooLarge, "The body is larger than %d bytes, the limit of this operation", most)
	}
	if err != nil {
		return apierror.New(apierror.BadRequest, "The body did not arrive whole; send it again")
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return apierror.New(apierror.BadRequest, "%s", "The body is empty; send an object with "+strings.Join(membersOf(reflect.TypeOf(o.takes)), ", "))
	}
	c.body = body
	return nil
}

// read reads a body as a T, strictly.
func read[T any](body []byte) (T, error) {
	var to T
	err := json.Unmarshal(body, &to, json.RejectUnknownMembers(true))
	if err == nil {
		return to, nil
	}
	return to, refusal(reflect.TypeFor[T](), body, err)
}

// refusal says why a text is no T, and what is accepted in the place that is at fault.
func refusal(root reflect.Type, body []byte, err error) error {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return apierror.New(apierror.BadRequest, "The body names a member twice, at byte %d; name each once", syntax.ByteOffset)
		}
		return apierror.New(apierror.BadRequest, "The body is no JSON: it goes wrong at byte %d; send an object with %s", syntax.ByteOffset, strings.Join(membersOf(root), ", "))
	}
	wrong, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return err
	}
	place := strings.Join(slices.Collect(wrong.JSONPointer.Tokens()), ".")
	if wrong.Err == json.ErrUnknownName { //nolint:errorlint // it is put there as it is
		holder := typeAt(root, wrong.JSONPointer.Parent())
		return core.InvalidField(short(place), "is not known here; accepted: %s", strings.Join(membersOf(holder), ", "))
	}
	at := typeAt(root, wrong.JSONPointer)
	if place == "" {
		return apierror.New(apierror.BadRequest, "%s", "The body is "+kindName(wrong.JSONKind)+"; send an object with "+strings.Join(membersOf(root), ", "))
	}
	if wrong.JSONKind == '"' && wants(at) != wantText || wrong.JSONKind == '0' && wants(at) == wantWhole {
		return core.InvalidField(short(place), "%s is not accepted here; accepted: %s", core.Quoted(strings.Trim(string(valueAt(body, wrong.JSONPointer)), `"`)), wants(at))
	}
	return core.InvalidField(short(place), "is %s; accepted: %s", kindName(wrong.JSONKind), wants(at))
}

// valueAt is the value at a place of a body that could be read that far; empty where there is none.
func valueAt(value jsontext.Value, place jsontext.Pointer) jsontext.Value {
	for token := range place.Tokens() {
		var (
			members map[string]jsontext.Value
			items   []jsontext.Value
		)
		if json.Unmarshal(value, &members) == nil {
			value = members[token]
			continue
		}
		i, err := strconv.Atoi(token)
		if json.Unmarshal(value, &items) != nil || err != nil || i >= len(items) {
			return nil
		}
		value = items[i]
	}
	return value
}

// short keeps a name that a client made up from filling an error.
func short(place string) string {
	const longest = 80
	if len(place) > longest {
		return strings.ToValidUTF8(place[:longest], "") + "…"
	}
	return place
}

// typeAt is the type of the value at a place of a body.
func typeAt(t reflect.Type, place jsontext.Pointer) reflect.Type {
	for token := range place.Tokens() {
		t = bare(t)
		switch t.Kind() {
		case reflect.Struct:
			f, found := memberOf(t, token)
			if !found {
				return t
			}
			t = f.Type
		case reflect.Map, reflect.Slice, reflect.Array:
			t = t.Elem()
		default:
			return t
		}
	}
	return bare(t)
}

func bare(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// memberOf finds a member by its name in JSON.
func memberOf(t reflect.Type, name string) (reflect.StructField, bool) {
	for _, f := range reflect.VisibleFields(t) {
		if written(f) == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// written is the name of a field in JSON; empty for one that is not written, or stands for its own fields.
func written(f reflect.StructField) string {
	if f.Anonymous || !f.IsExported() {
		return ""
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.TrimPrefix(name, "-")
}

// membersOf names the members of an object.
func membersOf(t reflect.Type) []string {
	var out []string
	if t = bare(t); t.Kind() != reflect.Struct {
		return []string{"names of your own"}
	}
	for _, f := range reflect.VisibleFields(t) {
		if name := written(f); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// What values may be, in words.
const (
	wantText  = "text in quotes"
	wantWhole = "a whole number, without quotes"
)

// wants says what a value of a type looks like.
func wants(t reflect.Type) string {
	switch t.String() {
	case "time.Time":
		return "an instant in quotes, such as 2026-11-16T12:00:00Z"
	case "simulator.Duration":
		return "a duration in quotes, such as 30s or 1h30m"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Uint:
		return wantWhole
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object with " + strings.Join(membersOf(t), ", ")
	default:
		return wantText
	}
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case 'n':
		return "null"
	case 'f', 't':
		return "true or false"
	case '"':
		return "text"
	case '0':
		return "a number"
	case '[':
		return "a list"
	case '{':
		return "an object"
	}
	return "something else"
}
