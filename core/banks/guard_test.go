package banks_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/banks"
)

// numbered is n banks of Nigeria, of which the first known are the catalog's.
func numbered(n, known int) (catalog, all []core.Bank) {
	for i := range n {
		code := fmt.Sprintf("%05d", 60000+i)
		b := bank("NG", code, "Number"+code, "paystack", code)
		all = append(all, b)
		if i < known {
			b.Codes = map[string]string{core.CBN: code}
			catalog = append(catalog, b)
		}
	}
	return catalog, all
}

func codesOfGone(s banks.State) []string {
	out := []string{}
	for _, g := range s.Gone {
		out = append(out, g.Code)
	}
	return out
}

// An institution that a list has no more is marked: it stays, and the provider is not asked about
// it. When it is back, so is the mark gone.
func TestWhatALIstHasNoMoreIsMarked(t *testing.T) {
	t.Parallel()
	known, all := numbered(40, 20)
	d := &directory{name: "paystack", lists: map[string][]core.Bank{"NG": all}}
	other := &directory{name: "korapay", lists: map[string][]core.Bank{"NG": {bank("NG", "60000", "Number60000", "korapay", "60000")}}}
	s := service(t, known, d, other)
	s.refresh(t)
	if st := s.state(t, "paystack", "NG"); st.Joined != 20 || st.Added != 20 || st.Learned != 0 || len(st.Gone) != 0 {
		t.Fatalf("got %+v", st)
	}
	d.lists["NG"] = slices.Concat(all[1:19], all[20:39]) // without the first and the last of the catalog's, and one that only it knew
	s.refresh(t)
	if got, want := codesOfGone(s.state(t, "paystack", "NG")), []string{"60000", "60019", "60039"}; !slices.Equal(got, want) {
		t.Errorf("gone: got %v, want %v", got, want)
	}
	for code, want := range map[string][]string{"60000": {"paystack"}, "60019": {"paystack"}, "60039": {"paystack"}, "60001": nil} {
		if got := find(t, s, "NG", code); !slices.Equal(got.Dropped, want) {
			t.Errorf("%s: dropped by %v, want %v", code, got.Dropped, want)
		}
	}
	if st := s.state(t, "korapay", "NG"); len(st.Gone) != 0 {
		t.Errorf("korapay: %+v", st)
	}
	d.lists["NG"] = all
	s.refresh(t)
	if got := find(t, s, "NG", "60000"); len(got.Dropped) != 0 || len(s.state(t, "paystack", "NG").Gone) != 0 {
		t.Errorf("it is back, and dropped by %v", got.Dropped)
	}
}

// What directories alone knew leaves after a day of lists without it; what the catalog knows never
// does.
func TestWhatOnlyDirectoriesKnewLeavesInTheEnd(t *testing.T) {
	t.Parallel()
	known, all := numbered(40, 20)
	d := &directory{name: "paystack", lists: map[string][]core.Bank{"NG": all}}
	s := service(t, known, d)
	s.refresh(t)
	d.lists["NG"] = all[1:39]
	for range 24 {
		s.refresh(t)
		find(t, s, "NG", "60039")
	}
	s.refresh(t)
	if b, err := s.Find("NG", "60039"); err == nil {
		t.Errorf("%s is still there", b.Name)
	}
	for range 100 {
		s.refresh(t)
	}
	if got := find(t, s, "NG", "60000"); !got.DroppedBy("paystack") {
		t.Error("the catalog's is no longer marked")
	}
	if got, want := codesOfGone(s.state(t, "paystack", "NG")), []string{"60000"}; !slices.Equal(got, want) {
		t.Errorf("gone: got %v, want %v", got, want)
	}
}

// A code that comes to mean something else at the provider is as bad as one that is gone: the
// provider is not asked by it.
func TestACodeThatIsGivenToAnotherBankIsGone(t *testing.T) {
	t.Parallel()
	known, all := numbered(40, 40)
	d := &directory{name: "paystack", lists: map[string][]core.Bank{"NG": all}}
	s := service(t, known, d)
	s.refresh(t)
	swapped := slices.Clone(all)
	swapped[0].Name, swapped[1].Name = swapped[1].Name, swapped[0].Name
	d.lists["NG"] = swapped
	s.refresh(t)
	for _, code := range []string{"60000", "60001"} {
		if b := find(t, s, "NG", code); !b.DroppedBy("paystack") || b.Name != "Number"+code {
			t.Errorf("%s: %+v", code, b)
		}
	}
	if st := s.state(t, "paystack", "NG"); len(st.LeftOut) != 2 || len(st.Gone) != 2 || st.HeldBack != nil {
		t.Errorf("got %+v", st)
	}
}

func TestAListThatLacksTooMuchIsHeldBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		known   int // of 40
		bad     func(all []core.Bank) []core.Bank
		missing int
	}{
		{"one more than a tenth, of the catalog", 40, func(all []core.Bank) []core.Bank { return all[5:] }, 5},
		{"one more than a tenth, that nobody else knew", 0, func(all []core.Bank) []core.Bank { return all[:35] }, 5},
		{"all but one", 20, func(all []core.Bank) []core.Bank { return all[:1] }, 39},
		{"another list in its place", 20, func([]core.Bank) []core.Bank {
			_, more := numbered(100, 0)
			return more[50:]
		}, 40},
		{"every name one row further", 40, func(all []core.Bank) []core.Bank {
			out := slices.Clone(all)
			for i := range out {
				out[i].Name = all[(i+1)%len(all)].Name
			}
			return out
		}, 40},
		{"no name at all", 40, func(all []core.Bank) []core.Bank {
			out := slices.Clone(all)
			for i := range out {
				out[i].Name = ""
			}
			return out
		}, 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			known, all := numbered(40, c.known)
			d := &directory{name: "paystack", lists: map[string][]core.Bank{"NG": all}}
			s := service(t, known, d)
			s.refresh(t)
			before := s.List()
			good := s.state(t, "paystack", "NG")
			d.lists["NG"] = c.bad(all)
			s.refresh(t)
			st := s.state(t, "paystack", "NG")
			if s.List() != before || st.HeldBack == nil || st.Held != 1 || st.Failures != 1 || core.CodeOf(st.LastError) != core.Unavailable || !st.LastSuccess.Equal(good.LastSuccess) {
				t.Fatalf("it was taken over: %+v", st)
			}
			if st.Listed != good.Listed || len(st.HeldBack.Missing) != c.missing || st.HeldBack.Of != 40 || st.HeldBack.At.IsZero() {
				t.Errorf("got %+v, want %d of 40 missing", st.HeldBack, c.missing)
			}
			d.lists["NG"] = all
			s.refresh(t)
			if st := s.state(t, "paystack", "NG"); st.HeldBack != nil || st.Failures != 0 || st.LastError != nil || s.List() != before {
				t.Errorf("a good list did not end it: %+v", st)
			}
		})
	}
	t.Run("a tenth is not", func(t *testing.T) {
		t.Parallel()
		known, all := numbered(40, 40)
		d := &directory{name: "paystack", lists: map[string][]core.Bank{"NG": all}}
		s := service(t, known, d)
		s.refresh(t)
		d.lists["NG"] = all[4:]
		s.refresh(t)
		if st := s.state(t, "paystack", "NG"); st.HeldBack != nil || len(st.Gone) != 4 {
			t.Errorf("got %+v", st)
		}
		d.lists["NG"] = all[5:] // bit by bit is no way around it
		s.refresh(t)
		if st := s.state(t, "paystack", "NG"); st.HeldBack == nil || len(st.HeldBack.Missing) != 5 {
			t.Errorf("got %+v", st)
		}
	})
}

// Several directories, each with a bit less than a tenth to lose, cannot cost the country more than
// a tenth together: what they alone knew stays then, marked.
func TestManySmallLossesAreNoWayAroundTheGuard(t *testing.T) {
	t.Parallel()
	_, all := numbered(100, 0)
	lists := []*directory{}
	for i, name := range []string{"busha", "flutterwave", "korapay", "monnify", "paystack"} {
		common := slices.Clone(all[:80])
		d := listing(name, slices.Concat(common, all[80+4*i:84+4*i])...)
		for j := range d.lists["NG"] {
			d.lists["NG"][j].Codes = map[string]string{name: d.lists["NG"][j].Code}
		}
		lists = append(lists, d)
	}
	s := service(t, nil, lists[0], lists[1], lists[2], lists[3], lists[4])
	s.refresh(t)
	if n := len(s.List().Entries()); n != 100 {
		t.Fatalf("%d institutions", n)
	}
	for _, d := range lists {
		d.lists["NG"] = d.lists["NG"][:80] // each loses the four that it alone knew
	}
	for range 30 {
		s.refresh(t)
	}
	if n := len(s.List().Entries()); n < 90 {
		t.Errorf("%d institutions are left of 100", n)
	}
	for _, st := range s.States() {
		if st.HeldBack != nil {
			t.Errorf("%s is held back: %+v", st.Directory, st.HeldBack)
		}
	}
}

