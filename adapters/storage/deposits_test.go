package storage

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"causeway/adapters/storage/storagetest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

func TestDeposits_Contract(t *testing.T) {
	t.Parallel()
	for name, config := range backends() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			porttest.Deposits{Open: func(t *testing.T, processes int) []ports.DepositStore {
				cfg := config(t)
				var stores []ports.DepositStore
				for range processes {
					stores = append(stores, sealed(open(t, cfg)))
				}
				return stores
			}}.Run(t)
		})
	}
}

// depositUsers makes the test binary a process that assigns addresses to so many users, with 50
// goroutines, and prints the user and the index of each. If it is -1, there is no end. The users whose
// number modulo processes is depositSkip are left out.
const (
	depositUsers = "CAUSEWAY_TEST_DEPOSIT_USERS"
	depositSkip  = "CAUSEWAY_TEST_DEPOSIT_SKIP"
	processes    = 3
)

// sealed returns the tables of deposit addresses.
func sealed(store *Store) Deposits {
	deposits, err := store.Deposits("a secret of 32 characters or more")
	if err != nil {
		panic(err)
	}
	return deposits
}

func depositBinding() core.DepositBinding {
	return core.DepositBinding{Wallet: "BTC", Fingerprint: "f", First: "address 0"}
}

// assignDeposits is such a process.
func assignDeposits(cfg Config, users int) {
	ctx := context.Background()
	store, err := Open(ctx, cfg)
	if err != nil {
		panic(err)
	}
	deposits := sealed(store)
	var (
		work sync.WaitGroup
		mu   sync.Mutex // serializes output
		next = make(chan int)
	)
	for range 50 {
		work.Go(func() {
			for user := range next {
				request := ports.DepositRequest{
					User:    core.DepositUser{Account: "a", Profile: core.Private(fmt.Sprint(user))},
					Binding: depositBinding(), Now: monday,
					Derive: func(index int64, _ core.Private) (core.DepositAddress, error) {
						return core.DepositAddress{Address: core.Private(fmt.Sprint("address ", index))}, nil
					},
				}
				d, _, err := deposits.Assign(ctx, request)
				for core.CodeOf(err) == core.Unavailable { // out of time: the client of an API repeats its request
					d, _, err = deposits.Assign(ctx, request)
				}
				if err != nil {
					panic(err)
				}
				mu.Lock()
				if _, err := fmt.Println(user, d.Index, d.Address.Reveal()); err != nil {
					os.Exit(1)
				}
				mu.Unlock()
			}
		})
	}
	for user := 0; users < 0 || user < users; user++ {
		if strconv.Itoa(user%processes) != os.Getenv(depositSkip) {
			next <- user
		}
	}
	close(next)
	work.Wait()
	os.Exit(0)
}

// startAssigning starts a process that assigns addresses.
func startAssigning(t *testing.T, cfg Config, users, skip int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), writerDir+"="+cfg.Dir, writerURL+"="+cfg.URL.Reveal(),
		depositUsers+"="+strconv.Itoa(users), depositSkip+"="+strconv.Itoa(skip))
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err := errors.Join(err, child.Start()); err != nil {
		t.Fatal(err)
	}
	return child, bufio.NewScanner(out)
}

// confirmedDeposits opens a database with a confirmed wallet.
func confirmedDeposits(t *testing.T, cfg Config) *Store {
	t.Helper()
	store := open(t, cfg)
	if err := sealed(store).Confirm(t.Context(), depositBinding()); err != nil {
		t.Fatal(err)
	}
	return store
}

