package names_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/recipients/names"
	_ "causeway/test/fixedseed"
)

// names reads the table of verdicts, each with its reason.
func table(t testing.TB) (rows []struct {
	Reason, Claimed, Held string
	Verdict               core.NameMatch
},
) {
	t.Helper()
	text, err := os.ReadFile("testdata/names.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 150 {
		t.Fatalf("%d rows, want 150", len(rows))
	}
	return rows
}

func TestCompare(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range table(t) {
		if seen[c.Reason] {
			t.Errorf("%q is there twice", c.Reason)
		}
		seen[c.Reason] = true
		t.Run(c.Reason, func(t *testing.T) {
			t.Parallel()
			if got := names.Compare(core.Private(c.Claimed), core.Private(c.Held)); got != c.Verdict {
				t.Errorf("%q, held %q: got %s, want %s", c.Claimed, c.Held, got, c.Verdict)
			}
			if got := names.Compare(core.Private(c.Held), core.Private(c.Claimed)); got != c.Verdict {
				t.Errorf("%q, held %q: got %s, want %s", c.Held, c.Claimed, got, c.Verdict)
			}
		})
	}
}

// few are words of few letters, so that draws meet: none of them is a title or the like.
var few = rapid.StringMatching(`[ABC]{2,4}|OKAFOR|ABIODUN|CHUKWUEMEKA`)

// person draws the words of a name: some full ones, perhaps initials and a number.
func person(t *rapid.T, label string) []string {
	words := rapid.SliceOfN(few, 1, 4).Draw(t, label)
	return append(words, rapid.SliceOfN(rapid.SampledFrom([]string{"A", "B", "C", "12"}), 0, 2).Draw(t, label+"'s initials")...)
}

// written draws a way of writing words: by spaces and hyphens, and as one holder or two.
func written(t *rapid.T, words []string) core.Private {
	var text strings.Builder
	for i, w := range words {
		if i > 0 {
			text.WriteString(rapid.SampledFrom([]string{" ", " ", "  ", "-", "'", ", ", " / ", " AND "}).Draw(t, "between"))
		}
		text.WriteString(w)
	}
	return core.Private(text.String())
}

func spaced(words []string) core.Private { return core.Private(strings.Join(words, " ")) }

func TestCompare_Symmetric(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a, b := written(rt, person(rt, "a")), written(rt, person(rt, "b"))
		if rapid.Bool().Draw(rt, "anything") {
			a, b = core.Private(rapid.String().Draw(rt, "a")), core.Private(rapid.String().Draw(rt, "b"))
		}
		if one, other := names.Compare(a, b), names.Compare(b, a); one != other {
			rt.Errorf("%q, held %q: %s; the other way round %s", a.Reveal(), b.Reveal(), one, other)
		}
	})
}

func TestCompare_Self(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ADAEZE NGOZI / ", 500)
	if got := names.Compare(core.Private(long), core.Private(strings.ToLower(long))); got != core.Match {
		t.Errorf("%d characters: got %s", len(long), got)
	}
	if got := names.Compare(core.Private(long), core.Private(long+"X")); got != core.NoMatch {
		t.Errorf("one more word after %d characters: got %s", len(long), got)
	}
	rapid.Check(t, func(rt *rapid.T) {
		name := core.Private(rapid.String().Draw(rt, "name") + rapid.StringMatching(`[\p{Lu}\p{Ll}\p{Lo}]`).Draw(rt, "letter"))
		if rapid.Bool().Draw(rt, "a person") {
			name = written(rt, person(rt, "words"))
		}
		if got := names.Compare(name, name); got != core.Match {
			rt.Errorf("%q: got %s", name.Reveal(), got)
		}
	})
}

// Order never makes or breaks a match. It matters to close matches only where the bank may have cut
// off the last word.
func TestCompare_Order(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a, b := person(rt, "a"), person(rt, "b")
		shuffled := rapid.Permutation(b).Draw(rt, "shuffled")
		one, other := names.Compare(spaced(a), spaced(b)), names.Compare(spaced(a), spaced(shuffled))
		long := len(spaced(a)) >= 20 || len(spaced(b)) >= 20
		if one != other && (!long || one == core.Match || other == core.Match) {
			rt.Errorf("%v, held %v: %s; held %v: %s", a, b, one, shuffled, other)
		}
		if got := names.Compare(spaced(b), spaced(shuffled)); got != core.Match {
			rt.Errorf("%v, held %v: got %s", b, shuffled, got)
		}
	})
}

