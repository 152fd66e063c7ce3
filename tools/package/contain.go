package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

const patience = 30 * time.Second

// contained is a process of an image.
type contained struct {
	cmd      *exec.Cmd
	public   string // http://127.0.0.1:port
	operator string

	mu     sync.Mutex
	log    bytes.Buffer
	exited chan error
}

// questions are what it is asked on its public listener, and what must be in the answer.
func questions() map[string]string {
	return map[string]string{"/v1/banks": `"status":"success"`, "/v1/pairs": `"status":"success"`, "/docs": "<html"}
}

// startContained starts the entry point of an image and waits until it listens. The network alone is that of this machine.
func startContained(ctx context.Context, root string, config v1.Config) (*contained, error) {
	args := slices.Concat(config.Entrypoint[1:], config.Cmd)
	cmd := exec.CommandContext(ctx, config.Entrypoint[0], args...) //nolint:gosec // of our own image
	cmd.Path = config.Entrypoint[0]                                // inside; not to be looked for here
	cmd.Err = nil
	cmd.Dir = filepath.Clean(config.WorkingDir)
	cmd.Env = slices.Concat(config.Env, []string{"CAUSEWAY_LISTEN=127.0.0.1:0", "CAUSEWAY_OPERATOR_LISTEN=127.0.0.1:0", "CAUSEWAY_LOG__FORMAT=json", "CAUSEWAY_DRAIN__DELAY=0s"})
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Chroot: root, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}, Pdeathsig: syscall.SIGKILL,
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &contained{cmd: cmd, exited: make(chan error, 1)}
	listening := make(chan struct{})
	go p.follow(stderr, listening)
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	select {
	case <-listening:
		return p, nil
	case err := <-p.exited:
		return nil, fmt.Errorf("it ended: %w\n%s", err, p.said())
	case <-deadline.C:
		return nil, errors.Join(fmt.Errorf("it does not listen\n%s", p.said()), cmd.Process.Kill())
	}
}

// follow reads the log until the process ends.
func (p *contained) follow(stderr io.Reader, listening chan<- struct{}) {
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		p.mu.Lock()
		p.log.WriteString(lines.Text() + "\n")
		p.mu.Unlock()
		var line struct{ Msg, Listener, Address string }
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Msg != "listening" {
			continue
		}
		if line.Listener == "operator" { // the first of the two
			p.operator = "http://" + line.Address
			continue
		}
		p.public = "http://" + line.Address
		close(listening)
	}
	p.exited <- p.cmd.Wait()
}

func (p *contained) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// ask checks health and some answers.
func (p *contained) ask(ctx context.Context) error {
	for _, probe := range [][2]string{{"/livez", `"live"`}, {"/readyz", `"ready"`}, {"/metrics", "causeway_build_info"}} {
		if err := get(ctx, p.operator+probe[0], probe[1]); err != nil {
			return err
		}
	}
	for path, want := range questions() {
		if err := get(ctx, p.public+path, want); err != nil {
			return err
		}
	}
	return nil
}

func get(ctx context.Context, url, want string) error {
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || !bytes.Contains(body, []byte(want)) {
		return fmt.Errorf("%s: %d without %s: %.200s", url, resp.StatusCode, want, body)
	}
	return nil
}

// stop ends the process by SIGTERM; it must end with 0.
func (p *contained) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	select {
	case err := <-p.exited:
		return err
	case <-deadline.C:
		return errors.Join(errors.New("it does not end on SIGTERM"), p.cmd.Process.Kill())
	}
}
