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

// settleAfter is how long a process has for what a start leaves to do: it is idle then.
const settleAfter = 10 * time.Second

func run(ctx context.Context, binary string, round time.Duration, rounds int, floor float64) error {
	started, err := startTime(ctx, binary)
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
	if err := sleep(ctx, settleAfter); err != nil {
		return err
	}
	idle := sandbox.resident()
	field, end, err := newField(ctx, production, sandbox)
	if err != nil {
		return err
	}
	defer end()
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	faults := []error{field.measure(ctx, out, round, rounds, floor)}
	loaded := sandbox.resident()
	resolve, err := resolveLatency(ctx, sandbox.url)
	if err != nil {
		return err
	}
	size, err := os.Stat(binary)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nPOST resolve-bank-account, sandbox, p50\t%s\t\t\t< 1 ms\n", resolve.Round(time.Microsecond))
	fmt.Fprintf(out, "start to first 200, sandbox, two cores\t%s\t\t\t< 100 ms\n", started.Round(time.Millisecond))
	fmt.Fprintf(out, "resident, sandbox, idle / after load\t%.0f / %.0f MiB\t\t\t< 40 / < 80 MiB\n", mib(idle), mib(loaded))
	fmt.Fprintf(out, "size of the stripped binary\t%.1f MB\t\t\t< 30 MB\n", float64(size.Size())/1e6)
	faults = append(faults, benchPrices(ctx, out), benchStreams(ctx, out, sandbox), benchAddresses(ctx, out, sandbox.url, binary))
	return errors.Join(append(faults, out.Flush())...)
}

// startTime is the median of several starts of the sandbox, up to the first answer.
func startTime(ctx context.Context, binary string) (time.Duration, error) {
	const starts, cores = 5, 2
	took := make([]time.Duration, 0, starts)
	for range starts {
		s, err := startSandbox(ctx, binary, cores)
		if err != nil {
			return 0, err
		}
		took = append(took, s.started)
		s.stop()
	}
	return median(took), nil
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

func median[T cmp.Ordered](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}
