package banks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/core/banks"
)

// A catalog that is applied later results in the same registry as one that is given to New.
func TestPlan(t *testing.T) {
	t.Parallel()
	d := &directory{name: "paystack", lists: map[string][]core.Bank{"NG": {
		bank("NG", "057", "Zenith Bank", "paystack", "057"), bank("NG", "50999", "Odd Bank", "paystack", "50999"),
	}}}
	next := slices.Concat(catalog()[1:], []core.Bank{bank("NG", "000999", "Odd Bank", "cbn", "50999"), bank("GH", "990000", "Another Bank")})
	want := service(t, next, d)
	want.refresh(t)

	s := service(t, catalog(), d)
	s.refresh(t)
	before := s.List()
	change, err := s.Plan(next, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.List() != before {
		t.Error("Plan published a list before change was called")
	}
	var published *banks.List
	s.Subscribe(func(l *banks.List) { published = l })
	change()
	if diff := cmp.Diff(want.List().Entries(), s.List().Entries()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if published != s.List() {
		t.Error("the subscriber did not get the new list")
	}
	s.refresh(t) // institutions that the operator removed do not count as missing
	if state := s.state(t, "paystack", "NG"); state.HeldBack != nil || state.LastError != nil {
		t.Errorf("next refresh: got %+v, want no error", state)
	}
}

func TestPlan_InvalidCatalog(t *testing.T) {
	t.Parallel()
	s := service(t, catalog())
	_, err := s.Plan(append(catalog(), bank("NG", "000013", "Twice"), bank("XX", "1", "Nowhere")), nil)
	for _, want := range []string{"the code is taken by Guaranty Trust Bank", "unknown country"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	if diff := cmp.Diff(service(t, catalog()).List().Entries(), s.List().Entries()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}