// checkDeposits checks that nothing is assigned twice, and that all assignments that a process printed
// are stored. It returns the number of stored assignments and the next index.
func checkDeposits(t *testing.T, store *Store, printed map[string]string) (stored int, next int64) {
	t.Helper()
	indexes := map[int64]bool{}
	err := sealed(store).Walk(t.Context(), func(d core.Deposit) error {
		stored++
		if indexes[d.Index] || d.Address.Reveal() != fmt.Sprint("address ", d.Index) {
			t.Errorf("index %d: %s", d.Index, d.Address.Reveal())
		}
		indexes[d.Index] = true
		user, got := d.User.Profile.Reveal(), fmt.Sprint(d.Index, " ", d.Address.Reveal())
		if want, ok := printed[user]; ok && want != got {
			t.Errorf("user %s has %s, a process returned %s", user, got, want)
		}
		delete(printed, user)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(printed) > 0 {
		t.Errorf("got %d lost assignments, want none", len(printed))
	}
	wallets, err := sealed(store).Wallets(t.Context())
	if err != nil || len(wallets) != 1 {
		t.Fatalf("got %+v, %v", wallets, err)
	}
	return stored, wallets[0].Next
}

var concurrentUsers = flag.Int("users", 500, "users in TestDeposits_ConcurrentProcesses; make check takes 10,000")

// Three processes with 50 goroutines each assign addresses at the same time, and every user occurs in two
// of them. SQLite is for one process.
func TestDeposits_ConcurrentProcesses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		users int
		skips []int // of each process
	}{"SQLite": {300, []int{-1}}, "PostgreSQL": {*concurrentUsers, []int{0, 1, 2}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := backends()[name](t)
			store := confirmedDeposits(t, cfg)
			var (
				work    sync.WaitGroup
				mu      sync.Mutex
				printed = map[string]string{}
			)
			start := time.Now()
			for _, skip := range test.skips {
				child, lines := startAssigning(t, cfg, test.users, skip)
				work.Go(func() {
					for lines.Scan() {
						user, assigned, _ := strings.Cut(lines.Text(), " ")
						mu.Lock()
						if before, ok := printed[user]; ok && before != assigned {
							t.Errorf("user %s got %s and %s", user, before, assigned)
						}
						printed[user] = assigned
						mu.Unlock()
					}
					if err := child.Wait(); err != nil {
						t.Error(err)
					}
				})
			}
			work.Wait()
			stored, next := checkDeposits(t, store, printed)
			if stored != test.users || next != int64(test.users) {
				t.Errorf("%d assignments, next index %d, want %d", stored, next, test.users)
			}
			t.Logf("%d addresses in %s", stored, time.Since(start))
		})
	}
}

// A process that is killed while it assigns addresses loses no assignment that it returned, and nothing
// is assigned twice by the next one.
func TestDeposits_Killed(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, cfg Config) {
		printed := map[string]string{}
		for trial := range 2 {
			confirmedDeposits(t, cfg)
			child, lines := startAssigning(t, cfg, -1, -1)
			for range 40 + 60*trial {
				if !lines.Scan() {
					t.Fatal("the process ended")
				}
				user, assigned, _ := strings.Cut(lines.Text(), " ")
				if before, ok := printed[user]; ok && before != assigned {
					t.Errorf("user %s got %s and %s", user, before, assigned)
				}
				printed[user] = assigned
			}
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = child.Wait() // killed
		}
		stored, next := checkDeposits(t, confirmedDeposits(t, cfg), printed)
		if next < int64(stored) {
			t.Errorf("got next index %d after %d assignments", next, stored)
		}
	})
}

// FindAll and Pooled return rows that another program changed, with the fault.
func TestDeposits_FindAllTampered(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, cfg Config) {
		store := confirmedDeposits(t, cfg)
		deposits := sealed(store)
		if _, err := deposits.Import(t.Context(), "BTC", []core.Private{"x", "y"}); err != nil {
			t.Fatal(err)
		}
		_, _, err := deposits.Assign(t.Context(), ports.DepositRequest{
			User: core.DepositUser{Account: "a"}, Binding: depositBinding(), Now: monday,
			Derive: func(_ int64, imported core.Private) (core.DepositAddress, error) {
				return core.DepositAddress{Address: imported}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		execute(t, store, `UPDATE deposit_addresses SET account = 'b'`)
		execute(t, store, `UPDATE deposit_pool SET address = 'z' WHERE idx = 1`)
		key := ports.DepositKey{Wallet: "BTC", DepositAddress: core.DepositAddress{Address: "x"}}
		found, err := deposits.FindAll(t.Context(), []ports.DepositKey{key})
		if err != nil || len(found) != 1 || !errors.Is(found[0].Fault, ports.ErrTampered) {
			t.Errorf("FindAll: got %+v, %v; want ErrTampered", found, err)
		}
		pooled, err := deposits.Pooled(t.Context(), "BTC", []core.Private{"y", "z"})
		if err != nil || len(pooled) != 1 || !errors.Is(pooled[0].Fault, ports.ErrTampered) {
			t.Errorf("Pooled: got %+v, %v; want ErrTampered", pooled, err)
		}
	})
}

func TestDeposits_PostgresDown(t *testing.T) {
	t.Parallel()
	url := storagetest.Database(t)
	down := strings.Replace(url.Reveal(), "host="+storagetest.SocketDir(), "host="+storagetest.EmptyDir(t), 1)
	deposits := sealed(open(t, Config{URL: core.Secret(down)}))
	if _, _, err := deposits.Assign(t.Context(), ports.DepositRequest{Binding: depositBinding()}); core.CodeOf(err) != core.Unavailable {
		t.Errorf("got %v", err)
	}
}
