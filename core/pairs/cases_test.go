package pairs_test

import (
	"fmt"
	"testing"
	"time"
)

// TestCases is the case table and the incident library: what venues quote, and what becomes of the
// price. The markets have a quorum of two.
func TestCases(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for _, test := range []struct {
		name, market, class string
		venues              int
		steps               []step
	}{
		{"DAI at 1.30 on one of 4", "DAI/USD", "stablecoin", 4, []step{
			{say: "1 1.0002 0.9999 1.0001", want: "fresh"},
			{say: "- - - 1.30", wait: 10 * s, want: "fresh 1", out: "d outlier"},
		}},
		{"one of 3 is x 1000 (unit error)", "BTC/USD", "major", 3, []step{
			{say: "100 100.1 100000", want: "fresh 100.05", out: "c outlier"},
		}},
		{"USDe 0.65 on one of 3", "USDE/USD", "stablecoin", 3, []step{
			{say: "1 0.65 0.9995", want: "fresh 0.99975", out: "b outlier"},
		}},
		{"2 of 4 at +30 %", "BTC/USD", "major", 4, []step{
			{want: "fresh 100"},
			{say: "- - 130 130", times: 60, want: "halted disputed 100", out: "a outlier b outlier c outlier d outlier"},
			{say: "- - 100 100", times: 2, want: "halted disputed"},
			{want: "fresh"}, // the third sample near the median
		}},
		{"2 venues 8 % apart", "BTC/USD", "major", 2, []step{
			{want: "fresh 100"},
			{say: "- 108", want: "halted disputed 100"},
		}},
		{"2 venues 8 % apart at the start", "BTC/USD", "major", 2, []step{{say: "100 108"}}},
		{"real -25 % everywhere", "BTC/USD", "major", 3, []step{
			{want: "fresh 100"},
			{say: "75 75.1 74.9", want: "fresh 75"},
		}},
		{"one source down, or answering 429", "BTC/USD", "major", 3, []step{
			{want: "fresh"},
			{say: "- down", times: 16, want: "fresh"},
			{times: 24, want: "fresh", out: "b unreachable"},
		}},
		{"all gone: stale, then halted, listed", "BTC/USD", "major", 3, []step{
			{want: "fresh"},
			{say: "down down down", times: 5, want: "fresh"},
			{times: 10, want: "stale aging 100"},
			{times: 15, want: "stale degraded 100"},
			{times: 20, want: "halted expired 100"},
		}},
		{"below the quorum: degraded for 60 s", "BTC/USD", "major", 2, []step{
			{want: "fresh"},
			{say: "- down", wait: 32 * s, want: "stale degraded"}, // its last vote expires
			{times: 30, want: "stale degraded"},
			{want: "halted no_quorum"},
			{say: "- up", wait: 120 * s, want: "fresh"},
		}},
		{"one unconfirmed jump is held 30 s", "BTC/USD", "major", 4, []step{
			{want: "fresh"},
			{say: "- - down down", wait: 32 * s, want: "fresh"}, // a quorum, and too few to confirm a jump
			{say: "90 90", times: 16, want: "stale jump 100"},
			{want: "fresh 90"},
		}},
		{"a jump of a single source is never accepted", "BTC/USD", "major", 4, []step{
			{want: "fresh"},
			{say: "- down down down", wait: 30 * s, want: "stale aging"},
			{wait: 2 * s, want: "stale degraded"},
			{say: "90", times: 61, want: "halted no_quorum 100"},
		}},
		{"a jump back within the hold is no news", "BTC/USD", "major", 4, []step{
			{want: "fresh"},
			{say: "- - down down", wait: 32 * s, want: "fresh"},
			{say: "106 106", want: "stale jump 100"},
			{say: "104 104", want: "fresh 104"},
		}},
		{"readmission below half the band", "BTC/USD", "major", 3, []step{
			{say: "100 100 102", wait: 11 * s, want: "fresh", out: "c outlier"},
			{say: "- - 100.7", wait: 11 * s, want: "fresh", out: "c outlier"}, // within the band, not within half of it
			{say: "- - 100.4", wait: 11 * s, times: 2, want: "fresh", out: "c outlier"},
			{say: "- - 100.7", wait: 11 * s, want: "fresh", out: "c outlier"}, // counts from the start again
			{say: "- - 100.4", wait: 11 * s, times: 2, want: "fresh", out: "c outlier"},
			{wait: 11 * s, want: "fresh", out: "none"},
			{say: "- - 100.9", wait: 11 * s, want: "fresh", out: "none"},
			{say: "- - 101.1", wait: 11 * s, want: "fresh", out: "c outlier"},
		}},
		{"above the band by one unit of the last place", "BTC/USD", "major", 3, []step{
			{say: "100 99 101", want: "fresh 100", out: "none"},
			{say: "- - 101.00000001", wait: 11 * s, want: "fresh", out: "c outlier"},
		}},
		{"below the band by one unit of the last place", "BTC/USD", "major", 3, []step{
			{say: "100 99 101", want: "fresh 100", out: "none"},
			{say: "- 98.99999999", wait: 11 * s, want: "fresh", out: "b outlier"},
		}},
		{"wide confidence", "BTC/USD", "street", 2, []step{
			{want: "fresh"},
			{say: "100 104", want: "fresh 102"}, // ± 2 % is not too wide
			{say: "100 104.2", times: 4, want: "halted wide 102"},
		}},
		{"all 400 s old", "BTC/USD", "major", 3, []step{
			{want: "fresh"},
			{say: "down down down", wait: 400 * s, want: "halted expired 100"},
		}},
		{"a rejected observation is listed at once", "BTC/USD", "major", 3, []step{
			{want: "fresh", out: "none"},
			{say: "- - 101/100", want: "fresh 100", out: "c inverted"},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			panel(t, test.market, test.class, test.venues).play(t, test.steps)
		})
	}
}

