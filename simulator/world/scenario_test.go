package world_test

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/incidents"
	"causeway/simulator/input"
	"causeway/simulator/market"
)

func TestIncidents(t *testing.T) {
	t.Parallel()
	want := []string{
		"all-stale", "crash-25", "dai-2020", "feed-paused", "inverted-pair", "luna-2022", "provider-outage", "quota-exhausted", "two-of-four-wrong",
		"unit-error", "usde-2025",
	}
	if got := incidents.Names(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, name := range want {
		s, err := incidents.Get(name)
		if err != nil || s.Name != name || len(s.Verdicts) == 0 || len(s.Market)+len(s.Faults) == 0 || s.Lasts <= 0 {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		for _, text := range []string{s.Title, s.Source, s.What, s.Here} {
			if text == "" {
				t.Errorf("%s: a title, a source, what happened or how it is simulated is missing", name)
			}
		}
		last := input.Duration(0)
		for _, step := range s.Market {
			if step.At < last || step.At >= s.Lasts {
				t.Errorf("%s: market step at %s", name, time.Duration(step.At))
			}
			last = step.At
		}
		for _, step := range s.Faults {
			if step.At < 0 || step.At >= s.Lasts {
				t.Errorf("%s: fault at %s", name, time.Duration(step.At))
			}
		}
		for _, v := range s.Verdicts {
			if v.From < 0 || v.From > v.Until || v.Until >= s.Lasts {
				t.Errorf("%s: %+v", name, v)
			}
			for _, limit := range []string{v.Low, v.High} {
				if d, err := decimal.NewFromString(cmp.Or(limit, "1")); err != nil || !d.IsPositive() {
					t.Errorf("%s: limit %q", name, limit)
				}
			}
		}
	}
	if _, err := incidents.Get("tulips-1637"); core.CodeOf(err) != core.Invalid || !strings.Contains(err.Error(), `"tulips-1637"; accepted: all-stale, crash-25`) {
		t.Errorf("an unknown one: %v", err)
	}
}

const small = `
title: A test
source: nowhere
what: nothing
here: a pin and a fault
lasts: 1m
market:
  - {at: 10s, pairs: [BTC/USDT, ETH/USDT], jump_bps: -2500}
  - {at: 20s, pairs: [BTC/USDT], pin: "50000"}
faults:
  - {at: 30s, match: {provider: okx}, effect: {kind: zero}}
  - {at: 30s, match: {provider: kraken}, effect: {kind: reset}, when: {ttl: 5s}}
verdicts:
  - {pair: BTCUSDT, from: 15s, until: 25s, status: [fresh], reason: [""]}
`

var providers = map[string]faults.Capabilities{
	"okx":    {Operations: []string{"ticker"}, Prices: []string{"ticker"}},
	"kraken": {Operations: []string{"ticker"}, Prices: []string{"ticker"}},
}

func reference(t testing.TB, m *market.Market, pair core.Pair, at time.Time) float64 {
	t.Helper()
	p, _ := m.Reference(pair, at)
	f, err := strconv.ParseFloat(p.String(), 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func parse(t testing.TB, text string) incidents.Scenario {
	t.Helper()
	s, err := incidents.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestWorld_Play plays one and asks about its instants backwards.
func TestWorld_Play(t *testing.T) {
	t.Parallel()
	w, plain := newWorld(t, "causeway"), newWorld(t, "causeway").Market()
	if _, err := w.Play(parse(t, small), noon); err != nil {
		t.Fatal(err)
	}
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	hit := func(provider string, seconds int) bool {
		_, hit := w.Faults().Next(faults.Request{Provider: provider, Operation: "ticker"}, at(seconds))
		return hit
	}
	for _, seconds := range []int{3600, 60, 59, 35, 34, 30, 29, 20, 19, 10, 9, 0, -100} {
		bitcoin, ether := reference(t, w.Market(), pairOf("BTC/USDT"), at(seconds)), reference(t, w.Market(), pairOf("ETH/USDT"), at(seconds))
		wantBitcoin, wantEther := reference(t, plain, pairOf("BTC/USDT"), at(seconds)), reference(t, plain, pairOf("ETH/USDT"), at(seconds))
		if seconds >= 10 && seconds < 60 {
			wantEther *= 0.75
			if wantBitcoin *= 0.75; seconds >= 20 {
				wantBitcoin = 50000
			}
		}
		if math.Abs(bitcoin/wantBitcoin-1) > 1e-6 || math.Abs(ether/wantEther-1) > 1e-6 {
			t.Errorf("at %d s bitcoin is %g, want %g; ether is %g, want %g", seconds, bitcoin, wantBitcoin, ether, wantEther)
		}
		if got, want := hit("okx", seconds), seconds >= 30 && seconds < 60; got != want {
			t.Errorf("at %d s okx is hit: %t", seconds, got)
		}
		if got, want := hit("kraken", seconds), seconds >= 30 && seconds < 35; got != want {
			t.Errorf("at %d s kraken is hit: %t", seconds, got)
		}
	}
}

func TestParse_Invalid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, by, want string }{
		{"no YAML", "title: A test", "title: [", "did not find"},
		{"an unknown member", "lasts: 1m", "lasts: 1m\nlength: 2m", `unknown field "length"`},
		{"a float", `pin: "50000"`, "pin: 50000.5", "cannot unmarshal number"},
		{"a duration in words", "lasts: 1m", "lasts: long", "is not a duration"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(small, c.old, c.by, 1)
			if _, err := incidents.Parse([]byte(text)); text == small || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want it to say %q", err, c.want)
			}
		})
	}
}

// TestWorld_PlayInvalid names what is wrong.
func TestWorld_PlayInvalid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, by, want string }{
		{"an unknown pair", "pairs: [BTC/USDT], pin", "pairs: [BTC/XYZ], pin", `pair "BTC/XYZ"`},
		{"an unknown provider", "{provider: kraken}", "{provider: mtgox}", "match.provider"},
		{"a setting that is none", `pin: "50000"`, `pin: "5"`, "pin 5; accepted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "causeway")
			_, err := w.Play(parse(t, strings.Replace(small, c.old, c.by, 1)), noon)
			if core.CodeOf(err) != core.Invalid || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want it to say %q", err, c.want)
			}
			if len(w.Faults().List()) != 0 || len(w.Market().Settings(noon.Add(15*time.Second))) != 0 {
				t.Errorf("it is played in parts: %v", w.Faults().List())
			}
		})
	}
}
