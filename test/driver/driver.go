// Package driver builds and runs the causeway binary for black-box tests, and sends HTTP requests
// to it.
package driver

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"causeway/clients/go/sandbox"
)

// Build builds the binary with the race detector for TestMain. It returns the path and a function
// that removes it.
func Build() (binary string, remove func(), err error) { return build("race", "-race") }

// BuildPlain builds the binary without the race detector, which multiplies memory.
func BuildPlain() (binary string, remove func(), err error) { return build("plain") }

// build builds into bin/test, which all test packages share, so that an up-to-date binary is not
// linked again. The flags equal the flags of make test, so that no package is compiled twice. The
// returned path is a link that a later build does not replace.
func build(name string, flags ...string) (binary string, remove func(), err error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", nil, fmt.Errorf("go list: %w", err)
	}
	shared := filepath.Join(strings.TrimSpace(string(root)), "bin", "test", name)
	if err := os.MkdirAll(shared, 0o750); err != nil {
		return "", nil, err
	}
	unlock, err := lock(filepath.Join(shared, "lock"))
	if err != nil {
		return "", nil, err
	}
	defer unlock()
	built := filepath.Join(shared, "causeway")
	args := slices.Concat([]string{"build", "-trimpath", "-ldflags=-s -w"}, flags,
		[]string{"-o", built, "causeway/cmd/causeway"})
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("%w\n%s", err, out)
	}
	dir, err := os.MkdirTemp(shared, "run")
	if err != nil {
		return "", nil, err
	}
	binary = filepath.Join(dir, "causeway")
	return binary, func() { _ = os.RemoveAll(dir) }, os.Link(built, binary)
}

// lock waits until no other process has the lock of a file.
func lock(path string) (unlock func(), err error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() { _ = file.Close() }, nil
}

// Instance is a running causeway.
type Instance struct {
	*sandbox.Server

	log *lines
}

// Start runs `causeway serve` on free ports until the test ends. env adds CAUSEWAY_ variables.
func Start(t *testing.T, binary string, env ...string) *Instance {
	t.Helper()
	i, err := Run(binary, env...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Stop(); err != nil {
			t.Error(err)
		}
	})
	return i
}

// Run is Start without a test. The caller must stop the instance.
func Run(binary string, env ...string) (*Instance, error) {
	return run(binary, "serve", env...)
}

// Upstream runs `causeway upstream`, the simulated providers, on free ports. It also returns the
// environment that points a production-mode process at them, as `causeway upstream env` prints it, but with open account
// resolution instead of a key. The caller must stop the instance.
func Upstream(binary string) (*Instance, []string, error) {
	i, err := run(binary, "upstream")
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command("sh", "-c", `eval "$("$0" upstream env --base "$1")" && env`, binary, i.API)
	cmd.Env = sandbox.Clean(os.Environ())
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("causeway upstream env: %w", err), i.Stop())
	}
	env := []string{"CAUSEWAY_MODE=production", "CAUSEWAY_AUTH__RECIPIENTS=open"}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "CAUSEWAY_") && !strings.Contains(line, "KEY=rehearsal-") && !strings.Contains(line, "KEYS=rehearsal-") {
			env = append(env, strings.TrimSpace(line))
		}
	}
	return i, env, nil
}

func run(binary, command string, env ...string) (*Instance, error) {
	log := &lines{}
	env = append([]string{"CAUSEWAY_DRAIN__DELAY=250ms"}, env...) // production's is 5 s
	server, err := sandbox.Start(binary, []string{command}, log, env...)
	return &Instance{server, log}, err
}

// Log returns what the instance has written to standard error.
func (i *Instance) Log() string { return i.log.String() }

// StallLog stops reading the log, so that standard error of the instance stalls, until resume is
// called.
func (i *Instance) StallLog() (resume func()) {
	i.log.mu.Lock()
	return sync.OnceFunc(i.log.mu.Unlock)
}

// plain does not decompress responses, so that tests see the bytes on the wire.
var plain = &http.Client{
	Transport:     &http.Transport{DisableCompression: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Timeout:       3 * time.Minute,
}

// lines is a log that can be read while it grows.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write appends to the log.
func (l *lines) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(text)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
