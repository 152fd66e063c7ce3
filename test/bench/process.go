package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a server under measurement.
type process struct {
	cmd      *exec.Cmd
	url      string        // of the public listener
	operator string        // of the operator listener
	started  time.Duration // from exec to the first response
	baseline float64       // CPU seconds per second without requests: background work
}

// started are the processes that check ends.
var started []*exec.Cmd

// startSandbox starts the sandbox on the given number of cores.
func startSandbox(binary string, cores int) *process {
	return start(binary, "public", "/v1/pairs", []string{fmt.Sprintf("GOMAXPROCS=%d", cores)},
		"serve", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0")
}

// startProduction starts a production process, and the simulated providers that it reaches over TCP, on one core
// each. Only the rate limit, open account resolution and the given variables differ from the defaults.
func startProduction(binary string, variables ...string) (production, providers *process) {
	env := append([]string{"GOMAXPROCS=1", "CAUSEWAY_LIMITS__DEFAULT=1000000/s", "CAUSEWAY_AUTH__RECIPIENTS=open"}, variables...)
	providers = start(binary, "upstream", "/kraken/0/public/Ticker?pair=XBTUSD", env,
		"upstream", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0")
	exports := must(exec.Command(binary, "upstream", "env", "--base", providers.url).Output())
	for line := range strings.Lines(string(exports)) {
		name, value, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "export ")), "=")
		env = append(env, name+"="+strings.Trim(value, "'"))
	}
	production = start(binary, "public", "/v1/pairs", env,
		"serve", "--mode", "production", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0")
	return production, providers
}

// start runs a server, reads its addresses from its log, and waits for the first response of path.
func start(binary, listener, path string, env []string, args ...string) *process {
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), env...)
	stderr := must(cmd.StderrPipe())
	begin := time.Now()
	check(cmd.Start())
	started = append(started, cmd)
	p := &process{cmd: cmd}
	lines := bufio.NewScanner(stderr)
	for p.url == "" && lines.Scan() {
		var line struct{ Msg, Listener, Address string }
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Msg != "listening" {
			continue
		}
		switch line.Listener {
		case listener:
			p.url = "http://" + line.Address
		case "operator":
			p.operator = "http://" + line.Address
		}
	}
	if p.url == "" {
		check(errors.Join(fmt.Errorf("%s did not start", cmd), cmd.Wait()))
	}
	go func() {
		for lines.Scan() { // drain the access log
		}
	}()
	for status := 0; status != http.StatusOK; time.Sleep(time.Millisecond) {
		resp := must(http.Get(p.url + path))
		status = resp.StatusCode
		check(resp.Body.Close())
	}
	p.started = time.Since(begin)
	return p
}

func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// cpu returns the CPU time that the threads of the process have used.
func (p *process) cpu() time.Duration {
	threads := must(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid)))
	var total time.Duration
	for _, thread := range threads {
		text := must(os.ReadFile(thread))
		ns := must(strconv.ParseInt(strings.Fields(string(text))[0], 10, 64))
		total += time.Duration(ns)
	}
	return total
}

// cpuRate returns the CPU seconds per second that the process uses during d.
func (p *process) cpuRate(d time.Duration) float64 {
	before := p.cpu()
	begin := time.Now()
	time.Sleep(d)
	return (p.cpu() - before).Seconds() / time.Since(begin).Seconds()
}

// residentMiB returns the resident memory.
func (p *process) residentMiB() float64 {
	text := must(os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid)))
	var size, resident float64
	_, _ = fmt.Sscan(string(text), &size, &resident)
	return resident * float64(os.Getpagesize()) / (1 << 20)
}
