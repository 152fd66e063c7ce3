package app

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"causeway/core/recipients"
	"causeway/core/recipients/guard"
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
