package simtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

const (
	module      = "causeway"
	binaryEnv   = "SIMTEST_BINARY"
	longestLine = 1 << 20
)

// process is the sandbox of this test process.
type process struct {
	public, operator string
	stdin            io.Closer // held open: the sandbox ends when the garbage collector closes an unreferenced pipe
}

// shared is the sandbox of this test process. It is started once.
var shared = sync.OnceValues(start)

// start starts the sandbox, from the binary that binaryEnv names or from one that it builds. The
// sandbox ends with this process, because its standard input does.
func start() (*process, error) {
	binary := os.Getenv(binaryEnv)
	if binary == "" {
		dir, err := os.MkdirTemp("", "simtest")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(dir) }() // a system that locks the files of running programs keeps it
		binary = filepath.Join(dir, module+".exe")
		if err := build(binary); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(context.Background(), binary,
		"serve", "--with-stdin", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "CAUSEWAY_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "CAUSEWAY_LOG__FORMAT=json", "CAUSEWAY_DRAIN__DELAY=0s")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	log, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p, err := listening(log)
	if err != nil {
		_ = cmd.Process.Kill()
		return nil, err
	}
	p.stdin = stdin
	return p, nil
}

// build builds the command of the Causeway module that the test's module requires.
func build(binary string) error {
	var stderr bytes.Buffer
	list := exec.CommandContext(context.Background(), "go", "list", "-m", "-f", "{{.Dir}}", module)
	list.Stderr = &stderr
	root, err := list.Output()
	if dir := strings.TrimSpace(string(root)); err == nil && dir != "" {
		goBuild := exec.CommandContext(context.Background(), "go", "build", "-o", binary, "./cmd/causeway")
		goBuild.Dir, goBuild.Stderr = dir, &stderr
		err = goBuild.Run()
	} else if err == nil {
		err = errors.New("go list prints no directory; is the module vendored?")
	}
	if err != nil {
		return fmt.Errorf("build module %s: %w\n%s", module, err, stderr.String())
	}
	return nil
}

// listening reads the log until it has the addresses of both listeners, and discards the rest.
func listening(log io.Reader) (*process, error) {
	p, seen, lines := &process{}, &bytes.Buffer{}, bufio.NewScanner(log)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		fmt.Fprintln(seen, lines.Text())
		var line struct{ Msg, Listener, Address string }
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Msg != "listening" {
			continue
		}
		if line.Listener == "operator" {
			p.operator = "http://" + line.Address
		} else {
			p.public = "http://" + line.Address
		}
		if p.public != "" && p.operator != "" {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return p, nil
		}
	}
	return nil, fmt.Errorf("the sandbox exited:\n%s", seen)
}