// Capitals and accents, whether they are part of the letter or follow it, change no verdict.
func TestCompare_CaseAndAccents(t *testing.T) {
	t.Parallel()
	composed := map[rune]string{'A': "ÁÀÂÃÄÅĀĂĄẠẬáẫ", 'B': "ḂƁḇɓ", 'C': "ÇĆČĈḉƈ", 'O': "ÓỌỘÖØƆɔő", 'U': "ÚỤÛŰưử", 'E': "ÉẸÊƐɛế", 'K': "ƘķḱK", 'I': "ÍỊİıÏ", 'N': "ÑŊŋń"}
	rapid.Check(t, func(rt *rapid.T) {
		a, b := written(rt, person(rt, "a")), written(rt, person(rt, "b"))
		var other strings.Builder
		for _, r := range b.Reveal() {
			if marked := []rune(composed[r]); len(marked) > 0 && rapid.Bool().Draw(rt, "composed") {
				r = rapid.SampledFrom(marked).Draw(rt, "letter")
			}
			text := string(r)
			if rapid.Bool().Draw(rt, "lower") {
				text = strings.ToLower(text)
			}
			other.WriteString(text)
			if r >= 'A' && r <= 'Z' && rapid.Bool().Draw(rt, "marked") {
				other.WriteRune(rune(rapid.IntRange(0x300, 0x36f).Draw(rt, "mark")))
			}
		}
		if one, got := names.Compare(a, b), names.Compare(a, core.Private(other.String())); got != one {
			rt.Errorf("%q, held %q: %s; held %q: %s", a.Reveal(), b.Reveal(), one, other.String(), got)
		}
	})
}

func TestCompare_Title(t *testing.T) {
	t.Parallel()
	titles := []string{"MR", "Mrs.", "DR", "CHIEF", "ALHAJI", "ALHAJA", "ENGR", "BARR.", "PROF", "REV", "PASTOR", "SIR", "OTUNBA", "HRH", "HON", "ME", "MME", "MLLE"}
	rapid.Check(t, func(rt *rapid.T) {
		a, b := person(rt, "a"), person(rt, "b")
		if rapid.Bool().Draw(rt, "the same") {
			b = rapid.Permutation(a).Draw(rt, "b")
		}
		title := rapid.SampledFrom(titles).Draw(rt, "title")
		titled := slices.Concat([]string{title}, a)
		if rapid.Bool().Draw(rt, "behind") && len(spaced(a)) < 20 { // a long name may be cut off
			titled = slices.Concat(a, []string{title})
		}
		if one, got := names.Compare(spaced(a), spaced(b)), names.Compare(spaced(titled), spaced(b)); got != one {
			rt.Errorf("%v, held %v: %s; %v: %s", a, b, one, titled, got)
		}
	})
}

// Only where letters spell a company's legal form do points between them mean more than spaces.
func TestCompare_InitialsWithPoints(t *testing.T) {
	t.Parallel()
	forms := []string{"LTD", "PLC", "INC", "LLC", "LLP", "SAS", "SASU", "CORP", "LTEE", "SARL", "GMBH", "SA", "CC"}
	letter := rapid.StringMatching(`[ACDEGHLMNOPRSTV]`)
	rapid.Check(t, func(rt *rapid.T) {
		name := spaced(person(rt, "name")).Reveal()
		letters := rapid.SliceOfN(letter, 2, 4).Filter(func(l []string) bool {
			return !slices.ContainsFunc(forms, func(form string) bool { return strings.HasSuffix(strings.Join(l, ""), form) })
		}).Draw(rt, "letters")
		if rapid.Bool().Draw(rt, "a title's") {
			letters = strings.Split(rapid.SampledFrom([]string{"MR", "ME", "DR", "MS", "CO", "ARC", "ALH", "HRH", "REV", "HON", "NIG", "IND", "JR"}).Draw(rt, "title"), "")
		}
		other := written(rt, person(rt, "other")).Reveal()
		if rapid.Bool().Draw(rt, "beside the same name") {
			other = name
		}
		if rapid.Bool().Draw(rt, "with letters") {
			other = rapid.SampledFrom([]string{"MR", "DR", "M R", "M.E.", strings.Join(letters, ""), letters[0]}).Draw(rt, "its letters") + " " + other
		}
		points, spaces := core.Private(strings.Join(letters, ".")+". "+name), core.Private(strings.Join(letters, " ")+" "+name)
		if got, want := names.Compare(points, core.Private(other)), names.Compare(spaces, core.Private(other)); got != want {
			rt.Errorf("%q, held %q: %s; %q: %s", points.Reveal(), other, got, spaces.Reveal(), want)
		}
	})
}

