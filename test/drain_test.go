package test_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"causeway/test/driver"
)

// TestDrain_HungClients checks that a process exits with 0 after drain.timeout although clients and
// a trace collector hang. Streams end with a retry hint.
func TestDrain_HungClients(t *testing.T) {
	t.Parallel()
	collector, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = collector.Close() })
	c, err := driver.Run(binary, "CAUSEWAY_DRAIN__DELAY=0s", "CAUSEWAY_DRAIN__TIMEOUT=1s",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://"+collector.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(c.API, "http://")
	connect(t, address, "")
	connect(t, address, "GET /v1/pairs HTTP/1.1\r\nHost: x\r\nX-Half")
	connect(t, address, "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
	slow := connect(t, address, strings.Repeat("GET /v1/pairs HTTP/1.1\r\nHost: x\r\n\r\n", 2000))
	resp, err := http.Get(c.API + "/v1/pairs/stream?id=BTCNGN")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewReader(resp.Body)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := c.Process().Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(lines)
	if err != nil || !strings.Contains(string(rest), "\nretry: ") {
		t.Errorf("the stream ended with %v: %.300s", err, rest)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("exit: %v\n%s", err, c.Log())
	}
	if !strings.Contains(c.Log(), "shutdown timed out; aborting remaining requests") {
		t.Errorf("the log does not say so:\n%s", c.Log())
	}
	_ = slow.Close()
}

// connect opens a connection and sends text. Reads and writes fail after minutes.
func connect(t *testing.T, address, sent string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(5 * time.Minute))
	if _, err := io.WriteString(conn, sent); err != nil {
		t.Fatal(err)
	}
	return conn
}
