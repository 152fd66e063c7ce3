package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var legal = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([-._].*)?$`)

// collectNotices gathers the licenses of all modules that are linked into the binaries, and of Go itself: whoever hands out a binary hands out these.
func (m *maker) collectNotices(ctx context.Context) error {
	where := map[string]string{}
	out, err := command(ctx, m.repo, nil, "go", "list", "-m", "-f", "{{.Path}}\t{{.Dir}}", "all")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		where[path] = dir
	}
	root, err := command(ctx, m.repo, nil, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := quoteNotices(&text, "Go, its runtime and standard library", strings.TrimSpace(string(root))); err != nil {
		return err
	}
	linked := map[string]bool{}
	for _, path := range m.binaries {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return err
		}
		for _, d := range info.Deps {
			linked[d.Path+" "+d.Version] = true
		}
	}
	for _, module := range slices.Sorted(maps.Keys(linked)) {
		path, _, _ := strings.Cut(module, " ")
		if err := quoteNotices(&text, module, where[path]); err != nil {
			return err
		}
	}
	m.notices = text.Bytes()
	m.passed("licenses: of %d modules and Go", len(linked))
	return nil
}

// quoteNotices copies what a directory says about who may do what with it. One that says nothing is an error.
func quoteNotices(text *bytes.Buffer, of, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("the license of %s: %w", of, err)
	}
	found := false
	for _, e := range entries {
		if e.IsDir() || !legal.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, e.Name())) //nolint:gosec // of the module cache
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(text, "%s\n== %s: %s\n\n%s\n", strings.Repeat("=", 80), of, e.Name(), bytes.TrimSpace(content))
	}
	if !found {
		return fmt.Errorf("%s has no license in %s", of, dir)
	}
	return nil
}
