package app

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/core/recipients"
	"causeway/core/recipients/guard"
	"causeway/ports"
)

// A question that is refused has a reason in the metrics, also where the guard had none: names are
// only confirmed, and none was claimed.
func TestRecipientEvents_Refused(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	events := newRecipientEvents(zap.NewNop(), reg)
	events.Resolution(t.Context(), recipients.Resolution{Outcome: recipients.Refused})
	events.Resolution(t.Context(), recipients.Resolution{Outcome: recipients.Refused, Reason: guard.Budget})
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		if family.GetName() != "causeway_recipients_refused_total" {
			continue
		}
		for _, m := range family.GetMetric() {
			got[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
		}
	}
	if len(got) != 2 || got["name_needed"] != 1 || got["budget"] != 1 {
		t.Errorf("got %v, want one name_needed and one budget", got)
	}
}

// slowLookups is a log that takes longer to read than a start waits for first prices.
type slowLookups struct {
	ports.LookupLog
	read bool
}

func (s *slowLookups) Read(ctx context.Context, after string) ([][]byte, string, error) {
	select {
	case <-time.After(2 * startTimeout):
		s.read = true
		return nil, after, nil
	case <-ctx.Done():
		return nil, after, ctx.Err()
	}
}

// unreachable is a network without providers.
type unreachable struct{}

func (unreachable) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("unreachable")
}

// TestWarmUp_SlowLookups checks that no request comes before the guard remembers earlier lookups.
func TestWarmUp_SlowLookups(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		saved := &slowLookups{}
		app := fx.New(Module(settings(t, productionEnv()...), "test", zap.NewNop()), withCurrencies(t, "USD", "NGN"),
			withEnvironment(func(env *Environment) { env.Transport = unreachable{} }),
			fx.Decorate(func(s Shared) Shared { s.Lookups = saved; return s }), fx.Invoke(warmUp))
		if err := app.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !saved.read {
			t.Error("the process serves although the guard has not read the log")
		}
		if err := app.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
