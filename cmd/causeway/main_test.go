package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
)

// asProcess makes the test binary behave as causeway.
const asProcess = "TEST_AS_CAUSEWAY"

func TestMain(m *testing.M) {
	if os.Getenv(asProcess) != "" {
		main()
	}
	os.Exit(m.Run())
}

// execute runs a command line in process and returns the exit code.
func execute(t *testing.T, args ...string) int {
	t.Helper()
	root := command()
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	root.SetArgs(args)
	return cli.ExitCode(cli.Execute(t.Context(), root))
}

// TestCommands runs every command with a wrong flag and wrong arguments.
func TestCommands(t *testing.T) {
	t.Parallel()
	tree := command()
	tree.InitDefaultHelpCmd()
	tree.InitDefaultCompletionCmd()
	// commands that print no data, or data of one format
	plain := []string{
		"causeway serve", "causeway upstream", "causeway man", "causeway config check", "causeway config init", "causeway config schema",
		"causeway sim journal export", "causeway deposits export", "causeway mcp",
	}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		line, path := strings.Fields(c.CommandPath())[1:], c.CommandPath()
		if strings.HasPrefix(path, "causeway help") || strings.HasPrefix(path, "causeway completion") {
			return // of cobra
		}
		for _, wrong := range [][]string{{"--no-such-flag"}, {"no such", "no such", "no such", "no such"}} {
			if path == "causeway sim next" && wrong[0] != "--no-such-flag" {
				continue // the sandbox knows the operations
			}
			if code := execute(t, slices.Concat(line, wrong)...); code != 2 {
				t.Errorf("%s %v: exit code %d, want 2", path, wrong, code)
			}
		}
		if c.Short == "" {
			t.Errorf("%s has no description", path)
		}
		if !c.HasSubCommands() && !slices.Contains(plain, path) {
			if c.Flag("output") == nil {
				t.Errorf("%s has no flag --output", path)
			} else if code := execute(t, append(line, "--output", "xml")...); code != 2 {
				t.Errorf("%s --output xml: exit code %d, want 2", path, code)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(tree)
}

// TestServe_Banner starts a sandbox as a process.
func TestServe_Banner(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/causeway.yaml"
	if err := os.WriteFile(file, []byte("log: {level: info}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const local = `\(this machine only; --listen :\d+ opens the API to others\)$`
	for _, c := range []struct {
		name, format string
		args         []string
		line         string // pattern
	}{
		{
			"text", "text", nil,
			`^causeway \S+, sandbox, no configuration file, API (http://\S+), docs (http://\S+), console (http://\S+) ` + local,
		},
		{
			"text with a file", "text",
			[]string{"--config", file},
			`^causeway \S+, sandbox, ` + regexp.QuoteMeta(file) + `, API (http://\S+), docs (http://\S+), console (http://\S+) ` + local,
		},
		{
			"JSON", "json", nil,
			`"msg":"serving","version":"[^"]+","mode":"sandbox","config_file":"","api":"([^"]+)","docs":"([^"]+)","console":"([^"]+)"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"serve", "--with-stdin", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0"}, c.args...)
			cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
			cmd.Env = append(os.Environ(), asProcess+"=1", "CAUSEWAY_LOG__FORMAT="+c.format, "CAUSEWAY_DRAIN__DELAY=0s")
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var seen bytes.Buffer
			found := 0
			for lines := bufio.NewScanner(stderr); lines.Scan(); {
				seen.Write(append(lines.Bytes(), '\n'))
				urls := regexp.MustCompile(c.line).FindSubmatch(lines.Bytes())
				if urls == nil {
					continue
				}
				found++
				if c.format == "json" && !json.Valid(lines.Bytes()) {
					t.Errorf("not JSON: %s", lines.Bytes())
				}
				for _, url := range []string{string(urls[1]) + "/v1/currencies", string(urls[2]), string(urls[3])} {
					if status := get(t, url); status != http.StatusOK {
						t.Errorf("%s: %d", url, status)
					}
				}
				_ = stdin.Close() // ends the process
			}
			if err := cmd.Wait(); err != nil || found != 1 {
				t.Errorf("%v, %d banners in\n%s", err, found, seen.String())
			}
		})
	}
}

func get(t *testing.T, url string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
