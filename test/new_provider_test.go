package test_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNewProvider scaffolds a provider in a copy of the module. It compiles, and its test fails because the
// adapter reads nothing.
func TestNewProvider(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, folder := range []string{"adapters", "config", "core", "docs", "ports", "simulator"} {
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join("..", folder))); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"Makefile", "go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(command ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, command := range []string{
		"make new-provider NAME=somebank",
		"gofmt -l adapters/providers simulator/wire",
		"go test -race -trimpath -vet=off -run TestDescriptors ./adapters/providers",
	} {
		out, err := run(strings.Fields(command)...)
		if err != nil || strings.HasPrefix(command, "gofmt") && out != "" {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	out, err := run("go", "test", "-race", "-trimpath", "-vet=off", "./adapters/providers/somebank")
	if err == nil || !strings.Contains(out, "reading tickers is not implemented") {
		t.Errorf("the test of the provider: %v\n%s", err, out)
	}
	for _, name := range []string{"", "Some-Bank", "kraken"} {
		if out, err := run("make", "new-provider", "NAME="+name); err == nil {
			t.Errorf("NAME=%s is accepted\n%s", name, out)
		}
	}
}

// TestMakeHelp checks that help lists all targets.
func TestMakeHelp(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	help, err := exec.CommandContext(t.Context(), "make", "-s", "-C", "..", "help").Output()
	if err != nil {
		t.Fatal(err)
	}
	phony := regexp.MustCompile(`(?m)^\.PHONY: (.*)$`).FindSubmatch(makefile)
	for target := range strings.FieldsSeq(string(phony[1])) {
		if !regexp.MustCompile(`(?m)^` + target + ` +\w`).Match(help) {
			t.Errorf("make help does not list %s", target)
		}
	}
}
