package pairs_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"causeway/core/pairs"
)

// TestStepsOfTheWorkAreTold asks for what begins and ends, and inside what.
func TestStepsOfTheWorkAreTold(t *testing.T) {
	t.Parallel()
	type within struct{}
	var told []string
	quotes := map[pairs.Step]int{}
	cfg := config()
	cfg.Begun = func(ctx context.Context, step pairs.Step) (context.Context, func(int)) {
		above, _ := ctx.Value(within{}).(string)
		told = append(told, "begin "+above+string(step))
		return context.WithValue(ctx, within{}, string(step)+" "), func(n int) {
			told = append(told, "end "+string(step))
			quotes[step] = n
		}
	}
	s := open(t, cfg)
	quoted(s.venues)
	s.Tick(t.Context())
	if want := []string{"begin recompute", "begin recompute publish", "end publish", "end recompute"}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	if n := len(s.Snapshot().Quotes); n == 0 || quotes[pairs.Recompute] != n || quotes[pairs.Publish] != n {
		t.Errorf("told of %v quotes of %d", quotes, n)
	}
	told = nil
	s.step(t, 500*time.Millisecond) // too early
	if len(told) > 0 {
		t.Errorf("told %v although nothing was done", told)
	}
}
