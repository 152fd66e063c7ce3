package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// timing is the fastest run of one Go benchmark: what else the machine does only ever adds.
type timing struct {
	name        string
	ns          float64
	allocations int
}

// goBenchmarks runs benchmarks of a package on one core, in their order.
func goBenchmarks(ctx context.Context, pkg, pattern string, flags ...string) ([]timing, error) {
	args := slices.Concat([]string{"test", "-run=^$", "-cpu=1", "-benchmem", "-bench=^Benchmark(" + pattern + ")$"}, flags, []string{"./" + pkg})
	text, err := exec.CommandContext(ctx, "go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("go test -bench: %w\n%s", err, text)
	}
	var names []string
	runs := map[string][]timing{}
	for line := range strings.Lines(string(text)) {
		t, ok := readTiming(line)
		if !ok {
			continue
		}
		if runs[t.name] == nil {
			names = append(names, t.name)
		}
		runs[t.name] = append(runs[t.name], t)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("go test -bench printed no figures of %s", pattern)
	}
	out := make([]timing, 0, len(names))
	for _, name := range names {
		out = append(out, slices.MinFunc(runs[name], func(a, b timing) int { return cmp.Compare(a.ns, b.ns) }))
	}
	return out, nil
}

// readTiming reads "BenchmarkX/y 100 12.5 ns/op 3 other/unit 64 B/op 2 allocs/op"; false for any other line.
func readTiming(line string) (timing, bool) {
	fields := strings.Fields(line)
	const measured = 4 // name, times, value, unit
	if len(fields) < measured || !strings.HasPrefix(fields[0], "Benchmark") {
		return timing{}, false
	}
	t := timing{name: strings.TrimPrefix(fields[0], "Benchmark")}
	var err error
	for i := 2; i+1 < len(fields); i += 2 {
		var failed error
		switch fields[i+1] {
		case "ns/op":
			t.ns, failed = strconv.ParseFloat(fields[i], 64)
		case "allocs/op":
			t.allocations, failed = strconv.Atoi(fields[i])
		}
		err = errors.Join(err, failed)
	}
	return t, err == nil && t.ns > 0
}
