package test_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"causeway/clients/go/sandbox"
)

// checkup is the result of causeway doctor.
type checkup struct {
	code   int
	text   string // of both outputs
	Checks []struct{ Check, State, Found, Do string }
}

// state returns the result of a check.
func (c checkup) state(t *testing.T, check string) (state, found string) {
	t.Helper()
	for _, f := range c.Checks {
		if f.Check == check {
			return f.State, f.Found
		}
	}
	t.Fatalf("no check %s: %s", check, c.text)
	return "", ""
}

// examine runs causeway doctor.
func examine(t *testing.T, env []string, args ...string) checkup {
	t.Helper()
	var out checkup
	code, stdout, stderr := doctor(t, env, append([]string{"-o", "json"}, args...))
	out.code, out.text = code, stdout+stderr
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	return out
}

func doctor(t *testing.T, env, args []string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"doctor"}, args...)...)
	cmd.Env = append(sandbox.Clean(os.Environ()), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		code = failed.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return code, out.String(), errs.String()
}

// TestDoctor_Providers checks valid and invalid keys against the simulated providers. The tests of the command
// have all other faults.
func TestDoctor_Providers(t *testing.T) {
	t.Parallel()
	providers := readUpstream(t)
	providers.env = append(providers.env, "CAUSEWAY_UPSTREAM__TIMEOUT=30s") // for a busy machine
	t.Run("test keys", func(t *testing.T) {
		c := examine(t, providers.env)
		code, table, _ := doctor(t, providers.env, nil)
		if code != c.code {
			t.Errorf("exit codes %d with a table and %d with JSON", code, c.code)
		}
		c.text += table
		if c.code != 3 || strings.Contains(c.text, "FAIL ") {
			t.Errorf("exit code %d: %s", c.code, c.text)
		}
		if state, found := c.state(t, "provider paystack"); state != "ok" || !strings.Contains(found, "institutions of NG") {
			t.Errorf("%s %s", state, found)
		}
		for _, v := range providers.env {
			if name, secret, _ := strings.Cut(v, "="); (strings.Contains(name, "KEY") || strings.Contains(name, "SECRET") || strings.Contains(name, "APP_ID")) && strings.Contains(c.text, secret) {
				t.Errorf("%s is in the output: %s", name, c.text)
			}
		}
	})
	t.Run("wrong key", func(t *testing.T) {
		c := examine(t, slices.Concat(providers.env, []string{"CAUSEWAY_KORAPAY__SECRET_KEY=planted!", "CAUSEWAY_DARAJA__CONSUMER_SECRET=planted"}))
		for _, check := range []string{"credential korapay.secret_key", "credential daraja.consumer_secret"} {
			if state, found := c.state(t, check); state != "fail" || !strings.Contains(found, "refuses it") {
				t.Errorf("%s: %s %s", check, state, found)
			}
		}
		if c.code != 1 || strings.Contains(c.text, "planted") {
			t.Errorf("exit code %d: %s", c.code, c.text)
		}
	})
}
