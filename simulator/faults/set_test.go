package faults_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/input"
	"causeway/simulator/seed"
)

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// venueOf returns the faults of a world with two providers of prices and one of accounts.
func venueOf(t testing.TB, name string) *faults.Set {
	t.Helper()
	return faults.NewSet(seed.Hash(name), map[string]faults.Capabilities{
		"kraken":   {Operations: []string{"ticker", "time"}, Prices: []string{"ticker"}},
		"okx":      {Operations: []string{"tickers", "time"}, Prices: []string{"tickers"}, Times: true, Counted: true},
		"paystack": {Operations: []string{"banks", "resolve"}, Members: []string{"resolve"}},
	})
}

func add(t testing.TB, f *faults.Set, r faults.Rule) string {
	t.Helper()
	id, err := f.Add(r, noon)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// pattern asks a provider n times and marks the hits.
func pattern(f *faults.Set, provider, operation string, n int) string {
	var out strings.Builder
	for range n {
		mark := "."
		if _, hit := f.Next(faults.Request{Provider: provider, Operation: operation, Header: http.Header{"X-Test": {"1"}}}, noon); hit {
			mark = "x"
		}
		out.WriteString(mark)
	}
	return out.String()
}

func TestSet_Selection(t *testing.T) {
	t.Parallel()
	reset := faults.Effect{Kind: faults.Reset}
	for _, c := range []struct {
		name string
		rule faults.Rule
		want string // of eight tickers of kraken
	}{
		{"all of them", faults.Rule{}, "xxxxxxxx"},
		{"a provider", faults.Rule{Match: faults.Match{Provider: "kraken"}}, "xxxxxxxx"},
		{"another provider", faults.Rule{Match: faults.Match{Provider: "okx"}}, "........"},
		{"an operation", faults.Rule{Match: faults.Match{Operation: "ticker"}}, "xxxxxxxx"},
		{"another operation", faults.Rule{Match: faults.Match{Operation: "time"}}, "........"},
		{"a header", faults.Rule{Match: faults.Match{Header: map[string]string{"x-test": "1"}}}, "xxxxxxxx"},
		{"another header", faults.Rule{Match: faults.Match{Header: map[string]string{"x-test": "2"}}}, "........"},
		{"the third", faults.Rule{Match: faults.Match{Nth: 3}}, "..x....."},
		{"after two", faults.Rule{When: faults.When{After: 2}}, "..xxxxxx"},
		{"every third after one", faults.Rule{When: faults.When{After: 1, Every: 3}}, ".x..x..x"},
		{"two hits", faults.Rule{When: faults.When{MaxHits: 2}}, "xx......"},
		{"two hits of every second", faults.Rule{When: faults.When{Every: 2, MaxHits: 2}}, "x.x....."},
		{"never", faults.Rule{When: faults.When{Probability: "0"}}, "........"},
		{"0.0", faults.Rule{When: faults.When{Probability: "0.0"}}, "........"},
		{"always", faults.Rule{When: faults.When{Probability: "1"}}, "xxxxxxxx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := venueOf(t, "causeway")
			c.rule.Effect = reset
			id := add(t, f, c.rule)
			if got := pattern(f, "kraken", "ticker", 8); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			report := f.List()[0]
			if hits := uint64(strings.Count(c.want, "x")); report.ID != id || report.Hits != hits || report.HitProvider["kraken"] != hits {
				t.Errorf("it reports %+v", report)
			}
		})
	}
}

