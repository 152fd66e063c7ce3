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

// measureResolve prints how long it takes to resolve an account that is in no cache: another one every 5 ms, for 10 s.
func measureResolve(out io.Writer, p *process) {
	const count = 2000
	times := make([]time.Duration, count)
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	var group sync.WaitGroup
	for n := range count {
		<-ticker.C
		group.Go(func() {
			begin := time.Now()
			request{method: http.MethodPost, path: "/v1/recipients/resolve-bank-account", body: fmt.Sprintf(
				`{"country_id":"NG","currency_id":"NGN","channel":"bank_transfer","bank_code":"001","account_number":"%07d200"}`,
				n)}.send(p.url)
			times[n] = time.Since(begin)
		})
	}
	group.Wait()
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
	row(out, "resolve, simulated provider, 200 requests/s, p50 / p99",
		fmt.Sprintf("%s / %s", round(median(times)), round(percentile(times, 99))), "< 1.5 ms / < 5 ms")
}

// measureStreams prints the CPU time of a publication to 1,000 clients of the price stream.
func measureStreams(out io.Writer, p *process) {
	const clients, during = 1000, 10 * time.Second
	alone := p.cpuRate(during)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var events atomic.Int64
	for range clients {
		go p.follow(ctx, func([]byte) { events.Add(1) })
	}
	for events.Load() < 2*clients { // so that connecting does not count
		time.Sleep(100 * time.Millisecond)
	}
	before := events.Load()
	streaming := p.cpuRate(during)
	received := events.Load() - before
	perPublication := (streaming - alone) * during.Seconds() * 1e3 * clients / float64(received)
	row(out, fmt.Sprintf("%d streams, CPU per publication", clients), fmt.Sprintf("%.1f ms", perPublication), "< 100 ms")
}

// follow reads the price stream until ctx ends and reports the data of every change.
func (p *process) follow(ctx context.Context, changed func(data []byte)) {
	req := must(http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/v1/pairs/stream", nil))
	resp := must(http.DefaultClient.Do(req))
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewReaderSize(resp.Body, 64<<10)
	for event := ""; ; {
		line, err := lines.ReadBytes('\n')
		if ctx.Err() != nil {
			return // the measurement ended the stream
		}
		check(err)
		if name, found := bytes.CutPrefix(line, []byte("event: ")); found {
			event = string(bytes.TrimSpace(name))
		}
		if data, found := bytes.CutPrefix(line, []byte("data: ")); found && event == "change" {
			changed(data)
		}
	}
}

// measurePrices prints how long a price change at the venues takes until the stream of a production
// process has it. The venues of BTC/USDT push over WebSockets, because the others
// add the time until they are polled.
func measurePrices(out io.Writer, binary string) {
	dir := must(os.MkdirTemp("", "bench"))
	defer func() { _ = os.RemoveAll(dir) }()
	catalog := must(os.ReadFile("config/catalog/pairs.yaml"))
	pushed := bytes.Replace(catalog, []byte("{pair: BTC/USDT, class: major, sources: [binance, bybit, kraken, okx]}"),
		[]byte("{pair: BTC/USDT, class: major, sources: [binance, kraken]}"), 1)
	if bytes.Equal(pushed, catalog) {
		check(errors.New("the catalog has other sources of BTC/USDT than before"))
	}
	check(os.WriteFile(filepath.Join(dir, "pairs.yaml"), pushed, 0o600))
	production, providers := startProduction(binary, "CAUSEWAY_CATALOG__DIR="+dir,
		"CAUSEWAY_BINANCE__SOCKET=true", "CAUSEWAY_KRAKEN__SOCKET=true")
	defer providers.stop()
	defer production.stop()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	prices := make(chan float64, 1000)
	go production.follow(ctx, func(data []byte) {
		var changes []struct {
			ID    string
			Price struct {
				Amount float64 `json:",string"`
			} `json:"buy_price"`
		}
		check(json.Unmarshal(data, &changes))
		for _, c := range changes {
			if c.ID == "BTCUSDT" {
				prices <- c.Price.Amount
			}
		}
	})
	last, base := 0.0, 0.0
	var times []time.Duration
	for i := range 22 {
		begin := time.Now()
		if i > 0 { // the first round only waits for a price
			request{
				method: http.MethodPut, path: "/_sim/v1/worlds/default/market/BTCUSDT",
				body: fmt.Sprintf(`{"pin":"%.0f"}`, base*(1+0.002*float64(i%2))),
			}.send(providers.operator)
		}
		for moved := false; !moved; {
			select {
			case price := <-prices:
				if moved = math.Abs(price-last) > 0.001*price; moved {
					last = price
				}
			case <-time.After(time.Minute):
				check(errors.New("a changed price was not published within a minute"))
			}
		}
		if i == 0 {
			base = math.Round(last)
		}
		if i > 1 { // the first pin ends the market's own movement
			times = append(times, time.Since(begin))
		}
		time.Sleep(1500 * time.Millisecond)
	}
	row(out, "price change at the venues to the stream, p95", percentile(times, 95).Round(time.Millisecond).String(),
		"< 1.2 s")
}

// goBenchmarks prints the in-process benchmarks.
func goBenchmarks(out io.Writer) {
	for _, b := range []struct{ pkg, pattern, target string }{
		{"./core/addresses", "Cases", "≤ 2500 ns, ≤ 1 allocation"},
		{"./core/pairs", "Recompute", "100 pairs < 5 ms, 1,000 < 100 ms"},
	} {
		cmd := exec.Command("go", "test", "-run=^$", "-cpu=1", "-benchmem", "-bench=^Benchmark"+b.pattern+"$",
			b.pkg)
		cmd.Stderr = os.Stderr
		for line := range strings.Lines(string(must(cmd.Output()))) {
			if fields := strings.Fields(line); strings.HasPrefix(line, "Benchmark") {
				row(out, strings.TrimPrefix(fields[0], "Benchmark")+", one core", strings.Join(fields[2:], " "), b.target)
			}
		}
	}
}

// measureFile prints how many addresses per second `causeway validate --file` checks on one core.
func measureFile(out io.Writer, binary string) {
	const count = 1_000_000
	cases := must(os.ReadFile("core/addresses/testdata/cases.jsonl"))
	dir := must(os.MkdirTemp("", "bench"))
	defer func() { _ = os.RemoveAll(dir) }()
	lines, list := 0, bytes.NewBufferString("id,currency,address\n")
	for lines < count {
		for line := range bytes.Lines(cases) {
			var c struct{ Currency, Address string }
			if json.Unmarshal(line, &c) != nil || strings.ContainsAny(c.Address, "\",\r\n") || len(c.Address) > 512 {
				continue
			}
			fmt.Fprintf(list, "%d,%s,%s\n", lines, c.Currency, c.Address)
			lines++
		}
	}
	path := filepath.Join(dir, "list.csv")
	check(os.WriteFile(path, list.Bytes(), 0o600))
	cmd := exec.Command(binary, "validate", "--file", path)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	begin := time.Now()
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 { // 1: some addresses are invalid
		check(err)
	}
	row(out, "causeway validate --file, one core", fmt.Sprintf("%.0f lines/s", float64(lines)/time.Since(begin).Seconds()),
		"≥ 250,000 lines/s")
}
