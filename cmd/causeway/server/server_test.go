package server

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
)

// patience bounds how long a test waits for something that takes milliseconds on an idle machine.
const patience = 5 * time.Minute

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newServer returns a server on a free port that is not started.
func newServer(t *testing.T, handler http.HandlerFunc) *Server {
	t.Helper()
	return withPatience(New(Config{Name: "public", Address: "127.0.0.1:0", Setting: "listen"}, handler, zap.NewNop()))
}

// withPatience lets busy machines take their time.
func withPatience(s *Server) *Server {
	s.HTTP.ReadHeaderTimeout, s.HTTP.ReadTimeout, s.HTTP.IdleTimeout = patience, patience, patience
	return s
}

func start(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Start(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.HTTP.Close()
		if err := s.Err(); err != nil {
			t.Error(err)
		}
	})
}

func dial(t *testing.T, s *Server, sent string) net.Conn {
	t.Helper()
	return dialFrom(t, s, "127.0.0.1", sent)
}

// dialFrom connects from an address of this machine, all of which begin with 127.
func dialFrom(t *testing.T, s *Server, from, sent string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := d.DialContext(t.Context(), "tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, sent); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestServer_ConnectionLimit(t *testing.T) {
	t.Parallel()
	const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	for name, sent := range map[string]string{"clients without a request": "", "clients after a request": get} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Config{Name: "public", Address: "127.0.0.1:0", MaxConnections: 8}
			s := withPatience(New(cfg, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), zap.NewNop()))
			if sent == "" {
				s.HTTP.ReadHeaderTimeout = time.Second // the only way to get rid of them
			}
			start(t, s)
			for range 3 * cfg.MaxConnections {
				dial(t, s, sent)
			}
			resp, err := http.ReadResponse(bufio.NewReader(dial(t, s, get)), nil)
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Fatalf("a new client got %v, %v", resp, err)
			}
			_ = resp.Body.Close()
		})
	}
}

// TestServer_ConnectionsPerAddress opens more connections from one address than the server accepts in
// total, and sends half of a request on each.
func TestServer_ConnectionsPerAddress(t *testing.T) {
	t.Parallel()
	const get, stranger, proxy = "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "127.0.0.2", "127.0.0.3"
	cfg := Config{
		Name: "public", Address: "127.0.0.1:0", MaxConnections: 8, MaxPerAddress: 2,
		Trusted: []netip.Prefix{netip.MustParsePrefix(proxy + "/32")},
	}
	s := withPatience(New(cfg, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), zap.NewNop()))
	start(t, s)
	status := func(conn net.Conn) int {
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return 0
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	var held []net.Conn
	for range 2 {
		held = append(held, dialFrom(t, s, stranger, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n"))
	}
	for range 3 * cfg.MaxConnections {
		if got := status(dialFrom(t, s, stranger, "")); got != 0 {
			t.Fatalf("a connection beyond the share got %d", got)
		}
	}
	for _, from := range []string{"127.0.0.4", "127.0.0.5", proxy, proxy, proxy, proxy} {
		if got := status(dialFrom(t, s, from, get)); got != http.StatusOK {
			t.Errorf("%s: got %d", from, got)
		}
	}
	if got := s.refused.Load(); got != int64(3*cfg.MaxConnections) {
		t.Errorf("%d connections were refused, want %d", got, 3*cfg.MaxConnections)
	}
	for _, conn := range held {
		_ = conn.Close()
	}
	for deadline := time.Now().Add(patience); status(dialFrom(t, s, stranger, get)) != http.StatusOK; {
		if time.Now().After(deadline) {
			t.Fatal("closed connections still count")
		}
	}
}

func TestServer_ClientDoesNotRead(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request) {
		chunk := make([]byte, 1<<20)
		for {
			if _, err := w.Write(chunk); err != nil {
				close(done)
				return
			}
		}
	})
	s.HTTP.WriteTimeout = time.Second
	start(t, s)
	dial(t, s, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	select {
	case <-done:
	case <-time.After(patience):
		t.Error("the response is still being written")
	}
}

func TestConnectionLimit(t *testing.T) { // not parallel: the process has one memory limit
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for _, c := range []struct {
		memory int64
		want   int
	}{
		{memory: 205 << 20, want: 136},
		{memory: 1 << 20, want: minConnections},
		{memory: 1 << 62, want: maxConnections},
	} {
		debug.SetMemoryLimit(c.memory)
		if got := ConnectionLimit(); got != c.want {
			t.Errorf("memory limit %d MiB: got %d, want %d", c.memory>>20, got, c.want)
		}
	}
}