func TestSet_Reproducible(t *testing.T) {
	t.Parallel()
	half := faults.Rule{Effect: faults.Effect{Kind: faults.Reset}, When: faults.When{Probability: "0.3"}}
	draw := func(seed string, rules int, provider string) string {
		f := venueOf(t, seed)
		for range rules {
			add(t, f, half)
		}
		if provider == "kraken" { // other requests in between
			pattern(f, "okx", "tickers", 77)
		}
		return pattern(f, provider, "time", 2000)
	}
	first := draw("a", 1, "kraken")
	if again := draw("a", 1, "kraken"); again != first {
		t.Error("two worlds of one seed draw differently")
	}
	for what, other := range map[string]string{"another seed": draw("b", 1, "kraken"), "another provider": draw("a", 1, "okx"), "two rules": draw("a", 2, "kraken")} {
		if other == first {
			t.Errorf("%s draws the same", what)
		}
	}
	if n := strings.Count(first, "x"); n < 520 || n > 680 {
		t.Errorf("of 2000 questions %d are hit, want about 600", n)
	}
}

func TestSet_FirstRuleWins(t *testing.T) {
	t.Parallel()
	f := venueOf(t, "causeway")
	first := add(t, f, faults.Rule{Effect: faults.Effect{Kind: faults.Reset}, When: faults.When{Every: 2}})
	second := add(t, f, faults.Rule{Effect: faults.Effect{Kind: faults.Hang}, Phase: faults.After})
	var got []string
	for range 4 {
		hit, _ := f.Next(faults.Request{Provider: "kraken"}, noon)
		got = append(got, hit.Fault+" "+string(hit.Effect.Kind)+" "+string(hit.Phase))
	}
	if want := []string{first + " reset ", second + " hang after", first + " reset ", second + " hang after"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := f.Remove(first); err != nil {
		t.Fatal(err)
	}
	if hit, _ := f.Next(faults.Request{Provider: "kraken"}, noon); hit.Fault != second {
		t.Errorf("then %q", hit.Fault)
	}
	if err := f.Remove(first); core.CodeOf(err) != core.NotFound {
		t.Errorf("removing it again: %v", err)
	}
	if f.Reset(); len(f.List()) != 0 || strings.Contains(pattern(f, "kraken", "", 3), "x") {
		t.Error("after a reset there are faults")
	}
}

func TestSet_TTL(t *testing.T) {
	t.Parallel()
	f := venueOf(t, "causeway")
	add(t, f, faults.Rule{Effect: faults.Effect{Kind: faults.Reset}, When: faults.When{TTL: input.Duration(time.Minute)}})
	for after, want := range map[time.Duration]bool{-1: false, 0: true, time.Minute - 1: true, time.Minute: false, time.Hour: false} {
		if _, hit := f.Next(faults.Request{Provider: "kraken"}, noon.Add(after)); hit != want {
			t.Errorf("after %s: %t", after, hit)
		}
	}
	for range 1000 { // what is over makes room
		if _, err := f.Add(faults.Rule{Effect: faults.Effect{Kind: faults.Reset}}, noon.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Add(faults.Rule{Effect: faults.Effect{Kind: faults.Reset}}, noon.Add(time.Hour)); core.CodeOf(err) != core.Invalid {
		t.Errorf("rule 1001: %v", err)
	}
}

func TestSet_Capabilities(t *testing.T) {
	t.Parallel()
	for kind, want := range map[faults.Kind][]string{
		faults.Inverted:         {"kraken", "okx"},
		faults.StaleTimestamp:   {"okx"},
		faults.SecondsForMillis: {"okx"},
		faults.MissingField:     {"kraken", "okx", "paystack"},
		faults.HTML:             {"kraken", "okx", "paystack"},
	} {
		f := venueOf(t, "causeway")
		add(t, f, faults.Rule{Effect: faults.Effect{Kind: kind}})
		for provider, operation := range map[string]string{"kraken": "ticker", "okx": "tickers", "paystack": "resolve"} {
			if other := map[string]string{"kraken": "time", "okx": "time", "paystack": "banks"}[provider]; kind != faults.HTML && pattern(f, provider, other, 1) == "x" {
				t.Errorf("%s befalls %s of %s", kind, other, provider)
			}
			if hit := pattern(f, provider, operation, 1) == "x"; hit != slices.Contains(want, provider) {
				t.Errorf("%s befalls %s: %t", kind, provider, hit)
			}
		}
	}
	f := venueOf(t, "causeway")
	add(t, f, faults.Rule{Effect: faults.Effect{Kind: faults.Zero}})
	if _, hit := f.Next(faults.Request{Provider: "okx", Header: http.Header{"Upgrade": {"websocket"}}}, noon); hit {
		t.Error("an effect on answers befalls a handshake")
	}
}

func TestSet_InvalidRules(t *testing.T) {
	t.Parallel()
	f := venueOf(t, "causeway")
	for _, c := range []struct{ name, rule, want string }{
		{"no kind", `{}`, `effect.kind ""; accepted: changed_type, comma_decimal, delay, dribble`},
		{"an unknown provider", `{"match":{"provider":"mtgox"},"effect":{"kind":"reset"}}`, `match.provider "mtgox"; accepted: kraken, okx, paystack`},
		{"an unknown operation", `{"match":{"provider":"okx","operation":"ticker"},"effect":{"kind":"reset"}}`, `match.operation "ticker"; accepted: tickers, time`},
		{"an operation of nobody", `{"match":{"operation":"x"},"effect":{"kind":"reset"}}`, `match.operation "x"; accepted: banks, resolve, ticker, tickers, time`},
		{"an effect that does not fit", `{"match":{"provider":"kraken"},"effect":{"kind":"stale_timestamp"}}`, "effect.kind stale_timestamp, which fits no response that matches; accepted: changed_type, comma_decimal"},
		{"an effect that does not fit an operation", `{"match":{"provider":"paystack","operation":"banks"},"effect":{"kind":"missing_field"}}`, "effect.kind missing_field, which fits no response that matches; accepted: dribble"},
		{"an effect that fits an operation nowhere", `{"match":{"operation":"time"},"effect":{"kind":"times_10"}}`, "effect.kind times, which fits no response that matches; accepted: dribble"},
		{"nobody connects, and does the work", `{"effect":{"kind":"refuse"},"phase":"after"}`, "phase after; accepted: before"},
		{"no status", `{"effect":{"kind":"status"}}`, "effect.status is missing; accepted: 400 to 599"},
		{"half a second", `{"effect":{"kind":"status","status":429,"retry_after":"500ms"}}`, "effect.retry_after 500ms; accepted: whole seconds"},
		{"a field of another kind", `{"effect":{"kind":"reset","status":500}}`, "effect.status 500; accepted: nothing: reset does not take it"},
		{"no latency", `{"effect":{"kind":"latency"}}`, "effect.ms is missing; accepted: 1 to 600000"},
		{"a fixed latency with a most", `{"effect":{"kind":"latency","ms":5,"max_ms":7}}`, "effect.max_ms 7; accepted: ms or more if"},
		{"a drawn latency without a most", `{"effect":{"kind":"latency","ms":5,"distribution":"uniform"}}`, "effect.max_ms 0; accepted: ms or more if"},
		{"no factor", `{"effect":{"kind":"times"}}`, "effect.factor 0; accepted: a power of ten"},
		{"a factor that is no power of ten", `{"effect":{"kind":"times","factor":20}}`, "effect.factor 20; accepted: a power of ten"},
		{"a short form that is no power of ten", `{"effect":{"kind":"times_7"}}`, "effect.factor 7; accepted: a power of ten"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r faults.Rule
			if err := json.Unmarshal([]byte(c.rule), &r); err != nil {
				t.Fatal(err)
			}
			_, err := f.Add(r, noon)
			if core.CodeOf(err) != core.Invalid || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want it to say %q", err, c.want)
			}
			if len(f.List()) != 0 {
				t.Error("it is at work all the same")
			}
		})
	}
	var r faults.Rule
	if err := json.Unmarshal([]byte(`{"effect":{"kind":"reset"},"when":{"ttl":"soon"}}`), &r); err == nil || !strings.Contains(err.Error(), `"soon" is not a duration`) {
		t.Errorf("a ttl in words: %v", err)
	}
}

func TestRule_JSON(t *testing.T) {
	t.Parallel()
	const text = `{"match":{"provider":"okx","nth":2},"effect":{"kind":"stale_timestamp","by":"1h0m0s"},"when":{"probability":"0.5","ttl":"1m30s"},"phase":"after"}`
	var r faults.Rule
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(r); err != nil || string(got) != text {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := json.Marshal(faults.Rule{Effect: faults.Effect{Kind: faults.Reset}}); err != nil || string(got) != `{"effect":{"kind":"reset"}}` {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestHit_Delay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		distribution        faults.Distribution
		max                 int64
		least, most         time.Duration
		lowQuart, highQuart time.Duration
	}{
		{"", 0, 100 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond},
		{faults.Fixed, 0, 100 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond},
		{faults.Uniform, 500, 100 * time.Millisecond, 500 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond},
		{faults.Lognormal, 1000, 10 * time.Millisecond, time.Second, 71 * time.Millisecond, 140 * time.Millisecond},
	} {
		t.Run(string(c.distribution), func(t *testing.T) {
			t.Parallel()
			f := venueOf(t, "causeway")
			add(t, f, faults.Rule{Effect: faults.Effect{Kind: faults.Latency, MS: 100, MaxMS: c.max, Distribution: c.distribution}})
			var all []time.Duration
			for range 2000 {
				hit, _ := f.Next(faults.Request{Provider: "kraken"}, noon)
				all = append(all, hit.Delay())
			}
			slices.Sort(all)
			if all[0] < c.least || all[1999] > c.most {
				t.Errorf("they run from %s to %s", all[0], all[1999])
			}
			for want, got := range map[time.Duration]time.Duration{c.lowQuart: all[500], c.highQuart: all[1500]} {
				if got < want*9/10 || got > want*11/10 {
					t.Errorf("a quartile is %s, want %s", got, want)
				}
			}
		})
	}
}

// TestSet_Concurrent is for the race detector.
func TestSet_Concurrent(t *testing.T) {
	t.Parallel()
	f := venueOf(t, "causeway")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				id := add(t, f, faults.Rule{Effect: faults.Effect{Kind: faults.Reset}})
				pattern(f, "kraken", "ticker", 10)
				f.List()
				if err := f.Remove(id); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestSet_Disturbs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		want string // the disturbed providers
	}{
		{`{"effect":{"kind":"reset"}}`, "kraken okx paystack"},
		{`{"effect":{"kind":"inverted"}}`, "kraken okx"},
		{`{"effect":{"kind":"stale_timestamp"}}`, "okx"},
		{`{"match":{"operation":"ticker"},"effect":{"kind":"reset"}}`, "kraken"},
		{`{"match":{"operation":"time"},"effect":{"kind":"reset"}}`, "kraken okx"},
		{`{"match":{"plane":"edge"},"effect":{"kind":"reset"}}`, ""},
		{`{"match":{"header":{"X-Test":"1"}},"effect":{"kind":"reset"}}`, ""},
		{`{"effect":{"kind":"reset"},"when":{"probability":"0"}}`, ""},
	} {
		f := venueOf(t, "causeway")
		var r faults.Rule
		if err := json.Unmarshal([]byte(c.rule), &r); err != nil {
			t.Fatal(err)
		}
		add(t, f, r)
		var disturbed []string
		for _, provider := range []string{"kraken", "okx", "paystack"} {
			if f.Disturbs(provider, http.Header{}, noon) {
				disturbed = append(disturbed, provider)
			}
		}
		if got := strings.Join(disturbed, " "); got != c.want {
			t.Errorf("%s disturbs %q, want %q", c.rule, got, c.want)
		}
	}
}
