package addresses_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/addresses"
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

// TestNormalizingTwice: the canonical spelling is valid, means the same and is its own canonical spelling.
func TestNormalizingTwice(t *testing.T) {
	t.Parallel()
	texts, services := valid(t)
	for code, list := range texts {
		for _, text := range list {
			first := ask(t, services[code], text)
			again := ask(t, services[code], first.Normalized)
			if !first.Valid || !again.Valid || again.Normalized != first.Normalized {
				t.Errorf("%s %q: normalized %q (%s), then %q (%s)", code, text, first.Normalized, first.Reason, again.Normalized, again.Reason)
			}
		}
	}
}

// alphabets are what typing mistakes are made of: letters that the decoders cannot refuse by themselves.
const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl-_."

// TestOneWrongCharacter: no substitution of one character goes unnoticed where a checksum covers the text. What
// a text means under another spelling of the same account is no mistake.
func TestOneWrongCharacter(t *testing.T) {
	t.Parallel()
	texts, services := valid(t)
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.SampledFrom(slices.Sorted(maps.Keys(texts))).Draw(t, "network")
		text := rapid.SampledFrom(texts[code]).Draw(t, "address")
		at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		letter := alphabet[rapid.IntRange(0, len(alphabet)-1).Draw(t, "letter")]
		wrong := text[:at] + string(letter) + text[at+1:]
		if missed, admitted := unnoticed(services[code], text, wrong); missed && !admitted {
			t.Fatalf("%s: %q passed for %q", code, wrong, text)
		}
	})
}

// TestTypingMistakes makes 2,000 mistakes of four kinds for every network, always the same ones.
func TestTypingMistakes(t *testing.T) {
	t.Parallel()
	texts, services := valid(t)
	for code, list := range texts {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			random, lucky := rand.New(rand.NewPCG(1, 2)), 0
			for range 2000 {
				text := list[random.IntN(len(list))]
				at, letter := random.IntN(len(text)), string(alphabet[random.IntN(len(alphabet))])
				wrong := ""
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
				switch missed, admitted := unnoticed(services[code], text, wrong); {
				case missed && admitted:
					lucky++
				case missed:
					t.Errorf("%q passed for %q", wrong, text)
				}
			}
			if lucky > 40 {
				t.Errorf("%d of 2,000 mistakes went unnoticed, more than the standard lets through", lucky)
			}
		})
	}
}

// admitting are the formats whose standard lets some mistakes through: where the checksum is the case of k letters, one in 2^k;
// where it is a rest modulo 97 of letters and digits of different weight (Nimiq), one in 97 of those that change the length.
var admitting = []string{"eip55", "eip1191", "public-key", "user-friendly"}

// unnoticed reports whether a mistake in a text goes unnoticed although the text has a checksum, and whether the standard
// of the format admits that. Another spelling of the same account is no mistake, nor is one that gives up the checksum.
func unnoticed(s *addresses.Service, text, wrong string) (missed, admitted bool) {
	right, _ := s.Validate(core.AddressQuery{Currency: "COIN", Address: core.Private(text)})
	if wrong == text || !right.Checksum {
		return false, false
	}
	v, _ := s.Validate(core.AddressQuery{Currency: "COIN", Address: core.Private(wrong)})
	return v.Valid && v.Checksum && v.Normalized != right.Normalized, slices.Contains(admitting, right.Format)
}

// FuzzNetwork asks any network about any text: no panic, and what is valid has a canonical spelling that is valid too.
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

// sound checks what holds for every verdict.
func sound(t *testing.T, s *addresses.Service, v core.Verdict) {
	t.Helper()
	for _, code := range append(v.Warnings, v.Reason) {
		if _, ok := addresses.Explain(code); code != "" && !ok {
			t.Errorf("%q has no sentence", code)
		}
	}
	if v.Valid {
		again := ask(t, s, v.Normalized)
		if v.Reason != "" || !again.Valid || again.Normalized != v.Normalized {
			t.Errorf("normalized %q, then %q (%s)", v.Normalized, again.Normalized, again.Reason)
		}
		return
	}
	if v.Reason == "" || v.Message == "" || v.Normalized != "" || v.Warnings != nil {
		t.Errorf("invalid, but %+v", v)
	}
}
