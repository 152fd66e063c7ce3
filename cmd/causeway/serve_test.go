package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// TestWhatRunsAProcessLetsItLeave holds the time that Kubernetes and systemd give a process to what it may take, with some room to spare.
func TestWhatRunsAProcessLetsItLeave(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile("../../config/deploy/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	type drain struct{ Delay, Timeout time.Duration }
	takes := func(d drain) time.Duration { return d.Delay + d.Timeout + goodbye + lastWords }
	var chart struct {
		Config struct{ Drain drain }
		Grace  int `yaml:"terminationGracePeriodSeconds"`
	}
	var unit struct{ Drain drain }
	values := read("chart/values.yaml")
	if err := yaml.Unmarshal([]byte(values), &chart); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(read("causeway.yaml")), &unit); err != nil {
		t.Fatal(err)
	}
	if grace := time.Duration(chart.Grace) * time.Second; chart.Config.Drain.Timeout == 0 || grace <= takes(chart.Config.Drain) {
		t.Errorf("Kubernetes kills it after %s, and it may take %s", grace, takes(chart.Config.Drain))
	}
	if more := "by more than " + strings.TrimSuffix((goodbye+lastWords).String(), "s") + " s"; !strings.Contains(values, more) {
		t.Errorf("the values of the chart do not say that the grace period is longer %s", more)
	}
	stop := regexp.MustCompile(`(?m)^TimeoutStopSec=(\w+)$`).FindStringSubmatch(read("causeway.service"))
	if stop == nil {
		t.Fatal("the unit has no TimeoutStopSec")
	}
	if limit, err := time.ParseDuration(stop[1]); err != nil || unit.Drain.Timeout == 0 || limit <= takes(unit.Drain) {
		t.Errorf("systemd kills it after %s (%v), and it may take %s", limit, err, takes(unit.Drain))
	}
}