// A different name belongs to a different person, whatever else is the same.
func TestCompare_OtherName(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		words := person(rt, "words")
		at := rapid.IntRange(0, len(words)-1).Filter(func(i int) bool { return len(words[i]) > 1 }).Draw(rt, "at")
		changed := slices.Clone(words)
		changed[at] = few.Filter(func(w string) bool { return w != words[at] }).Draw(rt, "instead")
		a, b := written(rt, words), spaced(changed)
		if rapid.Bool().Draw(rt, "both as they are written") {
			b = written(rt, changed)
		}
		if got := names.Compare(a, b); got == core.Match {
			rt.Errorf("%q, held %q: got %s", a.Reveal(), b.Reveal(), got)
		}
	})
}

// A claim that lists many names and initials must not come close to any holder.
func TestCompare_ListOfGuesses(t *testing.T) {
	t.Parallel()
	common := strings.Fields("MUSA IBRAHIM ADA OBI EZE BELLO OKAFOR SANI MARY JOHN GRACE PETER")
	for size := range len(common) + 1 {
		claim := core.Private(strings.Join(common[:size], " "))
		if got := names.Compare(claim, "ADA OBI"); got != core.NoMatch && size > 5 {
			t.Errorf("%d names against two of them: got %s", size, got)
		}
	}
	letters := core.Private("A B C D OBI")
	if got := names.Compare(letters, "JOHN OBI"); got != core.NoMatch {
		t.Errorf("%s: got %s", letters.Reveal(), got)
	}
}

func TestCheckClaim(t *testing.T) {
	t.Parallel()
	for claim, want := range map[string]string{
		"": "", "Ada N. Obi-Okafor": "", "The Registered Trustees of the Redeemed Christian Church of God Lagos": "",
		"- . -": "has no letters", "12345": "has no letters", strings.Repeat("é", 201): "has 201 characters; at most 200",
		strings.Repeat("ADA ", 20) + strings.Repeat("A ", 26): "has 26 single letters; at most 4",
		strings.Repeat("ADA ", 13):                            "has 13 words; at most 12",
	} {
		if got := names.CheckClaim(core.Private(claim)); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%q: got %q, want %q", claim, got, want)
		}
	}
}

func FuzzCompare(f *testing.F) {
	for _, c := range table(f) {
		f.Add(c.Claimed, c.Held)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		verdict := names.Compare(core.Private(a), core.Private(b))
		if !slices.Contains([]core.NameMatch{core.Match, core.CloseMatch, core.NoMatch}, verdict) {
			t.Fatalf("%q, held %q: %q is no verdict", a, b, verdict)
		}
		if other := names.Compare(core.Private(b), core.Private(a)); other != verdict {
			t.Errorf("%q, held %q: %s; the other way round %s", a, b, verdict, other)
		}
		if utf8.ValidString(a) && strings.ContainsAny(a, "abcdefghijklmnopqrstuvwxyz") && names.Compare(core.Private(a), core.Private(a)) != core.Match {
			t.Errorf("%q does not match itself", a)
		}
	})
}

func BenchmarkCompare(b *testing.B) {
	for name, pair := range map[string][2]core.Private{
		"typical":   {"Adaeze N. Okafor", "OKAFOR ADAEZE NGOZI"},
		"longest":   {core.Private(strings.Repeat("ADAEZE NGOZI ", 15)), core.Private(strings.Repeat("NGOZI OKAFOR ", 15))},
		"letters":   {core.Private(strings.Repeat("A B ", 50)), core.Private(strings.Repeat("C A ", 50))},
		"hyphens":   {core.Private(strings.Repeat("A-", 99)), core.Private(strings.Repeat("B'", 99))},
		"companies": {core.Private(strings.Repeat("A/", 99)), core.Private(strings.Repeat("A&", 99))},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				names.Compare(pair[0], pair[1])
			}
		})
	}
}
