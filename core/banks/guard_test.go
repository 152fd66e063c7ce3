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

// numbered returns n banks of Nigeria as Paystack lists them, and a catalog of the first known ones.
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

func goneCodes(s banks.State) []string {
	out := []string{}
	for _, g := range s.Gone {
		out = append(out, g.Code)
	}
	return out
}

// Institutions that disappear from a list stay and are marked as unlisted until they are listed again.
func TestRefresh_MissingInstitutions(t *testing.T) {
	t.Parallel()
	known, all := numbered(40, 20)
	d := &directory{name: "paystack", lists: map[string][]core.Bank{"NG": all}}
	other := &directory{name: "korapay", lists: map[string][]core.Bank{"NG": {bank("NG", "60000", "Number60000", "korapay", "60000")}}}
	s := service(t, known, d, other)
	s.refresh(t)
	if st := s.state(t, "paystack", "NG"); st.Joined != 20 || st.Added != 20 || st.Learned != 0 || len(st.Gone) != 0 {
		t.Fatalf("got %+v", st)
	}
	d.lists["NG"] = slices.Concat(all[1:19], all[20:39]) // without two of the catalog and one other
	s.refresh(t)
	if got, want := goneCodes(s.state(t, "paystack", "NG")), []string{"60000", "60019", "60039"}; !slices.Equal(got, want) {
		t.Errorf("gone: got %v, want %v", got, want)
	}
	for code, want := range map[string][]string{
		"60000": {"paystack"}, "60019": {"korapay", "paystack"}, "60039": {"korapay", "paystack"}, "60001": {"korapay"},
	} {
		if got := find(t, s, "NG", code); !slices.Equal(got.Unlisted, want) {
			t.Errorf("%s: got unlisted by %v, want %v", code, got.Unlisted, want)
		}
	}
	if st := s.state(t, "korapay", "NG"); len(st.Gone) != 0 {
		t.Errorf("korapay: got gone %v, want none", st.Gone)
	}
	d.lists["NG"] = all
	s.refresh(t)
	if got := find(t, s, "NG", "60000"); len(got.Unlisted) != 0 || len(s.state(t, "paystack", "NG").Gone) != 0 {
		t.Errorf("listed again: got unlisted by %v, want none", got.Unlisted)
	}
}

// Institutions that only directories listed are removed after 24 lists without them; institutions
// of the catalog never are.
func TestRefresh_Forget(t *testing.T) {
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
		t.Errorf("got %s, want it removed", b.Name)
	}
	if got := find(t, s, "NG", "60000"); !got.UnlistedBy("paystack") {
		t.Errorf("60000: got unlisted by %v, want paystack", got.Unlisted)
	}
	if got, want := goneCodes(s.state(t, "paystack", "NG")), []string{"60000"}; !slices.Equal(got, want) {
		t.Errorf("gone: got %v, want %v", got, want)
	}
}

// A code that a provider reassigns to another bank counts as missing.
func TestRefresh_ReassignedCode(t *testing.T) {
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
		if b := find(t, s, "NG", code); !b.UnlistedBy("paystack") || b.Name != "Number"+code {
			t.Errorf("%s: got %+v, want Number%s unlisted by paystack", code, b, code)
		}
	}
	if st := s.state(t, "paystack", "NG"); len(st.LeftOut) != 2 || len(st.Gone) != 2 || st.HeldBack != nil {
		t.Errorf("got %+v, want 2 left out, 2 gone and nothing held back", st)
	}
}

func TestRefresh_HeldBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		known   int // of 40
		bad     func(all []core.Bank) []core.Bank
		missing int
	}{
		{"more than a tenth of the catalog", 40, func(all []core.Bank) []core.Bank { return all[5:] }, 5},
		{"more than a tenth of institutions outside the catalog", 0, func(all []core.Bank) []core.Bank { return all[:35] }, 5},
		{"different list", 20, func([]core.Bank) []core.Bank {
			_, more := numbered(100, 0)
			return more[50:]
		}, 40},
		{"names shifted by one row", 40, func(all []core.Bank) []core.Bank {
			out := slices.Clone(all)
			for i := range out {
				out[i].Name = all[(i+1)%len(all)].Name
			}
			return out
		}, 40},
		{"no names", 40, func(all []core.Bank) []core.Bank {
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
				t.Fatalf("got %+v, want the list held back", st)
			}
			if st.Listed != good.Listed || len(st.HeldBack.Missing) != c.missing || st.HeldBack.Of != 40 || st.HeldBack.At.IsZero() {
				t.Errorf("held back: got %+v, want %d of 40 missing", st.HeldBack, c.missing)
			}
			d.lists["NG"] = all
			s.refresh(t)
			if st := s.state(t, "paystack", "NG"); st.HeldBack != nil || st.Failures != 0 || st.LastError != nil || s.List() != before {
				t.Errorf("after a complete list: got %+v, want nothing held back", st)
			}
		})
	}
	t.Run("small losses add up", func(t *testing.T) {
		t.Parallel()
		known, all := numbered(40, 40)
		d := &directory{name: "paystack", lists: map[string][]core.Bank{"NG": all}}
		s := service(t, known, d)
		s.refresh(t)
		d.lists["NG"] = all[4:]
		s.refresh(t)
		if st := s.state(t, "paystack", "NG"); st.HeldBack != nil || len(st.Gone) != 4 {
			t.Errorf("got %+v, want a tenth accepted", st)
		}
		d.lists["NG"] = all[5:]
		s.refresh(t)
		if st := s.state(t, "paystack", "NG"); st.HeldBack == nil || len(st.HeldBack.Missing) != 5 {
			t.Errorf("got %+v, want 5 missing and the list held back", st)
		}
	})
}

