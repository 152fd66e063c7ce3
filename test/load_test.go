package test_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const judged = `{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`

// load sends up to 20 requests a second per worker: half of the workers keep their connection, the
// others open a new one for each request. They send POST, because http.Transport retries a GET by
// itself.
type load struct {
	answered, failed atomic.Int64
	first            atomic.Pointer[string] // error
	stop             chan struct{}
	workers          sync.WaitGroup

	// retry makes http.Transport send a request again if its kept connection was closed by the idle
	// timeout.
	retry bool
}

func (l *load) begin(t *testing.T, api string, workers int) *load {
	t.Helper()
	for n := range workers {
		transport := &http.Transport{DisableKeepAlives: n%2 == 0, MaxConnsPerHost: 1}
		client := &http.Client{Transport: transport, Timeout: 5 * time.Minute}
		l.workers.Go(func() {
			defer transport.CloseIdleConnections()
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-l.stop:
					return
				case <-tick.C:
					l.send(client, api)
				}
			}
		})
	}
	t.Cleanup(l.end)
	return l
}

func (l *load) send(client *http.Client, api string) {
	req, err := http.NewRequest(http.MethodPost, api+"/v1/validate", strings.NewReader(judged))
	if err != nil {
		panic(err)
	}
	if l.retry {
		req.Header.Set("Idempotency-Key", "retry")
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
		text := err.Error()
		l.first.CompareAndSwap(nil, &text)
		l.failed.Add(1)
		return
	}
	l.answered.Add(1)
}

// more waits for n more answers.
func (l *load) more(t *testing.T, n int64) {
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
