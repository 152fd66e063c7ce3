package test_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"causeway/adapters/upstream"
	"causeway/core/pairs"
	"causeway/core/recipients"
	"causeway/test/driver"
)

const deployed = "../config/deploy/"

// documented is a row of the page of metrics.
type documented struct {
	kind   string
	labels []string
}

var metricRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\| ([\\w, ]*) \\| .+ \\|$")

// metricsPage reads config/deploy/METRICS.md, which a test in cmd/causeway holds to what the program describes.
func metricsPage(t *testing.T) map[string]documented {
	t.Helper()
	out := map[string]documented{}
	for _, row := range metricRow.FindAllStringSubmatch(string(readDeployed(t, "METRICS.md")), -1) {
		d := documented{kind: row[2]}
		if row[3] != "" {
			d.labels = strings.Split(row[3], ", ")
		}
		out[row[1]] = d
	}
	if len(out) < 40 {
		t.Fatalf("only %d metrics are documented", len(out))
	}
	return out
}

func readDeployed(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(deployed + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestWhatARunningProcessMeasuresIsDocumented(t *testing.T) {
	t.Parallel()
	known := metricsPage(t)
	c := driver.Start(t, binary)
	driver.Get(t, c.API+"/v1/banks")
	driver.Do(t, "POST", c.API+resolvePath, resolvePublished)
	text := string(driver.Get(t, c.Operator+"/metrics").Body)
	kinds := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^# TYPE (\w+) (\w+)$`).FindAllStringSubmatch(text, -1) {
		kinds[line[1]] = line[2]
		if known[line[1]].kind != line[2] {
			t.Errorf("%s is a %s, documented as %q; run make golden", line[1], line[2], known[line[1]].kind)
		}
	}
	for _, sample := range regexp.MustCompile(`(?m)^(\w+)\{([^}]*)\} `).FindAllStringSubmatch(text, -1) {
		name := base(sample[1], known)
		for _, l := range labelPair.FindAllStringSubmatch(sample[2], -1) {
			if !slices.Contains(append(known[name].labels, "le", "quantile"), l[1]) {
				t.Errorf("%s has the label %s, which is not documented", name, l[1])
			}
		}
	}
	if len(kinds) < 60 {
		t.Errorf("only %d metrics have a value", len(kinds))
	}
}

// base is the name of the metric that a series belongs to.
func base(series string, known map[string]documented) string {
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		if name, ok := strings.CutSuffix(series, suffix); ok && (known[name].kind == "histogram" || known[name].kind == "summary") {
			return name
		}
	}
	return series
}

// expressions are the queries of all dashboards and alerts, by where they stand, as Prometheus would get them.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := filepath.Glob(deployed + "grafana/*.json")
	if err != nil || len(files) != 4 {
		t.Fatalf("dashboards: %v %v", files, err)
	}
	replace := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*")
	for _, file := range files {
		var board struct {
			Panels []struct {
				Title   string
				Targets []struct{ RefID, Expr string }
			}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &board); err != nil {
			t.Fatal(err)
		}
		for _, p := range board.Panels {
			for _, q := range p.Targets {
				out[filepath.Base(file)+" "+p.Title+" "+q.RefID] = replace.Replace(q.Expr)
			}
		}
	}
	for _, a := range alerts(t) {
		out[a.Alert] = a.Expr
	}
	return out
}

type alert struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func alerts(t *testing.T) []alert {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string
			Rules []alert
		}
	}
	if err := yaml.Unmarshal(readDeployed(t, "prometheus/alerts.yaml"), &file); err != nil {
		t.Fatal(err)
	}
	var out []alert
	for _, g := range file.Groups {
		out = append(out, g.Rules...)
	}
	if len(out) < 20 {
		t.Fatalf("only %d alerts", len(out))
	}
	return out
}

