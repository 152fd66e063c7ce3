package banks_test

import (
	"fmt"
	"testing"

	"causeway/core"
	"causeway/core/banks"
)

// numberedAt is a directory that lists 40 numbered banks by codes of its own.
func numberedAt(name string) *directory {
	_, all := numbered(40, 0)
	for i := range all {
		all[i].Codes = map[string]string{name: "own" + all[i].Code}
	}
	return &directory{name: name, lists: map[string][]core.Bank{"NG": all}}
}

// Lists that come together are published together, and none is there before.
func TestListsThatComeTogetherAreOnePublication(t *testing.T) {
	t.Parallel()
	known, _ := numbered(40, 40)
	s := service(t, known, numberedAt("korapay"), numberedAt("monnify"), numberedAt("paystack"))
	var heard []*banks.List
	s.Subscribe(func(l *banks.List) { heard = append(heard, l) })
	s.refresh(t)
	if len(heard) != 2 {
		t.Fatalf("got %d publications, want the catalog and one more", len(heard))
	}
	b, err := heard[1].Find("NG", "60000")
	if err != nil || len(b.Codes) != 4 {
		t.Errorf("got %v, %v; want the codes of all three, and the catalog's", b.Codes, err)
	}
}

// A list that lacks too much is held back alone, whatever comes with it.
func TestAListIsHeldBackAlone(t *testing.T) {
	t.Parallel()
	known, _ := numbered(40, 40)
	korapay, monnify, paystack := numberedAt("korapay"), numberedAt("monnify"), numberedAt("paystack")
	s := service(t, known, korapay, monnify, paystack)
	s.refresh(t)
	newcomer := bank("NG", "61000", "Newcomer", "korapay", "own61000")
	korapay.lists["NG"] = append(korapay.lists["NG"], newcomer)
	monnify.lists["NG"] = monnify.lists["NG"][:20]
	newcomer.Codes = map[string]string{"paystack": "other61000"}
	paystack.lists["NG"] = append(paystack.lists["NG"], newcomer)
	s.refresh(t)
	for directory, want := range map[string]bool{"korapay": false, "monnify": true, "paystack": false} {
		if held := s.state(t, directory, "NG").HeldBack; (held != nil) != want || want && (len(held.Missing) != 20 || held.Of != 40) {
			t.Errorf("%s: held back: %+v, want %t", directory, held, want)
		}
	}
	if got := find(t, s, "NG", "61000").Codes; len(got) != 2 {
		t.Errorf("the newcomer has the codes %v", got)
	}
	if b := find(t, s, "NG", "60039"); b.DroppedBy("monnify") {
		t.Error("a list that is held back has marked a bank")
	}
}

// Two first lists that contradict each other about many institutions that nobody else knows:
// neither is believed, and neither is held back for what was never told.
func TestFirstListsThatContradictEachOther(t *testing.T) {
	t.Parallel()
	known, _ := numbered(40, 20)
	korapay, paystack := numberedAt("korapay"), numberedAt("paystack")
	for i := range paystack.lists["NG"] {
		if i >= 20 {
			paystack.lists["NG"][i].Name = fmt.Sprintf("Someone Else %c", 'A'+i)
		}
	}
	s := service(t, known, korapay, paystack)
	s.refresh(t)
	if got := len(s.List().Entries()); got != 20 {
		t.Errorf("got %d institutions, want the catalog's 20", got)
	}
	for _, directory := range []string{"korapay", "paystack"} {
		if st := s.state(t, directory, "NG"); st.HeldBack != nil || st.Joined != 20 || len(st.LeftOut) != 20 {
			t.Errorf("%s: %+v", directory, st)
		}
	}
}
