package api_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGenerated_Current runs the generator with another output and compares.
func TestGenerated_Current(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("generate.go")
	if err != nil {
		t.Fatal(err)
	}
	_, line, found := strings.Cut(string(source), "//go:generate go ")
	if !found {
		t.Fatal("generate.go has no go:generate line")
	}
	args := strings.Fields(line)
	config, err := os.ReadFile("oapi-codegen.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	output, other := filepath.Join(dir, "api.gen.go"), filepath.Join(dir, "oapi-codegen.yaml")
	config = bytes.Replace(config, []byte("output: api.gen.go"), []byte("output: "+output), 1)
	if err := os.WriteFile(other, config, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, arg := range args {
		if arg == "oapi-codegen.yaml" {
			args[i] = other
		}
	}
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	made, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("api.gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, committed) {
		t.Error("api.gen.go differs from the OpenAPI document; run go generate ./... in clients/go")
	}
}