var (
	seriesName = regexp.MustCompile(`\b((?:causeway|go|process|promhttp)_\w+|up)\b(?:\{([^}]*)\})?`)
	labelPair  = regexp.MustCompile(`(\w+)(?:=~|!~|!=|=)"([^"]*)"`)
	grouping   = regexp.MustCompile(`\b(?:by|on|without|ignoring) \(([^)]*)\)`)
	quoted     = regexp.MustCompile(`"[^"]*"`)
)

// closedSets are what labels may be, where a query names a value. What is missing here cannot be asked for.
var closedSets = map[string][]string{
	"causeway_http_requests_total status":              {"400", "401", "403", "404", "409", "410", "413", "415", "429", "500", "503"},
	"causeway_http_requests_total operation":           {"resolve-account", "stream-pairs", "unknown"},
	"causeway_http_request_duration_seconds operation": {"resolve-account", "stream-pairs"},
	"causeway_book_role role":                          {"leader", "follower", "alone"},
	"causeway_book_editions_total outcome":             {"refused"},
	"causeway_reloads_total outcome":                   {"refused"},
	"causeway_http_streams_ended_total reason":         {"client", "slow", "shutdown"},
	"causeway_pairs status":                            {string(pairs.Fresh), string(pairs.Stale), string(pairs.Halted)},
	"causeway_source_polls_total outcome":              {"ok", "failed"},
	"causeway_source_excluded_markets reason":          {string(pairs.Outlier), string(pairs.Stalled)},
	"causeway_source_age_seconds source":               {"openexchangerates", "frankfurter"},
	"causeway_bank_directory_institutions state":       {"vanished", "unjoined"},
	"causeway_resolution_cache_total result":           {"hit", "miss"},
	"causeway_resolutions_total outcome":               {string(recipients.Found), string(recipients.Missing), string(recipients.Untold), string(recipients.Refused)},
	"causeway_resolution_attempts_total outcome":       {string(recipients.Untold), string(recipients.Abandoned), string(recipients.Panicked)},
	"causeway_upstream_requests_total outcome":         {string(upstream.Unavailable), string(upstream.TimedOut), string(upstream.Malformed), string(upstream.Refused), string(upstream.Throttled), string(upstream.Open), string(upstream.Held), string(upstream.Quota)},
	"process_resident_memory_bytes job":                {"causeway"},
	"process_start_time_seconds job":                   {"causeway"},
	"process_open_fds job":                             {"causeway"},
	"process_max_fds job":                              {"causeway"},
	"up job":                                           {"causeway"},
}

// TestDashboardsAndAlertsAskForWhatThereIs holds every metric, label and label's value in a query to what the program has.
func TestDashboardsAndAlertsAskForWhatThereIs(t *testing.T) {
	t.Parallel()
	known := metricsPage(t)
	known["up"] = documented{kind: "gauge"} // Prometheus makes it
	for where, expr := range expressions(t) {
		asked := map[string]bool{"le": strings.Contains(expr, "_bucket"), "instance": true, "job": true} // labels of a scrape
		series := seriesName.FindAllStringSubmatch(expr, -1)
		if len(series) == 0 {
			t.Errorf("%s asks for no metric: %s", where, expr)
		}
		for _, s := range series {
			name := base(s[1], known)
			if known[name].kind == "" {
				t.Errorf("%s: there is no metric %s", where, s[1])
			}
			for _, l := range known[name].labels {
				asked[l] = true
			}
			checkMatchers(t, where, name, s[2], known[name].labels)
		}
		for _, group := range grouping.FindAllStringSubmatch(quoted.ReplaceAllString(expr, `""`), -1) {
			for l := range strings.SplitSeq(group[1], ",") {
				if !asked[strings.TrimSpace(l)] {
					t.Errorf("%s groups by %s, which no metric in it has: %s", where, strings.TrimSpace(l), expr)
				}
			}
		}
	}
}

