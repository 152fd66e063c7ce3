package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// priceTargets are what single figures of the price engine and of its edge should stay below.
var priceTargets = map[string]string{
	"Recompute/100/direct": "< 1 ms", "Recompute/100/half_crossed": "< 1 ms",
	"Recompute/10000/direct": "< 50 ms", "Recompute/10000/half_crossed": "< 50 ms",
}

// benchPrices prints what prices cost in process: making them, getting them ready for readers, and picking some of them, which is to cost
// the same in a large book as in a small one.
func benchPrices(ctx context.Context, out io.Writer) error {
	fmt.Fprintln(out, "\nprices, in process, one core, 10 sources a market\tper operation\tallocations\t\ttarget")
	for _, b := range []struct{ pkg, pattern, time string }{{"core/pairs", "Recompute", "1s"}, {"adapters/httpapi", "Publication", "500ms"}} {
		rows, err := goBenchmarks(ctx, b.pkg, b.pattern, "-benchtime="+b.time, "-count=3")
		if err != nil {
			return err
		}
		for _, r := range rows {
			fmt.Fprintf(out, "%s pairs\t%s\t%d\t\t%s\n", strings.ReplaceAll(r.name, "/", ", "), nanoseconds(r.ns), r.allocations, priceTargets[r.name])
		}
	}
	rows, err := goBenchmarks(ctx, "adapters/httpapi", "Filter", "-benchtime=50ms", "-count=3")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "\nthe same three pairs of a book of\t100\t1,000\t10,000\ttarget")
	for _, name := range filterNames(rows) {
		fmt.Fprint(out, name)
		for _, r := range rows {
			if strings.HasPrefix(r.name, "Filter/"+name+"/") {
				fmt.Fprintf(out, "\t%s, %d", nanoseconds(r.ns), r.allocations)
			}
		}
		fmt.Fprintln(out, "\tflat")
	}
	return nil
}

// filterNames are the kinds of filters that were measured, in their order.
func filterNames(rows []timing) []string {
	var names []string
	for _, r := range rows {
		const kind = 1 // Filter/kind/size
		if name := strings.Split(r.name, "/")[kind]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// nanoseconds writes a duration with three digits or so.
func nanoseconds(ns float64) string {
	d := time.Duration(ns)
	switch {
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	case d >= time.Microsecond:
		return d.Round(10 * time.Nanosecond).String()
	default:
		return d.String()
	}
}
