package config

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"causeway/core"
)

// CatalogFiles names the directory of tables that replace built-in ones.
type CatalogFiles struct {
	Dir string `json:"dir" reload:"true" doc:"Directory of own tables, each in place of the built-in one: banks.yaml, chains.yaml, countries.yaml, currencies.yaml, pairs.yaml."`
}

// Pairs holds settings of prices.
type Pairs struct {
	Margins map[string]int64 `json:"margins" reload:"true" doc:"Margin of a class of pairs in basis points on either side of the mid price, in place of the catalog's, such as tail: 200."`
}

// Catalog holds the reference data. It is valid, and must not be modified, because it is shared.
type Catalog struct {
	Countries     []core.Country // by code
	Banks         []core.Bank    // by country and name
	ExcludedBanks []core.ExcludedBank
	LargestBanks  map[string][]string // codes of the largest institutions by country; none: all
	Chains        []core.Chain        // networks whose blocks can be read

	core.PriceCatalog
}

//go:embed catalog/*.yaml
var builtIn embed.FS

// The tables.
const (
	countriesFile  = "countries.yaml"
	banksFile      = "banks.yaml"
	currenciesFile = "currencies.yaml"
	pairsFile      = "pairs.yaml"
	chainsFile     = "chains.yaml"
)

// LoadCatalog returns the built-in catalog.
func LoadCatalog() (Catalog, error) { return Config{}.LoadCatalog() }

// builtInCatalog is read once in a process.
var builtInCatalog = sync.OnceValues(Config{}.readCatalog)

// LoadCatalog returns the built-in catalog, with the tables in catalog.dir, the margins in pairs.margins and the
// confirmations in deposits.confirmations in place of its own. The error joins all faults, each with its file and row.
// Callers must not change it.
func (c Config) LoadCatalog() (Catalog, error) {
	if c.Catalog.Dir == "" && len(c.Pairs.Margins)+len(c.Deposits.Chains)+len(c.Deposits.Confirmations) == 0 {
		return builtInCatalog()
	}
	return c.readCatalog()
}

func (c Config) readCatalog() (Catalog, error) {
	l := loader{dir: c.Catalog.Dir, paths: map[string]string{}}
	if err := l.checkDir(); err != nil {
		return Catalog{}, c.locate(err)
	}
	var countries countryTable
	var banks bankTable
	var currencies currencyTable
	var pairs pairTable
	var chains chainTable
	l.read(countriesFile, &countries, &countries.head)
	l.read(banksFile, &banks, &banks.head)
	l.read(currenciesFile, &currencies, &currencies.head)
	l.read(pairsFile, &pairs, &pairs.head)
	l.read(chainsFile, &chains, &chains.head)
	if l.unreadable { // the tables refer to each other: a missing one would be reported once per row
		return Catalog{}, errors.Join(l.faults...)
	}
	catalog := Catalog{LargestBanks: map[string][]string{}}
	l.addCurrencies(currencies, &catalog)
	l.addCountries(countries, &catalog)
	l.addBanks(banks, &catalog)
	l.addPairs(pairs, &catalog)
	l.addChains(chains, &catalog)
	if len(l.faults) > 0 {
		return Catalog{}, errors.Join(l.faults...)
	}
	return catalog, c.locate(c.Pairs.apply(&catalog), c.Deposits.Apply(catalog.Chains))
}

// apply replaces margins of the catalog.
func (p Pairs) apply(c *Catalog) error {
	var (
		faults []error
		names  []string
	)
	for _, class := range c.ListingClasses {
		names = append(names, class.Name)
	}
	largest := largestMargin(c.Rules)
	for _, name := range slices.Sorted(maps.Keys(p.Margins)) {
		i := slices.Index(names, name)
		switch margin := p.Margins[name]; {
		case i < 0:
			faults = append(faults, fmt.Errorf("pairs.margins.%s is the margin of no class of pairs; accepted: %s",
				name, strings.Join(names, ", ")))
		case margin < 1 || margin > largest:
			faults = append(faults, fmt.Errorf("pairs.margins.%s is %d; accepted: 1 to %d basis points", name, margin, largest))
		default:
			c.ListingClasses[i].MarginBPS = margin
		}
	}
	return errors.Join(faults...)
}

