package test_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const deployDir = "../config/deploy/"

type metric struct {
	kind   string
	labels []string
}

var metricRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\| ([\\w, ]*) \\|")

// documentedMetrics reads metrics.md, which another test compares with the registry.
func documentedMetrics(t *testing.T) map[string]metric {
	t.Helper()
	metrics := map[string]metric{"up": {kind: "gauge"}} // Prometheus adds it
	for _, row := range metricRow.FindAllStringSubmatch(readDeployFile(t, "../../docs/metrics.md"), -1) {
		m := metric{kind: row[2]}
		if row[3] != "" {
			m.labels = strings.Split(row[3], ", ")
		}
		metrics[row[1]] = m
	}
	if len(metrics) < 40 {
		t.Fatalf("metrics.md lists only %d metrics", len(metrics))
	}
	return metrics
}

func readDeployFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(deployDir + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// metricName returns the metric of a series, without the suffix of a histogram's or summary's series.
func metricName(series string, metrics map[string]metric) string {
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		name, ok := strings.CutSuffix(series, suffix)
		if ok && (metrics[name].kind == "histogram" || metrics[name].kind == "summary") {
			return name
		}
	}
	return series
}

type alert struct {
	Alert, Expr         string
	Labels, Annotations map[string]string
}

func alerts(t *testing.T) []alert {
	t.Helper()
	var file struct{ Groups []struct{ Rules []alert } }
	if err := yaml.Unmarshal([]byte(readDeployFile(t, "prometheus/alerts.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	var out []alert
	for _, g := range file.Groups {
		out = append(out, g.Rules...)
	}
	if len(out) < 20 {
		t.Fatalf("alerts.yaml has only %d alerts", len(out))
	}
	return out
}

// queries returns the PromQL expressions of all dashboards and alerts by their place.
func queries(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, a := range alerts(t) {
		out[a.Alert] = a.Expr
	}
	files, err := filepath.Glob(deployDir + "grafana/*.json")
	if err != nil || len(files) != 4 {
		t.Fatalf("dashboards: %v, %v", files, err)
	}
	for _, file := range files {
		var dashboard struct {
			Panels []struct {
				Title   string
				Targets []struct{ RefID, Expr string }
			}
		}
		if err := json.Unmarshal([]byte(readDeployFile(t, "grafana/"+filepath.Base(file))), &dashboard); err != nil {
			t.Fatal(err)
		}
		for _, p := range dashboard.Panels {
			for _, q := range p.Targets {
				out[filepath.Base(file)+": "+p.Title+" "+q.RefID] = q.Expr
			}
		}
	}
	return out
}

var (
	seriesPattern  = regexp.MustCompile(`\b((?:causeway|go|process|promhttp)_\w+|up)\b(?:\{([^}]*)\})?`)
	matcherPattern = regexp.MustCompile(`(\w+)(?:=~|!~|!=|=)"([^"]*)"`)
	groupPattern   = regexp.MustCompile(`\b(?:by|on|without|ignoring) \(([^)]*)\)`)
	stringPattern  = regexp.MustCompile(`"[^"]*"`)
)

// TestQueries_KnownMetrics checks that dashboards and alerts use only documented metrics and labels.
func TestQueries_KnownMetrics(t *testing.T) {
	t.Parallel()
	metrics, literals := documentedMetrics(t), sourceLiterals(t)
	for place, query := range queries(t) {
		labels := []string{"instance", "job"} // added by the scrape
		if strings.Contains(query, "_bucket") {
			labels = append(labels, "le")
		}
		for _, series := range seriesPattern.FindAllStringSubmatch(query, -1) {
			m, ok := metrics[metricName(series[1], metrics)]
			if !ok {
				t.Errorf("%s: unknown metric %s", place, series[1])
			}
			labels = append(labels, m.labels...)
			for _, matcher := range matcherPattern.FindAllStringSubmatch(series[2], -1) {
				checkMatcher(t, place+": "+series[1], m, matcher[1], matcher[2], literals)
			}
		}
		for _, group := range groupPattern.FindAllStringSubmatch(stringPattern.ReplaceAllString(query, `""`), -1) {
			for label := range strings.SplitSeq(group[1], ", ") {
				if !slices.Contains(labels, label) {
					t.Errorf("%s: no metric in the query has the label %s", place, label)
				}
			}
		}
	}
}

// checkMatcher checks a label matcher: the metric has the label, and each alternative of the value is a string in the
// program's source, so that a renamed value does not silence an alert.
func checkMatcher(t *testing.T, place string, m metric, label, value string, literals map[string]bool) {
	t.Helper()
	if label == "instance" || label == "job" {
		return
	}
	if !slices.Contains(m.labels, label) {
		t.Errorf("%s has no label %s", place, label)
	}
	for v := range strings.SplitSeq(value, "|") {
		if label != "status" && !literals[v] {
			t.Errorf("%s: the program never sets %s to %q", place, label, v)
		}
	}
}

// sourceLiterals returns the short string literals of the program's source.
func sourceLiterals(t *testing.T) map[string]bool {
	t.Helper()
	literals := map[string]bool{}
	pattern := regexp.MustCompile(`"([\w-]+)"`)
	for _, dir := range []string{"../cmd", "../core", "../adapters"} {
		err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range pattern.FindAllSubmatch(text, -1) {
				literals[string(m[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return literals
}

// TestAlerts_Runbook checks that every alert has a severity, a summary, a section in the runbook and a promtool test.
func TestAlerts_Runbook(t *testing.T) {
	t.Parallel()
	tests := readDeployFile(t, "prometheus/alerts_test.yaml")
	sections := map[string]bool{}
	heading := regexp.MustCompile(`(?m)^## (\w+)$`)
	for _, s := range heading.FindAllStringSubmatch(readDeployFile(t, "../../docs/runbook.md"), -1) {
		sections[s[1]] = true
	}
	for _, a := range alerts(t) {
		link := "docs/runbook.md#" + strings.ToLower(a.Alert)
		if !sections[a.Alert] || !strings.HasSuffix(a.Annotations["runbook"], link) {
			t.Errorf("%s: no section in the runbook, or no link to it: %s", a.Alert, a.Annotations["runbook"])
		}
		delete(sections, a.Alert)
		if s := a.Labels["severity"]; s != "page" && s != "ticket" || a.Annotations["summary"] == "" {
			t.Errorf("%s: no summary, or severity is %q", a.Alert, s)
		}
		if !strings.Contains(tests, `alertname="`+a.Alert+`"`) {
			t.Errorf("%s: no test in alerts_test.yaml", a.Alert)
		}
	}
	if len(sections) > 0 {
		t.Errorf("runbook sections without an alert: %v", slices.Sorted(maps.Keys(sections)))
	}
}
