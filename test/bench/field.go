package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// pair is a Causeway and the bare server that gives its answers.
type pair struct{ causeway, bare *server }

// field is who runs against whom: production, which is judged; the sandbox, which says more in its headers and writes a journal; nginx, where it is.
type field struct {
	production, sandbox pair
	nginx               *server
}

// newField starts the references of both.
func newField(ctx context.Context, production, sandbox *server) (f *field, end func(), err error) {
	var ends []func()
	end = func() {
		for _, e := range ends {
			e()
		}
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	reference := func(causeway *server) (pair, map[string]recorded, error) {
		answers, err := record(ctx, causeway.url)
		if err != nil {
			return pair{}, nil, err
		}
		bare, err := startBare(ctx, answers)
		if err != nil {
			return pair{}, nil, err
		}
		ends = append(ends, bare.stop)
		return pair{causeway, bare}, answers, nil
	}
	f = &field{}
	if f.sandbox, _, err = reference(sandbox); err != nil {
		return nil, nil, err
	}
	var answers map[string]recorded
	if f.production, answers, err = reference(production); err != nil {
		return nil, nil, err
	}
	nginx, clean, err := startNginx(ctx, answers)
	ends = append(ends, clean)
	if err != nil {
		return nil, nil, err
	}
	if f.nginx = nginx; nginx != nil {
		ends = append(ends, nginx.stop)
	}
	return f, end, errors.Join(production.settle(ctx, settleFor), sandbox.settle(ctx, settleFor))
}

// measure prints what each of the cases costs. It fails where a ratio of production is below floor.
func (f *field) measure(ctx context.Context, out io.Writer, round time.Duration, rounds int, floor float64) error {
	fmt.Fprintf(out, "CPU a second without requests, which is taken off: production %.1f ms, sandbox %.1f ms\n", f.production.causeway.rest*1e3, f.sandbox.causeway.rest*1e3)
	fmt.Fprintln(out, "request, CPU µs\tproduction\tbare\tbare ÷ it\ttarget\tsandbox\tbare\tbare ÷ it\tnginx")
	var faults []error
	for _, c := range cases {
		made, err := f.production.compare(ctx, c, round, rounds)
		if err != nil {
			return err
		}
		simulated, err := f.sandbox.compare(ctx, c, round, rounds)
		if err != nil {
			return err
		}
		static := "–"
		if f.nginx != nil && c.path == pairsPath {
			cost, err := f.static(ctx, c, round, rounds)
			if err != nil {
				return err
			}
			static = fmt.Sprintf("%.1f", cost)
		}
		fmt.Fprintf(out, "%s\t%.1f\t%.1f\t%.2f\t%s\t%.1f\t%.1f\t%.2f\t%s\n", c.name, made.ours, made.bare, made.ratio, c.target,
			simulated.ours, simulated.bare, simulated.ratio, static)
		if made.ratio < floor {
			faults = append(faults, fmt.Errorf("%s: ratio %.2f is below %.2f", c.name, made.ratio, floor))
		}
	}
	return errors.Join(faults...)
}

// result is the median CPU time of one request, in microseconds, and the median of the ratios of neighbouring rounds.
type result struct{ ours, bare, ratio float64 }

// compare measures one case in turns.
func (p pair) compare(ctx context.Context, c benchCase, round time.Duration, rounds int) (result, error) {
	request, err := c.request(ctx, p.causeway.url)
	if err != nil {
		return result{}, err
	}
	ours, bare, ratios := make([]float64, rounds), make([]float64, rounds), make([]float64, rounds)
	for i := range rounds {
		if ours[i], err = p.causeway.cost(ctx, request, round); err == nil {
			bare[i], err = p.bare.cost(ctx, request, round)
		}
		if err != nil {
			return result{}, fmt.Errorf("%s: %w", c.name, err)
		}
		ratios[i] = bare[i] / ours[i]
	}
	return result{median(ours), median(bare), median(ratios)}, nil
}

// static is what nginx needs for one case.
func (f *field) static(ctx context.Context, c benchCase, round time.Duration, rounds int) (float64, error) {
	request, err := c.request(ctx, f.nginx.url)
	if err != nil {
		return 0, err
	}
	costs := make([]float64, rounds)
	for i := range costs {
		if costs[i], err = f.nginx.cost(ctx, request, round); err != nil {
			return 0, fmt.Errorf("nginx, %s: %w", c.name, err)
		}
	}
	return median(costs), nil
}
