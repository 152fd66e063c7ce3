package app

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/config"
)

// TestOperationGroups compares the groups of the setting auth.operations with the paths of the API.
func TestOperationGroups(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		}
	}
	if err := json.Unmarshal(newSandboxEnv(t).ask(http.MethodGet, "/openapi.json", "").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	groups := map[string][]string{}
	for path, methods := range document.Paths {
		name, _, _ := strings.Cut(strings.TrimPrefix(path, "/v1/"), "/")
		for _, op := range methods {
			groups[name] = append(groups[name], op.OperationID)
		}
	}
	if len(groups["pairs"]) < 5 {
		t.Errorf("got %v", groups)
	}
	for name, want := range groups {
		if slices.Sort(want); !slices.Equal(config.OperationGroup(name), want) {
			t.Errorf("%s: got %v, want %v", name, config.OperationGroup(name), want)
		}
	}
}
