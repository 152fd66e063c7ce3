package app

import (
	"context"
	"errors"
	"slices"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"causeway/core"
	"causeway/ports"
)

// moody is a source that fails when its error is set.
type moody struct{ err error }

func (*moody) Name() string { return "moody" }

func (m *moody) Observe(context.Context, []core.Pair) ([]core.Observation, error) { return nil, m.err }

func TestLogHealth(t *testing.T) {
	t.Parallel()
	logged, lines := observer.New(zap.DebugLevel)
	source := &moody{}
	w := logHealth([]ports.RateSource{source}, zap.New(logged))[0]
	for _, err := range []error{nil, errors.New("down"), errors.New("down"), nil, nil, errors.New("down again")} {
		source.err = err
		if _, got := w.Observe(context.Background(), nil); !errors.Is(got, err) {
			t.Fatalf("got %v, want %v", got, err)
		}
	}
	var levels []string
	for _, line := range lines.All() {
		levels = append(levels, line.Level.String())
	}
	if want := []string{"warn", "info", "warn"}; !slices.Equal(levels, want) {
		t.Errorf("got %v, want %v", levels, want)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	before := lines.Len()
	_, _ = logHealth([]ports.RateSource{source}, zap.New(logged))[0].Observe(gone, nil)
	if lines.Len() != before {
		t.Error("a poll that we ended ourselves is logged as an outage")
	}
}
