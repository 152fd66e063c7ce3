package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const connections = 8

// server is a process under measurement.
type server struct {
	cmd     *exec.Cmd
	url     string
	started time.Duration // from exec to the first 200
	rest    float64       // what it does without requests, in seconds of CPU a second: it polls sources and makes prices
}

// launch starts a server and waits for its first answer.
func launch(cmd *exec.Cmd, path string, address func(line []byte) string) (*server, error) {
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	scanner := bufio.NewScanner(stderr)
	for scanner.Scan() {
		if a := address(scanner.Bytes()); a != "" {
			s := &server{cmd: cmd, url: "http://" + a}
			go func() {
				for scanner.Scan() { // the access log must not fill the pipe
				}
			}()
			resp, err := http.Get(s.url + path)
			if err != nil {
				return nil, err
			}
			s.started = time.Since(begin)
			return s, resp.Body.Close()
		}
	}
	return nil, errors.Join(errors.New("the server did not start"), cmd.Wait())
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
}

// settle measures what the server does by itself.
func (s *server) settle(ctx context.Context, length time.Duration) error {
	spent, err := s.load(ctx, length)
	s.rest = spent.Seconds()
	return err
}

// cost is the CPU time of one request in microseconds, over a round of load on keep-alive connections. What the server does by itself meanwhile is
// no part of it.
func (s *server) cost(ctx context.Context, request []byte, round time.Duration) (float64, error) {
	var answered atomic.Int64
	ctx, cancel := context.WithTimeout(ctx, round)
	defer cancel()
	begun := time.Now()
	before, err := s.cpu()
	if err != nil {
		return 0, err
	}
	errs := make(chan error, connections)
	var load sync.WaitGroup
	for range connections {
		load.Go(func() { errs <- s.hammer(ctx, request, &answered) })
	}
	load.Wait()
	close(errs)
	for e := range errs {
		err = errors.Join(err, e)
	}
	after, cpuErr := s.cpu()
	if err = errors.Join(err, cpuErr); err != nil {
		return 0, err
	}
	spent := (after - before).Seconds() - s.rest*time.Since(begun).Seconds()
	return spent * 1e6 / float64(answered.Load()), nil
}

// hammer sends request after request on one connection until ctx ends.
func (s *server) hammer(ctx context.Context, request []byte, answered *atomic.Int64) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	reader := bufio.NewReaderSize(conn, 128<<10)
	for ctx.Err() == nil {
		if _, err := conn.Write(request); err != nil {
			return err
		}
		if err := skipAnswer(reader); err != nil {
			return err
		}
		answered.Add(1)
	}
	return nil
}

// skipAnswer reads one answer with a Content-Length, or without a body, as cheaply as it can.
func skipAnswer(r *bufio.Reader) error {
	length := 0
	for first := true; ; first = false {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		switch {
		case first && !bytes.Contains(line, []byte(" 200 ")) && !bytes.Contains(line, []byte(" 304 ")):
			return fmt.Errorf("answered %s", bytes.TrimSpace(line))
		case len(line) == 2:
			_, err = r.Discard(length)
			return err
		case bytes.HasPrefix(line, []byte("Content-Length: ")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len("Content-Length: "):]))); err != nil {
				return err
			}
		}
	}
}

// cpu is the time that the process's threads ran so far, as the scheduler counts it.
func (s *server) cpu() (time.Duration, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	var total time.Duration
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			return 0, err
		}
		ran, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		if err != nil {
			return 0, err
		}
		total += time.Duration(ran)
	}
	return total, nil
}

// resident is the resident memory in bytes, or -1 where the kernel does not tell.
func (s *server) resident() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.cmd.Process.Pid))
	if err != nil {
		return -1
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		return -1
	}
	return pages * int64(os.Getpagesize())
}
