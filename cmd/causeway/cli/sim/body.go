package sim

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"causeway/cmd/causeway/cli"
)

// members returns an encoder of arguments as an object like T. The first arguments are the values of the members that
// positional names; an empty name skips an argument. The others are name=value, with a dot between a member and one
// inside it. A value is quoted if T has a text there. The control API checks the values.
func members[T any](positional ...string) encoder {
	t := reflect.TypeFor[T]()
	return func(args []string) (json.RawMessage, error) {
		object := map[string]any{}
		for i, arg := range args {
			if i < len(positional) {
				if positional[i] == "" {
					continue
				}
				arg = positional[i] + "=" + arg
			}
			name, value, found := strings.Cut(arg, "=")
			if !found || name == "" {
				return nil, cli.UsageError("%q is not name=value; names: %s", arg, strings.Join(namesOf(t), ", "))
			}
			if err := set(object, t, strings.Split(name, "."), name, value); err != nil {
				return nil, err
			}
		}
		return json.Marshal(object)
	}
}

// set puts a value into an object like t, where a path leads.
func set(object map[string]any, t reflect.Type, path []string, name, value string) error {
	member := memberOf(t, path[0])
	if member == nil {
		return cli.UsageError("there is no %s; names: %s", name, strings.Join(namesOf(t), ", "))
	}
	if len(path) > 1 {
		if isText(member) || member.Kind() != reflect.Struct && member.Kind() != reflect.Map {
			return cli.UsageError("%s has no members; give it as %s=value", path[0], path[0])
		}
		inner, ok := object[path[0]].(map[string]any)
		if !ok {
			inner = map[string]any{}
			object[path[0]] = inner
		}
		return set(inner, member, path[1:], name, value)
	}
	if _, twice := object[path[0]]; twice {
		return cli.UsageError("%s is given twice", name)
	}
	if isText(member) {
		object[path[0]] = value
		return nil
	}
	if !json.Valid([]byte(value)) {
		return cli.UsageError("%s is %q; accepted: true, false, a number, or JSON in braces or brackets", name, value)
	}
	object[path[0]] = json.RawMessage(value)
	return nil
}

// isText reports whether values of a type are JSON strings.
func isText(t reflect.Type) bool {
	return t.Kind() == reflect.String || reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// memberOf returns the type of a member; nil if there is none.
func memberOf(t reflect.Type, name string) reflect.Type {
	if t.Kind() == reflect.Map {
		return indirect(t.Elem())
	}
	for _, f := range reflect.VisibleFields(t) {
		if tag(f) == name {
			return indirect(f.Type)
		}
	}
	return nil
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func tag(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// namesOf returns the names of all members, sorted; a dot precedes members of members.
func namesOf(t reflect.Type) []string {
	var out []string
	add := func(name string, member reflect.Type) {
		if member = indirect(member); isText(member) || member.Kind() != reflect.Struct && member.Kind() != reflect.Map {
			out = append(out, name)
			return
		}
		for _, inner := range namesOf(member) {
			out = append(out, name+"."+inner)
		}
	}
	if t.Kind() == reflect.Map {
		add("<name>", t.Elem())
		return out
	}
	for _, f := range reflect.VisibleFields(t) {
		if name := tag(f); name != "" {
			add(name, f.Type)
		}
	}
	slices.Sort(out)
	return out
}
