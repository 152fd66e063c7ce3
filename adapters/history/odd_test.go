package history_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/adapters/history"
	"causeway/ports"
)

// putMid puts a point of bitcoin into a database past what writes there.
func putMid(t *testing.T, p place, step time.Duration, at time.Time, mid string) {
	t.Helper()
	execute(t, p.raw, fmt.Sprintf(`INSERT INTO rate_points VALUES (%d, %d, 'BTC', 'USD', '%s')`, int64(step/time.Second), at.Unix(), mid))
}

// prepared makes the tables.
func prepared(t *testing.T, p place) {
	t.Helper()
	running(t, opened(t)(p.open(later, failed(t))))()
}

// A point that no price can be made of is left out, and told once; those beside it are there.
func TestOddMidsAreLeftOut(t *testing.T) {
	t.Parallel()
	odd := []string{"0", "0.000", "-5", "abc", "", "1e400", "1e2000000000", "1e-2000000000", "1.2.3", "1.-5", "NaN", "123456789012345678901234567891", "1" + strings.Repeat("0", 200)}
	good := []string{"1234567890123456700000", "0.00012345678901234567", "9"}
	for name, p := range places(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prepared(t, p)
			for i, mid := range append(odd, good...) {
				putMid(t, p, ports.FineStep, midnight().Add(time.Duration(i)*ports.FineStep), mid)
			}
			var told []string
			a := opened(t)(p.open(later, func(err error) { told = append(told, err.Error()) }))
			running(t, a)
			if len(told) != 1 || !strings.HasPrefix(told[0], fmt.Sprint(len(odd), " points")) {
				t.Errorf("told %q, want once that %d points are left out", told, len(odd))
			}
			got, err := a.Read(t.Context(), bitcoin(), midnight(), ports.FineStep, len(odd)+len(good))
			if err != nil || len(got) != len(good) {
				t.Fatalf("%v, %v; want %v", got, err, good)
			}
			for i, want := range good {
				if !got[i].Mid.Equal(decimal.RequireFromString(want)) {
					t.Errorf("%s is read as %s", want, got[i].Mid)
				}
			}
		})
	}
}

func FuzzMid(f *testing.F) {
	for _, text := range []string{"0", "1", "-5", "+5", ".5", "5.", ".", "1e400", "12.50", "0012", "9223372036854775807", "9223372036854775808", "1_0", "1.2.3", strings.Repeat("0", 101)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		mid, ok := history.Kept(text)
		if !ok {
			return
		}
		want, err := decimal.NewFromString(text)
		if err != nil || !mid.Equal(want) || !mid.IsPositive() || !mid.Coefficient().IsInt64() || mid.Exponent() > 100 || mid.Exponent() < -100 {
			t.Errorf("%q is read as %s × 10^%d, want %s, %v", text, mid.Coefficient(), mid.Exponent(), want, err)
		}
	})
}

func TestEveryMidOfEighteenDigitsIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := decimal.New(rapid.Int64Range(1, 999_999_999_999_999_999).Draw(t, "coefficient"), rapid.Int32Range(-60, 60).Draw(t, "exponent"))
		if got, ok := history.Kept(want.String()); !ok || !got.Equal(want) {
			t.Fatalf("%s is read as %s, %v", want, got, ok)
		}
	})
}

// Points that a clock which was ahead has left are as if they were not there until their time comes.
func TestTheFutureHidesNoPast(t *testing.T) {
	t.Parallel()
	for name, p := range places(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prepared(t, p)
			now, ahead := midnight().Add(time.Hour), midnight().AddDate(1, 0, 0)
			for _, step := range []time.Duration{ports.FineStep, ports.CoarseStep} {
				putMid(t, p, step, midnight(), "1")
				putMid(t, p, step, ahead, "9")
			}
			putMid(t, p, ports.FineStep, midnight().Add(ports.FineStep), "2")
			read := func(now, from time.Time) string {
				a := opened(t)(p.open(func() time.Time { return now }, failed(t)))
				running(t, a)
				got, err := a.Read(t.Context(), bitcoin(), from, ports.FineStep, 2)
				text := fmt.Sprint(err)
				for _, point := range got {
					text += " " + point.Mid.String()
				}
				return text
			}
			if got := read(now, midnight()); got != "<nil> 1 2" {
				t.Errorf("the past is %s, want 1 2", got)
			}
			if got := read(now, ahead); got != "<nil>" {
				t.Errorf("the future is %s", got)
			}
			if got := read(ahead, ahead); got != "<nil> 9" {
				t.Errorf("when its time has come it is %s, want 9", got)
			}
		})
	}
}

// A running archive forgets what is old by itself, every hour, by its own clock.
func TestARunningArchiveTidies(t *testing.T) {
	t.Parallel()
	for name, p := range places(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prepared(t, p)
			for _, days := range []int{34, 36} {
				putMid(t, p, ports.FineStep, midnight().AddDate(0, 0, -days), "1")
			}
			for _, days := range []int{729, 731} {
				putMid(t, p, ports.CoarseStep, midnight().AddDate(0, 0, -days), "1")
			}
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				a := opened(t)(p.open(func() time.Time { return midnight().Add(time.Since(begin)) }, failed(t)))
				running(t, a)
				for _, step := range []struct {
					pause time.Duration
					want  int // points of each step
				}{{30 * time.Minute, 2}, {time.Hour, 1}, {20 * time.Hour, 1}, {5 * time.Hour, 0}} {
					time.Sleep(step.pause)
					synctest.Wait()
					if fine, coarse, err := history.Points(t.Context(), a); err != nil || fine != step.want || coarse != step.want {
						t.Errorf("after %s: %d fine and %d coarse points, %v; want %d of each", time.Since(begin), fine, coarse, err, step.want)
					}
				}
			})
		})
	}
}
