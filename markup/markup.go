// Package markup renders pages of HTML from templates in the language of html/template, as much of it as our pages need. It is there for the size of the
// program: html/template finds methods by their names, so whoever imports it makes the linker keep every exported method of every type that is in any
// interface, 13 MB of them (https://pkg.go.dev/reflect#Type.MethodByName and cmd/link's deadcode.go, read 2026-11-21). Here templates see fields and
// functions; of methods they see IsZero and what fmt prints.
//
// What an action yields is escaped by where it stands, and it can stand in text, in values of attributes between double quotes, and in the query of a
// link. Anywhere else, where escaping would take a browser's knowledge (scripts, styles, handlers, addresses), Parse refuses it. Templates are ours; only
// data is foreign.
package markup

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"text/template/parse"
)

// Funcs are functions of templates by name; they return one value, or one and an error.
type Funcs map[string]any

// Set is templates that may call each other. It is safe for concurrent use.
type Set struct {
	trees   map[string]*parse.Tree
	funcs   map[string]reflect.Value
	escapes map[*parse.ActionNode]escape
}

// Parse reads templates: the text's own by its name, and those that it defines. The error says what is not understood, or not allowed where it stands.
func Parse(name, text string, funcs Funcs) (*Set, error) {
	s := &Set{trees: map[string]*parse.Tree{}, funcs: map[string]reflect.Value{}, escapes: map[*parse.ActionNode]escape{}}
	for _, set := range []Funcs{builtins(), funcs} {
		for name, f := range set {
			s.funcs[name] = reflect.ValueOf(f)
		}
	}
	return s, s.add(name, text)
}

// ParseFS reads the files that match a pattern, one set.
func ParseFS(files fs.FS, pattern string, funcs Funcs) (*Set, error) {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return nil, err
	}
	s, err := Parse("", "", funcs)
	for _, name := range names {
		text, readErr := fs.ReadFile(files, name)
		if readErr != nil {
			return nil, readErr
		}
		if err == nil {
			err = s.add(name, string(text))
		}
	}
	return s, err
}

func (s *Set) add(name, text string) error {
	known := map[string]any{}
	for name := range s.funcs {
		known[name] = true
	}
	trees, err := parse.Parse(name, text, "", "", known)
	if err != nil {
		return err
	}
	for name, tree := range trees {
		end, err := s.place(tree.Root, position{})
		if err == nil && end != (position{}) {
			err = errOpen
		}
		if err != nil {
			return fmt.Errorf("template %s: %w", name, err)
		}
	}
	maps.Copy(s.trees, trees)
	return nil
}

// Execute renders the template of a name into out. Where it fails, out has what came before.
func (s *Set) Execute(out *bytes.Buffer, name string, data any) error {
	tree := s.trees[name]
	if tree == nil {
		return fmt.Errorf("there is no template %s", name)
	}
	dot := reflect.ValueOf(data)
	r := &run{set: s, out: out, vars: []variable{{"$", dot}}}
	if err := r.list(tree.Root, dot); err != nil {
		return fmt.Errorf("template %s: %w", name, err)
	}
	return nil
}
