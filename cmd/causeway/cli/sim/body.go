package sim

import (
	"encoding/json"
	"strings"

	"causeway/cmd/causeway/cli"
)

// members returns an encoder of arguments as an object like T. The first arguments are the values of the members that
// positional names. The others are name=value, with a dot between a member and one inside it. The control API checks
// names and values.
func members[T any](positional ...string) encoder {
	return func(args []string) (json.RawMessage, error) {
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
}
