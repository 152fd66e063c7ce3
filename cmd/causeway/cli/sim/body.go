package sim

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"causeway/cmd/causeway/cli"
)

// encoder makes a JSON object of arguments.
type encoder struct {
	encode     func(args []string) (json.RawMessage, error)
	positional int      // number of the first arguments, which are not name=value
	members    []member // that can be given as name=value
}

// member is a member of an object, or of an object inside it.
type member struct {
	name   string   // such as clock.frozen
	values []string // accepted ones, if they are few
}

// members returns an encoder of arguments as an object like T. The first arguments are the values of the members that
// positional names. The others are name=value, with a dot between a member and one inside it. The control API checks
// names and values.
func members[T any](positional ...string) encoder {
	encode := func(args []string) (json.RawMessage, error) {
		object := map[string]any{}
		for i, arg := range args {
			if i < len(positional) {
				arg = positional[i] + "=" + arg
			}
			name, value, found := strings.Cut(arg, "=")
			if !found || name == "" {
				return nil, cli.UsageError("%q is not name=value, such as clock.frozen=true", arg)
			}
			inside, path := object, strings.Split(name, ".")
			last := path[len(path)-1]
			for _, outer := range path[:len(path)-1] {
				if _, ok := inside[outer].(map[string]any); !ok {
					inside[outer] = map[string]any{}
				}
				inside, _ = inside[outer].(map[string]any)
			}
			if _, twice := inside[last]; twice {
				return nil, cli.UsageError("%s is given twice", name)
			}
			inside[last] = value
			text, err := json.Marshal(object)
			if err != nil {
				return nil, err
			}
			if json.Unmarshal(text, new(T)) != nil && json.Valid([]byte(value)) { // T has no text there
				inside[last] = json.RawMessage(value)
			}
		}
		return json.Marshal(object)
	}
	named := slices.DeleteFunc(describe(reflect.TypeFor[T](), ""), func(m member) bool {
		return slices.Contains(positional, m.name)
	})
	return encoder{encode, len(positional), named}
}

// describe returns the members of a struct, with a prefix. Maps and lists have no members.
func describe(t reflect.Type, prefix string) (members []member) {
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case field.Anonymous && name == "":
			members = append(members, describe(inner, prefix)...)
		case inner.Kind() == reflect.Struct && !reflect.PointerTo(inner).Implements(reflect.TypeFor[json.Unmarshaler]()):
			members = append(members, describe(inner, prefix+name+".")...)
		case inner.Kind() == reflect.Bool:
			members = append(members, member{prefix + name, []string{"true", "false"}})
		default:
			accepted := strings.FieldsFunc(field.Tag.Get("enum"), func(r rune) bool { return r == ',' })
			members = append(members, member{prefix + name, accepted})
		}
	}
	return members
}

// names returns the names of the members.
func (e encoder) names() []string {
	return cli.Column(e.members, func(m member) string { return m.name })
}
