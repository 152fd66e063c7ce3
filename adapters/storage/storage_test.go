package storage

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"causeway/adapters/storage/storagetest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

// writerDir and writerURL make the test binary a process that writes to a database until it is killed.
const (
	writerDir = "CAUSEWAY_TEST_WRITER_DIR"
	writerURL = "CAUSEWAY_TEST_WRITER_URL"
)

func TestMain(m *testing.M) {
	cfg := Config{Dir: os.Getenv(writerDir), URL: core.Secret(os.Getenv(writerURL))}
	if users, err := strconv.Atoi(os.Getenv(depositUsers)); cfg.Enabled() && err == nil {
		assignDeposits(cfg, users)
	}
	if cfg.Enabled() && os.Getenv(eventWriter) != "" {
		writeEvents(cfg)
	}
	if cfg.Enabled() {
		writeUntilKilled(cfg)
	}
	os.Exit(storagetest.Main(m))
}

// empty returns functions that make a database without tables, by its name.
func empty() map[string]func(t testing.TB) Config {
	return map[string]func(t testing.TB) Config{
		"SQLite":     func(t testing.TB) Config { return Config{Dir: filepath.Join(t.TempDir(), "state dir?#%")} },
		"PostgreSQL": func(t testing.TB) Config { return Config{URL: storagetest.Database(t)} },
	}
}

// backends returns functions that return a database with tables for one test, by its name. Migrating a new database
// would take longer than most tests.
func backends() map[string]func(t testing.TB) Config {
	return map[string]func(t testing.TB) Config{"SQLite": copied, "PostgreSQL": reused}
}

var migrated struct {
	sync.Mutex
	file []byte
	urls []core.Secret // of the databases that no test uses
}

// copied returns a copy of a migrated SQLite file.
func copied(t testing.TB) Config {
	t.Helper()
	migrated.Lock()
	defer migrated.Unlock()
	cfg := empty()["SQLite"](t)
	path := filepath.Join(cfg.Dir, fileName)
	if migrated.file == nil {
		store, err := Open(t.Context(), cfg)
		if err == nil {
			err = store.Close()
		}
		if err == nil {
			migrated.file, err = os.ReadFile(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	if err := errors.Join(os.Mkdir(cfg.Dir, 0o700), os.WriteFile(path, migrated.file, 0o600)); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// reused returns a PostgreSQL database that no other test uses. The two tables with a counter keep their row, and all
// others are empty.
func reused(t testing.TB) Config {
	t.Helper()
	migrated.Lock()
	defer migrated.Unlock()
	var url core.Secret
	if last := len(migrated.urls) - 1; last >= 0 {
		url, migrated.urls = migrated.urls[last], migrated.urls[:last]
	} else {
		url = storagetest.Database(t)
	}
	t.Cleanup(func() {
		tables := storagetest.Query(t, url, `SELECT string_agg(tablename, ', ') FROM pg_tables WHERE schemaname = 'public'
			AND tablename NOT IN ('goose_db_version', 'api_keys_revision', 'lookup_log_position')`)
		if tables != "" {
			storagetest.Exec(t, url, "TRUNCATE "+tables)
		}
		migrated.Lock()
		defer migrated.Unlock()
		migrated.urls = append(migrated.urls, url)
	})
	return Config{URL: url}
}

// eachBackend runs a test with both databases.
func eachBackend(t *testing.T, test func(t *testing.T, cfg Config)) {
	t.Helper()
	each(t, backends(), test)
}

// each runs a test with each database.
func each(t *testing.T, databases map[string]func(t testing.TB) Config, test func(t *testing.T, cfg Config)) {
	t.Helper()
	for name, config := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, config(t))
		})
	}
}

