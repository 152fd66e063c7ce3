package history_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/history"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

// writer tells the test binary that it is to write a history until it is killed, and where.
const writer = "CAUSEWAY_TEST_HISTORY_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writer); path != "" {
		writeForEver(path)
	}
	code := m.Run()
	stopPostgres()
	os.Exit(code)
}

func bitcoin() core.Pair  { return core.Pair{Base: "BTC", Counter: "USD"} }
func midnight() time.Time { return time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC) }

// later is when everything that is recorded here is past.
func later() time.Time { return midnight().AddDate(0, 0, 740) }

func mids(n int64) []core.PairMid {
	return []core.PairMid{{Pair: bitcoin(), Mid: decimal.New(n, -2)}, {Pair: core.Pair{Base: "ETH", Counter: "USD"}, Mid: decimal.New(n, 0)}}
}

// running runs an archive until the test ends, or until the returned function is called.
func running(t testing.TB, a *history.Archive) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); a.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return stop
}

// databases are the kinds of database, each with a function that opens the same one again and again.
func databases() map[string]func(t *testing.T) func(backfill history.Backfill) *history.Archive {
	return map[string]func(t *testing.T) func(history.Backfill) *history.Archive{
		"SQLite": func(t *testing.T) func(history.Backfill) *history.Archive {
			path := filepath.Join(t.TempDir(), "state dir", "history?.db")
			return func(b history.Backfill) *history.Archive {
				return opened(t)(history.OpenFile(t.Context(), path, later, b, failed(t)))
			}
		},
		"PostgreSQL": func(t *testing.T) func(history.Backfill) *history.Archive {
			url := database(t)
			return func(b history.Backfill) *history.Archive {
				return opened(t)(history.OpenPostgres(t.Context(), url, later, b, failed(t)))
			}
		},
	}
}

func opened(t *testing.T) func(*history.Archive, error) *history.Archive {
	return func(a *history.Archive, err error) *history.Archive {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
}

func failed(t *testing.T) func(error) { return func(err error) { t.Error(err) } }

func TestArchives(t *testing.T) {
	t.Parallel()
	for name, place := range databases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			porttest.RateHistory(t, porttest.History{Open: func(t *testing.T) ports.RateHistory {
				a := place(t)(nil)
				running(t, a)
				return a
			}})
		})
	}
}

func TestArchivesSurviveTheProcess(t *testing.T) {
	t.Parallel()
	for name, place := range databases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := place(t)
			a := open(nil)
			stop := running(t, a)
			for i := range 40 * 12 { // forty hours
				if err := a.Record(t.Context(), midnight().Add(time.Duration(i)*ports.FineStep+time.Second), mids(int64(i+1))); err != nil {
					t.Fatal(err)
				}
			}
			stop()
			again := open(nil)
			running(t, again)
			end := midnight().Add(40*time.Hour - ports.FineStep)
			fine, err := again.Read(t.Context(), bitcoin(), end.Add(-24*time.Hour), ports.FineStep, 24*12+1)
			if err != nil || len(fine) != 24*12+1 || !fine[24*12].Mid.Equal(decimal.New(480, -2)) {
				t.Fatalf("%d fine points, %v", len(fine), err)
			}
			coarse, err := again.Read(t.Context(), bitcoin(), midnight(), ports.CoarseStep, 8)
			if err != nil || len(coarse) != 8 || !coarse[1].Mid.Equal(decimal.New(25, -2)) {
				t.Fatalf("coarse points: %v, %v", coarse, err)
			}
			// what is recorded in a step that was known before the restart changes nothing
			if err := again.Record(t.Context(), end.Add(time.Minute), mids(999)); err != nil {
				t.Fatal(err)
			}
			if got, err := again.Read(t.Context(), bitcoin(), end, ports.FineStep, 1); err != nil || len(got) != 1 || !got[0].Mid.Equal(decimal.New(480, -2)) {
				t.Errorf("the last step is %v, %v", got, err)
			}
		})
	}
}

