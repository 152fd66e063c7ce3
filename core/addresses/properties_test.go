package addresses_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/addresses"
	"causeway/core/addresses/bech32"
	_ "causeway/test/fixedseed"
)

// valid are the valid cases without a memo, by network, with the network's service.
func valid(t testing.TB) (texts map[string][]string, services map[string]*addresses.Service) {
	t.Helper()
	texts, services = map[string][]string{}, map[string]*addresses.Service{}
	for _, n := range addresses.Registry() {
		if n.Retired == "" {
			services[n.Code] = only(t, n.Code)
		}
	}
	for _, c := range cases(t) {
		code := codeOf[chain(c.Network)]
		if c.Valid && c.Memo == nil && services[code] != nil && !slices.Contains(texts[code], c.Address) {
			texts[code] = append(texts[code], c.Address)
		}
	}
	for _, n := range addresses.Registry() {
		for _, f := range n.Formats {
			if n.Retired == "" && !slices.Contains(texts[n.Code], f.Example) {
				texts[n.Code] = append(texts[n.Code], f.Example)
			}
		}
	}
	return texts, services
}

// The canonical spelling is valid, identifies the same account and is its own canonical spelling.
func TestNormalize_Idempotent(t *testing.T) {
	t.Parallel()
	texts, services := valid(t)
	for code, list := range texts {
		for _, text := range list {
			first := validate(t, services[code], text)
			again := validate(t, services[code], first.Normalized)
			if !first.Valid || !again.Valid || again.Normalized != first.Normalized {
				t.Errorf("%s %q: normalized %q (%s), then %q (%s)", code, text, first.Normalized, first.Reason, again.Normalized, again.Reason)
			}
		}
	}
}

// alphabets are the characters of typing mistakes: letters that decoders accept.
const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl-_."

// A checksum detects the substitution of one character, unless the result is another spelling of the
// same account.
func TestChecksum_OneWrongCharacter(t *testing.T) {
	t.Parallel()
	texts, services := valid(t)
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.SampledFrom(slices.Sorted(maps.Keys(texts))).Draw(t, "network")
		text := rapid.SampledFrom(texts[code]).Draw(t, "address")
		at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		letter := alphabet[rapid.IntRange(0, len(alphabet)-1).Draw(t, "letter")]
		wrong := text[:at] + string(letter) + text[at+1:]
		if missed, admitted := unnoticed(services[code], text, wrong); missed && !admitted {
			t.Fatalf("%s: %q for %q: got valid, want invalid", code, wrong, text)
		}
	})
}

// mistakes counts the outcomes of mistakes in the addresses of one network.
type mistakes struct {
	caught   int // the text is no address any more
	same     int // it is another spelling of the same account, as after a change of case
	bare     int // valid, with the warning checksum_absent
	missed   int // it is another account's address, with a good checksum
	admitted int // missed mistakes that the standard of the format lets through
}

// TestChecksum_TypingMistakes makes 300 random mistakes of four kinds, from a fixed seed, in the checksummed
// addresses of every network. With -v it prints how many each checksum catches.
func TestChecksum_TypingMistakes(t *testing.T) {
	t.Parallel()
	const each = 300
	texts, services := valid(t)
	table := [][]string{{"network", "mistakes", "caught", "same account", "no checksum", "missed", "limit of the standard"}}
	for _, n := range addresses.Registry() {
		s := services[n.Code]
		list := checksummed(t, s, texts[n.Code])
		if len(list) == 0 {
			continue
		}
		random, count := rand.New(rand.NewPCG(1, 2)), mistakes{}
		for range each {
			text := list[random.IntN(len(list))]
			wrong := mistyped(random, text)
			before := count
			if count.add(s, text, wrong); count.missed-count.admitted > before.missed-before.admitted {
				t.Errorf("%s: %q for %q: got valid, want invalid", n.Code, wrong, text)
			}
		}
		if count.admitted > each/30 {
			t.Errorf("%s: got %d of %d mistakes undetected, more than the standard allows", n.Code, count.admitted, each)
		}
		row := []string{n.Code}
		for _, number := range []int{each, count.caught, count.same, count.bare, count.missed} {
			row = append(row, strconv.Itoa(number))
		}
		table = append(table, append(row, standardLimit(n)))
	}
	if len(table) < 100 {
		t.Errorf("got %d networks with checksums", len(table)-1)
	}
	t.Log("what became of typing mistakes\n" + columns(table))
}

// checksummed returns the texts that have a checksum.
func checksummed(t *testing.T, s *addresses.Service, texts []string) []string {
	t.Helper()
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !validate(t, s, text).Checksum })
}