func open(t testing.TB, cfg Config) *Store {
	t.Helper()
	store, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// create makes a key.
func create(t *testing.T, keys Keys) (core.Key, core.Secret) {
	t.Helper()
	key, credential, err := keys.Create(t.Context(), core.Key{Name: "a", Scopes: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	return key, credential
}

func execute(t *testing.T, s *Store, statement string, args ...any) {
	t.Helper()
	if _, err := s.db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestKeys_Contract(t *testing.T) {
	t.Parallel()
	for name, config := range backends() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			porttest.APIKeys{
				Open: func(t *testing.T, processes int) []ports.APIKeyStore {
					cfg := config(t)
					var stores []ports.APIKeyStore
					for range processes {
						stores = append(stores, open(t, cfg).Keys())
					}
					return stores
				},
				Ring: func(t *testing.T, store ports.APIKeyStore) ports.KeyRing { return refreshed(t, store.(Keys)) },
			}.Run(t)
		})
	}
}

// refreshed returns a key ring that has read the keys.
func refreshed(t *testing.T, keys Keys) *KeyRing {
	t.Helper()
	ring := newKeyRing(keys, nil, zap.NewNop(), nil)
	if err := ring.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ring
}

func TestHistory_Contract(t *testing.T) {
	t.Parallel()
	porttest.RateHistory(t, porttest.History{Open: func(*testing.T) ports.RateHistory {
		return NewHistory(nil, nil, nil, nil)
	}})
}

func TestOpen_ConcurrentMigrations(t *testing.T) {
	t.Parallel()
	each(t, empty(), func(t *testing.T, cfg Config) {
		var work sync.WaitGroup
		for range 6 {
			work.Go(func() {
				store, err := Open(t.Context(), cfg)
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = store.Close() }()
				if _, err := store.Keys().List(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		work.Wait()
	})
}

func TestOpen_InvalidConfig(t *testing.T) {
	t.Parallel()
	for _, url := range []core.Secret{"", "mysql://u:planted@h/d", "postgres://u:planted@%zz", "host=planted"} {
		store, err := Open(t.Context(), Config{URL: url})
		if err == nil || strings.Contains(err.Error(), "planted") {
			t.Errorf("got %v, %v", store, err)
		}
	}
}

// damage overwrites the file of a store from a page on.
func damage(t *testing.T, dir string, page int) string {
	t.Helper()
	store := open(t, Config{Dir: dir})
	for range 40 {
		create(t, store.Keys())
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	path, size := filepath.Join(dir, fileName), int64(page*4096)
	info, err := os.Stat(path)
	if err != nil || info.Size() <= size {
		t.Fatalf("%v, %v", info, err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt([]byte(strings.Repeat("x", int(info.Size()-size))), size)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// locked returns a directory with a database that another process is writing to.
func locked(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	store := open(t, Config{Dir: dir})
	tx, err := store.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	return dir
}

// A SQLite file that cannot be used is an error that names the file and what to do.
func TestOpen_UnusableFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ dir, remedy string }{
		"damaged header":      {damage(t, t.TempDir(), 0), "restore a backup"},
		"damaged schema":      {damage(t, t.TempDir(), 1), "restore a backup"},
		"damaged table":       {damage(t, t.TempDir(), 4), "restore a backup"},
		"read-only directory": {"/proc/self", "writable"},
		"parent is a file":    {filepath.Join(file, "state"), "writable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := Open(t.Context(), Config{Dir: test.dir})
			if err == nil || !strings.Contains(err.Error(), test.dir) || !strings.Contains(err.Error(), test.remedy) {
				t.Errorf("got %v, %v; want the path and %q", store, err, test.remedy)
			}
		})
	}
}

func TestKeys_LockedFile(t *testing.T) {
	t.Parallel()
	keys := open(t, Config{Dir: locked(t)}).Keys()
	if _, err := keys.List(t.Context()); err != nil {
		t.Errorf("read during a write: got %v, want no error", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*busyTimeout)
	defer cancel()
	_, _, err := keys.Create(ctx, core.Key{Name: "a", Scopes: []string{"*"}})
	if err == nil || !strings.Contains(err.Error(), "stop the process") {
		t.Errorf("got %v", err)
	}
}

// A full disk, here a limit of pages, fails writes with an error that says so. Reads go on.
func TestKeys_FullDisk(t *testing.T) {
	t.Parallel()
	store := open(t, Config{Dir: t.TempDir()})
	store.db.SetMaxOpenConns(1) // the limit is per connection
	execute(t, store, "PRAGMA max_page_count = 10")
	var err error
	for range 200 {
		key := core.Key{Name: strings.Repeat("x", 100), Scopes: []string{"*"}}
		if _, _, err = store.Keys().Create(t.Context(), key); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "free space") {
		t.Errorf("got %v", err)
	}
	if keys, err := store.Keys().List(t.Context()); err != nil || len(keys) == 0 {
		t.Errorf("got %d keys, %v", len(keys), err)
	}
}

func TestKeys_StoresNoCredential(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := open(t, Config{Dir: dir})
	_, credential, err := store.Keys().Create(t.Context(), core.Key{Name: "a", Scopes: []string{"*"}})
	if err := errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil || strings.Contains(string(content), credential.Reveal()[len(prefix)+idLength:]) {
		t.Errorf("got the secret in the file or %v, want neither", err)
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info, err)
	}
}

// A damaged or revoked row is no valid key, and does not hide the others.
func TestKeys_DamagedRows(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, cfg Config) {
		store := open(t, cfg)
		for name, update := range map[string]string{
			"hash": "hash = 'no hex'", "short hash": "hash = 'abcd'", "limit": "rate_limit = 'lots'",
			"revoked at zero": "revoked_at = 0", "revoked in the future": "revoked_at = 9000000000000000",
		} {
			made, credential := create(t, store.Keys())
			execute(t, store, "UPDATE api_keys SET "+update+" WHERE id = $1", made.ID)
			if _, err := refreshed(t, store.Keys()).Find(t.Context(), credential); core.CodeOf(err) != core.Unauthorized {
				t.Errorf("%s: got %v", name, err)
			}
			execute(t, store, "DELETE FROM api_keys WHERE id = $1", made.ID)
		}
	})
}

// as returns the URL for another user, whom it makes.
func as(t *testing.T, url core.Secret, user string) core.Secret {
	t.Helper()
	_, rest, _ := strings.Cut(url.Reveal(), "@/")
	database, _, _ := strings.Cut(rest, "?")
	user += "_" + database // users belong to the whole server
	storagetest.Exec(t, url, "CREATE ROLE "+user+" LOGIN")
	return core.Secret("postgres://" + user + "@/" + rest)
}

// A server that refuses the connection is an error at the start, unlike one that is down.
func TestOpen_PostgresRefuses(t *testing.T) {
	t.Parallel()
	url := storagetest.Database(t)
	missing := strings.Replace(url.Reveal(), "@/test", "@/missing", 1)
	for name, test := range map[string]struct{ url, remedy string }{
		"unknown user":      {strings.Replace(url.Reveal(), "postgres@/", "unknown:planted@/", 1), "user and password"},
		"unknown database":  {missing, "create the database"},
		"no CREATE on it":   {as(t, url, "guest").Reveal(), "grant"},
		"read-only session": {url.Reveal() + "&default_transaction_read_only=on", "primary"},
	} {
		store, err := Open(t.Context(), Config{URL: core.Secret(test.url)})
		if err == nil || !strings.Contains(err.Error(), test.remedy) || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: got %v, %v; want %q", name, store, err, test.remedy)
		}
	}
}

// A user without CREATE can use a database that another user migrated.
func TestOpen_PostgresWithoutCreate(t *testing.T) {
	t.Parallel()
	url := storagetest.Database(t)
	open(t, Config{URL: url})
	limited := as(t, url, "limited")
	name, _, _ := strings.Cut(strings.TrimPrefix(limited.Reveal(), "postgres://"), "@")
	storagetest.Exec(t, url, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "+name)
	store := open(t, Config{URL: limited})
	if _, _, err := store.Keys().Create(t.Context(), core.Key{Name: "a", Scopes: []string{"*"}}); err != nil {
		t.Error(err)
	}
}

// A PostgreSQL server that is down at the start is used once it is up.
func TestOpen_PostgresDown(t *testing.T) {
	t.Parallel()
	url, elsewhere := storagetest.Database(t), storagetest.EmptyDir(t)
	_, credential := create(t, open(t, Config{URL: url}).Keys())
	down := strings.Replace(url.Reveal(), "host="+storagetest.SocketDir(), "host="+elsewhere+"&password=planted", 1)
	store := open(t, Config{URL: core.Secret(down)})
	ring := NewKeyRing(store, []core.Secret{"static"}, zap.NewNop(), nil)
	err := ring.Refresh(t.Context())
	if core.CodeOf(err) != core.Unavailable || strings.Contains(err.Error(), "planted") {
		t.Errorf("got %v, want unavailable", err)
	}
	find := func(credential core.Secret) core.Code {
		_, err := ring.Find(t.Context(), credential)
		return core.CodeOf(err)
	}
	if find(credential) != core.Unavailable || find("static") != "" || find("malformed") != core.Unauthorized {
		t.Errorf("got %q, %q and %q", find(credential), find("static"), find("malformed"))
	}
	const socket = "/.s.PGSQL.5432"
	if err := os.Symlink(storagetest.SocketDir()+socket, elsewhere+socket); err != nil {
		t.Fatal(err)
	}
	if err := ring.Refresh(t.Context()); err != nil || find(credential) != "" {
		t.Errorf("got %v, %q", err, find(credential))
	}
}

// A PostgreSQL server that accepts connections and sends nothing delays every operation by its own
// deadline. All of them wait for one attempt, which goes on in the background and succeeds once the
// server replies.
func TestStore_PostgresSilent(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var (
		work     sync.WaitGroup
		accepted = make(chan struct{}, 100)
		replies  = make(chan struct{})
	)
	work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			accepted <- struct{}{}
			work.Go(func() { <-replies; forward(conn) })
		}
	})
	_, database, _ := strings.Cut(storagetest.Database(t).Reveal(), "@/")
	name, _, _ := strings.Cut(database, "?")
	url := fmt.Sprintf("postgres://postgres@%s/%s?sslmode=disable&connect_timeout=60", listener.Addr(), name)
	store, err := connect(Config{URL: core.Secret(url)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = store.Close(), listener.Close(); work.Wait() })
	patient := make(chan error, 1)
	go func() { _, err := store.Keys().List(t.Context()); patient <- err }()
	<-accepted
	var requests sync.WaitGroup
	for range 12 {
		requests.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := store.Keys().List(ctx); core.CodeOf(err) != core.Unavailable {
				t.Errorf("no reply: got %v, want unavailable", err)
			}
		})
	}
	requests.Wait()
	if more, ended := len(accepted), len(patient); more > 0 || ended > 0 {
		t.Errorf("got %d more connections and %d patient requests that ended, want none", more, ended)
	}
	close(replies)
	if err := <-patient; err != nil {
		t.Errorf("with a reply: %v", err)
	}
}