func TestTwoProcessesShareADatabase(t *testing.T) {
	t.Parallel()
	for name, place := range databases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := place(t)
			one, two := open(nil), open(nil)
			stopOne, stopTwo := running(t, one), running(t, two)
			if err := errors.Join(one.Record(t.Context(), midnight(), mids(1)), two.Record(t.Context(), midnight().Add(ports.FineStep), mids(2))); err != nil {
				t.Fatal(err)
			}
			stopOne()
			stopTwo()
			three := open(nil)
			running(t, three)
			got, err := three.Read(t.Context(), bitcoin(), midnight(), ports.FineStep, 2)
			if err != nil || len(got) != 2 || !got[0].Mid.Equal(decimal.New(1, -2)) || !got[1].Mid.Equal(decimal.New(2, -2)) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// A database that is gone delays and loses nothing: what was recorded is answered, and written once it is back.
func TestDatabaseGoneForAWhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "history.db")
	var told []error
	a, err := history.OpenFile(t.Context(), path, later, nil, func(err error) { told = append(told, err) })
	if err != nil {
		t.Fatal(err)
	}
	history.Break(a)
	if err := a.Record(t.Context(), midnight(), mids(1)); err != nil {
		t.Fatal(err)
	}
	if err := history.Write(t.Context(), a); err == nil {
		t.Fatal("a broken database was written to")
	}
	if got, err := a.Read(t.Context(), bitcoin(), midnight(), ports.FineStep, 1); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
	history.Mend(t, a, path)
	if err := history.Write(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	again := opened(t)(history.OpenFile(t.Context(), path, later, nil, failed(t)))
	running(t, again)
	if got, err := again.Read(t.Context(), bitcoin(), midnight(), ports.FineStep, 1); err != nil || len(got) != 1 {
		t.Errorf("after a restart: %v, %v", got, err)
	}
}

func TestOldPointsAreForgotten(t *testing.T) {
	t.Parallel()
	for name, place := range databases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := place(t)(nil)
			for _, days := range []int{0, 10, 40, 700, 704, 706, 740} {
				if err := a.Record(t.Context(), midnight().AddDate(0, 0, days), mids(1)); err != nil {
					t.Fatal(err)
				}
			}
			fine, coarse, err := history.Tidied(t.Context(), a)
			if err != nil || fine != 4 || coarse != 12 { // 7 instants, 2 pairs: the last two in fine steps, those of 34 days and none, all but the first in coarse ones
				t.Errorf("%d fine and %d coarse points are left, %v; want 4 and 12", fine, coarse, err)
			}
			running(t, a)
		})
	}
}

// writeForEver records a point after the other, and says after each which one is written.
func writeForEver(path string) {
	a, err := history.OpenFile(context.Background(), path, later, nil, nil)
	if err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
		if err := a.Record(context.Background(), midnight().Add(time.Duration(i)*ports.FineStep), mids(int64(i+1))); err != nil {
			panic(err)
		}
		if err := history.Write(context.Background(), a); err != nil {
			panic(err)
		}
		if _, err := os.Stdout.WriteString(strconv.Itoa(i) + "\n"); err != nil {
			os.Exit(1)
		}
	}
}

// A process that is killed in the middle of writing loses at most what it was writing, and breaks nothing.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	for round := range 5 {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "history.db")
			child := exec.CommandContext(t.Context(), os.Args[0])
			child.Env = append(os.Environ(), writer+"="+path)
			out, err := child.StdoutPipe()
			if err == nil {
				err = child.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			last := -1
			lines := bufio.NewScanner(out)
			for last < 20+7*round && lines.Scan() {
				if last, err = strconv.Atoi(strings.TrimSpace(lines.Text())); err != nil {
					t.Fatal(err)
				}
			}
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = child.Wait() // killed, as it should be
			if problem := history.Integrity(t, path); problem != "ok" {
				t.Fatalf("the database is broken: %s", problem)
			}
			a := opened(t)(history.OpenFile(t.Context(), path, later, nil, failed(t)))
			running(t, a)
			got, err := a.Read(t.Context(), bitcoin(), midnight(), ports.FineStep, last+2)
			if err != nil || len(got) < last+1 {
				t.Fatalf("%d points of %d that were written are there, %v", len(got), last+1, err)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("this is no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := history.OpenFile(t.Context(), path, later, nil, nil); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file of something else: %v", err)
	}
	for _, url := range []core.Secret{"postgres://user:hush-hush@%zz", "hush-hush"} {
		if _, err := history.OpenPostgres(t.Context(), url, later, nil, nil); err == nil || strings.Contains(err.Error(), "hush-hush") {
			t.Errorf("got %v, want an error without the password", err)
		}
	}
}
