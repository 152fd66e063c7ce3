package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// patience is how long a test waits for what comes at once on any machine that is not dead.
const patience = 3 * time.Minute

// reading is the value of a counter or gauge; label is that of its one label, if it has one.
func reading(t *testing.T, reg *prometheus.Registry, name, label string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && (label == "" || m.GetLabel()[0].GetValue() == label) {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	t.Fatalf("there is no %s %s", name, label)
	return 0
}

// TestIdleConnectionsGiveWay: beyond the limit those that are idle longest are closed, and nobody who asks is.
func TestIdleConnectionsGiveWay(t *testing.T) {
	t.Parallel()
	const most = 10
	var lc net.ListenConfig
	socket, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	shed, reg := prometheus.NewCounter(prometheus.CounterOpts{Name: "shed_total", Help: "of the test"}), prometheus.NewRegistry()
	reg.MustRegister(shed)
	entered, release := make(chan struct{}), make(chan struct{})
	server := &http.Server{ConnState: note, ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			entered <- struct{}{}
			<-release
		}
		_, _ = io.WriteString(w, "served")
	})}
	go func() { _ = server.Serve(holding(socket, most, shed)) }()
	t.Cleanup(func() { _ = server.Close() })
	dial := func() net.Conn {
		var d net.Dialer
		conn, err := d.DialContext(t.Context(), "tcp", socket.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(patience))
		return conn
	}
	ask := func(conn net.Conn, path string) string {
		if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			return err.Error()
		}
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return err.Error()
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return string(body)
	}
	ended := func(conn net.Conn) bool {
		_, err := conn.Read(make([]byte, 1))
		return errors.Is(err, io.EOF)
	}
	busy := dial()
	answered := make(chan string)
	go func() { answered <- ask(busy, "/long") }()
	<-entered
	var idle []net.Conn
	for range most - 1 {
		conn := dial()
		if got := ask(conn, "/"); got != "served" {
			t.Fatal(got)
		}
		idle = append(idle, conn)
	}
	for i := range 3 { // as many come as there are too many of
		if got := ask(dial(), "/"); got != "served" {
			t.Fatalf("a connection that is one too many: %s", got)
		}
		if !ended(idle[i]) {
			t.Errorf("the one that was idle longest is still open")
		}
	}
	if got := ask(idle[3], "/"); got != "served" {
		t.Errorf("one that was idle for less: %s", got)
	}
	close(release)
	if got := <-answered; got != "served" {
		t.Errorf("the busy one: %s", got)
	}
	if got := reading(t, reg, "shed_total", ""); got != 3 {
		t.Errorf("counted %v", got)
	}
}
