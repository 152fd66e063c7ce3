// Package redistest runs redis-server for tests, and interrupts it and its network.
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
	"causeway/test/testport"
)

// Server is a redis-server that stores nothing on disk.
type Server struct {
	t       testing.TB
	port    string
	options []string
	process *exec.Cmd
}

// Open starts a server with command-line options. It ends with the test.
func Open(t testing.TB, options ...string) *Server {
	t.Helper()
	_, port, err := net.SplitHostPort(testport.Free(t))
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, port: port, options: options}
	s.Start()
	t.Cleanup(s.Kill)
	return s
}

// URL returns the URL of the server.
func (s *Server) URL() core.Secret { return core.Secret("redis://127.0.0.1:" + s.port) }

// Start starts the server and waits until it accepts connections.
func (s *Server) Start() {
	s.t.Helper()
	args := append([]string{
		"--port", s.port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--loglevel", "warning",
	}, s.options...)
	ctx := context.WithoutCancel(s.t.Context())
	s.process = exec.CommandContext(ctx, "redis-server", args...)
	if err := s.process.Start(); err != nil {
		s.t.Fatalf("redis-server cannot be started (make deps installs it): %v", err)
	}
	for end := time.Now().Add(time.Minute); ; {
		conn, err := new(net.Dialer).DialContext(s.t.Context(), "tcp", "127.0.0.1:"+s.port)
		if err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("redis-server accepts no connection: %v", err)
		}
	}
}

// Kill kills the server.
func (s *Server) Kill() {
	_ = s.process.Process.Kill() // may have ended
	_ = s.process.Wait()
}

// Pause stops the server and waits until it has stopped. Its connections stay open without replies.
func (s *Server) Pause() {
	s.t.Helper()
	s.signal(syscall.SIGSTOP)
	if _, err := syscall.Wait4(s.process.Process.Pid, nil, syscall.WUNTRACED, nil); err != nil {
		s.t.Fatal(err)
	}
}

// Resume continues a paused server.
func (s *Server) Resume() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(signal syscall.Signal) {
	s.t.Helper()
	if err := s.process.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
}

// Do runs a command and returns its reply.
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

// With calls f with a client.
func (s *Server) With(f func(context.Context, rueidis.Client)) {
	s.t.Helper()
	option := rueidis.ClientOption{InitAddress: []string{"127.0.0.1:" + s.port}, DisableCache: true}
	client, err := rueidis.NewClient(option)
	if err != nil {
		s.t.Fatal(err)
	}
	defer client.Close()
	f(context.WithoutCancel(s.t.Context()), client)
}
