// Command bench measures a built causeway binary and prints its figures next to their targets.
//
// The cost of a request is CPU time, read from the kernel, as a ratio to a bare net/http handler that writes the same
// bytes. The two servers run as processes of their own and are measured in alternating rounds, so that the ratio holds
// on other machines although the absolute figures do not.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"
)

// settleTime is how long a process gets after its start until it counts as idle.
const settleTime = 10 * time.Second

func main() {
	bare := flag.String("bare", "", "serve the responses recorded in this file (used by the program itself)")
	binary := flag.String("binary", "bin/causeway", "binary to measure")
	round := flag.Duration("round", 400*time.Millisecond, "length of one round of requests")
	rounds := flag.Int("rounds", 15, "rounds per server; the median counts")
	flag.Parse()
	if *bare != "" {
		check(serveBare(*bare))
	}
	run(*binary, *round, *rounds)
}

// check ends the program, and the processes that it started, if err is not nil.
func check(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "bench:", err)
	for _, cmd := range started {
		_ = cmd.Process.Kill()
	}
	os.Exit(1)
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func run(binary string, round time.Duration, rounds int) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	starts := startTimes(binary)
	production, providers := startProduction(binary)
	time.Sleep(settleTime)
	productionIdle := production.residentMiB()
	compareRequests(out, production, "production", round, rounds)
	productionLoaded := production.residentMiB()
	production.stop()
	providers.stop()
	sandbox := startSandbox(binary, 1)
	compareRequests(out, sandbox, "sandbox", round, rounds)
	sandbox.stop()
	fmt.Fprintf(out, "\nmeasurement\tfigure\ttarget\n")
	measurePrices(out, binary)

	sandbox = startSandbox(binary, 1) // alone on the machine: its latency is measured
	time.Sleep(settleTime)
	sandboxIdle := sandbox.residentMiB()
	measureResolve(out, sandbox)
	measureStreams(out, sandbox)
	row(out, "start to first 200, sandbox", median(starts).Round(time.Millisecond).String(), "< 500 ms")
	row(out, "resident idle, production / sandbox",
		fmt.Sprintf("%.0f / %.0f MiB", productionIdle, sandboxIdle), "< 100 MiB")
	row(out, "resident after load, production / sandbox",
		fmt.Sprintf("%.0f / %.0f MiB", productionLoaded, sandbox.residentMiB()), "< 200 MiB")
	sandbox.stop()
	size := must(os.Stat(binary))
	row(out, "size of the binary", fmt.Sprintf("%.1f MB", float64(size.Size())/1e6), "< 60 MB")
	goBenchmarks(out)
	measureFile(out, binary)
	check(out.Flush())
}

// startTimes returns how long the sandbox took from exec to its first response, for several starts.
func startTimes(binary string) []time.Duration {
	var times []time.Duration
	for range 5 {
		s := startSandbox(binary, 2)
		times = append(times, s.started)
		s.stop()
	}
	return times
}

func median[T cmp.Ordered](values []T) T { return percentile(values, 50) }

func percentile[T cmp.Ordered](values []T, p int) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}

// row prints one line of the table.
func row(out io.Writer, name, figure, target string) {
	fmt.Fprintf(out, "%s\t%s\t%s\n", name, figure, target)
}
