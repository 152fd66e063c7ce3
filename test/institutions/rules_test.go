package institutions_test

import (
	"cmp"
	"regexp"
	"slices"
	"testing"

	"causeway/adapters/providers"
	"causeway/core"
)

// schemes are the forms of national codes, by country. Codes with the form of a NIP code begin with
// a kind of institution.
var schemes = map[string]*regexp.Regexp{
	"GH": regexp.MustCompile(`^[0-9]{6}$`),
	"KE": regexp.MustCompile(`^[0-9]{2}$`),
	"NG": regexp.MustCompile(`^(0[05679]0|1[0-2]0|400)[0-9]{3}$`),
	"TZ": regexp.MustCompile(`^[0-9]{3}$`),
	"UG": regexp.MustCompile(`^[0-9]{2}$`),
	"ZA": regexp.MustCompile(`^[0-9]{6}$`),
}

// TestRules checks joins that are wrong whatever the tables say, with all providers and with each
// alone.
func TestRules(t *testing.T) {
	worlds := map[string]world{"all providers": worldOf(t, providers.AccountProviders()...)}
	for _, l := range lists {
		if worlds[l.provider].WorldServices == nil {
			worlds[l.provider] = worldOf(t, l.provider)
		}
	}
	for name, w := range worlds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := map[string][]row{} // by country and code of the institution
			for _, l := range lists {
				if name != l.provider && name != "all providers" {
					continue
				}
				for _, r := range w.rows(t, l) {
					if r.at.Code != "" {
						at[r.country+" "+r.at.Code] = append(at[r.country+" "+r.at.Code], r)
					}
				}
			}
			for _, rows := range at {
				oneNationalCode(t, rows)
				sameKind(t, rows)
			}
			oneInstitution(t, w)
		})
	}
}

// oneNationalCode checks that the rows of an institution have the national codes that the catalog
// has, or one code if the catalog has none.
func oneNationalCode(t *testing.T, rows []row) {
	t.Helper()
	national := schemes[rows[0].country].MatchString
	known := catalogCodes(t, rows[0].at)
	var others []string
	for _, r := range rows {
		for _, code := range append(r.listed.Aliases(), r.listed.Code) {
			if national(code) && !slices.Contains(known, code) && !slices.Contains(others, code) {
				others = append(others, code)
			}
		}
	}
	allowed := 1
	if slices.ContainsFunc(known, national) {
		allowed = 0
	}
	if len(others) > allowed {
		t.Errorf("national codes %v at one institution: %v", others, rows)
	}
}

// catalogCodes returns the codes of an institution in the catalog.
func catalogCodes(t *testing.T, bank core.Bank) []string {
	t.Helper()
	for _, b := range catalog(t).Banks {
		if b.Country == bank.Country && b.Code == bank.Code {
			return append(b.Aliases(), b.Code)
		}
	}
	return nil
}

// sameKind checks that banks and wallets are not joined. In Nigeria wallets receive bank transfers,
// and not every list says which rows are wallets.
func sameKind(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		same := wallet(r.listed) == wallet(r.at)
		if r.country == "NG" {
			same = !wallet(r.listed) || slices.Contains(r.at.Channels, core.MobileMoney)
		}
		if !same {
			t.Errorf("a bank and a wallet: %s", r)
		}
	}
}

// oneInstitution checks that no code of a provider is sent for two institutions.
func oneInstitution(t *testing.T, w world) {
	t.Helper()
	type sent struct {
		provider, country, code string
		wallet                  bool
	}
	of := map[sent]string{}
	for _, e := range w.Banks.List().Entries() {
		for _, l := range lists {
			code := e.Codes[l.provider]
			if l.country != e.Country || code == "" || e.UnlistedBy(l.provider) {
				continue
			}
			key := sent{l.provider, e.Country, code, e.Country != "NG" && wallet(e.Bank)}
			if other := of[key]; other != "" {
				t.Errorf("%v is sent for %s and for %s", key, other, e.Name)
			}
			of[key] = cmp.Or(e.Name, e.Code)
		}
	}
}
