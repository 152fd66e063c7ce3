package dashboards_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"causeway/tools/package/dashboards"
)

var update = flag.Bool("update", false, "rewrite config/deploy/grafana")

const folder = "../../../config/deploy/grafana"

func TestTheFilesAreWhatTheTablesSay(t *testing.T) {
	t.Parallel()
	files, err := dashboards.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		path := filepath.Join(folder, f.Name)
		if *update {
			if err := os.WriteFile(path, f.JSON, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if on, err := os.ReadFile(path); err != nil || !bytes.Equal(on, f.JSON) {
			t.Errorf("%s is not what the tables say (%v); run: make golden", f.Name, err)
		}
	}
	if on, err := filepath.Glob(folder + "/*.json"); err != nil || len(on) != len(files) {
		t.Errorf("%d files in %s, %d dashboards (%v)", len(on), folder, len(files), err)
	}
}

// TestNoPanelIsEmptyOrBesideTheGrid checks what Grafana would show as a hole: panels without a title, a unit or a query, without room, or on top of each other.
func TestNoPanelIsEmptyOrBesideTheGrid(t *testing.T) {
	t.Parallel()
	files, err := dashboards.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		var b struct {
			Panels []struct {
				ID          int
				Type, Title string
				GridPos     struct{ X, Y, W, H int }
				FieldConfig struct{ Defaults struct{ Unit string } }
				Targets     []struct{ RefID, Expr, LegendFormat string }
			}
		}
		if err := json.Unmarshal(f.JSON, &b); err != nil {
			t.Fatal(err)
		}
		taken, ids := map[[2]int]string{}, map[int]bool{}
		for _, p := range b.Panels {
			if ids[p.ID] || p.Title == "" || p.Type != "row" && (p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0) {
				t.Errorf("%s: panel %d %q lacks a title, an id of its own, a unit or a query", f.Name, p.ID, p.Title)
			}
			ids[p.ID] = true
			if p.GridPos.W < 4 || p.GridPos.X+p.GridPos.W > 24 {
				t.Errorf("%s: %q has no room: %+v", f.Name, p.Title, p.GridPos)
			}
			for x := range p.GridPos.W {
				for y := range p.GridPos.H {
					cell := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
					if other := taken[cell]; other != "" {
						t.Fatalf("%s: %q lies on %q", f.Name, p.Title, other)
					}
					taken[cell] = p.Title
				}
			}
			for _, q := range p.Targets {
				if q.RefID == "" || q.Expr == "" || q.LegendFormat == "" {
					t.Errorf("%s: %q has a query without an id, an expression or a legend", f.Name, p.Title)
				}
			}
		}
	}
}
