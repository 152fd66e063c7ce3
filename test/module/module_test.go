// Package module_test uses package simtest from another module, as the tests of a client would.
package module_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	goMod = "module shop\n\ngo 1.26\n\nrequire causeway v0.0.0\n\nreplace causeway => "
	test  = `package shop

import (
	"net/http"
	"testing"

	"causeway/simulator/simtest"
)

func TestShop(t *testing.T) {
	w := simtest.NewWorld(t)
	if resp, err := w.Client().Get(w.URL + "/v1/countries"); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	t.Log(w.URL)
}
`
)

// TestSimtest_OtherModule runs a test in another module. It builds the sandbox, which ends with
// that test.
func TestSimtest_OtherModule(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": goMod + root + "\n", "shop_test.go": test} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-v", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOWORK=off", "SIMTEST_BINARY=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, address, _ := strings.Cut(string(out), "http://")
	address, _, _ = strings.Cut(address, "\n")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(3 * time.Minute); ; <-tick.C {
		resp, err := client.Get("http://" + strings.TrimSpace(address) + "/v1/countries")
		if err != nil {
			return // the sandbox no longer listens
		}
		_ = resp.Body.Close()
		if time.Now().After(deadline) {
			t.Fatal("the sandbox outlives the tests that started it")
		}
	}
}