// Losses of several directories, each below a tenth, do not cost the country more than a tenth:
// institutions that would be forgotten stay, marked as dropped.
func TestRefresh_LossesOfSeveralDirectories(t *testing.T) {
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
		t.Fatalf("got %d institutions, want 100", n)
	}
	for _, d := range lists {
		d.lists["NG"] = d.lists["NG"][:80] // without the 4 that only this directory listed
	}
	for range 30 {
		s.refresh(t)
	}
	if n := len(s.List().Entries()); n < 90 {
		t.Errorf("got %d institutions, want at least 90", n)
	}
	for _, st := range s.States() {
		if st.HeldBack != nil {
			t.Errorf("%s: got %+v, want nothing held back", st.Directory, st.HeldBack)
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
		{"unknown directory", "payslack", "NG", "directory", `"payslack" is not a directory of banks; accepted: paystack`},
		{"country not listed", "paystack", "KE", "country", `paystack does not list the banks of "KE"; accepted: GH, NG`},
	} {
		_, err := s.Accept(c.directory, c.country)
		if got := reason(t, err, c.field); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	if _, err := s.Accept(" Paystack ", "ng"); core.CodeOf(err) != core.NotFound {
		t.Errorf("nothing held back: got %v, want not found", err)
	}
	d.lists["NG"] = slices.Concat(all[10:20], all[30:])
	s.refresh(t)
	if st := s.state(t, "paystack", "NG"); st.HeldBack == nil || len(st.HeldBack.Missing) != 20 {
		t.Fatalf("got %+v, want 20 missing and the list held back", st)
	}
	st, err := s.Accept(" Paystack ", "ng")
	if err != nil || st.HeldBack != nil || st.Listed != 20 || len(st.Gone) != 10 || st.LastError != nil || st.Failures != 0 {
		t.Errorf("got %+v, %v; want 20 listed and 10 gone", st, err)
	}
	if n := len(s.List().Entries()); n != 30 {
		t.Errorf("got %d institutions, want 30", n)
	}
	if !find(t, s, "NG", "60000").UnlistedBy("paystack") {
		t.Error("60000: got no mark, want unlisted by paystack")
	}
	if _, err := s.Accept("paystack", "NG"); core.CodeOf(err) != core.NotFound {
		t.Errorf("accepted twice: got %v, want not found", err)
	}
	for range 3 { // accepted losses do not count again
		s.refresh(t)
	}
	if st := s.state(t, "paystack", "NG"); st.HeldBack != nil || st.Succeeded != 5 {
		t.Errorf("got %+v, want 5 lists and nothing held back", st)
	}
	d.lists["NG"] = d.lists["NG"][3:] // new losses do
	s.refresh(t)
	if st := s.state(t, "paystack", "NG"); st.HeldBack == nil || st.HeldBack.Of != 20 {
		t.Errorf("got %+v, want a list of 20 held back", st)
	}
}

// Without Accept, no sequence of lists costs a country more than a tenth of its institutions.
func TestRefresh_LossIsBounded(t *testing.T) {
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
				case 0: // unchanged
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
				rt.Fatalf("got %d institutions of %d and %d codes of %d, want 90%% of each", len(entries), peak, found, len(ever))
			}
			for _, b := range known {
				if got, err := s.Find("NG", b.Code); err != nil || got.Name != b.Name {
					rt.Fatalf("%s: got %s, %v; want %s", b.Code, got.Name, err, b.Name)
				}
			}
		}
	})
}

// genList draws a list that is complete, truncated, or wrong in one row.
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
