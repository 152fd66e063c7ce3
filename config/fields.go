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
	path  string // "log.level"; all entries of a map are one field, "paystack.keys.<name>"
	tag   reflect.StructTag
	value reflect.Value // settable
}

// fields returns the settings of a configuration in the order of the struct.
func fields(c *Config) []field { return appendFields(nil, "", reflect.ValueOf(c).Elem()) }

func appendFields(out []field, prefix string, section reflect.Value) []field {
	for f, value := range section.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch isText := f.Type.Implements(reflect.TypeFor[encoding.TextMarshaler]()); {
		case f.Type == reflect.TypeFor[Providers]():
			out = appendProviders(out, *value.Addr().Interface().(*Providers))
		case !f.IsExported() || name == "-":
		case f.Type.Kind() == reflect.Struct && !isText:
			out = appendFields(out, prefix+name+".", value)
		case f.Type.Kind() == reflect.Map:
			out = append(out, field{prefix + name + "." + anyName, f.Tag, value})
		default:
			out = append(out, field{prefix + name, f.Tag, value})
		}
	}
	return out
}

// appendProviders appends the settings of all providers.
func appendProviders(fields []field, settings Providers) []field {
	for _, d := range providers.Descriptors {
		fields = appendFields(fields, d.SectionName()+".", reflect.ValueOf(settings[d.Name]).Elem())
	}
	return fields
}

// key is the path without the placeholder of a map.
func (f field) key() string { return strings.TrimSuffix(f.path, "."+anyName) }

// env is the environment variable of the setting.
func (f field) env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(f.path, ".", envLevel))
}

// secret reports whether the values must not be shown.
func (f field) secret() bool {
	t := f.value.Type()
	secret := reflect.TypeFor[core.Secret]()
	return t == secret || (t.Kind() == reflect.Slice || t.Kind() == reflect.Map) && t.Elem() == secret
}

// isDuration reports whether the bounds of the field are seconds.
func (f field) isDuration() bool { return f.value.Type() == reflect.TypeFor[time.Duration]() }

// names reports whether a key of a source sets the field.
func (f field) names(key string) bool {
	prefix, isMap := strings.CutSuffix(f.path, anyName)
	if !isMap {
		return f.path == key
	}
	name, ok := strings.CutPrefix(key, prefix)
	return ok && name != "" && !strings.Contains(name, ".") || key+"." == prefix // the map itself
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
	for _, f := range fields(&c) {
		if strings.HasPrefix(f.path, key+".") {
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
