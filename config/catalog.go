package config

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"causeway/core"
)

// Catalog is what Causeway serves: reference data, each table with its source and date in its file. It is checked as
// a whole when it is loaded, so whoever takes it need not check it again. It is shared: nobody changes it.
type Catalog struct {
	Countries  []core.Country  // by code
	Banks      []core.Bank     // by country, then name without regard to case
	Currencies []core.Currency // fiat, stablecoins, cryptocurrencies

	Sources        []core.Source // of rates
	Rules          core.PriceRules
	MarketClasses  []core.MarketClass
	Markets        []core.Market
	ListingClasses []core.ListingClass
	Listings       []core.Listing
}

//go:embed catalog/*.yaml
var catalogFiles embed.FS

// The tables.
const (
	countriesFile  = "countries.yaml"
	banksFile      = "banks.yaml"
	currenciesFile = "currencies.yaml"
	pairsFile      = "pairs.yaml"
)

// LoadCatalog reads the built-in catalog. It returns every fault that it finds, each with its file and row.
func LoadCatalog() (Catalog, error) { return Config{}.LoadCatalog() }

func builtIn() (fs.FS, error) { return fs.Sub(catalogFiles, "catalog") }

func loadCatalog(files fs.FS) (Catalog, error) {
	l := loader{files: files}
	var countries countryTable
	var banks bankTable
	var currencies currencyTable
	var pairs pairTable
	l.read(countriesFile, &countries, &countries.head)
	l.read(banksFile, &banks, &banks.head)
	l.read(currenciesFile, &currencies, &currencies.head)
	l.read(pairsFile, &pairs, &pairs.head)
	if l.unreadable { // the tables refer to each other: a missing one would be reported once per row
		return Catalog{}, errors.Join(l.faults...)
	}

	var c Catalog
	l.takeCurrencies(currencies, &c)
	l.takeCountries(countries, &c)
	l.takeBanks(banks, &c)
	l.takePairs(pairs, &c)
	return c, errors.Join(l.faults...)
}

// head is what every table begins with.
type head struct {
	Source []string `yaml:"source"` // where its rows come from
	Date   string   `yaml:"date"`   // when they were read, or as of when they are true
}

// loader collects what is wrong instead of stopping at it.
type loader struct {
	files      fs.FS
	faults     []error
	unreadable bool

	currencies map[string]core.CurrencyType // by code
	ranks      map[int]string               // to the code of a currency
	countries  map[string]core.Country      // by code
	markets    map[core.Pair]bool           // in the orientation of the file
	families   map[string]int               // that a class of markets wants, by its name
}

// read decodes a table and checks its head. Keys that nobody knows are faults.
func (l *loader) read(file string, table any, h *head) {
	at := place{file: file}
	text, err := fs.ReadFile(l.files, file)
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
	l.want(len(h.Source) > 0 && !blank(h.Source...), at, "source is missing: say where the rows come from")
	_, err = time.Parse(time.DateOnly, h.Date)
	l.want(err == nil, at, "date is %q; accepted: a day such as 2026-11-21", h.Date)
}

// fault notes something wrong.
func (l *loader) fault(at place, format string, args ...any) {
	l.faults = append(l.faults, fmt.Errorf("%s%s: %w", nameOf(l.files, at.file), strings.TrimPrefix(at.String(), at.file), fmt.Errorf(format, args...)))
}

// want notes a fault unless ok.
func (l *loader) want(ok bool, at place, format string, args ...any) {
	if !ok {
		l.fault(at, format, args...)
	}
}

// place is where in the catalog something stands.
type place struct {
	file string
	list string // which list of the file; empty: the file itself
	row  int    // counts from 0
	name string // what identifies the row to a reader
}

// String is for example "banks.yaml: NG row 12 (000013 Guaranty Trust Bank)".
func (p place) String() string {
	if p.list == "" {
		return p.file
	}
	return fmt.Sprintf("%s: %s row %d (%s)", p.file, p.list, p.row+1, p.name)
}

// blank reports whether one of the texts is empty or has space where none belongs.
func blank(texts ...string) bool {
	for _, text := range texts {
		if text == "" || strings.TrimSpace(text) != text || strings.Contains(text, "  ") {
			return true
		}
	}
	return false
}

// code reports whether text is a code as it stands on the wire: upper-case letters, digits and hyphens.
func code(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return text != ""
}
