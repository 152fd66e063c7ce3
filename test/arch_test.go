// Package test_test holds the black-box tests: they build the binary, run it as a stranger would and talk to it over
// HTTP. Nothing here is imported by the program.
package test_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"causeway/adapters/providers"
)

// inspect calls visit with the nodes of the production code in folders.
func inspect(t *testing.T, folders []string, visit func(path string, n ast.Node)) {
	t.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join("..", folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			for n := range ast.Preorder(file) {
				visit(strings.TrimPrefix(filepath.ToSlash(path), "../"), n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestProvidersAreNamedInTheirFolders checks that a provider consists of its folder, its simulated wire
// and a row in the list of each: no other production code imports it or has its name as a constant.
func TestProvidersAreNamedInTheirFolders(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, d := range providers.Descriptors {
		names[d.Name] = true
	}
	exempt := []string{
		"adapters/providers/",
		"adapters/httpapi/pairs_price.go", // examples of responses
		"core/addresses/paste_table.go",   // prefixes of payment URIs
	}
	inspect(t, []string{"adapters", "cmd", "config", "core", "ports"}, func(path string, n ast.Node) {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING || slices.ContainsFunc(exempt, func(prefix string) bool { return strings.HasPrefix(path, prefix) }) {
			return
		}
		text, _ := strconv.Unquote(literal.Value)
		name := strings.TrimPrefix(text, "causeway/adapters/providers/")
		if names[name] || names[strings.TrimPrefix(text, "causeway/simulator/wire/")] {
			t.Errorf("%s has %q", path, text)
		}
	})
}

// sandboxNames are the files of production code that may name the sandbox, with the reason. No other identifier of core,
// adapters and ports mentions a sandbox or a simulation: it differs by transport, clock, randomness and middleware only.
var sandboxNames = map[string]string{
	"ports/deposits.go":                     "the source of an address that belongs to nobody",
	"core/deposits/assign.go":               "warns of such addresses",
	"adapters/wallets/sandbox.go":           "derives such addresses",
	"adapters/httpapi/deposits.go":          "warns of such addresses",
	"adapters/httpapi/api.go":               "documents the headers of the middleware",
	"adapters/httpapi/docs.go":              "documentation says that it is of a sandbox",
	"adapters/httpapi/openapi.go":           "documentation says that it is of a sandbox",
	"adapters/httpapi/site/site.go":         "documentation says that it is of a sandbox",
	"adapters/providers/mtnmomo/mtnmomo.go": "MTN's own sandbox has another environment header",
	"adapters/providers/providertest/":      "test suites run against the simulator",
}

func TestProduction_DoesNotNameTheSandbox(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`(?i)sandbox|simulat`)
	used := map[string]bool{}
	inspect(t, []string{"core", "adapters", "ports"}, func(path string, n ast.Node) {
		identifier, ok := n.(*ast.Ident)
		if !ok || !named.MatchString(identifier.Name) {
			return
		}
		for exempt := range sandboxNames {
			if strings.HasPrefix(path, exempt) {
				used[exempt] = true
				return
			}
		}
		t.Errorf("%s has the identifier %s", path, identifier.Name)
	})
	for exempt := range sandboxNames {
		if !used[exempt] {
			t.Errorf("%s no longer names the sandbox: delete its exception", exempt)
		}
	}
}
