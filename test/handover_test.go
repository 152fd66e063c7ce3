package test_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"causeway/test/driver"
)

const judged = `{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`

// load asks without a pause: one half of it over connections that it keeps, the other over a new one each time. It sends POSTs, because net/http
// silently asks a second time where a GET fails. Each of those who ask has one connection and no other that is idle: an idle one is closed when the
// process goes, and a request that meets that on its way is lost, as ever with HTTP/1.1.
type load struct {
	answered, failed atomic.Int64
	first            atomic.Pointer[string] // failure
	stop             chan struct{}
	workers          sync.WaitGroup

	// again has a request be sent again where its connection was closed as an idle one: for a process whose idle time-out is shorter than a busy
	// machine may stand still.
	again bool
}

func begin(t *testing.T, api string, workers int) *load {
	t.Helper()
	return (&load{stop: make(chan struct{})}).begin(t, api, workers)
}

func (l *load) begin(t *testing.T, api string, workers int) *load {
	t.Helper()
	for n := range workers {
		transport := &http.Transport{DisableKeepAlives: n%2 == 0, MaxConnsPerHost: 1}
		client := &http.Client{Transport: transport, Timeout: time.Minute}
		l.workers.Go(func() {
			defer transport.CloseIdleConnections()
			for {
				select {
				case <-l.stop:
					return
				default:
					l.ask(client, api)
				}
			}
		})
	}
	t.Cleanup(l.end)
	return l
}

func (l *load) ask(client *http.Client, api string) {
	req, err := http.NewRequest(http.MethodPost, api+"/v1/validate", strings.NewReader(judged))
	if err != nil {
		panic(err)
	}
	if l.again {
		req.Header.Set("Idempotency-Key", "asks again") // says so to http.Transport
	}
	resp, err := client.Do(req)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("status %d", resp.StatusCode)
		}
	}
	if err != nil {
		said := err.Error()
		l.first.CompareAndSwap(nil, &said)
		l.failed.Add(1)
		return
	}
	l.answered.Add(1)
}

// goesOn waits for n more answers.
func (l *load) goesOn(t *testing.T, n int64) {
	t.Helper()
	before := l.answered.Load()
	wait(t, "answers", func() bool { return l.answered.Load() >= before+n })
}

func (l *load) end() {
	select {
	case <-l.stop:
	default:
		close(l.stop)
	}
	l.workers.Wait()
}

// TestANewProcessTakesOverWithoutAFailedRequest: under load, a second process joins the first on its ports and the first is told to go; then a third one
// joins and is called back. Not one request fails.
func TestANewProcessTakesOverWithoutAFailedRequest(t *testing.T) {
	t.Parallel()
	env := []string{"CAUSEWAY_LIMITS__DEFAULT=none", "CAUSEWAY_DRAIN__DELAY=1s", "CAUSEWAY_STATE__DIR=" + t.TempDir()}
	beside := func(i *driver.Instance) *driver.Instance {
		t.Helper()
		next, err := i.Beside(binary, env...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = next.Stop() })
		if !strings.Contains(next.Log(), "another process listens on this address, too") {
			t.Errorf("it does not say that it is not alone:\n%s", next.Log())
		}
		return next
	}
	leaves := func(i *driver.Instance) {
		t.Helper()
		if err := i.Process().Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := i.Wait(); err != nil {
			t.Errorf("exit: %v\n%s", err, i.Log())
		}
	}
	first := driver.Start(t, binary, env...)
	load := begin(t, first.API, 8)
	load.goesOn(t, 100)

	second := beside(first)
	load.goesOn(t, 100)
	if n := listening(t, second); n != 2 {
		t.Errorf("%d processes listen, it is said", n)
	}
	leaves(first)
	load.goesOn(t, 100)

	third := beside(second)
	load.goesOn(t, 100)
	leaves(third)
	load.goesOn(t, 100)
	load.end()
	if failed := load.failed.Load(); failed > 0 {
		t.Errorf("%d of %d requests failed, the first with %s", failed, failed+load.answered.Load(), *load.first.Load())
	}
	if r := driver.Get(t, second.Operator+"/readyz"); r.Status != http.StatusOK {
		t.Errorf("who stays is not ready: %d %s", r.Status, r.Body)
	}
	if n := listening(t, second); n != 1 {
		t.Errorf("%d processes listen in the end, it is said", n)
	}
}

// listening is how many processes listen on the public address, as one of them tells.
func listening(t *testing.T, i *driver.Instance) (n int) {
	t.Helper()
	const name = "\ncauseway_http_listening_processes "
	text := string(driver.Get(t, i.Operator+"/metrics").Body)
	_, rest, _ := strings.Cut(text, name)
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Fatalf("not measured: %v", err)
	}
	return n
}

// TestNobodySharesAPortByAccident: one of the two ports alone is somebody else's, and so is every port of a process that does not share.
func TestNobodySharesAPortByAccident(t *testing.T) {
	t.Parallel()
	sharing, selfish := driver.Start(t, binary), driver.Start(t, binary, "CAUSEWAY_SERVER__REUSE_PORT=false")
	public := func(i *driver.Instance) string { return strings.TrimPrefix(i.API, "http://") }
	operator := func(i *driver.Instance) string { return strings.TrimPrefix(i.Operator, "http://") }
	const free = "127.0.0.1:0"
	for name, c := range map[string]struct {
		listen, operator string
		env              []string
		said             string
	}{
		"the operator's port of another sandbox":   {free, operator(sharing), nil, "--operator-listen"},
		"a process that does not share":            {public(selfish), free, nil, "--listen"},
		"a process that is not to share":           {public(sharing), free, []string{"CAUSEWAY_SERVER__REUSE_PORT=false"}, "--listen"},
		"the operator's port of one that does not": {public(sharing), operator(selfish), nil, "--operator-listen"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := fails(t, c.env, "serve", "--listen", c.listen, "--operator-listen", c.operator)
			if !strings.Contains(said, "another process has that port") || !strings.Contains(said, c.said) {
				t.Errorf("it says:\n%s", said)
			}
		})
	}
	if said := fails(t, nil, "upstream", "--listen", public(sharing), "--operator-listen", free); !strings.Contains(said, "another process has that port") {
		t.Errorf("the simulated providers say:\n%s", said)
	}
}

// TestWhoHasNoPricesTakesNothingOver starts a process that reaches no provider beside one that is well: that one serves, and is ready, until the other one
// is told to go.
func TestWhoHasNoPricesTakesNothingOver(t *testing.T) {
	t.Parallel()
	well := driver.Start(t, binary)
	cmd := exec.Command(binary, "serve", "--listen", strings.TrimPrefix(well.API, "http://"), "--operator-listen", strings.TrimPrefix(well.Operator, "http://"))
	cmd.Env = slices.Concat(driver.Clean(os.Environ()), production(), served(t, world(t), nil, nil))
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	waits, lines := false, bufio.NewScanner(said)
	for !waits && lines.Scan() {
		waits = strings.Contains(lines.Text(), "goes on until there are prices here")
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	if !waits {
		t.Fatal("it does not wait")
	}
	for range 20 {
		if pairs, ready := driver.Get(t, well.API+"/v1/pairs"), driver.Get(t, well.Operator+"/readyz"); pairs.Status != http.StatusOK || ready.Status != http.StatusOK {
			t.Fatalf("meanwhile: %d %s, %d %s", pairs.Status, pairs.Body, ready.Status, ready.Body)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
}
