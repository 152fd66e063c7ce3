package core_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"causeway/core"
	_ "causeway/test/fixedseed"
)

func TestParseRateLimit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]core.RateLimit{
		"600/m": {Calls: 600, Per: time.Minute}, "10 / S": {Calls: 10, Per: time.Second}, "1/day": {Calls: 1, Per: 24 * time.Hour},
		"5/h": {Calls: 5, Per: time.Hour}, "": {}, "none": {},
	} {
		got, err := core.ParseRateLimit(text)
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"600", "/m", "0/m", "-1/m", "1.5/m", "10/week", "99999999999/s", "10/m/s"} {
		if got, err := core.ParseRateLimit(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func TestRateLimit_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		want := core.RateLimit{
			Calls: rapid.IntRange(1, 10_000_000).Draw(rt, "calls"),
			Per:   rapid.SampledFrom([]time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour}).Draw(rt, "per"),
		}
		text, err := want.MarshalText()
		if err != nil {
			rt.Fatal(err)
		}
		var got core.RateLimit
		if err := got.UnmarshalText(text); err != nil || got != want {
			rt.Fatalf("%s: got %v, %v; want %v", text, got, err, want)
		}
	})
}

func TestKey(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		key           core.Key
		live, allowed bool
		at            time.Time
	}{
		"scope of the operation": {core.Key{Scopes: []string{"resolve-account"}}, true, true, noon},
		"other scope":            {core.Key{Scopes: []string{"list-pairs"}}, true, false, noon},
		"all scopes":             {core.Key{Scopes: []string{core.AllScopes}}, true, true, noon},
		"no scope":               {core.Key{}, true, false, noon},
		"before expiry":          {core.Key{Scopes: []string{"*"}, Expires: noon.Add(1)}, true, true, noon},
		"expired":                {core.Key{Scopes: []string{"*"}, Expires: noon}, false, true, noon},
		"revoked":                {core.Key{Scopes: []string{"*"}, Revoked: noon}, false, true, noon},
		"revoked in the future":  {core.Key{Scopes: []string{"*"}, Revoked: noon.Add(time.Hour)}, false, true, noon},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.key.Live(c.at); got != c.live {
				t.Errorf("Live: got %t, want %t", got, c.live)
			}
			if got := c.key.Allows("resolve-account"); got != c.allowed {
				t.Errorf("Allows: got %t, want %t", got, c.allowed)
			}
		})
	}
}