// TestCases_Pause lets a feed repeat its last value while the others drift by 0.3 % in a minute.
func TestCases_Pause(t *testing.T) {
	t.Parallel()
	s := panel(t, "BTC/USD", "major", 3)
	s.play(t, []step{{want: "fresh"}})
	for i := range 30 {
		want := step{say: fmt.Sprintf("100.%02d 100.%02d", i+1, i+1), want: "fresh"}
		if i >= 25 {
			want.out = "c stalled"
		}
		s.play(t, []step{want})
	}
	s.play(t, []step{{say: "- - 100.3", wait: 10 * time.Second, want: "fresh", out: "none"}})
}

// TestCases_Luna lets a price fall by 99 %. Then one feed pauses at its last value, then another.
func TestCases_Luna(t *testing.T) {
	t.Parallel()
	s := panel(t, "LUNA/USD", "street", 3)
	price := 100_000_000
	fall := func(steps, perMille int, venues int, want step) {
		t.Helper()
		for range steps {
			price -= price * perMille / 1000
			for i := range venues {
				s.venues[venueName(i)].set(s.market, fmt.Sprintf("0.%09d", price))
			}
			s.step(t, 2*time.Second)
		}
		s.expect(t, want)
	}
	s.say("LUNA/USD", "0.1", "0.1", "0.1")
	s.step(t, time.Hour)
	fall(90, 50, 3, step{want: "fresh"})
	if q := s.quote(t, s.id); !q.Mid.Equal(dec(fmt.Sprintf("0.%09d", price))) || !q.Mid.LessThan(dec("0.001")) {
		t.Fatalf("it fell to %s only", q.Mid)
	}
	fall(25, 10, 2, step{want: "fresh", out: "c stalled"})
	fall(1, 10, 1, step{want: "fresh"})
	fall(22, 1, 1, step{want: "stale degraded", out: "b stalled c stalled"}) // within the band of the still source
	fall(35, 10, 1, step{want: "halted no_quorum"})
}
