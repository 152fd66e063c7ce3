package porttest

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"causeway/core"
	"causeway/ports"
)

// Directory says how to open a ports.BankDirectory, and what it must say.
type Directory struct {
	// Open opens it over a provider that works and lists every country of the directory.
	Open func(t *testing.T) ports.BankDirectory
	// Codes are samples of the list, by country: our code of an institution and the provider's own.
	Codes map[string]map[string]string
	// LeftOut are codes, as the provider spells them, of entries that it lists and that must not
	// come through, by country: deleted, inactive, unnamed ones.
	LeftOut map[string][]string
	// Broken opens it over a provider that fails, by how it does; an empty list is one of the ways.
	Broken map[string]func(t *testing.T) ports.BankDirectory
	// Hanging opens it over a provider that never answers, in a synctest bubble.
	Hanging func(t *testing.T) ports.BankDirectory
	// Live is true over a real provider, which may list no entry of the kind of LeftOut.
	Live bool
}

var countryForm = regexp.MustCompile(`^[A-Z]{2}$`)

// BankDirectory checks the contract of ports.BankDirectory.
func BankDirectory(t *testing.T, d Directory) {
	t.Helper()
	need(t, d.Open != nil && d.Hanging != nil, "Open and Hanging")
	need(t, len(d.Codes) > 0 && len(d.Broken) > 0, "Codes and Broken")
	need(t, d.Live || len(d.LeftOut) > 0, "LeftOut")
	country := slices.Sorted(maps.Keys(d.Codes))[0]

	t.Run("has a stable, lower-case name", func(t *testing.T) {
		t.Parallel()
		named(t, d.Open(t).Name)
	})
	t.Run("names its countries, each once", d.namesCountries)
	t.Run("lists every country that it names, each bank complete and no code twice", func(t *testing.T) {
		t.Parallel()
		directory := d.Open(t)
		for _, c := range directory.Countries() {
			complete(t, directory, c)
		}
	})
	t.Run("gives the national code where it is told, else the provider's, and the provider's own beside it", d.givesCodes)
	t.Run("leaves out deleted, inactive, unnamed and codeless entries, and words for none", d.leavesOut)
	t.Run("does not support a country that the provider does not list", func(t *testing.T) {
		t.Parallel()
		_, err := d.Open(t).Banks(t.Context(), "XX")
		wantCode(t, err, core.Unsupported)
	})
	t.Run("is unavailable when the provider cannot be reached or understood, or lists nothing:", func(t *testing.T) {
		t.Parallel()
		for how, open := range d.Broken {
			t.Run(how, func(t *testing.T) {
				t.Parallel()
				unlisted(t, open(t), country)
			})
		}
	})
	t.Run("is safe for concurrent use", func(t *testing.T) {
		t.Parallel()
		directory := d.Open(t)
		together(func() {
			if _, err := directory.Banks(t.Context(), country); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("returns promptly when its context is done:", func(t *testing.T) {
		t.Parallel()
		leavesPromptly(t, func(t *testing.T) func(context.Context) error {
			t.Helper()
			directory := d.Hanging(t)
			return func(ctx context.Context) error {
				_, err := directory.Banks(ctx, country)
				return err
			}
		})
	})
}

func (d Directory) namesCountries(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range d.Open(t).Countries() {
		if !countryForm.MatchString(c) || seen[c] {
			t.Errorf("got %q in %v", c, d.Open(t).Countries())
		}
		seen[c] = true
	}
}

// unlisted checks that a country's banks cannot be told.
func unlisted(t *testing.T, directory ports.BankDirectory, country string) {
	t.Helper()
	banks, err := directory.Banks(t.Context(), country)
	wantCode(t, err, core.Unavailable)
	if len(banks) > 0 {
		t.Errorf("got %d banks beside the error", len(banks))
	}
}

func (d Directory) givesCodes(t *testing.T) {
	t.Parallel()
	directory := d.Open(t)
	for c, codes := range d.Codes {
		got := map[string]string{}
		banks, err := directory.Banks(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range banks {
			got[b.Code] = b.Codes[directory.Name()]
		}
		for own, theirs := range codes {
			if got[own] != theirs {
				t.Errorf("%s: bank %q has code %q at the provider, want %q", c, own, got[own], theirs)
			}
		}
	}
}

func (d Directory) leavesOut(t *testing.T) {
	t.Parallel()
	directory := d.Open(t)
	for c, codes := range d.LeftOut {
		banks, err := directory.Banks(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range banks {
			if slices.Contains(codes, b.Codes[directory.Name()]) {
				t.Errorf("%s: %q (%s) is in the list", c, b.Name, b.Codes[directory.Name()])
			}
		}
	}
}

// complete checks what the contract says of every bank of a country.
func complete(t *testing.T, directory ports.BankDirectory, country string) {
	t.Helper()
	banks, err := directory.Banks(t.Context(), country)
	if err != nil {
		t.Fatalf("%s: %v", country, err)
	}
	if len(banks) == 0 {
		t.Errorf("%s: got no bank and no error", country)
	}
	seen := map[string]bool{}
	for _, b := range banks {
		if b.Country != country || len(b.Currency) != 3 || len(b.Channels) == 0 || !knownType(b.Type) {
			t.Errorf("%s: incomplete: %+v", country, b)
		}
		own := b.Codes[directory.Name()]
		clean(t, b, own)
		unique(t, seen, b, own)
	}
}

// clean checks that the name and the codes are what they seem.
func clean(t *testing.T, b core.Bank, own string) {
	t.Helper()
	if forNone(b.Name) || strings.Join(strings.Fields(b.Name), " ") != b.Name {
		t.Errorf("%s: %s has the name %q", b.Country, b.Code, b.Name)
	}
	if forNone(b.Code) || strings.ToUpper(b.Code) != b.Code || strings.ContainsFunc(b.Code, unicode.IsSpace) {
		t.Errorf("%s: %s has the code %q", b.Country, b.Name, b.Code)
	}
	if forNone(own) || strings.TrimSpace(own) != own {
		t.Errorf("%s: %s lacks the code that the provider wants: %q", b.Country, b.Name, b.Codes)
	}
}

// unique checks that no code comes twice. A provider may ask for wallets elsewhere than for banks,
// by codes of their own.
func unique(t *testing.T, seen map[string]bool, b core.Bank, own string) {
	t.Helper()
	kind := "bank "
	if b.Type == core.MobileMoneyBank {
		kind = "wallet "
	}
	for _, code := range []string{b.Code, kind + strings.ToUpper(own)} {
		if seen[code] {
			t.Errorf("%s: code %q comes twice", b.Country, code)
		}
		seen[code] = true
	}
}

// forNone reports whether a text is empty or a word for nothing.
func forNone(text string) bool {
	return slices.Contains([]string{"", "null", "undefined", "none", "n/a", "nil", "bad entry"}, strings.ToLower(text))
}

func knownType(t core.BankType) bool {
	switch t {
	case core.CommercialBank, core.MicrofinanceBank, core.MortgageBank, core.PaymentServiceBank, core.MobileMoneyBank,
		core.OtherBank:
		return true
	}
	return false
}
