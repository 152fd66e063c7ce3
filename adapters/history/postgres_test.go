package history_test

import (
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"causeway/core"
)

// server is a PostgreSQL server that the tests of this package share.
var server struct {
	once sync.Once
	err  error
	dir  string
	port string
	stop func()
	made int
	mu   sync.Mutex
}

// database makes a fresh database and returns its URL.
func database(t *testing.T) core.Secret {
	t.Helper()
	server.once.Do(func() { server.err = startPostgres() })
	if server.err != nil {
		t.Fatalf("PostgreSQL cannot be started (make deps installs it): %v", server.err)
	}
	server.mu.Lock()
	server.made++
	name := "test" + strconv.Itoa(server.made)
	server.mu.Unlock()
	url := func(database string) string {
		return fmt.Sprintf("postgres://postgres@/%s?host=%s&port=%s&sslmode=disable", database, server.dir, server.port)
	}
	db, err := sql.Open("pgx", url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return core.Secret(url(name))
}

// startPostgres starts Debian's server on a socket of its own. It refuses to run as root, so it runs as its own user there.
func startPostgres() error {
	bins, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(bins) == 0 {
		return fmt.Errorf("no server under /usr/lib/postgresql: %w", err)
	}
	slices.Sort(bins)
	bin := bins[len(bins)-1]
	if server.dir, err = os.MkdirTemp("", "causeway-pg"); err != nil {
		return err
	}
	server.stop = func() { _ = os.RemoveAll(server.dir) }
	var as *syscall.SysProcAttr
	if os.Geteuid() == 0 {
		owner, err := user.Lookup("postgres")
		if err != nil {
			return err
		}
		uid, err := strconv.Atoi(owner.Uid)
		if err != nil {
			return err
		}
		gid, err := strconv.Atoi(owner.Gid)
		if err != nil {
			return err
		}
		if err := os.Chown(server.dir, uid, gid); err != nil {
			return err
		}
		as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	_, server.port, err = net.SplitHostPort(free.Addr().String())
	_ = free.Close()
	if err != nil {
		return err
	}
	run := func(name string, args ...string) error {
		command := exec.Command(filepath.Join(bin, name), args...)
		command.SysProcAttr, command.Dir = as, server.dir
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", name, err, out)
		}
		return nil
	}
	data := filepath.Join(server.dir, "data")
	if err := run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"); err != nil {
		return err
	}
	options := fmt.Sprintf("-k %s -p %s -c listen_addresses='' -c fsync=off", server.dir, server.port)
	if err := run("pg_ctl", "-D", data, "-w", "-l", filepath.Join(server.dir, "log"), "-o", options, "start"); err != nil {
		return err
	}
	server.stop = func() {
		_ = run("pg_ctl", "-D", data, "-m", "immediate", "stop")
		_ = os.RemoveAll(server.dir)
	}
	return nil
}

func stopPostgres() {
	if server.stop != nil {
		server.stop()
	}
}