// forward connects a client with the PostgreSQL server until either closes the connection.
func forward(client net.Conn) {
	server, err := net.Dial("unix", storagetest.SocketDir()+"/.s.PGSQL.5432")
	if err != nil {
		_ = client.Close()
		return
	}
	var copying sync.WaitGroup
	for from, to := range map[net.Conn]net.Conn{client: server, server: client} {
		copying.Go(func() { _, _ = io.Copy(to, from); _ = to.Close() })
	}
	copying.Wait()
}

// A server that restarts closes all connections. The next query opens another one.
func TestStore_PostgresRestart(t *testing.T) {
	t.Parallel()
	url := storagetest.Database(t)
	keys := open(t, Config{URL: url}).Keys()
	for range 3 {
		if _, _, err := keys.Create(t.Context(), core.Key{Name: "a", Scopes: []string{"*"}}); err != nil {
			t.Fatal(err)
		}
		storagetest.Exec(t, url, `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	}
}

// writeUntilKilled creates keys and history, and prints the ID of each key that is committed.
func writeUntilKilled(cfg Config) {
	ctx := context.Background()
	store, err := Open(ctx, cfg)
	if err != nil {
		panic(err)
	}
	history := NewHistory(store, nil, nil, nil)
	for i := range int64(1_000_000) {
		key, _, err := store.Keys().Create(ctx, core.Key{Name: "a", Scopes: []string{"*"}})
		if err != nil {
			panic(err)
		}
		_ = history.Record(ctx, monday.Add(time.Duration(i)*ports.FineStep), mids(i+1))
		if err := history.write(ctx); err != nil {
			panic(err)
		}
		if _, err := fmt.Println(key.ID); err != nil {
			os.Exit(1)
		}
	}
}

// A process that is killed while it writes loses nothing that it committed.
func TestStore_Killed(t *testing.T) {
	t.Parallel()
	const trials = 2
	eachBackend(t, func(t *testing.T, cfg Config) {
		var committed []string
		for trial := range trials {
			committed = append(committed, killWriter(t, cfg, 20+7*trial)...)
			store := open(t, cfg)
			keys, err := store.Keys().List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			stored := map[string]bool{}
			for _, key := range keys {
				stored[key.ID] = true
			}
			for _, id := range committed {
				if !stored[id] {
					t.Errorf("key %s: got none, want it stored", id)
				}
			}
			if n, want := count(t, store), 2*(20+7*trial); n < want { // of two pairs; each writer starts on monday
				t.Errorf("%d points, want %d or more", n, want)
			}
		}
	})
}

// killWriter starts a writer and kills it after n commits. It returns the keys that were committed.
func killWriter(t *testing.T, cfg Config, n int) (committed []string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), writerDir+"="+cfg.Dir, writerURL+"="+cfg.URL.Reveal())
	out, err := child.StdoutPipe()
	if err := errors.Join(err, child.Start()); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); len(committed) < n && lines.Scan(); {
		committed = append(committed, lines.Text())
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // killed
	if len(committed) < n {
		t.Fatalf("got %d commits before the writer ended, want %d", len(committed), n)
	}
	return committed
}

func count(t *testing.T, s *Store) (n int) {
	t.Helper()
	if err := s.db.QueryRowContext(t.Context(), "SELECT count(*) FROM price_history").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

var monday = time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)

func bitcoin() core.Pair { return core.Pair{Base: "BTC", Counter: "USD"} }

func mids(n int64) []core.PairMid {
	return []core.PairMid{
		{Pair: bitcoin(), Mid: decimal.New(n, -2)},
		{Pair: core.Pair{Base: "ETH", Counter: "USD"}, Mid: decimal.New(n, 0)},
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	each(t, empty(), func(t *testing.T, cfg Config) {
		if got, err := Inspect(t.Context(), cfg); err != nil || got.Migrated {
			t.Errorf("before the first start: got %+v, %v", got, err)
		}
		if _, err := os.Stat(cfg.Dir); cfg.Dir != "" && err == nil {
			t.Error("Inspect created the directory")
		}
		store := open(t, cfg)
		made, _ := create(t, store.Keys())
		insert(t, store, ports.FineStep, monday, "1")
		got, err := Inspect(t.Context(), cfg)
		if err != nil || !got.Migrated || got.Points != 1 {
			t.Errorf("got %+v, %v", got, err)
		}
		if len(got.Keys) != 1 || got.Keys[0].ID != made.ID {
			t.Errorf("got %+v, %v", got, err)
		}
		execute(t, store, "DELETE FROM goose_db_version WHERE version_id > 1")
		if got, err := Inspect(t.Context(), cfg); err != nil || got.Migrated {
			t.Errorf("pending migration: got %+v, %v", got, err)
		}
	})
	for _, cfg := range []Config{{}, {Dir: damage(t, t.TempDir(), 0)}, {URL: "postgres://u:planted@127.0.0.1:1/x"}} {
		if got, err := Inspect(t.Context(), cfg); err == nil || strings.Contains(err.Error(), "planted") {
			t.Errorf("got %+v, %v", got, err)
		}
	}
}
