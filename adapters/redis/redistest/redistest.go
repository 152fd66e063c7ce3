// Package redistest runs a real redis-server for tests, and does to it what happens to servers.
package redistest

import (
	"context"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"causeway/core"
)

// Server is a redis-server on a port of its own, without a disk.
type Server struct {
	t       testing.TB
	port    string
	options []string
	process *exec.Cmd
}

// Open starts a server that ends with the test. The options are those of the command line.
func Open(t testing.TB, options ...string) *Server {
	t.Helper()
	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(free.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, port: port, options: options}
	s.Start()
	t.Cleanup(s.Kill)
	return s
}

// URL is where the server is.
func (s *Server) URL() core.Secret { return core.Secret("redis://127.0.0.1:" + s.port) }

// Start starts the server, and waits until it answers.
func (s *Server) Start() {
	s.t.Helper()
	args := append([]string{"--port", s.port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--loglevel", "warning"}, s.options...)
	s.process = exec.CommandContext(context.WithoutCancel(s.t.Context()), "redis-server", args...) //nolint:gosec // a test's own options
	if err := s.process.Start(); err != nil {
		s.t.Fatalf("redis-server cannot be started (make deps installs it): %v", err)
	}
	const patience = 10 * time.Second
	for end := time.Now().Add(patience); ; { //nolint:forbidigo // a real process in real time
		conn, err := new(net.Dialer).DialContext(s.t.Context(), "tcp", "127.0.0.1:"+s.port)
		if err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(end) { //nolint:forbidigo // a real process in real time
			s.t.Fatalf("redis-server does not answer: %v", err)
		}
	}
}

// Kill ends the server at once.
func (s *Server) Kill() {
	_ = s.process.Process.Kill() // gone already, perhaps
	_ = s.process.Wait()
}

// Pause stops the server where it is: connections stay, and nothing is answered.
func (s *Server) Pause() { s.signal(syscall.SIGSTOP) }

// Resume lets it go on.
func (s *Server) Resume() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(what syscall.Signal) {
	s.t.Helper()
	if err := s.process.Process.Signal(what); err != nil {
		s.t.Fatal(err)
	}
}

// Do runs one command.
func (s *Server) Do(command ...string) string {
	s.t.Helper()
	var out string
	s.With(func(ctx context.Context, c rueidis.Client) {
		message, err := c.Do(ctx, c.B().Arbitrary(command...).Build()).ToMessage()
		if err != nil && !rueidis.IsRedisNil(err) {
			s.t.Fatalf("%s: %v", strings.Join(command, " "), err)
		}
		out = message.String()
	})
	return out
}

// With lends a client.
func (s *Server) With(use func(context.Context, rueidis.Client)) {
	s.t.Helper()
	client, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{"127.0.0.1:" + s.port}, DisableCache: true})
	if err != nil {
		s.t.Fatal(err)
	}
	defer client.Close()
	use(context.WithoutCancel(s.t.Context()), client)
}
