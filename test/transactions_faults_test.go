package test_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"causeway/adapters/storage/storagetest"
	"causeway/test/driver"
)

var kills = flag.Int("kills", 2, "how often TestTransactions_Killed kills the process that reads")

// The process that reads is killed again and again, at any moment, while payments, blocks and reorganizations
// come. Whenever it has caught up, the balances are the sums of the payments on the chain.
func TestTransactions_Killed(t *testing.T) {
	t.Parallel()
	providers, users := startUpstream(t), []string{"a", "b", "c"}
	receiver := newShop(t)
	env := withBlocks(t, providers, append(receiver.env, "CAUSEWAY_STATE__DIR="+t.TempDir())...)
	random := rand.New(rand.NewPCG(1, uint64(*kills)))
	var caughtUp time.Duration
	for round := range *kills + 1 {
		c, err := driver.Run(binary, env...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process().Kill() })
		began := time.Now()
		p := inProduction(t, providers, c)
		if round > 0 {
			p.settle(c, users)
		} else {
			p.mine(2 * confirmed) // no reorganization goes below the block that was read first
		}
		caughtUp = max(caughtUp, time.Since(began))
		if t.Failed() || round == *kills {
			receiver.expect(t, p)
			break
		}
		var addresses []string
		for _, user := range users {
			addresses = append(addresses, p.address(user))
		}
		kill := time.AfterFunc(time.Duration(random.IntN(1500))*time.Millisecond, func() { _ = c.Process().Kill() })
		exit := make(chan struct{})
		go func() { _ = c.Wait(); close(exit) }()
		for exited := false; !exited; {
			switch n := random.IntN(10); {
			case n < 3:
				p.pay(addresses[random.IntN(len(addresses))], fmt.Sprintf("%d.000000000000000001", 1+random.IntN(1000)), "")
			case n < 9:
				p.mine(1 + random.IntN(confirmed))
			default:
				p.reorganize(1+random.IntN(confirmed+5), random.IntN(2) == 0)
			}
			select {
			case <-time.After(20 * time.Millisecond): // about what reading takes, so that the process is seldom idle
			case <-exit:
				exited = true
			}
		}
		kill.Stop()
	}
	t.Logf("caught up after at most %s", caughtUp.Round(time.Millisecond))
}

// Three processes share a database. The one that reads is paused in the middle of a batch: another one takes over.
// When the paused one goes on, it writes nothing and leaves the others alone.
func TestTransactions_TakeOver(t *testing.T) {
	t.Parallel()
	const user = "payee"
	providers, database := startUpstream(t), storagetest.Database(t)
	env := withBlocks(t, providers, "CAUSEWAY_STORAGE__URL="+database.Reveal(), "CAUSEWAY_LOG__LEVEL=debug")
	var all []*driver.Instance
	for range 3 {
		all = append(all, driver.Start(t, binary, env...))
	}
	p := inProduction(t, providers, all[0])
	to := p.address(user)
	p.mine(1)
	var reader *driver.Instance
	wait(t, "one of them reads", func() bool {
		height, _ := p.chain()
		for _, c := range all {
			if strings.Contains(c.Log(), fmt.Sprintf(`"blocks read","network":"BSC","height":%d,`, height)) {
				reader = c
			}
		}
		return reader != nil
	})

	// The lock stops the reader between its first statement and its commit.
	release := storagetest.Lock(t, database, "blocks")
	p.pay(to, "5", "")
	p.mine(1)
	wait(t, "the reader waits for the lock", func() bool {
		return storagetest.Query(t, database, `SELECT count(*)::text FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`) != "0"
	})
	signal(t, reader, syscall.SIGSTOP)
	if _, err := syscall.Wait4(reader.Process().Pid, nil, syscall.WUNTRACED, nil); err != nil { // until all its threads have stopped
		t.Fatal(err)
	}
	release()
	paused := time.Now()
	others := slices.DeleteFunc(slices.Clone(all), func(c *driver.Instance) bool { return c == reader })
	p = inProduction(t, providers, others[0])
	p.settle(others[0], []string{user})
	took := time.Since(paused)
	t.Logf("another process has read everything after %s", took.Round(time.Millisecond))
	if took > 30*time.Second { // 10 s without a sign of the holder, and the rest is for a busy machine
		t.Errorf("the others took over after %s", took)
	}

	p.reorganize(2*confirmed+3, false) // what the paused process was about to write is no longer true
	p.settle(others[0], []string{user})
	before, lines := p.transactions(user), strings.Count(reader.Log(), `"blocks read"`)
	epoch := "SELECT epoch::text FROM chains WHERE network = 'BSC'"
	holder := storagetest.Query(t, database, epoch)
	signal(t, reader, syscall.SIGCONT)
	p = inProduction(t, providers, reader)
	if after := p.transactions(user); !slices.Equal(after, before) {
		t.Errorf("the transactions were %+v before the paused process went on, and are %+v", before, after)
	}
	p.pay(to, "6", "")
	p.settle(reader, []string{user})
	if got := storagetest.Query(t, database, epoch); got != holder || strings.Count(reader.Log(), `"blocks read"`) != lines {
		t.Errorf("the paused process read again: epoch %s after %s\n%s", got, holder, reader.Log())
	}
}

func signal(t *testing.T, c *driver.Instance, s syscall.Signal) {
	t.Helper()
	if err := c.Process().Signal(s); err != nil {
		t.Fatal(err)
	}
}
