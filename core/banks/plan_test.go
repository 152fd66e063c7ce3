package banks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/core/banks"
)

// A catalog that is taken later makes the registry that it would have made from the start, with all
// that directories have told.
func TestPlan(t *testing.T) {
	t.Parallel()
	told := &directory{name: "paystack", lists: map[string][]core.Bank{"NG": {
		bank("NG", "057", "Zenith Bank", "paystack", "057"), bank("NG", "50999", "Odd Bank", "paystack", "50999"),
	}}}
	next := slices.Concat(catalog()[1:], []core.Bank{bank("NG", "000999", "Odd Bank", "cbn", "50999"), bank("GH", "990000", "Another Bank")})
	want := service(t, next, told)
	want.refresh(t)

	s := service(t, catalog(), told)
	s.refresh(t)
	before := s.List()
	change, err := s.Plan(next)
	if err != nil {
		t.Fatal(err)
	}
	if s.List() != before {
		t.Error("a plan changed something before it was carried out")
	}
	var heard *banks.List
	s.Subscribe(func(l *banks.List) { heard = l })
	change()
	if diff := cmp.Diff(want.List().Entries(), s.List().Entries()); diff != "" {
		t.Errorf("the list (-from the start +taken later):\n%s", diff)
	}
	if heard != s.List() {
		t.Error("nobody heard of it")
	}
	s.refresh(t) // nothing is held back: what the operator took away is not missing
	if state := s.state(t, "paystack", "NG"); state.HeldBack != nil || state.LastError != nil {
		t.Errorf("the next list: %+v", state)
	}
}

func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	s := service(t, catalog())
	_, err := s.Plan(append(catalog(), bank("NG", "000013", "Twice"), bank("XX", "1", "Nowhere")))
	for _, want := range []string{"the code is taken by Guaranty Trust Bank", "unknown country"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
	if diff := cmp.Diff(service(t, catalog()).List().Entries(), s.List().Entries()); diff != "" {
		t.Errorf("the list changed:\n%s", diff)
	}
}
