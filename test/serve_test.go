package test_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"causeway/clients/go/sandbox"
	"causeway/test/driver"
	"causeway/test/testport"
)

// fails runs the binary, which must exit with an error, and returns its output.
func fails(t *testing.T, env []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(sandbox.Clean(os.Environ()), env...)
	out, err := cmd.CombinedOutput()
	if err == nil || ctx.Err() != nil {
		t.Fatalf("%v ended with %v\n%s", args, err, out)
	}
	return string(out)
}

func TestServe_StartErrors(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("mod: sandbox\nlisten: nowhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env, args []string
		want      []string
	}{
		"a port in use":           {nil, []string{"serve", "--operator-listen", "127.0.0.1:0", "--listen", taken.Addr().String()}, []string{"cannot listen on " + taken.Addr().String(), "another process uses port", "--listen"}},
		"the operator's in use":   {nil, []string{"serve", "--listen", "127.0.0.1:0", "--operator-listen", taken.Addr().String()}, []string{"another process uses port", "--operator-listen"}},
		"an unreadable file":      {nil, []string{"serve", "--config", "/nowhere.yaml"}, []string{"/nowhere.yaml: no such file"}},
		"two errors in a file":    {nil, []string{"serve", "--config", bad}, []string{`unknown key "mod"; did you mean "mode"`, `listen is "nowhere"; accepted: host:port`}},
		"an unknown variable":     {[]string{"CAUSEWAY_LISTENN=:1"}, []string{"serve"}, []string{`unknown key "listenn"`}},
		"production unconfigured": {nil, []string{"serve", "--mode", "production"}, []string{"CAUSEWAY_PAYSTACK__KEYS__NG", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID", "CAUSEWAY_AUTH__KEYS"}},
		"an unknown flag":         {nil, []string{"serve", "--nonsense"}, []string{"unknown flag: --nonsense"}},
		"an unknown command":      {nil, []string{"serv"}, []string{`unknown command "serv"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			output := fails(t, c.env, c.args...)
			for _, want := range c.want {
				if !strings.Contains(output, want) {
					t.Errorf("lacks %q:\n%s", want, output)
				}
			}
			for line := range strings.Lines(output) {
				if strings.Contains(line, "goroutine ") || strings.Contains(line, ".go:") {
					t.Errorf("a stack trace: %s", line)
				}
			}
		})
	}
}

func TestConfigPrint_RedactsSecrets(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(binary, "config", "print", "--listen", ":7777")
	cmd.Env = append(sandbox.Clean(os.Environ()), "CAUSEWAY_PAYSTACK__KEYS__NG=sk_live_planted", "CAUSEWAY_LOG__LEVEL=warn")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"mode: sandbox", "listen: :7777", "level: warn", "[redacted]"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(string(out), "sk_live_planted") {
		t.Error("prints a secret")
	}
}

func TestServe_OperatorListener(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary)
	wait(t, "readiness", func() bool { return driver.Get(t, c.Operator+"/readyz").Status == http.StatusOK })
	for path, want := range map[string]string{"/livez": `"live"`, "/readyz": `"ready"`, "/debug/pprof/": "goroutine"} {
		if r := driver.Get(t, c.Operator+path); r.Status != 200 || !strings.Contains(string(r.Body), want) {
			t.Errorf("%s: %d %.200s", path, r.Status, r.Body)
		}
	}
	if r := driver.Get(t, c.Operator+"/debug/pprof/", "Sec-Fetch-Site", "cross-site"); r.Status != http.StatusForbidden {
		t.Errorf("a page of another origin: got %d", r.Status)
	}
	driver.Get(t, c.API+"/v1/pairs")
	driver.Get(t, c.API+"/v1/nothing")
	metrics := string(driver.Get(t, c.Operator+"/metrics").Body)
	for _, want := range []string{
		`causeway_http_requests_total{operation="list-pairs",status="200"} 1`, `causeway_http_requests_total{operation="unknown",status="404"} 1`,
		`causeway_http_request_duration_seconds_bucket{operation="list-pairs"`, `causeway_build_info{`, `causeway_upstream_requests_total{`,
		`causeway_upstream_breaker_state{provider="kraken"} 0`, `causeway_pairs_price_age_seconds{class="major"`, "go_goroutines",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	if !strings.Contains(c.Log(), "sandbox mode") {
		t.Error("the log does not say that this is a sandbox")
	}
}

// TestServe_ReadyAccepts polls /readyz of a starting process. After the first 200, a connection to
// the public listener must succeed.
func TestServe_ReadyAccepts(t *testing.T) {
	t.Parallel()
	listen, operator := testport.Free(t), testport.Free(t)
	cmd := exec.Command(binary, "serve", "--listen", listen, "--operator-listen", operator)
	cmd.Env = append(sandbox.Clean(os.Environ()), "CAUSEWAY_DRAIN__DELAY=0s")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wait(t, "readiness", func() bool {
		resp, err := http.Get("http://" + operator + "/readyz")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	conn, err := net.Dial("tcp", listen)
	if err != nil {
		t.Fatalf("the process is ready, but does not accept: %v", err)
	}
	_ = conn.Close()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestServe_Drain sends SIGTERM under load. The process fails readiness, continues to accept,
// finishes the request in flight and drops none.
func TestServe_Drain(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary, "CAUSEWAY_LIMITS__DEFAULT=none", "CAUSEWAY_DRAIN__DELAY=10s")
	honest := (&load{stop: make(chan struct{})}).begin(t, c.API, 4)
	slow := make(chan driver.Reply, 1)
	go func() { // takes 2.5 s
		slow <- driver.Do(t, http.MethodPost, c.API+resolvePath,
			`{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"0000000202"}`)
	}()
	honest.more(t, 50)
	if err := c.Process().Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	wait(t, "not ready", func() bool { return driver.Get(t, c.Operator+"/readyz").Status == http.StatusServiceUnavailable })
	if r := driver.Get(t, c.Operator+"/livez"); r.Status != http.StatusOK {
		t.Errorf("a draining process is live, got %d", r.Status)
	}
	honest.more(t, 20)
	honest.end() // the load balancer has noticed
	if err := c.Wait(); err != nil {
		t.Errorf("exit: %v\n%s", err, c.Log())
	}
	if r := <-slow; r.Status != http.StatusOK {
		t.Errorf("the request in flight got %d %s", r.Status, r.Body)
	}
	if n := honest.failed.Load(); n > 0 {
		t.Errorf("%d of %d requests failed, the first with %s", n, n+honest.answered.Load(), *honest.first.Load())
	}
}

// wait polls until the condition holds, for minutes, ever less often: a condition that reads metrics
// costs 30 ms of a processor.
func wait(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.NewTimer(3 * time.Minute)
	defer deadline.Stop()
	for pause := 50 * time.Millisecond; !condition(); pause = min(pause*3/2, time.Second/2) {
		select {
		case <-time.After(pause):
		case <-deadline.C:
			t.Fatalf("never: %s", what)
		}
	}
}

// TestServe_SecondSignal sends two signals. The second one ends the process during the drain.
func TestServe_SecondSignal(t *testing.T) {
	t.Parallel()
	c, err := driver.Run(binary, "CAUSEWAY_DRAIN__DELAY=5m")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Process().Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	wait(t, "the drain", func() bool { return strings.Contains(string(driver.Get(t, c.Operator+"/readyz").Body), "draining") })
	if err := c.Process().Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil || !strings.Contains(err.Error(), "signal: terminated") {
		t.Errorf("exit: %v, want the signal", err)
	}
}
