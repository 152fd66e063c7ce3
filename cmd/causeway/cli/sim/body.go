package sim

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"causeway/cmd/causeway/cli"
)

// bodyOf makes a body like T of members that are given as name=value. A value is put into quotes where T has a text there, so that nobody has to: what the
// value may be is for the control API to say. A member that T does not have is a fault, with those that it has.
func bodyOf[T any](members []string) (json.RawMessage, error) {
	body := map[string]any{}
	for _, m := range members {
		name, value, found := strings.Cut(m, "=")
		if !found || name == "" {
			return nil, cli.UsageError("%q is not name=value; names: %s", m, strings.Join(namesOf(reflect.TypeFor[T]()), ", "))
		}
		if err := put(body, reflect.TypeFor[T](), strings.Split(name, "."), name, value); err != nil {
			return nil, err
		}
	}
	return json.Marshal(body)
}

// put puts a value where a path of names leads.
func put(into map[string]any, in reflect.Type, path []string, name, value string) error {
	t := memberOf(in, path[0])
	if t == nil {
		return cli.UsageError("there is no %s; names: %s", name, strings.Join(namesOf(in), ", "))
	}
	if _, twice := into[path[0]]; twice && len(path) == 1 {
		return cli.UsageError("%s is given twice", name)
	}
	if len(path) == 1 {
		v, err := valueOf(t, name, value)
		into[path[0]] = v
		return err
	}
	inside, there := into[path[0]].(map[string]any)
	if !there {
		if into[path[0]] != nil || t.Kind() != reflect.Struct && t.Kind() != reflect.Map {
			return cli.UsageError("%s has no members; it is given as %s=value", path[0], path[0])
		}
		inside = map[string]any{}
		into[path[0]] = inside
	}
	return put(inside, t, path[1:], name, value)
}

// valueOf is a value as JSON: a text in quotes, anything else as it is written.
func valueOf(t reflect.Type, name, value string) (json.RawMessage, error) {
	if reads(t) || t.Kind() == reflect.String {
		return json.Marshal(value)
	}
	if !json.Valid([]byte(value)) {
		return nil, cli.UsageError("%s is %q; accepted: true, false, a number, or JSON in braces or brackets", name, value)
	}
	return json.RawMessage(value), nil
}

// reads reports whether a type is written as a text.
func reads(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// memberOf is the type of a member; nil for one that is not there.
func memberOf(t reflect.Type, name string) reflect.Type {
	switch t.Kind() {
	case reflect.Map:
		return behind(t.Elem())
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			if tag(f) == name {
				return behind(f.Type)
			}
		}
	default:
	}
	return nil
}

func behind(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// tag is the name of a field in JSON; empty for one that is not there.
func tag(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// namesOf are the names of all members, those inside others behind a dot.
func namesOf(t reflect.Type) []string {
	var out []string
	switch {
	case t.Kind() == reflect.Map:
		for _, inside := range inside(t.Elem()) {
			out = append(out, "<name>"+inside)
		}
	case t.Kind() == reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			if name := tag(f); name != "" {
				for _, inside := range inside(behind(f.Type)) {
					out = append(out, name+inside)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// inside are the ends of the names of a member: nothing, or those of what is inside it.
func inside(t reflect.Type) []string {
	if reads(t) || t.Kind() != reflect.Struct && t.Kind() != reflect.Map {
		return []string{""}
	}
	var out []string
	for _, name := range namesOf(t) {
		out = append(out, "."+name)
	}
	return out
}
