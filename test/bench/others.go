package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// resolveLatency resolves a different account every 5 ms for 10 s, so that no response comes from a cache.
func resolveLatency(ctx context.Context, p *process) (p50, p99 time.Duration, err error) {
	const count = 2000
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	times, errs := make([]time.Duration, count), make([]error, count)
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	var group sync.WaitGroup
	for n := range count {
		<-ticker.C
		group.Go(func() {
			begin := time.Now()
			errs[n] = post(ctx, client, p.url+"/v1/recipients/resolve-bank-account", fmt.Sprintf(`{"country_id":"NG",`+
				`"currency_id":"NGN","channel":"bank_transfer","bank_code":"001","account_number":"%07d200"}`, n))
			times[n] = time.Since(begin)
		})
	}
	group.Wait()
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
	return round(median(times)), round(percentile(times, 99)), errors.Join(errs...)
}

func post(ctx context.Context, client *http.Client, url, body string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %s", url, resp.StatusCode, text)
	}
	return errors.Join(err, resp.Body.Close())
}

// measureStreams prints the CPU time of a publication to 1,000 clients of the price stream.
func measureStreams(ctx context.Context, out io.Writer, p *process) error {
	const clients, during = 1000, 10 * time.Second
	alone, err := p.cpuRate(ctx, during)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	var events atomic.Int64
	var group sync.WaitGroup
	errs := make(chan error, clients)
	for range clients {
		group.Go(func() {
			errs <- p.follow(ctx, func(string, []byte) { events.Add(1) })
		})
	}
	sleep(ctx, 5*time.Second) // so that connecting does not count
	before := events.Load()
	streaming, err := p.cpuRate(ctx, during)
	received := events.Load() - before
	stop()
	group.Wait()
	close(errs)
	for e := range errs {
		err = errors.Join(err, e)
	}
	if received == 0 {
		return errors.Join(err, errors.New("no stream received an event"))
	}
	publications := float64(received) / clients
	row(out, fmt.Sprintf("%d streams, CPU per publication", clients),
		fmt.Sprintf("%.1f ms", (streaming-alone)*during.Seconds()*1e3/publications), "< 100 ms")
	return err
}

// follow reads the price stream until ctx ends and reports every change.
func (p *process) follow(ctx context.Context, changed func(event string, data []byte)) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/v1/pairs/stream", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewReaderSize(resp.Body, 64<<10)
	event := ""
	for {
		line, err := lines.ReadBytes('\n')
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the measurement ended the stream
		}
		if err != nil {
			return fmt.Errorf("the stream ended: %w", err)
		}
		if name, found := bytes.CutPrefix(line, []byte("event: ")); found {
			event = string(bytes.TrimSpace(name))
		}
		if data, found := bytes.CutPrefix(line, []byte("data: ")); found && event == "change" {
			changed(event, data)
		}
	}
}

// measurePrices prints how long a price change at the venues takes until the stream of a production process has it.
// Venues that push over WebSockets report it without a poll.
func measurePrices(ctx context.Context, out io.Writer, production, providers *process) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	prices, failed := make(chan float64, 1000), make(chan error, 1)
	go func() {
		failed <- production.follow(ctx, func(_ string, data []byte) {
			var changes []struct {
				ID    string
				Price struct {
					Amount float64 `json:",string"`
				} `json:"buy_price"`
			}
			_ = json.Unmarshal(data, &changes)
			for _, c := range changes {
				if c.ID == "BTCUSDT" {
					prices <- c.Price.Amount
				}
			}
		})
	}()
	last, base := 0.0, 0.0
	var times []time.Duration
	for i := range 22 {
		begin := time.Now()
		if i > 0 { // the first round only waits for a price
			if err := pin(ctx, providers, base*(1+0.002*float64(i%2))); err != nil {
				return err
			}
		}
		for moved := false; !moved; {
			select {
			case price := <-prices:
				moved = math.Abs(price-last) > 0.001*price
				if moved {
					last = price
				}
			case err := <-failed:
				return err
			case <-time.After(time.Minute):
				return errors.New("a changed price was not published within a minute")
			}
		}
		if i == 0 {
			base = math.Round(last)
		}
		if i > 1 { // the first pin ends the market's own movement
			times = append(times, time.Since(begin))
		}
		sleep(ctx, 1500*time.Millisecond)
	}
	row(out, "price change at the venues to the stream, p95", percentile(times, 95).Round(time.Millisecond).String(), "< 1.2 s")
	return nil
}

// pin sets what the simulated venues quote for BTC/USDT.
func pin(ctx context.Context, providers *process, price float64) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, providers.operator+"/_sim/v1/worlds/default/market/BTCUSDT",
		strings.NewReader(fmt.Sprintf(`{"pin":"%.0f"}`, price)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("pin: status %d: %s", resp.StatusCode, text)
	}
	return errors.Join(err, resp.Body.Close())
}

// goBenchmarks prints the in-process benchmarks.
func goBenchmarks(ctx context.Context, out io.Writer) error {
	for _, b := range []struct{ pkg, pattern, target string }{
		{"./core/addresses", "Cases", "≤ 1500 ns, ≤ 1 allocation"},
		{"./core/pairs", "Recompute", "100 pairs < 5 ms, 1,000 < 100 ms"},
	} {
		cmd := exec.CommandContext(ctx, "go", "test", "-run=^$", "-cpu=1", "-benchmem", "-bench=^Benchmark"+b.pattern+"$", b.pkg)
		text, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", cmd, err, text)
		}
		for line := range strings.Lines(string(text)) {
			if fields := strings.Fields(line); strings.HasPrefix(line, "Benchmark") {
				row(out, strings.TrimPrefix(fields[0], "Benchmark")+", one core", strings.Join(fields[2:], " "), b.target)
			}
		}
	}
	return nil
}

// measureFile prints how many addresses per second `causeway validate --file` checks on one core.
func measureFile(ctx context.Context, out io.Writer, binary string) error {
	const count = 1_000_000
	cases, err := os.ReadFile("core/addresses/testdata/cases.jsonl")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var list bytes.Buffer
	list.WriteString("id,currency,address\n")
	for n := 0; n < count; {
		for line := range bytes.Lines(cases) {
			var c struct{ Currency, Address string }
			if json.Unmarshal(line, &c) != nil || strings.ContainsAny(c.Address, "\",\r\n") || len(c.Address) > 512 {
				continue
			}
			fmt.Fprintf(&list, "%d,%s,%s\n", n, c.Currency, c.Address)
			n++
		}
	}
	lines := bytes.Count(list.Bytes(), []byte("\n")) - 1
	path := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(path, list.Bytes(), 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, binary, "validate", "--file", path)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 { // 1: some addresses are invalid
			return err
		}
	}
	row(out, "causeway validate --file, one core", fmt.Sprintf("%.0f lines/s", float64(lines)/time.Since(begin).Seconds()), "≥ 250,000 lines/s")
	return nil
}
