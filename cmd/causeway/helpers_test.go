package main

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// patience bounds how long a test waits for something that takes milliseconds on an idle machine.
const patience = 5 * time.Minute

// reading returns the value of a counter or gauge. If label is set, it selects the series whose first label has that value.
func reading(t *testing.T, reg *prometheus.Registry, name, label string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && (label == "" || m.GetLabel()[0].GetValue() == label) {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	t.Fatalf("metric %s %s does not exist", name, label)
	return 0
}