func checkMatchers(t *testing.T, where, name, matchers string, labels []string) {
	t.Helper()
	for _, m := range labelPair.FindAllStringSubmatch(matchers, -1) {
		label, value := m[1], m[2]
		if label == "instance" && value == ".*" || label == "status" && (value == "5.." || value == "4..") {
			continue
		}
		if label != "job" && !slices.Contains(labels, label) {
			t.Errorf("%s: %s has no label %s", where, name, label)
		}
		for v := range strings.SplitSeq(value, "|") {
			if !slices.Contains(closedSets[name+" "+label], v) {
				t.Errorf("%s: %s of %s is never %q, as far as this test knows", where, label, name, v)
			}
		}
	}
}

// TestEveryAlertSaysWhatToDo checks what a person reads who was woken up.
func TestEveryAlertSaysWhatToDo(t *testing.T) {
	t.Parallel()
	runbook, tests := string(readDeployed(t, "prometheus/RUNBOOK.md")), string(readDeployed(t, "prometheus/alerts_test.yaml"))
	sections := map[string]bool{}
	for _, s := range regexp.MustCompile(`(?m)^## (\w+)$`).FindAllStringSubmatch(runbook, -1) {
		sections[s[1]] = true
	}
	known := metricsPage(t)
	for _, a := range alerts(t) {
		if !sections[a.Alert] || !strings.HasSuffix(a.Annotations["runbook"], " RUNBOOK.md#"+strings.ToLower(a.Alert)) {
			t.Errorf("%s has no section in the runbook, or does not point at it: %s", a.Alert, a.Annotations["runbook"])
		}
		delete(sections, a.Alert)
		if !slices.Contains([]string{"page", "ticket"}, a.Labels["severity"]) || a.Annotations["summary"] == "" {
			t.Errorf("%s has no severity or no summary", a.Alert)
		}
		if !strings.Contains(tests, `alertname="`+a.Alert+`"`) {
			t.Errorf("no test of promtool shows %s", a.Alert)
		}
		told := []string{"instance"}
		if groups := grouping.FindStringSubmatch(a.Expr); groups != nil && !strings.Contains(a.Expr, "unless on") {
			told = strings.Split(groups[1], ", ")
		} else {
			for _, s := range seriesName.FindAllStringSubmatch(a.Expr, -1) {
				told = append(told, known[base(s[1], known)].labels...)
			}
		}
		for _, l := range regexp.MustCompile(`\$labels\.(\w+)`).FindAllStringSubmatch(a.Annotations["summary"], -1) {
			if !slices.Contains(told, l[1]) {
				t.Errorf("%s tells the label %s, which its expression does not keep (%v)", a.Alert, l[1], told)
			}
		}
	}
	if len(sections) > 0 {
		t.Errorf("the runbook has sections of no alert: %v", slices.Sorted(maps.Keys(sections)))
	}
}

// promtool is Debian's, installed or unpacked by make deps.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	tool, err := exec.LookPath("promtool")
	if err != nil {
		tool, err = filepath.Abs("../.cache/prometheus/usr/bin/promtool")
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v (make deps installs it)\n%s", strings.Join(args, " "), err, out)
	}
}

func TestAlertsFireWhenTheyShould(t *testing.T) {
	t.Parallel()
	promtool(t, "check", "rules", deployed+"prometheus/alerts.yaml")
	promtool(t, "test", "rules", deployed+"prometheus/alerts_test.yaml")
}

// TestEveryQueryIsPromQL lets promtool read all queries of the dashboards, as if they were rules.
func TestEveryQueryIsPromQL(t *testing.T) {
	t.Parallel()
	type rule struct {
		Record string `yaml:"record"`
		Expr   string `yaml:"expr"`
	}
	var rules []rule
	for _, expr := range slices.Sorted(maps.Values(expressions(t))) {
		rules = append(rules, rule{"query", expr})
	}
	type group struct {
		Name  string `yaml:"name"`
		Rules []rule `yaml:"rules"`
	}
	var file bytes.Buffer
	if err := yaml.NewEncoder(&file).Encode(map[string][]group{"groups": {{"dashboards", rules}}}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "queries.yaml")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "check", "rules", "--lint=none", path)
}
