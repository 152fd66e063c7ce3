//go:build unix

// Package storagetest runs the PostgreSQL server of Debian for tests, on a Unix socket.
package storagetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"causeway/core"
)

// server is a PostgreSQL server.
type server struct {
	bin, dir string
	user     *syscall.SysProcAttr // nil: the current one
}

var (
	shared    *server // nil: each test has its own
	databases atomic.Int64
	start     = sync.OnceValue(func() error { return shared.start() })
)

// Main runs the tests of a package, which share a server.
func Main(m *testing.M) int {
	shared = newServer()
	defer shared.stop()
	return m.Run()
}

// newServer uses /tmp instead of TMPDIR, which can be closed to user postgres, contain spaces, or be
// too long for the path of a socket (107 bytes).
func newServer() *server {
	dir, err := os.MkdirTemp("/tmp", "causeway-postgres")
	if err != nil {
		panic(err)
	}
	return &server{dir: dir}
}

// Database makes an empty database, and returns its URL. It starts the server if necessary.
func Database(t testing.TB) core.Secret {
	t.Helper()
	s, start := shared, start
	if s == nil {
		s = newServer()
		start = s.start
		t.Cleanup(s.stop)
	}
	if err := start(); err != nil {
		t.Fatalf("PostgreSQL cannot be started (make deps installs it): %v", err)
	}
	name := fmt.Sprintf("test%d", databases.Add(1))
	Exec(t, s.url("postgres"), "CREATE DATABASE "+name)
	return s.url(name)
}

// SocketDir returns the directory of the shared server's socket, which is the host in URLs.
func SocketDir() string { return shared.dir }

// EmptyDir makes a directory for a socket, where no server listens.
func EmptyDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(shared.dir, "") //nolint:usetesting // t.TempDir can be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Exec runs a statement.
func Exec(t testing.TB, url core.Secret, statement string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // also while the test cleans up
	conn, err := pgx.Connect(ctx, url.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// Query returns the only value of a query, or an empty text for NULL.
func Query(t testing.TB, url core.Secret, query string) string {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, url.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	var value *string
	if err := conn.QueryRow(ctx, query).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if value == nil {
		return ""
	}
	return *value
}

// Lock makes writers of a table wait until release is called.
func Lock(t testing.TB, url core.Secret, table string) (release func()) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, url.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	release = sync.OnceFunc(func() { _ = conn.Close(ctx) })
	t.Cleanup(release)
	if _, err := conn.Exec(ctx, "BEGIN; LOCK TABLE "+table+" IN SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	return release
}

// Refuse closes all connections to a database and lets it refuse new ones until allow is called.
func Refuse(t testing.TB, database core.Secret) (allow func()) {
	t.Helper()
	target, err := pgx.ParseConfig(database.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	admin := core.Secret(strings.Replace(database.Reveal(), "/"+target.Database+"?", "/postgres?", 1))
	Exec(t, admin, "ALTER DATABASE "+target.Database+" ALLOW_CONNECTIONS false")
	Exec(t, admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+target.Database+"'")
	return func() { Exec(t, admin, "ALTER DATABASE "+target.Database+" ALLOW_CONNECTIONS true") }
}

func (s *server) url(database string) core.Secret {
	return core.Secret(fmt.Sprintf("postgres://postgres@/%s?host=%s&sslmode=disable", database, s.dir))
}

func (s *server) start() error {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		return fmt.Errorf("no server in /usr/lib/postgresql: %w", err)
	}
	s.bin = found[len(found)-1]
	if os.Geteuid() == 0 { // the server refuses to run as root
		if err := s.runAs("postgres"); err != nil {
			return err
		}
	}
	if err := s.run("initdb", "-D", s.dir+"/data", "-U", "postgres", "-A", "trust", "--no-sync"); err != nil {
		return err
	}
	return s.run("pg_ctl", "-D", s.dir+"/data", "-w", "-l", s.dir+"/log",
		"-o", "-k "+s.dir+" -c listen_addresses='' -c fsync=off", "start")
}

// runAs makes the server run as another user.
func (s *server) runAs(name string) error {
	owner, err := user.Lookup(name)
	if err != nil {
		return err
	}
	uid, err := strconv.ParseUint(owner.Uid, 10, 32)
	if err != nil {
		return err
	}
	gid, err := strconv.ParseUint(owner.Gid, 10, 32)
	if err != nil {
		return err
	}
	s.user = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return os.Chown(s.dir, int(uid), int(gid))
}

func (s *server) run(name string, args ...string) error {
	command := exec.Command(filepath.Join(s.bin, name), args...)
	command.SysProcAttr, command.Dir = s.user, s.dir
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

func (s *server) stop() {
	if _, err := os.Stat(s.dir + "/data/postmaster.pid"); err == nil {
		_ = s.run("pg_ctl", "-D", s.dir+"/data", "-m", "immediate", "stop")
	}
	_ = os.RemoveAll(s.dir)
}
