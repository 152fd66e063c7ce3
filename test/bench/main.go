// Command bench measures a built causeway binary and prints its figures beside their targets.
//
// The cost of a request is CPU time, read from the kernel, as a ratio to a bare net/http handler that writes the same
// bytes. The two servers run as processes of their own and are measured in alternating rounds, so that the ratio holds
// on other machines although the absolute figures do not.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *bare != "" {
		err = serveBare(*bare)
	} else {
		err = run(ctx, *binary, *round, *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // the process ends; stop has nothing left to release
	}
}

func run(ctx context.Context, binary string, round time.Duration, rounds int) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	starts, err := startTimes(ctx, binary)
	if err != nil {
		return err
	}
	production, providers, err := startProduction(ctx, binary)
	if err != nil {
		return err
	}
	defer providers.stop()
	defer production.stop()
	sandbox, err := startSandbox(ctx, binary, 1)
	if err != nil {
		return err
	}
	defer sandbox.stop()
	sleep(ctx, settleTime)
	idle := [...]float64{production.residentMiB(), sandbox.residentMiB()}
	if err := compareRequests(ctx, out, production, round, rounds); err != nil {
		return err
	}
	p50, p99, err := resolveLatency(ctx, sandbox)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nmeasurement\tfigure\ttarget\n")
	fmt.Fprintf(out, "resolve, simulated provider, 200 requests/s, p50 / p99\t%s / %s\t< 1 ms / < 5 ms\n", p50, p99)
	fmt.Fprintf(out, "start to first 200, sandbox, median of %d\t%s\t< 500 ms\n", len(starts), median(starts).Round(time.Millisecond))
	fmt.Fprintf(out, "resident idle, production / sandbox\t%.0f / %.0f MiB\t< 100 MiB\n", idle[0], idle[1])
	fmt.Fprintf(out, "resident after load, production / sandbox\t%.0f / %.0f MiB\t< 200 MiB\n",
		production.residentMiB(), sandbox.residentMiB())
	size, err := os.Stat(binary)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "size of the binary\t%.1f MB\t< 60 MB\n", float64(size.Size())/1e6)
	return errors.Join(measureStreams(ctx, out, sandbox), measurePrices(ctx, out, production, providers),
		goBenchmarks(ctx, out), measureFile(ctx, out, binary), out.Flush())
}

// startTimes returns how long the sandbox took from exec to its first response, for several starts.
func startTimes(ctx context.Context, binary string) ([]time.Duration, error) {
	var times []time.Duration
	for range 5 {
		s, err := startSandbox(ctx, binary, 2)
		if err != nil {
			return nil, err
		}
		times = append(times, s.started)
		s.stop()
	}
	return times, nil
}

func median[T cmp.Ordered](values []T) T { return percentile(values, 50) }

func percentile[T cmp.Ordered](values []T, p int) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// row prints one line of the table.
func row(out io.Writer, name, figure, target string) {
	fmt.Fprintf(out, "%s\t%s\t%s\n", name, figure, target)
}
