package test_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"causeway/test/driver"
)

// fails runs the binary, which must refuse, and returns what it said.
func fails(t *testing.T, env []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(driver.Clean(os.Environ()), env...)
	out, err := cmd.CombinedOutput()
	if err == nil || ctx.Err() != nil {
		t.Fatalf("%v ended with %v\n%s", args, err, out)
	}
	return string(out)
}

func TestAStartThatCannotWorkSaysWhy(t *testing.T) {
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
		"a port in use":           {nil, []string{"serve", "--operator-listen", "127.0.0.1:0", "--listen", taken.Addr().String()}, []string{"cannot listen on " + taken.Addr().String() + ": another process uses this port", "--listen"}},
		"the operator's in use":   {nil, []string{"serve", "--listen", "127.0.0.1:0", "--operator-listen", taken.Addr().String()}, []string{"another process uses this port", "--operator-listen"}},
		"an unreadable file":      {nil, []string{"serve", "--config", "/nowhere.yaml"}, []string{"/nowhere.yaml: no such file"}},
		"two faults in a file":    {nil, []string{"serve", "--config", bad}, []string{`unknown key "mod"; did you mean "mode"`, `listen is "nowhere"; accepted: host:port`}},
		"an unknown variable":     {[]string{"CAUSEWAY_LISTENN=:1"}, []string{"serve"}, []string{`unknown key "listenn"`}},
		"production unconfigured": {nil, []string{"serve", "--mode", "production"}, []string{"CAUSEWAY_PAYSTACK__KEYS__NG", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID", "CAUSEWAY_AUTH__KEYS"}},
		"an unknown flag":         {nil, []string{"serve", "--nonsense"}, []string{"unknown flag: --nonsense"}},
		"an unknown command":      {nil, []string{"serv"}, []string{`unknown command "serv"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := fails(t, c.env, c.args...)
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("lacks %q:\n%s", want, said)
				}
			}
			for line := range strings.Lines(said) {
				if strings.Contains(line, "goroutine ") || strings.Contains(line, ".go:") {
					t.Errorf("a stack instead of a clear line: %s", line)
				}
			}
		})
	}
}

func TestConfigPrintRedactsSecrets(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(binary, "config", "print", "--listen", ":7777")
	cmd.Env = append(driver.Clean(os.Environ()), "CAUSEWAY_PAYSTACK__KEYS__NG=sk_live_planted", "CAUSEWAY_LOG__LEVEL=warn")
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

func TestTheOperatorsListener(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary)
	for path, want := range map[string]string{"/livez": `"live"`, "/readyz": `"ready"`, "/debug/pprof/": "goroutine"} {
		if r := driver.Get(t, c.Operator+path); r.Status != 200 || !strings.Contains(string(r.Body), want) {
			t.Errorf("%s: %d %.200s", path, r.Status, r.Body)
		}
	}
	byAnotherName, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.Operator+"/debug/prices", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	byAnotherName.Host = "evil.example"
	refused, err := http.DefaultTransport.RoundTrip(byAnotherName)
	if err != nil {
		t.Fatal(err)
	}
	if _ = refused.Body.Close(); refused.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("a page that calls this machine by a name of its own gets %d", refused.StatusCode)
	}
	driver.Get(t, c.API+"/v1/pairs")
	driver.Get(t, c.API+"/v1/nothing")
	metrics := string(driver.Get(t, c.Operator+"/metrics").Body)
	for _, want := range []string{
		`causeway_http_requests_total{operation="list-pairs",status="200"} 1`, `causeway_http_requests_total{operation="unknown",status="404"} 1`,
		`causeway_http_request_duration_seconds_bucket{operation="list-pairs"`, `causeway_build_info{`, `causeway_upstream_requests_total{`,
		`causeway_upstream_breaker_state{provider="kraken"} 0`, `causeway_price_age_seconds{class="major"`, "go_goroutines",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	if !strings.Contains(c.Log(), "sandbox mode") {
		t.Error("the log does not say that this is a sandbox")
	}
}

func TestSIGTERMDropsNoRequest(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary, "CAUSEWAY_DRAIN__DELAY=1s")
	var failed, answered atomic.Int64
	stop := make(chan struct{})
	var load sync.WaitGroup
	for range 4 {
		load.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			for {
				select {
				case <-stop:
					return
				default:
				}
				resp, err := client.Get(c.API + "/v1/pairs")
				if err != nil {
					failed.Add(1)
					continue
				}
				answered.Add(1)
				_ = resp.Body.Close()
			}
		})
	}
	// One request that takes 2.5 s: it is in flight when the signal comes and when the listener closes.
	slow := make(chan driver.Reply, 1)
	load.Go(func() {
		slow <- driver.Do(t, http.MethodPost, c.API+"/v1/recipients/resolve-bank-account",
			`{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"0000000202"}`)
	})
	wait(t, "some answers", func() bool { return answered.Load() > 50 })
	if err := c.Process().Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	wait(t, "not ready", func() bool { return driver.Get(t, c.Operator+"/readyz").Status == http.StatusServiceUnavailable })
	if r := driver.Get(t, c.Operator+"/livez"); r.Status != 200 {
		t.Errorf("a draining process is live, got %d", r.Status)
	}
	before := answered.Load()
	wait(t, "answers while draining", func() bool { return answered.Load() > before+20 })
	close(stop) // the load balancer has noticed: nothing new comes
	if err := c.Wait(); err != nil {
		t.Errorf("exit: %v\n%s", err, c.Log())
	}
	load.Wait()
	if r := <-slow; r.Status != 200 {
		t.Errorf("the request in flight got %d %s", r.Status, r.Body)
	}
	if failed.Load() > 0 {
		t.Errorf("%d of %d requests were dropped", failed.Load(), answered.Load()+failed.Load())
	}
}

// wait polls until the condition holds; it fails after a time that only a defect reaches.
func wait(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick, deadline := time.NewTicker(5*time.Millisecond), time.NewTimer(3*time.Minute)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("never: %s", what)
		}
	}
}

func TestASecondSignalEndsTheProcessAtOnce(t *testing.T) {
	t.Parallel()
	c, err := driver.Run(binary, "CAUSEWAY_DRAIN__DELAY=25s")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Process().Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	wait(t, "not ready", func() bool { return driver.Get(t, c.Operator+"/readyz").Status == http.StatusServiceUnavailable })
	if err := c.Process().Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil || !strings.Contains(err.Error(), "signal: terminated") {
		t.Errorf("it ended with %v: after the drain, not at the second signal", err)
	}
}
