package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	streams     = 1000
	streamsFor  = 10 * time.Second
	settleFor   = 5 * time.Second // so that what connecting costs is not counted
	streamQuery = "GET /v1/pairs/stream HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n"
)

// benchStreams prints what a thousand clients who follow all prices cost the server beside what it does without them, each publication
// of the sandbox being an event of every client.
func benchStreams(ctx context.Context, out io.Writer, s *server) error {
	alone, err := s.load(ctx, streamsFor/2)
	if err != nil {
		return err
	}
	before := s.resident()
	following, stop := context.WithCancel(ctx)
	defer stop()
	var events atomic.Int64
	var clients sync.WaitGroup
	errs := make(chan error, streams)
	for range streams {
		clients.Go(func() { errs <- s.follow(following, &events) })
	}
	if err := sleep(ctx, settleFor); err != nil {
		return err
	}
	first := events.Load()
	followed, err := s.load(ctx, streamsFor)
	told, after := events.Load()-first, s.resident()
	stop()
	clients.Wait()
	close(errs)
	for e := range errs {
		err = errors.Join(err, e)
	}
	if err != nil {
		return err
	}
	if told == 0 {
		return errors.New("no stream was told anything")
	}
	extra := (followed - alone).Seconds()
	fmt.Fprintf(out, "\n%d streams on one core\n", streams)
	fmt.Fprintf(out, "CPU a second, without / with them\t%s / %s\n", alone.Round(100*time.Microsecond), followed.Round(100*time.Microsecond))
	fmt.Fprintf(out, "CPU of one event of one stream\t%.1f µs\t(%.1f publications in %s)\n", extra*streamsFor.Seconds()/float64(told)*1e6, float64(told)/streams, streamsFor)
	fmt.Fprintf(out, "CPU of a publication to all of them\t%.1f ms\n", extra*streamsFor.Seconds()/float64(told)*streams*1e3)
	fmt.Fprintf(out, "memory of one stream\t%.1f KiB\n", float64(after-before)/streams/(1<<10))
	return nil
}

// load is the CPU time that the server takes in a second, over a while.
func (s *server) load(ctx context.Context, during time.Duration) (time.Duration, error) {
	begin, err := s.cpu()
	if err != nil {
		return 0, err
	}
	if err := sleep(ctx, during); err != nil {
		return 0, err
	}
	end, err := s.cpu()
	return time.Duration(float64(end-begin) / during.Seconds()), err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// follow takes the events of one stream until ctx ends, and counts those after the first.
func (s *server) follow(ctx context.Context, events *atomic.Int64) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err := io.WriteString(conn, streamQuery); err != nil {
		return err
	}
	reader := bufio.NewReaderSize(conn, 4<<10)
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if ctx.Err() != nil {
				return nil // it is we who went away
			}
			return fmt.Errorf("a stream ended: %w", err)
		}
		if bytes.HasPrefix(line, []byte("event: change")) {
			events.Add(1)
		}
	}
}
