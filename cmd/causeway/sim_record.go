package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"causeway/cmd/causeway/app"
	"causeway/cmd/causeway/cli/sim"
	"causeway/config"
	"causeway/core"
	"causeway/ports"
	"causeway/simulator"
	"causeway/simulator/wire"
)

// run asks the sources until the time is over, and writes what they answer.
func record(ctx context.Context, r sim.Recording, cfg config.Config, log *zap.Logger, out io.Writer) error {
	if r.Lasts <= 0 || r.Every < time.Second {
		return errors.New("--for is not above zero, or --every is below 1s")
	}
	cfg.Kraken.Socket, cfg.Binance.Socket = false, false // a tape has answers
	catalog, err := cfg.LoadCatalog()
	if err != nil {
		return err
	}
	env, cfg, err := app.EnvironmentFor(cfg, catalog)
	if err != nil {
		return err
	}
	tape := &taping{out: out, RoundTripper: env.Transport, clock: env.Clock, began: env.Clock()}
	env.Transport = tape
	services, err := app.NewWorldServices(cfg, catalog, env, app.Shared{Log: log})
	if err != nil {
		return err
	}
	all := services.Providers
	for _, name := range r.Sources {
		if !slices.ContainsFunc(all.Sources, func(s ports.RateSource) bool { return s.Name() == name }) {
			return fmt.Errorf("%q is no source of prices; accepted: %s", name, sourceNames(all.Sources))
		}
	}
	log.Info("recording", zap.Time("recorded", tape.began), zap.Duration("for", r.Lasts))
	ctx, end := context.WithTimeout(ctx, r.Lasts)
	defer end()
	tape.full = end
	var asking sync.WaitGroup
	for _, source := range all.Sources {
		if name := source.Name(); slices.Contains(r.Sources, name) {
			interval := app.FitLimits([]core.Source{{Name: name, Interval: r.Every}}, catalog.Markets, all.Sources, log)[0].Interval
			asking.Go(func() { askOften(ctx, source, marketsOf(catalog, name), interval) })
		}
	}
	asking.Wait()
	return tape.err()
}

func sourceNames(sources []ports.RateSource) string {
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = s.Name()
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// marketsOf are those that a source is asked for.
func marketsOf(catalog config.Catalog, source string) []core.Pair {
	var out []core.Pair
	for _, m := range catalog.Markets {
		if slices.Contains(m.Sources, source) {
			out = append(out, m.Pair)
		}
	}
	return out
}

// askOften asks a source at an interval until ctx ends. What comes of it is on the tape, failures too.
func askOften(ctx context.Context, source ports.RateSource, markets []core.Pair, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		_, _ = source.Observe(ctx, markets)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// mostTaped are the bytes of lines that are recorded: about what a tape may have.
const mostTaped = 1 << 20

// taping is a transport that writes down what providers of prices answer.
type taping struct {
	http.RoundTripper

	clock core.Clock
	began time.Time
	full  context.CancelFunc

	mu      sync.Mutex
	out     io.Writer
	lines   int
	written int
	failure error
}

// RoundTrip asks, and writes down the answer.
func (t *taping) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(r)
	provider, asked := tapedQuestion(r)
	if provider == "" || err != nil && r.Context().Err() != nil {
		return resp, err
	}
	e := simulator.TapeEntry{Provider: provider, Path: asked}
	if err != nil {
		t.write(e, nil, nil)
		return resp, err
	}
	body, readErr := io.ReadAll(io.LimitReader(resp.Body, mostTaped))
	resp.Body = rest{io.MultiReader(bytes.NewReader(body), resp.Body), resp.Body}
	if readErr == nil && resp.StatusCode != http.StatusNotModified { // which says nothing new
		e.Status = resp.StatusCode
		t.write(e, resp.Header, body)
	}
	return resp, nil
}

// rest is a body of which a part was read already.
type rest struct {
	io.Reader
	io.Closer
}

// tapedQuestion is whom a request asks for prices, and the path of that below where the provider is; empty for any other request.
func tapedQuestion(r *http.Request) (provider, asked string) {
	if r.Method != http.MethodGet {
		return "", ""
	}
	parts := strings.Split(r.URL.Path, "/")
	for name, o := range wire.Offers() {
		for _, pattern := range o.Taped {
			n := strings.Count(pattern, "/")
			if len(parts) <= n || n < strings.Count(asked, "/") {
				continue
			}
			tail := "/" + strings.Join(parts[len(parts)-n:], "/")
			if matched, err := path.Match(pattern, tail); matched && err == nil && len(tail) > len(asked) {
				provider, asked = name, tail
			}
		}
	}
	return provider, asked
}

// write puts an answer on the tape, as of now.
func (t *taping) write(e simulator.TapeEntry, header http.Header, body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failure != nil {
		return
	}
	e.At = simulator.Duration(t.clock().Sub(t.began).Truncate(time.Millisecond))
	e, err := simulator.RecordTape(e, header, body, wire.Offers())
	if err != nil {
		t.failure = fmt.Errorf("an answer of %s cannot be on a tape: %w", e.Provider, err)
		t.full()
		return
	}
	line, err := json.Marshal(e)
	if err == nil && t.written+len(line) > mostTaped {
		err = fmt.Errorf("the tape is full after %d answers; name fewer sources, or ask less often with --every", t.lines)
	}
	if err == nil {
		_, err = t.out.Write(append(line, '\n'))
	}
	if t.lines, t.written = t.lines+1, t.written+len(line); err != nil {
		t.failure = err
		t.full()
	}
}

func (t *taping) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failure == nil && t.lines == 0 {
		return errors.New("nobody answered, not even by breaking the connection")
	}
	return t.failure
}
