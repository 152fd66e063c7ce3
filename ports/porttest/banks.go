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

// Directory holds the inputs of the suite of ports.BankDirectory.
type Directory struct {
	// Open opens a directory over a working provider that lists all its countries.
	Open func(t *testing.T) ports.BankDirectory
	// Codes are samples by country: Causeway's code of an institution and the provider's.
	Codes map[string]map[string]string
	// LeftOut are provider codes, by country, of listed entries that the directory must leave out:
	// deleted, inactive and unnamed ones.
	LeftOut map[string][]string
	// Broken opens a directory over a failing provider, by kind of failure; one is an empty list.
	Broken map[string]func(t *testing.T) ports.BankDirectory
	// Hanging opens a directory over a provider that never responds, in a synctest bubble.
	Hanging func(t *testing.T) ports.BankDirectory
	// Live marks a real provider, which may have no entry for LeftOut.
	Live bool
}

var countryForm = regexp.MustCompile(`^[A-Z]{2}$`)

// BankDirectory checks the contract of ports.BankDirectory.
func BankDirectory(t *testing.T, d Directory) {
	t.Helper()
	require(t, d.Open != nil && d.Hanging != nil, "Open and Hanging")
	require(t, len(d.Codes) > 0 && len(d.Broken) > 0, "Codes and Broken")
	require(t, d.Live || len(d.LeftOut) > 0, "LeftOut")
	country := slices.Sorted(maps.Keys(d.Codes))[0]

	t.Run("name", func(t *testing.T) {
		t.Parallel()
		checkName(t, d.Open(t).Name)
	})
	t.Run("countries", d.countries)
	t.Run("banks of each country", func(t *testing.T) {
		t.Parallel()
		directory := d.Open(t)
		for _, c := range directory.Countries() {
			checkBanks(t, directory, c)
		}
	})
	t.Run("codes", d.codes)
	t.Run("unusable entries", d.unusable)
	t.Run("unsupported country", func(t *testing.T) {
		t.Parallel()
		_, err := d.Open(t).Banks(t.Context(), "XX")
		wantCode(t, err, core.Unsupported)
	})
	t.Run("broken provider", func(t *testing.T) {
		t.Parallel()
		for how, open := range d.Broken {
			t.Run(how, func(t *testing.T) {
				t.Parallel()
				wantUnavailable(t, open(t), country)
			})
		}
	})
	t.Run("concurrent use", func(t *testing.T) {
		t.Parallel()
		directory := d.Open(t)
		concurrently(func() {
			if _, err := directory.Banks(t.Context(), country); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("canceled context", func(t *testing.T) {
		t.Parallel()
		checkCanceled(t, func(t *testing.T) func(context.Context) error {
			t.Helper()
			directory := d.Hanging(t)
			return func(ctx context.Context) error {
				_, err := directory.Banks(ctx, country)
				return err
			}
		})
	})
}

func (d Directory) countries(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range d.Open(t).Countries() {
		if !countryForm.MatchString(c) || seen[c] {
			t.Errorf("got %q in %v", c, d.Open(t).Countries())
		}
		seen[c] = true
	}
}

// wantUnavailable checks that a list of banks fails with core.Unavailable.
func wantUnavailable(t *testing.T, directory ports.BankDirectory, country string) {
	t.Helper()
	banks, err := directory.Banks(t.Context(), country)
	wantCode(t, err, core.Unavailable)
	if len(banks) > 0 {
		t.Errorf("got %d banks and an error, want no banks", len(banks))
	}
}

func (d Directory) codes(t *testing.T) {
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
				t.Errorf("%s: bank %q: got provider code %q, want %q", c, own, got[own], theirs)
			}
		}
	}
}

func (d Directory) unusable(t *testing.T) {
	t.Parallel()
	directory := d.Open(t)
	for c, codes := range d.LeftOut {
		banks, err := directory.Banks(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range banks {
			if slices.Contains(codes, b.Codes[directory.Name()]) {
				t.Errorf("%s: got %q (%s), want it left out", c, b.Name, b.Codes[directory.Name()])
			}
		}
	}
}

// checkBanks checks every bank of a country.
func checkBanks(t *testing.T, directory ports.BankDirectory, country string) {
	t.Helper()
	banks, err := directory.Banks(t.Context(), country)
	if err != nil {
		t.Fatalf("%s: %v", country, err)
	}
	if len(banks) == 0 {
		t.Errorf("%s: got no banks and no error", country)
	}
	seen := map[string]bool{}
	for _, b := range banks {
		if b.Country != country || len(b.Currency) != 3 || len(b.Channels) == 0 || !knownType(b.Type) {
			t.Errorf("%s: got incomplete bank %+v", country, b)
		}
		own := b.Codes[directory.Name()]
		checkSpelling(t, b, own)
		checkUnique(t, seen, b, own)
	}
}

// checkSpelling checks that the name and the codes are present, trimmed and no placeholders.
func checkSpelling(t *testing.T, b core.Bank, own string) {
	t.Helper()
	if isPlaceholder(b.Name) || strings.Join(strings.Fields(b.Name), " ") != b.Name {
		t.Errorf("%s: %s: got name %q, want it present and trimmed", b.Country, b.Code, b.Name)
	}
	if isPlaceholder(b.Code) || strings.ToUpper(b.Code) != b.Code || strings.ContainsFunc(b.Code, unicode.IsSpace) {
		t.Errorf("%s: %s: got code %q, want it upper case without spaces", b.Country, b.Name, b.Code)
	}
	if isPlaceholder(own) || strings.TrimSpace(own) != own {
		t.Errorf("%s: %s: got codes %q, want the provider's", b.Country, b.Name, b.Codes)
	}
}

// checkUnique checks that no entry occurs twice.
func checkUnique(t *testing.T, seen map[string]bool, b core.Bank, own string) {
	t.Helper()
	entry := strings.Join([]string{b.Code, own, b.Name, string(b.Type)}, " ")
	if seen[entry] {
		t.Errorf("%s: got %s twice", b.Country, entry)
	}
	seen[entry] = true
}

// isPlaceholder reports whether a text is empty or a placeholder for a missing value.
func isPlaceholder(text string) bool {
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
