package test_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"causeway/test/driver"
)

var update = flag.Bool("update", false, "rewrite the outputs in docs/sandbox.md")

const guide = "../docs/sandbox.md"

// TestSandboxGuide runs every command of docs/sandbox.md, one after another against one sandbox,
// and compares the outputs. With -update it rewrites them.
func TestSandboxGuide(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	text := string(file)
	c, dir := driver.Start(t, binary), t.TempDir()
	hosts := strings.NewReplacer("localhost:8080", strings.TrimPrefix(c.API, "http://"),
		"causeway sim ", "causeway sim --operator "+strings.TrimPrefix(c.Operator, "http://")+" ")
	ran := 0
	made := regexp.MustCompile("(?s)```console\n(.*?)```").ReplaceAllStringFunc(text, func(block string) string {
		out := "```console\n"
		for _, command := range commands(block) {
			ran++
			sh := exec.CommandContext(t.Context(), "sh", "-c", hosts.Replace(command))
			sh.Dir = dir
			sh.Env = append(driver.Clean(os.Environ()), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
			said, err := sh.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v\n%s", command, err, said)
			}
			out += "$ " + command + "\n"
			if printed := strings.TrimRight(string(said), "\n"); printed != "" {
				out += printed + "\n"
			}
		}
		return out + "```"
	})
	made = regexp.MustCompile("(?s)```go\n(.*?)```").ReplaceAllString(made, "```go\n"+strings.ReplaceAll(example(t), "$", "$$")+"```")
	if ran < 15 {
		t.Errorf("only %d commands", ran)
	}
	if *update {
		if err := os.WriteFile(guide, []byte(made), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, got := strings.Split(masked(text), "\n"), strings.Split(masked(made), "\n")
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Fatalf("docs/sandbox.md has\n%s\nbut the output is\n%s\nTo accept it: go test ./test -run SandboxGuide -update",
				want[i], got[i])
		}
	}
	if len(want) != len(got) {
		t.Errorf("docs/sandbox.md has %d lines, want %d", len(want), len(got))
	}
}

// changing matches what changes whenever a response of a provider does: request IDs, which share
// the random numbers of the world, and the fingerprint of a bundle.
var changing = regexp.MustCompile(`\breq_[0-9a-z]+|\bfingerprint [0-9a-f]{64}`)

func masked(text string) string { return changing.ReplaceAllString(text, "…") }

// commands returns the commands of a block with their continuation lines.
func commands(block string) []string {
	var out []string
	for line := range strings.Lines(block) {
		line = strings.TrimSuffix(line, "\n")
		command, begins := strings.CutPrefix(line, "$ ")
		switch {
		case begins:
			out = append(out, command)
		case len(out) > 0 && strings.HasSuffix(out[len(out)-1], `\`):
			out[len(out)-1] += "\n" + line
		}
	}
	return out
}

// example returns the test that package simtest has as its example.
func example(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../simulator/simtest/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, begins := strings.Cut(string(text), "func TestPayout")
	body, _, ends := strings.Cut(rest, "\n}\n")
	if !begins || !ends {
		t.Fatal("example_test.go has no TestPayout")
	}
	return "func TestPayout" + body + "\n}\n"
}
