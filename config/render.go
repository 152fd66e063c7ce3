package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"go.yaml.in/yaml/v3"

	"causeway/adapters/providers/all"
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
	for _, f := range fields(&c) {
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

// text is the schema of values that the configuration has as a text and Go has as something else.
type text string

// Schema describes the text.
func (text) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeString} }

// Schema returns the JSON Schema of the configuration file for editors.
func Schema() ([]byte, error) {
	registry := huma.NewMapRegistry("#/$defs/", func(t reflect.Type, hint string) string {
		return cmp.Or(t.String(), hint)
	})
	registry.RegisterTypeAlias(reflect.TypeFor[time.Duration](), reflect.TypeFor[text]())
	root := registry.Schema(reflect.TypeFor[Config](), false, "")
	c := Default()
	for _, d := range all.Descriptors {
		if len(appendFields(nil, "", reflect.ValueOf(c.Providers[d.Name]).Elem())) == 0 {
			continue
		}
		root.Properties[d.SectionName()] = registry.Schema(reflect.TypeOf(c.Providers[d.Name]).Elem(), true, "")
	}
	defaults := map[string]any{}
	for _, f := range fields(&c) {
		defaults[f.key()] = plain(f.value)
	}
	complete(registry, root, "", defaults)
	delete(registry.Map(), reflect.TypeFor[Config]().String())
	body, err := json.Marshal(root)
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := json.Unmarshal(body, &document); err != nil {
		return nil, err
	}
	document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	document["title"], document["$defs"] = "Configuration of Causeway", registry.Map()
	return json.MarshalIndent(document, "", "  ")
}

// complete adds defaults to the properties of a section. No setting is required.
func complete(registry huma.Registry, section *huma.Schema, prefix string, defaults map[string]any) {
	section.Required = nil
	for name, property := range section.Properties {
		if property.Ref != "" {
			complete(registry, registry.SchemaFromRef(property.Ref), prefix+name+".", defaults)
			continue
		}
		property.Default, property.Nullable = defaults[prefix+name], false
		if property.Type == huma.TypeString {
			property.Minimum, property.Maximum = nil, nil // seconds of a duration
		}
	}
}
