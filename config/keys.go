package config

import (
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"causeway/core"
)

// Key is one setting, for the documentation and for checking what an operator wrote.
type Key struct {
	Name    string // "log.level"; a key that names its own entries ends in ".<name>"
	Env     string // "CAUSEWAY_LOG__LEVEL"
	Default string // as the YAML file would have it; secrets redacted
	Doc     string

	secret bool // its values are never shown
}

// anyName stands for the entries of a map in a key's name.
const anyName = "<name>"

// Keys lists every setting in the order of the file.
func Keys() []Key {
	var out []Key
	walk("", reflect.ValueOf(Default()), func(name, doc string, value reflect.Value) {
		out = append(out, Key{
			Name: name, Doc: doc, Default: text(value), secret: holds(value.Type(), reflect.TypeFor[core.Secret]()),
			Env: envPrefix + strings.ToUpper(strings.ReplaceAll(name, ".", envLevel)),
		})
	})
	return out
}

// walk calls visit for every leaf below value. A map is one leaf, named with anyName.
func walk(prefix string, value reflect.Value, visit func(name, doc string, value reflect.Value)) {
	for i := range value.NumField() {
		field := value.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		name, doc := prefix+field.Tag.Get("json"), field.Tag.Get("doc")
		switch kind := field.Type.Kind(); {
		case field.Type.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
			visit(name, doc, value.Field(i))
		case kind == reflect.Struct:
			walk(name+".", value.Field(i), visit)
		case kind == reflect.Map:
			visit(name+"."+anyName, doc, value.Field(i))
		default:
			visit(name, doc, value.Field(i))
		}
	}
}

// holds reports whether a leaf is of a type, or a list or map of it.
func holds(leaf, want reflect.Type) bool {
	return leaf == want || (leaf.Kind() == reflect.Slice || leaf.Kind() == reflect.Map) && leaf.Elem() == want
}

// text is a leaf as people write it.
func text(value reflect.Value) string {
	switch v := value.Interface().(type) {
	case time.Duration:
		return v.String()
	case encoding.TextMarshaler:
		b, err := v.MarshalText()
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	if value.Kind() == reflect.Slice || value.Kind() == reflect.Map {
		if value.Len() == 0 {
			return ""
		}
	}
	if value.Kind() == reflect.Map {
		var out []string
		for _, key := range slices.Sorted(maps.Keys(entries(value))) {
			out = append(out, key+": "+text(entries(value)[key]))
		}
		return strings.Join(out, ", ")
	}
	return fmt.Sprint(value.Interface())
}

// find returns the setting that a key names.
func find(key string) (Key, bool) {
	all := Keys()
	i := slices.IndexFunc(all, func(k Key) bool {
		if prefix, isMap := strings.CutSuffix(k.Name, anyName); isMap {
			name, ok := strings.CutPrefix(key, prefix)
			return ok && name != "" && !strings.Contains(name, ".") || key+"." == prefix // the map itself, when empty
		}
		return k.Name == key
	})
	if i < 0 {
		return Key{}, false
	}
	return all[i], true
}

func known(key string) bool {
	_, ok := find(key)
	return ok
}

func isSecret(key string) bool {
	k, _ := find(key)
	return k.secret
}

// shape says how a key of several values is written.
func shape(key string) string {
	k, _ := find(key)
	if strings.HasSuffix(k.Name, anyName) {
		return "one key per name: " + k.Name + " (" + k.Env + ")"
	}
	return "a text, or a list of texts"
}

// suggestion names the key that was probably meant: the nearest one, if it is near.
func suggestion(key string) string {
	var inside []string
	for _, k := range Keys() {
		if strings.HasPrefix(k.Name, key+".") {
			inside = append(inside, k.Name)
		}
	}
	if len(inside) > 0 {
		return ": it is a section; its keys are " + strings.Join(inside, ", ")
	}
	nearest, least := Key{}, len(key)/2+1
	for _, k := range Keys() {
		if d := distance(key, k.Name); d < least {
			nearest, least = k, d
		}
	}
	if nearest.Name == "" {
		return "; `causeway config print` shows every key"
	}
	return fmt.Sprintf("; did you mean %q (%s)?", nearest.Name, nearest.Env)
}

// distance is the number of bytes to insert, delete or replace to make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Print is the effective configuration as a YAML file, with secrets redacted.
func (c Config) Print() ([]byte, error) { return yaml.Marshal(node(reflect.ValueOf(c), "")) }

func node(value reflect.Value, doc string) *yaml.Node {
	switch kind := value.Kind(); {
	case value.Type().Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return leaf(value, doc)
	case kind == reflect.Struct:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for i := range value.NumField() {
			field := value.Type().Field(i)
			if !field.IsExported() {
				continue
			}
			child := node(value.Field(i), field.Tag.Get("doc"))
			key := &yaml.Node{Kind: yaml.ScalarNode, Value: field.Tag.Get("json")}
			if child.Kind == yaml.MappingNode && len(child.Content) > 0 { // a comment behind a block would end up after it
				key.HeadComment, child.LineComment = child.LineComment, ""
			}
			n.Content = append(n.Content, key, child)
		}
		return n
	case kind == reflect.Map:
		n := &yaml.Node{Kind: yaml.MappingNode, LineComment: doc}
		keys := slices.SortedFunc(maps.Keys(entries(value)), strings.Compare)
		for _, key := range keys {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, node(entries(value)[key], ""))
		}
		if len(keys) == 0 {
			n.Style = yaml.FlowStyle
		}
		return n
	case kind == reflect.Slice:
		n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, LineComment: doc}
		for i := range value.Len() {
			n.Content = append(n.Content, node(value.Index(i), ""))
		}
		return n
	default:
		return leaf(value, doc)
	}
}

func leaf(value reflect.Value, doc string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: text(value), LineComment: doc}
	if n.Value == "" {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func entries(m reflect.Value) map[string]reflect.Value {
	out := make(map[string]reflect.Value, m.Len())
	for _, key := range m.MapKeys() {
		out[key.String()] = m.MapIndex(key)
	}
	return out
}
