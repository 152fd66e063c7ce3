// Package driver builds and runs the causeway binary for black-box tests, and sends HTTP requests
// to it.
package driver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
)

const (
	startTimeout = 3 * time.Minute
	stopTimeout  = 3 * time.Minute
)

// Build builds the binary with the race detector for TestMain. It returns the path and a function
// that removes it.
func Build() (binary string, remove func(), err error) { return build("race", "-race") }

// BuildPlain builds the binary without the race detector, which multiplies memory.
func BuildPlain() (binary string, remove func(), err error) { return build("plain") }

// build builds into bin/test, which all test packages share, so that an up-to-date binary is not
// linked again. The flags are those of make test, so that no package is compiled twice. The
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
	API      string // http://127.0.0.1:port
	Operator string

	cmd    *exec.Cmd
	log    *lines
	exited chan struct{}
	err    error
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
	return run(binary, "serve", anyPort, anyPort, env)
}

// Upstream runs `causeway upstream`, the simulated providers, on free ports. It also returns the
// environment that points a production-mode process at them, as `causeway upstream env` prints it.
// The caller must stop the instance.
func Upstream(binary string) (*Instance, []string, error) {
	i, err := run(binary, "upstream", anyPort, anyPort, nil)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command("sh", "-c", `eval "$("$0" upstream env --base "$1")" && env`, binary, i.API)
	cmd.Env = Clean(os.Environ())
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("causeway upstream env: %w", err), i.Stop())
	}
	env := []string{"CAUSEWAY_MODE=production"}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "CAUSEWAY_") {
			env = append(env, strings.TrimSpace(line))
		}
	}
	return i, env, nil
}

// anyPort lets the system choose a free port.
const anyPort = "127.0.0.1:0"

func run(binary, command, listen, operator string, env []string) (*Instance, error) {
	cmd := exec.Command(binary, command, "--listen", listen, "--operator-listen", operator)
	cmd.Env = append(append(Clean(os.Environ()), "CAUSEWAY_DRAIN__DELAY=250ms"), env...) // production's is 5 s
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	i := &Instance{cmd: cmd, log: &lines{}, exited: make(chan struct{})}
	addresses := make(chan [2]string, 2)
	go i.follow(stderr, addresses)

	deadline := time.NewTimer(startTimeout)
	for i.API == "" || i.Operator == "" {
		select {
		case a := <-addresses:
			if a[0] == "operator" {
				i.Operator = "http://" + a[1]
			} else {
				i.API = "http://" + a[1]
			}
		case <-i.exited:
			return nil, fmt.Errorf("causeway exited: %w\n%s", i.err, i.log)
		case <-deadline.C:
			_ = cmd.Process.Kill()
			return nil, fmt.Errorf("causeway did not listen\n%s", i.log)
		}
	}
	return i, nil
}

// Log returns what the instance has written to standard error.
func (i *Instance) Log() string { return i.log.String() }

// StallLog stops reading the log, so that standard error of the instance stalls, until resume is
// called.
func (i *Instance) StallLog() (resume func()) {
	i.log.mu.Lock()
	return sync.OnceFunc(i.log.mu.Unlock)
}

// Process is the running process, for tests that signal or watch it.
func (i *Instance) Process() *os.Process { return i.cmd.Process }

// Wait waits until the process exits and returns its error.
func (i *Instance) Wait() error {
	<-i.exited
	return i.err
}

// follow collects the log and sends the addresses of the listeners in it.
func (i *Instance) follow(stderr io.Reader, addresses chan<- [2]string) {
	scanner := bufio.NewScanner(stderr)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		i.log.add(scanner.Text())
		var line struct{ Msg, Listener, Address string }
		if !bytes.Contains(scanner.Bytes(), []byte(`"listening"`)) {
			continue
		}
		if json.Unmarshal(scanner.Bytes(), &line) == nil && line.Msg == "listening" {
			addresses <- [2]string{line.Listener, line.Address}
		}
	}
	i.err = i.cmd.Wait()
	close(i.exited)
}

// Stop sends SIGTERM and waits until the instance exits.
func (i *Instance) Stop() error {
	_ = i.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-i.exited:
		return i.err
	case <-time.NewTimer(stopTimeout).C:
		_ = i.cmd.Process.Kill()
		return errors.New("causeway did not stop on SIGTERM")
	}
}

// plain does not decompress responses, so that tests see the bytes on the wire.
var plain = &http.Client{
	Transport:     &http.Transport{DisableCompression: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Timeout:       3 * time.Minute,
}

// Clean returns env without the variables that Causeway reads.
func Clean(env []string) []string {
	out := make([]string, 0, len(env))
	for _, v := range env {
		if !strings.HasPrefix(v, "CAUSEWAY_") && !strings.HasPrefix(v, "OTEL_") {
			out = append(out, v)
		}
	}
	return out
}

// lines is a log that can be read while it grows.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf.WriteString(line + "\n")
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
