// Package institutions_test sends whole lists of institutions, as providers return them, through
// the parsers of the providers and through the merge with the catalog. The tables in testdata show
// what becomes of each row.
package institutions_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"go.yaml.in/yaml/v3"

	"causeway/adapters/providers"
	"causeway/cmd/causeway/app"
	"causeway/config"
	"causeway/core"
	"causeway/core/banks"
	"causeway/ports"
	"causeway/simulator/wire"
)

// list is the list of a provider for a country.
type list struct {
	provider, country string
	files             map[string]string // fixtures of the provider by regular expression of the URL
}

// lists are the lists that public repositories contain. Other lists are answered with 404.
var lists = []list{
	{"paystack", "GH", map[string]string{`/bank\?country=ghana`: "list_ghana.json"}},
	{"paystack", "NG", map[string]string{`/bank\?country=nigeria`: "list_nigeria.json"}},
	{"paystack", "ZA", map[string]string{`/bank\?country=south`: "list_south_africa.json"}},
	{"flutterwave", "GH", map[string]string{`/banks/GH`: "list_ghana.json"}},
	{"flutterwave", "KE", map[string]string{`/banks/KE`: "list_kenya.json"}},
	{"flutterwave", "NG", map[string]string{`/banks/NG`: "list_nigeria.json"}},
	{"flutterwave", "TZ", map[string]string{`/banks/TZ`: "list_tanzania.json"}},
	{"flutterwave", "UG", map[string]string{`/banks/UG`: "list_uganda.json"}},
	{"flutterwave", "ZA", map[string]string{`/banks/ZA`: "list_south_africa.json"}},
	{"korapay", "KE", map[string]string{
		`/misc/banks\?countryCode=KE`: "list_kenya.json", `/misc/mobile-money\?countryCode=KE`: "wallets_kenya.json",
	}},
	{"korapay", "NG", map[string]string{`/misc/banks\?countryCode=NG`: "list_nigeria.json"}},
	{"monnify", "NG", map[string]string{`/auth/login`: login, `/api/v1/banks`: "list_nigeria.json"}},
	{"afriex", "KE", map[string]string{`/institution\?.*countryCode=KE`: "wallets_kenya.json"}},
}

const login = "login.json"

