package core_test

import (
	"slices"
	"strings"
	"testing"

	"causeway/core"
)

func TestOperations(t *testing.T) {
	t.Parallel()
	ids, patterns := map[string]bool{}, map[string]bool{}
	for _, op := range core.Operations() {
		pattern := op.Method + " " + op.Path
		if ids[op.ID] || patterns[pattern] {
			t.Errorf("%s, %s is there twice", op.ID, pattern)
		}
		ids[op.ID], patterns[pattern] = true, true
		if found, ok := core.FindOperation(op.ID); !ok || found != op {
			t.Errorf("FindOperation(%s): got %v, %v", op.ID, found, ok)
		}
		if !strings.HasPrefix(op.Path, "/v1/") || (op.Stream || op.ID == core.OpGetAddressQR) != (op.Member == "") {
			t.Errorf("%+v: want a path below /v1/, and a member if the response is JSON", op)
		}
	}
	if got := core.OperationIDs(); len(got) != len(ids) || !slices.IsSorted(got) {
		t.Errorf("OperationIDs: got %v", got)
	}
	if op, ok := core.FindOperation("list-pears"); ok {
		t.Errorf("FindOperation: got %v for an unknown ID", op)
	}
	want := []string{"explain-price", "get-pair", "get-price-history", "list-pairs", "stream-pairs"}
	if got := core.OperationGroups()["pairs"]; !slices.Equal(got, want) {
		t.Errorf("OperationGroups: got %v, want %v", got, want)
	}
}
