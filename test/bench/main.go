// Command bench prints the table of performance: what a request costs Causeway in CPU, next to what it costs a bare
// net/http handler that writes the same bytes, both measured in turns in one run. Ratios hold between machines, absolute
// figures do not, so only ratios are judged.
//
// It starts bin/causeway and the bare server as processes of their own, one core each at the most, and reads the CPU
// time that the kernel counted for them.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"text/tabwriter"
	"time"
)

func main() {
	bare := flag.String("bare", "", "serve as the bare reference: JSON of the answers to give (internal)")
	binary := flag.String("binary", "bin/causeway", "the binary to measure")
	round := flag.Duration("round", 400*time.Millisecond, "length of one round")
	rounds := flag.Int("rounds", 15, "rounds of each, in turns; the medians count")
	floor := flag.Float64("floor", 0, "fail where a ratio is below this; 0 never fails")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	if *bare != "" {
		err = serveBare(ctx, *bare)
	} else {
		err = run(ctx, *binary, *round, *rounds, *floor)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary string, round time.Duration, rounds int, floor float64) error {
	causeway, err := startCauseway(ctx, binary)
	if err != nil {
		return err
	}
	defer causeway.stop()
	reference, err := startBare(ctx, causeway.url)
	if err != nil {
		return err
	}
	defer reference.stop()

	idle := causeway.resident()
	results, err := measureAll(ctx, causeway, reference, round, rounds)
	if err != nil {
		return err
	}
	loaded := causeway.resident()
	resolve, err := resolveLatency(ctx, causeway.url)
	if err != nil {
		return err
	}
	size, err := os.Stat(binary)
	if err != nil {
		return err
	}

	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "request\tcauseway CPU µs\tbare CPU µs\tbare ÷ causeway\ttarget")
	var faults []error
	for _, r := range results {
		fmt.Fprintf(out, "%s\t%.1f\t%.1f\t%.2f\t%s\n", r.name, r.ours, r.bare, r.ratio, r.target)
		if r.ratio < floor {
			faults = append(faults, fmt.Errorf("%s: ratio %.2f is below %.2f", r.name, r.ratio, floor))
		}
	}
	fmt.Fprintf(out, "\nPOST resolve-bank-account, simulated upstream, p50\t%s\t\t\t< 1 ms\n", resolve.Round(time.Microsecond))
	fmt.Fprintf(out, "start to first 200\t%s\t\t\t< 100 ms\n", causeway.started.Round(time.Millisecond))
	fmt.Fprintf(out, "resident, idle / after load\t%.0f / %.0f MiB\t\t\t< 40 / < 80 MiB\n", mib(idle), mib(loaded))
	fmt.Fprintf(out, "size of the stripped binary\t%.1f MB\t\t\t< 30 MB\n", float64(size.Size())/1e6)
	faults = append(faults, benchPrices(ctx, out), benchStreams(ctx, out, causeway), benchAddresses(ctx, out, causeway.url, binary))
	return errors.Join(append(faults, out.Flush())...)
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// result is the median CPU time of one request, in microseconds, and the median of the ratios of neighbouring rounds.
type result struct {
	name, target      string
	ours, bare, ratio float64
}

func measureAll(ctx context.Context, causeway, reference *server, round time.Duration, rounds int) ([]result, error) {
	results := make([]result, 0, len(cases))
	for _, c := range cases {
		request, err := c.request(ctx, causeway.url)
		if err != nil {
			return nil, err
		}
		var ours, bare []float64
		for range rounds {
			for _, turn := range []struct {
				server *server
				into   *[]float64
			}{{causeway, &ours}, {reference, &bare}} {
				cost, err := turn.server.cost(ctx, request, round)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", c.name, err)
				}
				*turn.into = append(*turn.into, cost)
			}
		}
		ratios := make([]float64, rounds)
		for i := range ratios {
			ratios[i] = bare[i] / ours[i]
		}
		results = append(results, result{c.name, c.target, median(ours), median(bare), median(ratios)})
	}
	return results, nil
}

func median[T cmp.Ordered](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}
