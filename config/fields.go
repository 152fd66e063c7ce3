package config

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
	"go.yaml.in/yaml/v3"

	"causeway/adapters/providers"
	"causeway/core"
)

// anyName stands for the keys of a map in the path of a field.
const anyName = "<name>"

// field is one setting.
type field struct {
	path   string // "log.level"; all entries of a map are one field, "paystack.keys.<name>"
	tag    reflect.StructTag
	value  reflect.Value // settable
	member string        // Go name, if the entries of the map are sections, such as in "webhooks.<name>.url"
}

// fields returns the settings of a configuration in the order of the struct.
func fields(c *Config) []field { return appendFields(nil, "", reflect.ValueOf(c).Elem()) }

func appendFields(out []field, prefix string, section reflect.Value) []field {
	for f, value := range section.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Type == reflect.TypeFor[Providers]():
			out = appendProviders(out, *value.Addr().Interface().(*Providers))
		case !f.IsExported() || name == "-":
		case f.Anonymous:
			out = appendFields(out, prefix, value)
		case isSection(f.Type):
			out = appendFields(out, prefix+name+".", value)
		case f.Type.Kind() == reflect.Map && isSection(f.Type.Elem()):
			for member := range f.Type.Elem().Fields() {
				path := strings.Join([]string{prefix + name, anyName, member.Tag.Get("json")}, ".")
				out = append(out, field{path, member.Tag, value, member.Name})
			}
		case f.Type.Kind() == reflect.Map:
			out = append(out, field{prefix + name + "." + anyName, f.Tag, value, ""})
		default:
			out = append(out, field{prefix + name, f.Tag, value, ""})
		}
	}
	return out
}

// isSection reports whether the values of a type consist of several settings.
func isSection(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// appendProviders appends the settings of all providers.
func appendProviders(fields []field, settings Providers) []field {
	for _, d := range providers.Descriptors {
		fields = appendFields(fields, d.SectionName()+".", reflect.ValueOf(settings[d.Name]).Elem())
	}
	return fields
}

// key is the path of the setting, or of the map whose entries are settings.
func (f field) key() string {
	key, _, _ := strings.Cut(f.path, "."+anyName)
	return key
}

// env is the environment variable of the setting.
func (f field) env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(f.path, ".", envLevel))
}

// kind is the type of the setting.
func (f field) kind() reflect.Type {
	if f.member == "" {
		return f.value.Type()
	}
	member, _ := f.value.Type().Elem().FieldByName(f.member)
	return member.Type
}

// secret reports whether the values must not be shown.
func (f field) secret() bool {
	t := f.kind()
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t == reflect.TypeFor[core.Secret]()
}

// isDuration reports whether the bounds of the field are seconds.
func (f field) isDuration() bool { return f.value.Type() == reflect.TypeFor[time.Duration]() }

// names reports whether a key of a source sets the field, or an entry of it.
func (f field) names(key string) bool {
	return key == f.key() || matches(strings.Split(f.path, "."), strings.Split(key, "."))
}

// matches reports whether the parts of a key are the parts of a path, which may have anyName.
func matches(path, key []string) bool {
	return slices.EqualFunc(path, key, func(want, got string) bool { return want == got || want == anyName && got != "" })
}

// entry returns the name of the entry that a key sets, and whether it sets one.
func (f field) entry(key string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(key, f.key()+".")
	name, _, _ = strings.Cut(rest, ".")
	return name, ok
}

// decode sets the setting to the value of a source, or an entry of it.
func (f field) decode(key string, value any) error {
	name, isEntry := f.entry(key)
	switch {
	case !isEntry:
		f.value.SetZero() // a list replaces the default
		return decodeInto(value, f.value.Addr().Interface())
	case f.member == "":
		return decodeInto(map[string]any{name: value}, f.value.Addr().Interface())
	}
	section := reflect.New(f.value.Type().Elem()).Elem()
	if old := f.value.MapIndex(reflect.ValueOf(name)); old.IsValid() {
		section.Set(old)
	} else if f.value.IsNil() {
		f.value.Set(reflect.MakeMap(f.value.Type()))
	}
	err := decodeInto(value, section.FieldByName(f.member).Addr().Interface())
	f.value.SetMapIndex(reflect.ValueOf(name), section)
	return err
}

// find returns the field that a key of a source sets.
func (c *Config) find(key string) (field, bool) {
	all := fields(c)
	i := slices.IndexFunc(all, func(f field) bool { return f.names(key) })
	if i < 0 {
		return field{}, false
	}
	return all[i], true
}

// plain returns a value as YAML and JSON show it.
func plain(value reflect.Value) any {
	switch v := value.Interface().(type) {
	case time.Duration:
		return FormatDuration(v)
	case encoding.TextMarshaler:
		text, err := v.MarshalText()
		if err != nil {
			return err.Error()
		}
		return string(text)
	}
	switch value.Kind() {
	case reflect.Map:
		out := map[string]any{}
		for k, v := range value.Seq2() {
			out[k.String()] = plain(v)
		}
		return out
	case reflect.Slice:
		out := []any{}
		for _, v := range value.Seq2() {
			out = append(out, plain(v))
		}
		return out
	case reflect.Struct:
		out := map[string]any{}
		for f, v := range value.Fields() {
			out[f.Tag.Get("json")] = plain(v)
		}
		return out
	case reflect.String:
		return value.String()
	default:
		return value.Interface()
	}
}

// literal returns the value of the field on one line of YAML.
func (f field) literal() string {
	var n yaml.Node
	if err := n.Encode(plain(f.value)); err != nil {
		return err.Error()
	}
	if n.Kind != yaml.ScalarNode {
		n.Style = yaml.FlowStyle
	}
	text, err := yaml.Marshal(&n)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(strings.ReplaceAll(string(text), "\n", " "))
}

// accepted describes the values of a field that has the tag enum, minimum or maximum.
func (f field) accepted() string {
	least, most := f.tag.Get("minimum"), f.tag.Get("maximum")
	if f.isDuration() {
		least, most = inSeconds(least), inSeconds(most)
	}
	switch enum := f.tag.Get("enum"); {
	case enum != "":
		return strings.TrimPrefix(strings.ReplaceAll(enum, ",", ", "), ", ")
	case least == "" && most == "":
		return ""
	case most == "":
		return least + " or more"
	default:
		return least + " to " + most
	}
}

func inSeconds(bound string) string {
	d, err := time.ParseDuration(bound + "s")
	if err != nil {
		return ""
	}
	return FormatDuration(d)
}

// suggest explains a key that is no setting: it names the nearest one.
func suggest(key string) string {
	c := Default()
	var inside []string
	nearest, least := field{}, len(key)/2+1
	depth := strings.Count(key, ".") + 1
	for _, f := range fields(&c) {
		if path := strings.Split(f.path, "."); len(path) > depth && matches(path[:depth], strings.Split(key, ".")) {
			inside = append(inside, f.path)
		}
		if d := levenshtein.ComputeDistance(key, f.path); d < least {
			nearest, least = f, d
		}
	}
	switch {
	case len(inside) > 0:
		return ": it is a section; its keys are " + strings.Join(inside, ", ")
	case nearest.path == "":
		return "; causeway config print shows every key"
	}
	return fmt.Sprintf("; did you mean %q (%s)?", nearest.path, nearest.env())
}
