package providers_test

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"testing"

	"causeway/adapters/providers"
	"causeway/adapters/providers/provider"
)

func TestDescriptors(t *testing.T) {
	t.Parallel()
	name, seen := regexp.MustCompile(`^[a-z]+$`), map[string]bool{}
	for _, d := range providers.Descriptors {
		if !name.MatchString(d.Name) || seen[d.Name] || seen[d.SectionName()] {
			t.Errorf("name %q is malformed or used twice", d.Name)
		}
		seen[d.Name], seen[d.SectionName()] = true, true
		if u, err := url.Parse(d.Homepage); err != nil || u.Scheme != "https" || d.Title == "" {
			t.Errorf("%s: got title %q and homepage %q", d.Name, d.Title, d.Homepage)
		}
		if found, ok := providers.Find(d.Name); !ok || found.Title != d.Title {
			t.Errorf("%s is not found by its name", d.Name)
		}
		for _, base := range []string{d.BaseURL, cmp.Or(d.TestURL, d.BaseURL)} {
			if u, err := url.Parse(base); err != nil || u.Scheme != "https" || u.Host == "" {
				t.Errorf("%s: base URL %q", d.Name, base)
			}
		}
		settings := d.Settings()
		if provider.HasCredentials(settings) || d.NamesAccounts(settings) {
			t.Errorf("%s: the default settings have credentials", d.Name)
		}
		if v, ok := settings.(provider.Validator); ok && v.Validate() != nil {
			t.Errorf("%s: the default settings are invalid: %v", d.Name, v.Validate())
		}
	}
	if _, ok := providers.Find("unknown"); ok {
		t.Error("an unknown provider is found")
	}
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	routes := providers.Routes()
	for route, want := range map[string][]string{
		"ng_bank_transfer": {"paystack", "flutterwave", "monnify", "korapay", "afriex", "busha"},
		"gh_bank_transfer": {"paystack", "afriex"},
		"ke_till":          {"daraja", "busha"},
		"za_bank_transfer": {"paystack"},
		"us_bank_transfer": nil,
	} {
		if got := routes[route]; !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", route, got, want)
		}
	}
}