func fixture(t *testing.T, provider, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "adapters", "providers", provider, "testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// source returns the sources of a list.
func (l list) source(t *testing.T) string {
	t.Helper()
	sources := map[string]string{}
	if err := yaml.Unmarshal(fixture(t, l.provider, "evidence.yaml"), &sources); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, file := range l.files {
		if file != login {
			out = append(out, file+": "+sources[file])
		}
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// row is a row of a list and what becomes of it.
type row struct {
	provider, country, code, name string

	listed core.Bank // by the parser; without a code: it leaves the row out
	at     core.Bank // the institution to which the row belongs; without a code: none
	result string    // "joined", "added", or why the row belongs to no institution
	alone  string    // the result and the institution with this provider alone, if they differ
}

// byParser is the result of rows that the parser leaves out.
const byParser = "left out by the parser"

// raw returns the rows of a list as the provider sends them, sorted.
func (l list) raw(t *testing.T) []row {
	t.Helper()
	var out []row
	for _, file := range l.files {
		if file == login {
			continue
		}
		var body struct {
			Data, ResponseBody []struct{ Code, Name, InstitutionCode, InstitutionName string }
		}
		if err := json.Unmarshal(fixture(t, l.provider, file), &body); err != nil {
			t.Fatal(err)
		}
		for _, r := range append(body.Data, body.ResponseBody...) {
			out = append(out, row{
				provider: l.provider, country: l.country, code: cmp.Or(r.Code, r.InstitutionCode),
				name: strings.Join(strings.Fields(cmp.Or(r.Name, r.InstitutionName)), " "),
			})
		}
	}
	slices.SortFunc(out, func(a, b row) int { return cmp.Or(cmp.Compare(a.code, b.code), cmp.Compare(a.name, b.name)) })
	return out
}

func (r row) String() string {
	return fmt.Sprintf("%s %s %s (%s) %s %s (%s)", r.country, r.provider, r.code, r.name, r.result, r.at.Code, r.at.Name)
}

func catalog(t *testing.T) config.Catalog {
	t.Helper()
	c, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// world is a production process that has fetched all lists.
type world struct {
	*app.WorldServices

	catalog map[string]bool  // countries and codes
	settled map[string][]row // by provider and country
}

// built has the worlds that a test has used, by the names of their providers.
var built = map[string]world{}

// worldOf returns the world with some account providers, with the credentials of the simulator. Tests that call it
// do not run in parallel.
func worldOf(t *testing.T, names ...string) world {
	t.Helper()
	key := strings.Join(names, " ")
	if _, there := built[key]; !there {
		built[key] = newWorld(t, names)
	}
	return built[key]
}

func newWorld(t *testing.T, names []string) world {
	t.Helper()
	transport := httpmock.NewMockTransport()
	transport.RegisterNoResponder(httpmock.NewStringResponder(http.StatusNotFound, "{}"))
	for _, l := range lists {
		for url, file := range l.files {
			host := regexp.MustCompile(l.provider + `.*` + url)
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				transport.RegisterRegexpResponder(method, host,
					httpmock.NewBytesResponder(http.StatusOK, fixture(t, l.provider, file)))
			}
		}
	}
	cfg, err := config.Load(config.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	credentials := wire.Credentials()
	maps.DeleteFunc(credentials, func(name string, _ map[string]string) bool {
		return slices.Contains(providers.AccountProviders(), name) && !slices.Contains(names, name)
	})
	if cfg, err = cfg.WithProviders(credentials); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	services, err := app.NewWorldServices(cfg, catalog(t), app.Environment{
		Transport: transport, Unlimited: true,
		Clock: func() time.Time { return now }, Entropy: func() uint64 { return 0 },
	}, app.Shared{})
	if err != nil {
		t.Fatal(err)
	}
	services.Banks.Tick(t.Context())
	w := world{services, map[string]bool{}, map[string][]row{}}
	for _, b := range catalog(t).Banks {
		w.catalog[b.Country+" "+b.Code] = true
	}
	return w
}

// rows returns the rows of a list and what became of them.
func (w world) rows(t *testing.T, l list) []row {
	t.Helper()
	if rows := w.settled[l.provider+" "+l.country]; rows != nil {
		return rows
	}
	at := slices.IndexFunc(w.Providers.Directories, func(d ports.BankDirectory) bool { return d.Name() == l.provider })
	listed, err := w.Providers.Directories[at].Banks(t.Context(), l.country)
	if err != nil {
		t.Fatal(err)
	}
	states := w.Banks.States()
	state := states[slices.IndexFunc(states, func(s banks.State) bool {
		return s.Directory == l.provider && s.Country == l.country
	})]
	if state.LastError != nil {
		t.Fatal(state.LastError)
	}
	rows := l.raw(t)
	for i := range rows {
		w.settle(t, &rows[i], listed, state)
	}
	w.settled[l.provider+" "+l.country] = rows
	return rows
}

// settle finds out what became of a row.
func (w world) settle(t *testing.T, r *row, listed []core.Bank, state banks.State) {
	t.Helper()
	i := slices.IndexFunc(listed, func(b core.Bank) bool {
		return strings.EqualFold(b.Codes[r.provider], r.code) && b.Name == r.name
	})
	if i < 0 {
		r.result = byParser
		return
	}
	r.listed = listed[i]
	for _, out := range state.LeftOut {
		if out.Code == r.listed.Code && out.Name == r.listed.Name {
			r.result = "left out: " + string(out.Reason)
			return
		}
	}
	found, ok := w.institution(t, *r)
	if !ok {
		t.Errorf("neither left out nor at an institution: %s", *r)
		return
	}
	if r.at, r.result = found, "added"; w.catalog[found.Country+" "+found.Code] {
		r.result = "joined"
	}
}

// institution returns the institution of a row. An institution has one code of each provider: if it
// is the code of another row, the row is merged again as the only row of the provider.
func (w world) institution(t *testing.T, r row) (core.Bank, bool) {
	t.Helper()
	sent := func(b core.Bank) bool {
		return b.Country == r.country && b.Codes[r.provider] == r.listed.Codes[r.provider]
	}
	known := w.Banks.List().Banks()
	i := slices.IndexFunc(known, func(b core.Bank) bool {
		return sent(b) && (r.country == "NG" || wallet(b) == wallet(r.listed))
	})
	if i < 0 {
		apart := w.mergeAgain(t, r)
		if at := slices.IndexFunc(apart, sent); at >= 0 {
			i = slices.IndexFunc(known, func(b core.Bank) bool { return b.Country == r.country && b.Code == apart[at].Code })
		}
	}
	if i < 0 {
		return core.Bank{}, false
	}
	return known[i], true
}

// mergeAgain merges the lists of a country again. The list of the row's provider has only the row.
func (w world) mergeAgain(t *testing.T, r row) []core.Bank {
	t.Helper()
	var directories []ports.BankDirectory
	for _, d := range w.Providers.Directories {
		listed, err := d.Banks(t.Context(), r.country)
		if d.Name() == r.provider {
			listed = []core.Bank{r.listed}
		}
		if err == nil {
			directories = append(directories, directory{d.Name(), r.country, listed})
		}
	}
	service, err := banks.New(banks.Config{
		Countries: w.Catalog.Countries, Catalog: w.Catalog.Banks, Excluded: w.Catalog.ExcludedBanks,
		Directories: directories, Resolvable: w.Recipients.Resolvable, Clock: w.Environment.Clock, Entropy: w.Environment.Entropy,
	})
	if err != nil {
		t.Fatal(err)
	}
	service.Tick(t.Context())
	return service.List().Banks()
}

// directory has a fixed list of one country.
type directory struct {
	name, country string
	listed        []core.Bank
}

func (d directory) Name() string                                       { return d.name }
func (d directory) Countries() []string                                { return []string{d.country} }
func (d directory) Banks(context.Context, string) ([]core.Bank, error) { return d.listed, nil }

func wallet(b core.Bank) bool { return b.Type == core.MobileMoneyBank }
