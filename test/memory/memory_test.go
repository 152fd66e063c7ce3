// Package memory_test measures the memory of a process in a container of 256 MiB while one address
// attacks it with cheap connections. It builds the binary without the race detector, which
// multiplies memory.
package memory_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"causeway/test/driver"
)

const (
	memoryLimit = 256 << 20 // of the container
	maxResident = 200 << 20
	attackTime  = 20 * time.Second // several times the header timeout
	patience    = 5 * time.Minute

	get      = "GET /v1/pairs/BTCNGN HTTP/1.1\r\nHost: x\r\n\r\n"
	validate = `{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`
)

var binary string

func TestMain(m *testing.M) {
	built, remove, err := driver.BuildPlain()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = built
	code := m.Run()
	remove()
	os.Exit(code)
}

// TestAttack_Memory runs each attack while two honest clients send requests: one keeps its
// connection, the other one opens a new connection for each request. Both must get responses after
// the attack has lasted for attackTime.
func TestAttack_Memory(t *testing.T) {
	t.Parallel()
	for name, attack := range map[string]struct {
		connections int
		sent        []byte
		reconnect   time.Duration // after the server closed a connection
	}{
		"tiny header lines": {600, tinyHeaderLines(12 << 10), time.Second},
		"stalled bodies":    {130, stalledBody(), time.Second},
		// Reconnecting faster exhausts the processor, not memory.
		"idle connections": {12_000, []byte(get), 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := driver.Start(t, binary,
				"CAUSEWAY_LIMITS__ADDRESS_SHARE=100", // the attack and the honest clients come from one address
				"CAUSEWAY_LIMITS__DEFAULT=none", "CAUSEWAY_LIMITS__OPERATIONS__VALIDATE_ADDRESSES=none",
				fmt.Sprintf("GOMEMLIMIT=%d", memoryLimit/10*8)) // as the process sets it in such a container
			stop := make(chan struct{})
			var clients sync.WaitGroup
			for range attack.connections {
				clients.Go(func() { attackUntil(stop, strings.TrimPrefix(c.API, "http://"), attack.sent, attack.reconnect) })
			}
			var answered [2]atomic.Int64
			for i, transport := range []*http.Transport{{}, {DisableKeepAlives: true}} {
				clients.Go(func() { sendUntil(t, stop, transport, c.API, &answered[i]) })
			}
			time.Sleep(attackTime)
			for i := range answered {
				deadline := time.Now().Add(patience)
				for before := answered[i].Load(); answered[i].Load() == before; time.Sleep(time.Millisecond) {
					if time.Now().After(deadline) {
						t.Fatalf("honest client %d got no response", i)
					}
				}
			}
			peak := peakResident(t, c.Process().Pid)
			t.Logf("peak resident memory %d MiB; honest requests answered: %d on a kept connection, %d on new ones",
				peak>>20, answered[0].Load(), answered[1].Load())
			if peak > maxResident {
				t.Errorf("peak resident memory is %d MiB, want at most %d", peak>>20, maxResident>>20)
			}
			close(stop)
			clients.Wait()
		})
	}
}

// tinyHeaderLines returns an unfinished request of n bytes with as many header fields as possible.
// Each costs net/http a map entry.
func tinyHeaderLines(n int) []byte {
	const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~"
	b := bytes.NewBufferString("GET / HTTP/1.1\r\nHost:x\r\n")
	for i := 0; b.Len() < n-5; i++ {
		for rest := i; ; rest /= len(alphabet) {
			b.WriteByte(alphabet[rest%len(alphabet)])
			if rest < len(alphabet) {
				break
			}
		}
		b.WriteString(":\n")
	}
	return b.Bytes()
}

// stalledBody returns a request whose body, of the largest size, lacks its last byte.
func stalledBody() []byte {
	const size = 1 << 20
	head := fmt.Sprintf("POST /v1/validate/batch HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", size)
	return append([]byte(head), bytes.Repeat([]byte(" "), size-1)...)
}

// attackUntil opens a connection, sends bytes and reads what comes. It reconnects when the server
// closes the connection, until stop is closed.
func attackUntil(stop <-chan struct{}, address string, sent []byte, reconnect time.Duration) {
	for {
		if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			done := make(chan struct{})
			go func() {
				select {
				case <-stop:
				case <-done:
				}
				_ = conn.Close()
			}()
			if _, err = conn.Write(sent); err == nil {
				_, _ = io.Copy(io.Discard, conn)
			}
			close(done)
		}
		select {
		case <-stop:
			return
		case <-time.After(reconnect):
		}
	}
}

// sendUntil sends requests one after another until stop is closed, and counts the answers.
func sendUntil(t *testing.T, stop <-chan struct{}, transport *http.Transport, api string, answered *atomic.Int64) {
	client := &http.Client{Transport: transport, Timeout: patience}
	defer transport.CloseIdleConnections()
	for {
		select {
		case <-stop:
			return
		default:
		}
		resp, err := client.Post(api+"/v1/validate", "application/json", strings.NewReader(validate))
		if err != nil {
			continue // a connection that was closed while idle
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("an honest request was answered with %s", resp.Status)
		}
		answered.Add(1)
		time.Sleep(50 * time.Millisecond)
	}
}

// peakResident returns the largest resident memory of the process so far, in bytes.
func peakResident(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	kilobytes, err := strconv.Atoi(string(regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
