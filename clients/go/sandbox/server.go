package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Server is a causeway process that Start runs.
type Server struct {
	API      string // URL of the public API, such as http://127.0.0.1:41233
	Operator string // URL of the operator listener

	cmd    *exec.Cmd
	stdin  io.Closer // held open: the process ends when the garbage collector closes an unreferenced pipe
	exited chan struct{}
	err    error
}

// longestLine bounds a line of the log in bytes, and stopTimeout the wait for the end of a process.
const (
	longestLine = 1 << 20
	stopTimeout = 3 * time.Minute
)

// Start runs a causeway binary with arguments such as "serve" on free ports of 127.0.0.1, and
// returns when both listeners accept connections. The process logs to log. env adds variables to the
// environment, from which Start removes CAUSEWAY_ and OTEL_ variables. The caller stops the process;
// with the argument --with-stdin, it ends with the calling process at the latest.
func Start(binary string, args []string, log io.Writer, env ...string) (*Server, error) {
	s := &Server{exited: make(chan struct{})}
	s.cmd = exec.Command(binary, append(slices.Clone(args), "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0")...)
	s.cmd.Env = append(Clean(os.Environ()), "CAUSEWAY_LOG__FORMAT=json", "CAUSEWAY_DRAIN__DELAY=0s")
	s.cmd.Env = append(s.cmd.Env, env...)
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	s.stdin = stdin
	var start bytes.Buffer
	ready := make(chan struct{})
	go s.follow(stderr, log, &start, ready)
	select {
	case <-ready:
		return s, nil
	case <-s.exited:
		return nil, fmt.Errorf("causeway exited: %w\n%s", s.err, &start)
	}
}

// follow copies the log until the process exits. Until both listeners accept connections, it also
// copies the log to start.
func (s *Server) follow(stderr io.Reader, log io.Writer, start *bytes.Buffer, ready chan<- struct{}) {
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		_, _ = fmt.Fprintln(log, lines.Text())
		if s.API != "" && s.Operator != "" {
			continue
		}
		fmt.Fprintln(start, lines.Text())
		var line struct{ Msg, Listener, Address string }
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Msg != "listening" {
			continue
		}
		if line.Listener == "operator" {
			s.Operator = "http://" + line.Address
		} else {
			s.API = "http://" + line.Address
		}
		if s.API != "" && s.Operator != "" {
			close(ready)
		}
	}
	s.err = s.cmd.Wait()
	close(s.exited)
}

// Process returns the running process, for tests that signal or watch it.
func (s *Server) Process() *os.Process { return s.cmd.Process }

// Wait waits until the process exits, and returns its error.
func (s *Server) Wait() error {
	<-s.exited
	return s.err
}

// Stop sends SIGTERM and waits until the process exits.
func (s *Server) Stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.exited:
		return s.err
	case <-time.After(stopTimeout):
		_ = s.cmd.Process.Kill()
		return errors.New("causeway did not stop on SIGTERM")
	}
}

// Clean returns an environment without the variables that causeway reads.
func Clean(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		return strings.HasPrefix(v, "CAUSEWAY_") || strings.HasPrefix(v, "OTEL_")
	})
}

// shared is the sandbox of this test process, which the first world starts.
var shared = sync.OnceValues(func() (*Server, error) {
	return Start(os.Getenv("CAUSEWAY_BINARY"), []string{"serve", "--with-stdin"}, io.Discard)
})
