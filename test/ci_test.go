package test_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.yaml.in/yaml/v3"

	"causeway/clients/go/sandbox"
	"causeway/test/testport"
)

// TestAction runs the last step of the GitHub Action, which starts the sandbox, twice: the second run must fail.
func TestAction(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]any
		Runs   struct {
			Steps []struct {
				Env map[string]string
				Run string
			}
		}
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	start := action.Runs.Steps[len(action.Runs.Steps)-1]
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	env := append(sandbox.Clean(os.Environ()), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"),
		"GITHUB_ACTION_PATH="+root, "RUNNER_TEMP="+t.TempDir(), "CAUSEWAY_DRAIN__DELAY=0s")
	api := testport.Free(t)
	addresses := map[string]string{"listen": api, "operator-listen": testport.Free(t)}
	for name, value := range start.Env {
		input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
		if action.Inputs[input] == nil || addresses[input] == "" {
			t.Fatalf("%s is %s, which is no input", name, value)
		}
		env = append(env, name+"="+addresses[input])
	}
	run := func() (string, error) {
		cmd := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", start.Run)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run()
	process := regexp.MustCompile(`process (\d+)`).FindStringSubmatch(out)
	if err != nil || process == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	pid, _ := strconv.Atoi(process[1])
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGTERM) })
	resp, err := http.Get("http://" + api + "/v1/banks?country=NG")
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusOK {
		t.Errorf("the sandbox responds with %s", resp.Status)
	}
	if out, err := run(); err == nil || !strings.Contains(out, "another process already serves") {
		t.Errorf("a second sandbox: %v\n%s", err, out)
	}
}
