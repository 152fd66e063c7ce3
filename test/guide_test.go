package test_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"causeway/clients/go/sandbox"
	"causeway/test/driver"
)

var update = flag.Bool("update", false, "rewrite the outputs in the guides")

// fence matches a block of code with its language and, for blocks that cannot run here, no-test.
var fence = regexp.MustCompile("(?ms)^ *```(\\w+)( no-test)?\n(.*?)^ *```$")

// TestGuides runs every command and program of each guide, one after another, and compares the outputs.
// The guides share a sandbox and run in parallel. "…" in a guide stands for any text of a line. With
// -update it rewrites outputs that differ.
func TestGuides(t *testing.T) {
	t.Parallel()
	guides, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	c := driver.Start(t, binary)
	var ran atomic.Int32
	t.Run("guide", func(t *testing.T) {
		for _, guide := range append(guides, "../README.md") {
			t.Run(filepath.Base(guide), func(t *testing.T) {
				t.Parallel()
				g := shell{t: t, c: c, dir: t.TempDir()}
				ran.Add(g.check(guide))
			})
		}
	})
	if n := ran.Load(); n < 12 {
		t.Errorf("only %d blocks ran", n)
	}
}

// check runs the blocks of a guide and returns how many with console commands it has.
func (s *shell) check(guide string) (ran int32) {
	s.t.Helper()
	text, err := os.ReadFile(guide)
	if err != nil {
		s.t.Fatal(err)
	}
	made := fence.ReplaceAllStringFunc(string(text), func(block string) string {
		parts := fence.FindStringSubmatch(block)
		language, untested, code := parts[1], parts[2] != "", parts[3]
		switch {
		case untested || language == "yaml" || language == "text":
		case language == "console":
			ran++
			code = s.console(code)
		case language == "js":
			s.run("node --input-type=module -e \"$CODE\"", code)
		case language == "python":
			s.run("python3 -c \"$CODE\"", code)
		case language == "php":
			s.run("php -r \"$CODE\"", code)
		case language == "go":
			code = example(s.t, code)
		default:
			s.t.Errorf("the block %.40q is in %s; use console, or mark it no-test", code, language)
		}
		return "```" + language + parts[2] + "\n" + code + "```"
	})
	switch {
	case made == string(text) || !strings.Contains(string(text), "```console") && !strings.Contains(string(text), "```go"):
	case *update:
		if err := os.WriteFile(guide, []byte(made), 0o600); err != nil {
			s.t.Fatal(err)
		}
	default:
		s.t.Error("the guide differs. To accept the outputs: go test ./test -run TestGuides -update")
	}
	return ran
}

// shell runs commands of a guide in a directory of its own.
type shell struct {
	t   *testing.T
	c   *driver.Instance
	dir string
}

// console runs the commands of a block and returns the block with outputs that match.
func (s *shell) console(block string) string {
	s.t.Helper()
	out := ""
	for _, step := range steps(block) {
		got := s.run(step.command, "")
		want := strings.ReplaceAll(regexp.QuoteMeta(masked(step.output)), "…", "[^\n]*")
		if regexp.MustCompile("^" + want + "$").MatchString(masked(got)) {
			got = step.output
		} else if !*update {
			s.t.Errorf("the output of\n%s\nis\n%s\nwant\n%s", step.command, got, step.output)
		}
		out += "$ " + step.command + "\n" + got
	}
	return out
}

// run runs a command with the addresses of the sandbox in place of the usual ones.
func (s *shell) run(command, code string) string {
	s.t.Helper()
	api, operator := strings.TrimPrefix(s.c.API, "http://"), strings.TrimPrefix(s.c.Operator, "http://")
	hosts := strings.NewReplacer("localhost:8080", api, "localhost:9099", operator, "127.0.0.1:9099", operator,
		"causeway sim ", "causeway sim --operator "+operator+" ",
		"prices acknowledge ", "prices acknowledge --operator "+operator+" ",
		"banks accept ", "banks accept --operator "+operator+" ")
	sh := exec.CommandContext(s.t.Context(), "sh", "-c", hosts.Replace(command))
	sh.Dir = s.dir
	sh.Env = append(sandbox.Clean(os.Environ()), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"), "CAUSEWAY_SERVER="+s.c.API,
		"CODE="+hosts.Replace(code))
	out, err := sh.CombinedOutput()
	if err != nil {
		s.t.Errorf("%s: %v\n%s", command, err, out)
	}
	text := strings.NewReplacer(api, "localhost:8080", operator, "localhost:9099").Replace(strings.TrimRight(string(out), "\n"))
	if text == "" {
		return ""
	}
	return text + "\n"
}

// changing matches request IDs, which change whenever a response of a provider does: they share the random numbers of
// the world.
var changing = regexp.MustCompile(`\breq_[0-9a-z]+`)

func masked(text string) string { return changing.ReplaceAllString(text, "…") }

// step is a command with its continuation lines, and its output.
type step struct{ command, output string }

func steps(block string) []step {
	var out []step
	continued := false
	for line := range strings.Lines(block) {
		command, begins := strings.CutPrefix(line, "$ ")
		switch {
		case begins:
			out = append(out, step{command: strings.TrimSuffix(command, "\n")})
		case continued:
			out[len(out)-1].command += "\n" + strings.TrimSuffix(line, "\n")
		default:
			out[len(out)-1].output += line
		}
		continued = strings.HasSuffix(line, "\\\n") && (begins || continued)
	}
	return out
}

// example returns the test of the Go client with the name of the one in a block.
func example(t *testing.T, block string) string {
	t.Helper()
	head, _, _ := strings.Cut(block, "(")
	text, err := os.ReadFile("../clients/go/sandbox/sandbox_test.go")
	if err != nil {
		t.Fatalf("%s: %v", head, err)
	}
	_, rest, begins := strings.Cut(string(text), head+"(")
	body, _, ends := strings.Cut(rest, "\n}\n")
	if !begins || !ends {
		t.Fatalf("there is no %s", head)
	}
	return head + "(" + body + "\n}\n"
}