func TestAccept(t *testing.T) {
	t.Parallel()
	known, all := numbered(40, 20)
	d := &directory{name: "paystack", lists: map[string][]core.Bank{"NG": all, "GH": nil}}
	s := service(t, known, d)
	s.refresh(t)
	for _, c := range []struct{ name, directory, country, field, want string }{
		{"an unknown directory", "payslack", "NG", "directory", `"payslack" is not a directory of banks; accepted: paystack`},
		{"a country that it does not list", "paystack", "KE", "country", `paystack does not list the banks of "KE"; accepted: GH, NG`},
	} {
		_, err := s.Accept(c.directory, c.country)
		if got := reason(t, err, c.field); got != c.want {
			t.Errorf("%s: got %s", c.name, got)
		}
	}
	if _, err := s.Accept(" Paystack ", "ng"); core.CodeOf(err) != core.NotFound {
		t.Errorf("nothing is held back: got %v", err)
	}
	d.lists["NG"] = slices.Concat(all[10:20], all[30:])
	s.refresh(t)
	if st := s.state(t, "paystack", "NG"); st.HeldBack == nil || len(st.HeldBack.Missing) != 20 {
		t.Fatalf("got %+v", st)
	}
	st, err := s.Accept(" Paystack ", "ng")
	if err != nil || st.HeldBack != nil || st.Listed != 20 || len(st.Gone) != 10 || st.LastError != nil || st.Failures != 0 {
		t.Errorf("got %+v, %v", st, err)
	}
	if n := len(s.List().Entries()); n != 30 {
		t.Errorf("%d institutions, want the catalog's 20 and 10 others", n)
	}
	if !find(t, s, "NG", "60000").DroppedBy("paystack") {
		t.Error("the catalog's are not marked")
	}
	if _, err := s.Accept("paystack", "NG"); core.CodeOf(err) != core.NotFound {
		t.Errorf("accepted twice: got %v", err)
	}
	for range 3 { // what the operator knows of is no reason any more
		s.refresh(t)
	}
	if st := s.state(t, "paystack", "NG"); st.HeldBack != nil || st.Answered != 5 {
		t.Errorf("got %+v", st)
	}
	d.lists["NG"] = d.lists["NG"][3:] // but anew it is
	s.refresh(t)
	if st := s.state(t, "paystack", "NG"); st.HeldBack == nil || st.HeldBack.Of != 20 {
		t.Errorf("got %+v", st)
	}
}

// Whatever lists come in whatever order, without the operator's word no country loses more than a
// tenth of what it ever had.
func TestNoSequenceOfListsShrinksACountry(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		known, all := numbered(30, rapid.IntRange(0, 30).Draw(rt, "known"))
		names := []string{"korapay", "monnify", "paystack"}
		var ds []*directory
		for _, name := range names {
			ds = append(ds, &directory{name: name, lists: map[string][]core.Bank{"NG": nil}})
		}
		s := service(t, known, ds[0], ds[1], ds[2])
		ever, peak := map[string]bool{}, 0
		for _, b := range known {
			ever[b.Code] = true
		}
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			for _, d := range ds {
				switch rapid.IntRange(0, 5).Draw(rt, "what") {
				case 0: // the same again
				case 1:
					d.errs = map[string]error{"NG": errors.New("down")}
				default:
					d.errs, d.lists["NG"] = nil, genList(rt, d.name, all)
				}
			}
			for range rapid.SampledFrom([]int{1, 1, 1, 1, 1, 26}).Draw(rt, "times") {
				s.refresh(t)
			}
			entries := s.List().Entries()
			found := 0
			for _, e := range entries {
				ever[e.Code] = true
			}
			for code := range ever {
				if _, err := s.Find("NG", code); err == nil {
					found++
				}
			}
			peak = max(peak, len(entries))
			if 10*len(entries) < 9*peak || 10*found < 9*len(ever) {
				rt.Fatalf("%d institutions, once %d; %d of %d codes ever listed mean one", len(entries), peak, found, len(ever))
			}
			for _, b := range known {
				if got, err := s.Find("NG", b.Code); err != nil || got.Name != b.Name {
					rt.Fatalf("%s means %s, %v", b.Code, got.Name, err)
				}
			}
		}
	})
}

// genList draws a list that is whole, cut short, or wrong in some rows.
func genList(t *rapid.T, directory string, all []core.Bank) []core.Bank {
	from := rapid.IntRange(0, 10).Draw(t, "from")
	to := rapid.IntRange(from, len(all)).Draw(t, "to")
	if rapid.Bool().Draw(t, "whole") {
		from, to = 0, len(all)
	}
	wrong := rapid.IntRange(0, len(all)).Draw(t, "wrong")
	var out []core.Bank
	for i, b := range all[from:to] {
		b.Codes = map[string]string{directory: b.Code}
		if i == wrong {
			b.Name = rapid.SampledFrom([]string{"Another", "", all[0].Name}).Draw(t, "name")
		}
		out = append(out, b)
	}
	return out
}
