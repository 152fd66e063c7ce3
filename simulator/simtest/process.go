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
	"time"
)

const (
	module      = "causeway"
	startLimit  = time.Minute
	longestLine = 1 << 20
)

// process is the sandbox of this test process.
type process struct {
	public, operator string
	stdin            io.Closer // kept, not used: a pipe that nothing refers to is closed by the garbage collector, and the sandbox ends
}

// start builds the sandbox and starts it. It ends with this process: then its standard input does.
func start() (*process, error) {
	dir, err := os.MkdirTemp("", "simtest")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what runs needs its file no more; where a system keeps it, it stays
	binary := filepath.Join(dir, module+".exe")
	if err := build(binary); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.Background(), binary, "serve", "--with-stdin", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "CAUSEWAY_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "CAUSEWAY_LOG__FORMAT=json", "CAUSEWAY_DRAIN__DELAY=0s")
	stdin, err := cmd.StdinPipe() // nobody writes to it, and nobody closes it
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

// build builds the command as the module has it that the tests require.
func build(binary string) error {
	var said bytes.Buffer
	find := exec.CommandContext(context.Background(), "go", "list", "-m", "-f", "{{.Dir}}", module)
	find.Stderr = &said
	root, err := find.Output()
	if dir := strings.TrimSpace(string(root)); err == nil && dir != "" {
		make := exec.CommandContext(context.Background(), "go", "build", "-o", binary, "./cmd/causeway")
		make.Dir, make.Stderr = dir, &said
		err = make.Run()
	} else if err == nil {
		err = errors.New("the go command does not say where it is; is it vendored?")
	}
	if err != nil {
		return fmt.Errorf("module %s cannot be built: %w\n%s", module, err, said.String())
	}
	return nil
}

// listening reads the log until both listeners are up, and lets the rest of it go.
func listening(log io.Reader) (*process, error) {
	type outcome struct {
		process *process
		err     error
	}
	up := make(chan outcome, 1)
	go func() {
		p, seen, lines := &process{}, &bytes.Buffer{}, bufio.NewScanner(log)
		lines.Buffer(nil, longestLine)
		for (p.public == "" || p.operator == "") && lines.Scan() {
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
		}
		if p.public == "" || p.operator == "" {
			up <- outcome{err: fmt.Errorf("the sandbox ended at its start:\n%s", seen)}
			return
		}
		up <- outcome{process: p}
		_, _ = io.Copy(io.Discard, log)
	}()
	limit := time.NewTimer(startLimit)
	defer limit.Stop()
	select {
	case o := <-up:
		return o.process, o.err
	case <-limit.C:
		return nil, fmt.Errorf("the sandbox does not listen after %s", startLimit)
	}
}
