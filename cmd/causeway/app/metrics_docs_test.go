package app

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"
)

var update = flag.Bool("update", false, "rewrite docs/metrics.md")

const metricsPage = "../../../docs/metrics.md"

// TestEveryMetricIsDocumented compares the page of metrics with the descriptions of all metrics,
// whether or not they have a value yet. Run it with -update after a metric changed.
func TestEveryMetricIsDocumented(t *testing.T) {
	t.Parallel()
	got := page(t, described(t))
	if *update {
		if err := os.WriteFile(metricsPage, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the program has; run: go test ./cmd/causeway/app -run TestEveryMetricIsDocumented -update",
			metricsPage)
	}
}

// metric is a row of the page.
type documentedMetric struct{ name, kind, labels, help string }

// recorder remembers what kind the metrics of each part are: a description does not tell.
type recorder struct {
	prometheus.Registerer
	kinds map[string]string // by description
}

func (r *recorder) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		if err := r.Register(c); err != nil {
			panic(err)
		}
	}
}

func (r *recorder) Register(c prometheus.Collector) error {
	kind := ""
	switch c.(type) {
	case prometheus.Gauge, *prometheus.GaugeVec: // before counters: a gauge can all that they can
		kind = "gauge"
	case prometheus.Counter, *prometheus.CounterVec:
		kind = "counter"
	case *prometheus.HistogramVec, prometheus.Histogram:
		kind = "histogram"
	}
	for _, d := range descriptions(c) {
		if name := fields.FindStringSubmatch(d)[1]; kind == "" && strings.HasSuffix(name, "_total") {
			r.kinds[d] = "counter" // of a function, or of a collector of ours, which sends counters and gauges
		} else if kind == "" {
			r.kinds[d] = "gauge"
		} else {
			r.kinds[d] = kind
		}
	}
	return r.Registerer.Register(c)
}

func descriptions(c prometheus.Collector) []string {
	all := make(chan *prometheus.Desc)
	go func() {
		c.Describe(all)
		close(all)
	}()
	var out []string
	for d := range all {
		out = append(out, d.String())
	}
	return out
}

// described builds every part of the program, in both modes, and returns the metrics of its registries.
func described(t *testing.T) []documentedMetric {
	t.Helper()
	byName := map[string]documentedMetric{}
	describe(t, byName)                // a sandbox
	describe(t, byName, productionEnv( // with Redis, so that every part exists
		"CAUSEWAY_REDIS__URL=redis://127.0.0.1:1/0", "CAUSEWAY_PRIVACY__HASH_KEY=0123456789abcdef0123456789abcdef",
	)...)
	return sortedMetrics(byName)
}

// describe adds the metrics of a program with settings of the environment.
func describe(t *testing.T, byName map[string]documentedMetric, env ...string) {
	t.Helper()
	var reg *prometheus.Registry
	known := &recorder{kinds: map[string]string{}}
	newTestApp(t, settings(t, env...), zap.NewNop(), fx.Populate(&reg), process, noServing,
		fx.Decorate(func(r prometheus.Registerer) prometheus.Registerer {
			known.Registerer = r
			return known
		}))
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for _, f := range families {
		kinds[f.GetName()] = strings.ToLower(f.GetType().String())
	}
	for _, d := range descriptions(reg) {
		m := read(t, d)
		m.kind = known.kinds[d]
		if m.kind == "" {
			m.kind = kinds[m.name]
		}
		if m.kind == "" || kinds[m.name] != "" && kinds[m.name] != m.kind {
			t.Errorf("%s is a %q, and a %q where it has a value", m.name, m.kind, kinds[m.name])
		}
		byName[m.name] = m
	}
}

// sortedMetrics lists our metrics first, then the metrics of the Go runtime, the process and the exporter.
func sortedMetrics(byName map[string]documentedMetric) []documentedMetric {
	var out []documentedMetric
	for _, m := range byName {
		out = append(out, m)
	}
	ours := func(m documentedMetric) string { return strconv.FormatBool(!strings.HasPrefix(m.name, "causeway_")) }
	slices.SortFunc(out, func(a, b documentedMetric) int { return strings.Compare(ours(a)+a.name, ours(b)+b.name) })
	return out
}

var (
	fields = regexp.MustCompile(`^Desc\{fqName: "(\w+)", help: ("(?:[^"\\]|\\.)*"), unit: "\w*", ` +
		`constLabels: \{(.*)\}, variableLabels: \{(.*)\}\}$`)
	label = regexp.MustCompile(`(\w+)="(?:[^"\\]|\\.)*"`)
)

// read takes a description apart. There is no other way than by its text.
func read(t *testing.T, description string) documentedMetric {
	t.Helper()
	parts := fields.FindStringSubmatch(description)
	if parts == nil {
		t.Fatalf("cannot be read: %s", description)
	}
	help, err := strconv.Unquote(parts[2])
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, l := range label.FindAllStringSubmatch(parts[3], -1) {
		labels = append(labels, l[1])
	}
	if parts[4] != "" {
		labels = append(labels, strings.Split(parts[4], ",")...)
	}
	return documentedMetric{name: parts[1], help: help, labels: strings.Join(labels, ", ")}
}

func page(t *testing.T, metrics []documentedMetric) []byte {
	t.Helper()
	var out bytes.Buffer
	out.WriteString(`# Metrics

The metrics of ` + "`/metrics`" + ` on the operator listener, written by ` + "`make golden`" + `.
A counter or histogram with labels has no series before its first event. Metrics of Redis exist where Redis is configured, and
metrics of worlds in a sandbox.

| metric | type | labels | meaning |
|---|---|---|---|
`)
	for _, m := range metrics {
		if m.help == "" {
			t.Errorf("%s says nothing of itself", m.name)
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", m.name, m.kind, m.labels, strings.ReplaceAll(m.help, "|", `\|`))
	}
	return out.Bytes()
}