// mistyped returns a text with one mistake: a character substituted, missing, added, or swapped
// with its neighbour.
func mistyped(random *rand.Rand, text string) string {
	for {
		at, letter, wrong := random.IntN(len(text)), string(alphabet[random.IntN(len(alphabet))]), text
		switch random.IntN(4) {
		case 0:
			wrong = text[:at] + letter + text[at+1:]
		case 1:
			wrong = text[:at] + text[at+1:]
		case 2:
			wrong = text[:at] + letter + text[at:]
		default:
			if at+1 < len(text) {
				wrong = text[:at] + text[at+1:at+2] + text[at:at+1] + text[at+2:]
			}
		}
		if wrong != text {
			return wrong
		}
	}
}

// add counts one mistake.
func (m *mistakes) add(s *addresses.Service, text, wrong string) {
	right, _ := s.Validate(core.AddressQuery{Currency: "COIN", Address: core.Private(text)})
	v, _ := s.Validate(core.AddressQuery{Currency: "COIN", Address: core.Private(wrong)})
	switch {
	case !v.Valid:
		m.caught++
	case v.Normalized == right.Normalized:
		m.same++
	case !v.Checksum:
		m.bare++
	default:
		m.missed++
		if slices.Contains(admitting, right.Format) {
			m.admitted++
		}
	}
}

// standardLimit returns how many mistakes the checksum of a network misses at most.
func standardLimit(n addresses.Row) string {
	if limit := limits[n.Code]; limit != "" {
		return limit
	}
	if n.Formats[0].Name == "eip55" || n.Formats[0].Name == "eip1191" {
		return "1 in 2^letters, 15 letters on average"
	}
	var b bech32.Text
	if b.Decode(n.Formats[0].Example); b.Reason == "" {
		return "1 in 2^30; none of up to 4 substitutions"
	}
	return "1 in 2^32"
}

// columns aligns the rows of a table.
func columns(rows [][]string) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	_ = w.Flush()
	return text.String()
}

// admitting are the formats whose standard lets some mistakes through: where the checksum is the
// case of k letters, one in 2^k; where it is a rest modulo 97 of letters and digits of different
// weight (Nimiq), one in 97 of the mistakes that change the length.
var admitting = []string{"eip55", "eip1191", "public-key", "user-friendly"}

// unnoticed reports whether a mistake in a text goes unnoticed although the text has a checksum,
// and whether the standard of the format admits that. Another spelling of the same account is no
// mistake, nor is one that gives up the checksum.
func unnoticed(s *addresses.Service, text, wrong string) (missed, admitted bool) {
	right, _ := s.Validate(core.AddressQuery{Currency: "COIN", Address: core.Private(text)})
	if wrong == text || !right.Checksum {
		return false, false
	}
	v, _ := s.Validate(core.AddressQuery{Currency: "COIN", Address: core.Private(wrong)})
	return v.Valid && v.Checksum && v.Normalized != right.Normalized, slices.Contains(admitting, right.Format)
}

// FuzzNetwork validates any text on any network: it must not panic, and the canonical spelling of a
// valid address must be valid.
func FuzzNetwork(f *testing.F) {
	registry := addresses.Registry()
	services := map[string]*addresses.Service{}
	for _, n := range registry {
		if n.Retired == "" {
			services[n.Code] = only(f, n.Code)
		}
	}
	index := map[string]int{}
	for i, n := range registry {
		index[n.Code] = i
	}
	for _, c := range cases(f) {
		memo := ""
		if c.Memo != nil {
			memo = *c.Memo
		}
		if i, ok := index[codeOf[chain(c.Network)]]; ok && (c.Valid || len(c.Address) > 40) {
			f.Add(uint8(i), c.Address, memo)
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, text, memo string) {
		code := registry[int(i)%len(registry)].Code
		if services[code] == nil {
			addresses.JudgeRetired(code, text, &memo)
			return
		}
		v, err := services[code].Validate(core.AddressQuery{Currency: "COIN", Address: core.Private(text), Memo: &memo})
		if err != nil {
			t.Fatal(err)
		}
		sound(t, services[code], v)
	})
}

// sound checks the properties of every verdict.
func sound(t *testing.T, s *addresses.Service, v core.Verdict) {
	t.Helper()
	for _, code := range append(v.Warnings, v.Reason) {
		if code != "" && addresses.Codes()[code] == "" {
			t.Errorf("%q: got no sentence", code)
		}
	}
	if v.Valid {
		again := validate(t, s, v.Normalized)
		if v.Reason != "" || !again.Valid || again.Normalized != v.Normalized {
			t.Errorf("got normalized %q, then %q (%s); want them equal", v.Normalized, again.Normalized, again.Reason)
		}
		return
	}
	if v.Reason == "" || v.Message == "" || v.Normalized != "" || v.Warnings != nil {
		t.Errorf("invalid: got %+v, want a reason, a message and no canonical spelling", v)
	}
}