// head begins every table.
type head struct {
	Source []string `yaml:"source"` // where the rows come from
	Date   string   `yaml:"date"`   // as of when they are true
}

// loader reads tables and collects faults.
type loader struct {
	dir        string            // of the operator's tables, or empty
	paths      map[string]string // of the files that were read, by name
	faults     []error
	unreadable bool

	currencies map[string]core.CurrencyType // by code
	countries  map[string]core.Country      // by code
	markets    map[core.Pair]bool           // in the orientation of the file
}

// checkDir looks for misspelt names of tables.
func (l *loader) checkDir() error {
	if l.dir == "" {
		return nil
	}
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return fmt.Errorf("catalog.dir cannot be read: %w", err)
	}
	tables := []string{banksFile, chainsFile, countriesFile, currenciesFile, pairsFile}
	var faults []error
	for _, entry := range entries {
		name := entry.Name()
		if extension := filepath.Ext(name); (extension == ".yaml" || extension == ".yml") && !slices.Contains(tables, name) {
			faults = append(faults, fmt.Errorf("catalog.dir has %s; accepted: %s", name, strings.Join(tables, ", ")))
		}
	}
	return errors.Join(faults...)
}

// open reads the operator's file if there is one, and the built-in file otherwise.
func (l *loader) open(file string) ([]byte, error) {
	if l.dir != "" {
		l.paths[file] = filepath.Join(l.dir, file)
		text, err := os.ReadFile(l.paths[file])
		if !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	l.paths[file] = "catalog/" + file
	return builtIn.ReadFile(l.paths[file])
}

// read decodes a table and checks its head. Unknown keys are faults.
func (l *loader) read(file string, table any, h *head) {
	at := place{file: file}
	text, err := l.open(file)
	if err != nil {
		l.unreadable = true
		l.fault(at, "%w", err)
		return
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	err = decoder.Decode(table)
	var wrong *yaml.TypeError
	switch {
	case errors.As(err, &wrong): // the rest was decoded
		for _, text := range wrong.Errors {
			text, _, _ = strings.Cut(text, " in type ")
			l.fault(at, "%s", text)
		}
	case errors.Is(err, io.EOF):
		l.unreadable = true
		l.fault(at, "is empty")
		return
	case err != nil:
		l.unreadable = true
		l.fault(at, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
		return
	}
	l.want(len(h.Source) > 0 && !slices.ContainsFunc(h.Source, blank), at,
		"source is missing: say where the rows come from")
	_, err = time.Parse(time.DateOnly, h.Date)
	l.want(err == nil, at, "date is %q; accepted: a day such as 2026-11-21", h.Date)
}

func (l *loader) fault(at place, format string, args ...any) {
	l.faults = append(l.faults, fmt.Errorf("%s%s: %w", l.paths[at.file], at, fmt.Errorf(format, args...)))
}

// want reports a fault unless ok.
func (l *loader) want(ok bool, at place, format string, args ...any) {
	if !ok {
		l.fault(at, format, args...)
	}
}

// place is a row of a table, or the whole table.
type place struct {
	file string
	list string // in the file; empty: the file itself
	row  int    // from 0
	name string // identifies the row to a reader
}

// String returns the place in the file, such as ": NG row 12 (000013 Guaranty Trust Bank)".
func (p place) String() string {
	if p.list == "" {
		return ""
	}
	return fmt.Sprintf(": %s row %d (%s)", p.list, p.row+1, p.name)
}

// blank reports whether a text is empty or has superfluous spaces.
func blank(text string) bool {
	return text == "" || strings.TrimSpace(text) != text || strings.Contains(text, "  ")
}

// codePattern matches codes of the API.
var codePattern = regexp.MustCompile(`^[A-Z0-9-]+$`)

// index returns the position of the item with a name, or -1.
func index[T any](items []T, name func(T) string, wanted string) int {
	return slices.IndexFunc(items, func(item T) bool { return name(item) == wanted })
}
