package main

import (
	"bufio"
	"context"
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

// startSandbox starts the sandbox on the given number of cores.
func startSandbox(ctx context.Context, binary string, cores int) (*process, error) {
	cmd := exec.CommandContext(ctx, binary, "serve", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", cores))
	return start(cmd, "/v1/pairs", "public")
}

// startProduction starts a production process, and the simulated providers that it reaches over TCP, on one core each.
// Only the rate limit differs from the defaults.
func startProduction(ctx context.Context, binary string) (production, providers *process, err error) {
	cmd := exec.CommandContext(ctx, binary, "upstream", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if providers, err = start(cmd, "/kraken/0/public/Time", "upstream"); err != nil {
		return nil, nil, err
	}
	exports, err := exec.CommandContext(ctx, binary, "upstream", "env", "--base", providers.url).Output()
	if err != nil {
		return nil, nil, err
	}
	cmd = exec.CommandContext(ctx, binary, "serve", "--mode", "production", "--listen", "127.0.0.1:0",
		"--operator-listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "CAUSEWAY_LIMITS__DEFAULT=1000000/s")
	for line := range strings.Lines(string(exports)) {
		name, value, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "export ")), "=")
		cmd.Env = append(cmd.Env, name+"="+strings.Trim(value, "'"))
	}
	production, err = start(cmd, "/v1/pairs", "public")
	return production, providers, err
}

// start runs a server, reads its addresses from its log, and waits for the first response of path.
func start(cmd *exec.Cmd, path, listener string) (*process, error) {
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
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
		return nil, errors.Join(fmt.Errorf("%s did not start", cmd), cmd.Wait())
	}
	go func() {
		for lines.Scan() { // drain the access log
		}
	}()
	resp, err := http.Get(p.url + path)
	if err != nil {
		return nil, err
	}
	p.started = time.Since(begin)
	return p, resp.Body.Close()
}

func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// cpu returns the CPU time that the threads of the process have used.
func (p *process) cpu() (time.Duration, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	var total time.Duration
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			return 0, err
		}
		ns, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		if err != nil {
			return 0, err
		}
		total += time.Duration(ns)
	}
	return total, nil
}

// cpuRate returns the CPU seconds per second that the process uses during d.
func (p *process) cpuRate(ctx context.Context, d time.Duration) (float64, error) {
	before, err := p.cpu()
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	sleep(ctx, d)
	after, err := p.cpu()
	return (after - before).Seconds() / time.Since(begin).Seconds(), err
}

// residentMiB returns the resident memory, or 0 where the kernel does not report it.
func (p *process) residentMiB() float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	var size, resident float64
	_, _ = fmt.Sscan(string(text), &size, &resident)
	return resident * float64(os.Getpagesize()) / (1 << 20)
}
