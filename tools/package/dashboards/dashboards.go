// Package dashboards makes the Grafana dashboards under config/deploy/grafana: what to look at is in the tables, what Grafana wants around it is here.
// `make golden` writes the files, a test holds them to the tables, and test/deploy_test.go holds every query to the metrics that the program has.
//
// The JSON is Grafana's dashboard model (https://grafana.com/docs/grafana/latest/visualizations/dashboards/build-dashboards/view-dashboard-json-model/,
// schema version 39, Grafana 10.4 and later; general knowledge of 2026-11).
package dashboards

import (
	"encoding/json"
	"strings"
)

// Grafana's grid is 24 columns wide.
const (
	columns     = 24
	rowHeight   = 1
	panelHeight = 8
)

// source is the data source that the reader of a dashboard chooses above it.
const source = "${datasource}"

// board is one dashboard.
type board struct {
	name, title, about string
	sections           []section
}

// section is a row of panels under a heading.
type section struct {
	title  string
	panels []panel
}

// panel is a graph, or a number where kind is stat.
type panel struct {
	title, about string
	kind         string // a kind of Grafana's: timeseries where it is empty
	unit         string // a unit of Grafana's
	stacked      bool
	queries      []query
}

// query is a PromQL expression, and how Grafana names its series.
type query struct{ expr, legend string }

// File is a dashboard as Grafana reads it.
type File struct {
	Name string
	JSON []byte
}

// All makes the dashboards.
func All() ([]File, error) {
	var out []File
	for _, b := range boards() {
		text, err := json.MarshalIndent(b.model(), "", " ")
		if err != nil {
			return nil, err
		}
		out = append(out, File{Name: b.name + ".json", JSON: append(text, '\n')})
	}
	return out, nil
}

type object map[string]any

func (b board) model() object {
	return object{
		"uid": "causeway-" + b.name, "title": "Causeway / " + b.title, "description": b.about, "tags": []string{"causeway"},
		"schemaVersion": 39, "editable": true, "graphTooltip": 1, "timezone": "utc", "refresh": "30s", "time": object{"from": "now-3h", "to": "now"},
		"templating": object{"list": []object{
			{"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
			{
				"name": "instance", "label": "Instance", "type": "query", "datasource": datasource(), "includeAll": true, "multi": true, "allValue": ".*", "refresh": 2, "sort": 1,
				"current": object{"text": "All", "value": "$__all"}, "definition": "label_values(causeway_build_info, instance)",
				"query": object{"query": "label_values(causeway_build_info, instance)", "refId": "instances"},
			},
		}},
		"links":  []object{{"type": "dashboards", "title": "Causeway", "tags": []string{"causeway"}, "asDropdown": true, "includeVars": true, "keepTime": true}},
		"panels": b.panels(),
	}
}

func datasource() object { return object{"type": "prometheus", "uid": source} }

// panels lays the sections out: a heading, then its panels side by side, as wide as there is room for.
func (b board) panels() []object {
	var out []object
	id, y := 0, 0
	place := func(p object, x, width, height int) {
		id++
		p["id"], p["gridPos"] = id, object{"x": x, "y": y, "w": width, "h": height}
		out = append(out, p)
	}
	for _, s := range b.sections {
		place(object{"type": "row", "title": s.title, "collapsed": false, "panels": []object{}}, 0, columns, rowHeight)
		y += rowHeight
		width := columns / len(s.panels)
		for i, p := range s.panels {
			place(p.model(), i*width, width, panelHeight)
		}
		y += panelHeight
	}
	return out
}

func (p panel) model() object {
	kind, defaults := p.kind, object{"unit": p.unit, "min": 0}
	options := object{"reduceOptions": object{"calcs": []string{"lastNotNull"}}, "textMode": "value_and_name", "colorMode": "none"}
	if kind == "" {
		kind = "timeseries"
		custom := object{"fillOpacity": 10, "showPoints": "never", "spanNulls": false, "stacking": object{"mode": "none"}}
		if p.stacked {
			custom["stacking"] = object{"mode": "normal"}
		}
		defaults["custom"] = custom
		options = object{"legend": object{"displayMode": "table", "placement": "bottom", "calcs": []string{"lastNotNull", "max"}}, "tooltip": object{"mode": "multi", "sort": "desc"}}
	}
	var targets []object
	for i, q := range p.queries {
		targets = append(targets, object{"refId": string(rune('A' + i)), "datasource": datasource(), "expr": q.expr, "legendFormat": q.legend, "range": kind != "stat", "instant": kind == "stat"})
	}
	return object{
		"type": kind, "title": p.title, "description": p.about, "datasource": datasource(),
		"fieldConfig": object{"defaults": defaults, "overrides": []object{}}, "options": options, "targets": targets,
	}
}

// of names a metric of the chosen instances, with further matchers.
func of(metric string, matchers ...string) string {
	return metric + "{" + strings.Join(append([]string{`instance=~"$instance"`}, matchers...), ",") + "}"
}

// perSecond is the rate of a counter of the chosen instances together, by labels.
func perSecond(by, counter string, matchers ...string) string {
	return sum(by, "rate("+of(counter, matchers...)+"[$__rate_interval])")
}

// quantile is a quantile of a histogram of the chosen instances together, from its classic buckets.
func quantile(q, by, histogram string, matchers ...string) string {
	return "histogram_quantile(" + q + ", " + perSecond(strings.TrimPrefix(by+", le", ", "), histogram+"_bucket", matchers...) + ")"
}

func sum(by, expr string) string {
	if by == "" {
		return "sum(" + expr + ")"
	}
	return "sum by (" + by + ") (" + expr + ")"
}

func maximum(by, expr string) string { return "max by (" + by + ") (" + expr + ")" }
