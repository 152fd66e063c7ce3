package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// YAML returns the configuration as a file, with secrets redacted.
func (c Config) YAML() []byte {
	return c.render(func(b *bytes.Buffer, indent, name string, f field) {
		fmt.Fprintf(b, "%s%s: %s\n", indent, name, f.literal())
	})
}

// JSON returns the configuration as a JSON document, with secrets redacted.
func (c Config) JSON() ([]byte, error) {
	var document map[string]any
	if err := yaml.Unmarshal(c.YAML(), &document); err != nil {
		return nil, err
	}
	return json.MarshalIndent(document, "", "  ")
}

// Template returns a file in which every setting is described and commented out with its default.
func Template() []byte {
	const head = "# Settings of Causeway. Remove the # of a setting to change it. " +
		"Environment variables override this file:\n" +
		"# CAUSEWAY_LOG__LEVEL=debug sets log.level. Check the file with: causeway config check --config FILE\n\n"
	text := Default().render(func(b *bytes.Buffer, indent, name string, f field) {
		for _, line := range wrap(f.description(), 98-len(indent)) {
			fmt.Fprintf(b, "%s# %s\n", indent, line)
		}
		fmt.Fprintf(b, "%s#%s: %s\n", indent, name, f.literal())
	})
	return append([]byte(head), text...)
}

// render writes the settings in nested sections.
func (c Config) render(write func(b *bytes.Buffer, indent, name string, f field)) []byte {
	var b bytes.Buffer
	var open []string // sections
	written := ""
	for _, f := range fields(&c) {
		if f.key() == written { // a map of sections has several fields
			continue
		}
		written = f.key()
		path := strings.Split(f.key(), ".")
		depth := len(path) - 1
		for i, section := range path[:depth] {
			if i >= len(open) || open[i] != section {
				open = append(open[:i:i], section)
				fmt.Fprintf(&b, "%s%s:\n", strings.Repeat("  ", i), section)
			}
		}
		open = open[:depth]
		write(&b, strings.Repeat("  ", depth), path[depth], f)
	}
	return b.Bytes()
}

// description is the doc of a field with the values that it accepts.
func (f field) description() string {
	switch accepted := f.accepted(); {
	case accepted == "":
		return f.tag.Get("doc")
	case f.tag.Get("enum") != "":
		return f.tag.Get("doc") + " One of: " + accepted + "."
	default:
		return f.tag.Get("doc") + " Accepted: " + accepted + "."
	}
}

// wrap splits a text into lines of at most so many bytes, if words allow.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}

// Table returns the settings as a table in Markdown.
func Table() []byte {
	var b bytes.Buffer
	b.WriteString("| Setting | Variable | Default | Description |\n|---|---|---|---|\n")
	c := Default()
	for _, f := range fields(&c) {
		value := f.literal()
		if value == `""` || value == "[]" || value == "{}" {
			value = ""
		} else {
			value = "`" + value + "`"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", f.path, f.env(), value, f.description())
	}
	return b.Bytes()
}

// Schema returns the JSON Schema of the configuration file for editors. No setting is required.
func Schema() ([]byte, error) {
	root := map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Configuration of Causeway",
	}
	c := Default()
	for _, f := range fields(&c) {
		section, path := root, strings.Split(f.key(), ".")
		if f.member != "" {
			path = strings.Split(f.path, ".")
		}
		for i, name := range path {
			section["type"] = "object"
			if name == anyName {
				entries, ok := section["additionalProperties"].(map[string]any)
				if !ok {
					entries = map[string]any{}
					section["additionalProperties"] = entries
				}
				section = entries
				continue
			}
			section["additionalProperties"] = false
			properties, ok := section["properties"].(map[string]any)
			if !ok {
				properties = map[string]any{}
				section["properties"] = properties
			}
			if i == len(path)-1 {
				properties[name] = f.schema()
			} else if section, ok = properties[name].(map[string]any); !ok {
				section = map[string]any{}
				properties[name] = section
			}
		}
	}
	return json.MarshalIndent(root, "", "  ")
}

// schema returns the JSON Schema of the values of a field.
func (f field) schema() map[string]any {
	value := plain(f.value)
	if f.member != "" {
		value = plain(reflect.Zero(f.kind()))
	}
	s := map[string]any{"type": jsonType(value), "description": f.description(), "default": value}
	switch t := f.kind(); t.Kind() {
	case reflect.Map:
		s["additionalProperties"] = map[string]any{"type": jsonType(plain(reflect.Zero(t.Elem())))}
	case reflect.Slice:
		s["items"] = map[string]any{"type": jsonType(plain(reflect.Zero(t.Elem())))}
	default:
		if enum := f.tag.Get("enum"); enum != "" {
			s["enum"] = strings.Split(enum, ",")
		}
	}
	return s
}

func jsonType(value any) string {
	switch reflect.ValueOf(value).Kind() {
	case reflect.Map:
		return "object"
	case reflect.Slice:
		return "array"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	default:
		return "number"
	}
}
