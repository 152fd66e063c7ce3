// Package clients_test runs the tests of the TypeScript and Python clients against a sandbox, and sends webhooks to a
// receiver of another project. make clients installs what they need.
package clients_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"causeway/test/driver"
)

func TestClients(t *testing.T) {
	t.Parallel()
	binary, remove, err := driver.BuildPlain()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	sandbox := driver.Start(t, binary)
	for language, command := range map[string]string{
		"typescript": "npm test",
		"python":     "${PYTHON:-python3} -m unittest discover --start-directory tests",
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
			cmd.Dir = "../../clients/" + language
			cmd.Env = append(os.Environ(), "PYTHONPATH=.", "PYTHONDONTWRITEBYTECODE=1",
				"CAUSEWAY_URL="+sandbox.API, "CAUSEWAY_OPERATOR_URL="+sandbox.Operator)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", strings.Fields(command)[0], err, out)
			}
		})
	}
}
