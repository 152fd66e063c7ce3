package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"causeway/core"
)

// CatalogFiles say where tables are that replace built-in ones.
type CatalogFiles struct {
	Dir string `json:"dir" reload:"true" doc:"Directory of own tables, each in place of the built-in one: banks.yaml, countries.yaml, currencies.yaml, pairs.yaml."`
}

// Prices say what is asked for them.
type Prices struct {
	Margins map[string]int64 `json:"margins" reload:"true" doc:"Margin of a class of pairs in basis points on either side of the mid price, in place of the catalog's, such as tail: 200."`
}

// LoadCatalog reads the catalog that the configuration says: the built-in one, with the operator's own tables and margins in place of
// it. It returns every fault that it finds, each with its place.
func (c Config) LoadCatalog() (Catalog, error) {
	files, err := builtIn()
	if err != nil {
		return Catalog{}, err
	}
	if c.Catalog.Dir != "" {
		if err := checkDir(c.Catalog.Dir); err != nil {
			return Catalog{}, c.locate(err)
		}
		files = overlay{dir: c.Catalog.Dir, FS: files}
	}
	catalog, err := loadCatalog(files)
	if err != nil {
		return Catalog{}, err
	}
	return catalog, c.locate(c.Prices.set(&catalog))
}

// overlay is files of which those in a directory come first.
type overlay struct {
	dir string
	fs.FS
}

// Open opens the operator's own file, or else the one below.
func (o overlay) Open(name string) (fs.File, error) {
	file, err := os.Open(filepath.Join(o.dir, name)) //nolint:gosec // one of our names, in the directory that the operator names
	if errors.Is(err, fs.ErrNotExist) {
		return o.FS.Open(name)
	}
	return file, err
}

// nameOf is what a file is called in errors.
func nameOf(files fs.FS, name string) string {
	if o, ok := files.(overlay); ok {
		own := filepath.Join(o.dir, name)
		if _, err := os.Stat(own); err == nil {
			return own
		}
	}
	return "catalog/" + name
}

// checkDir looks for tables that nobody would read.
func checkDir(dir string) error {
	inside, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("catalog.dir cannot be read: %w", err)
	}
	tables := []string{banksFile, countriesFile, currenciesFile, pairsFile}
	var faults []error
	for _, entry := range inside {
		if extension := filepath.Ext(entry.Name()); (extension == ".yaml" || extension == ".yml") && !slices.Contains(tables, entry.Name()) {
			faults = append(faults, fmt.Errorf("catalog.dir has %s; accepted: %s", entry.Name(), strings.Join(tables, ", ")))
		}
	}
	return errors.Join(faults...)
}

// set puts the margins in the place of the catalog's. A degraded price has several times the margin, and must leave something.
func (p Prices) set(c *Catalog) error {
	var faults []error
	most := 10_000/max(c.Rules.DegradedMargin, 2) - 1
	for _, name := range slices.Sorted(maps.Keys(p.Margins)) {
		i := slices.IndexFunc(c.ListingClasses, func(class core.ListingClass) bool { return class.Name == name })
		switch margin := p.Margins[name]; {
		case i < 0:
			var names []string
			for _, class := range c.ListingClasses {
				names = append(names, class.Name)
			}
			faults = append(faults, fmt.Errorf("prices.margins.%s is the margin of no class of pairs; accepted: %s", name, strings.Join(names, ", ")))
		case margin < 1 || margin > most:
			faults = append(faults, fmt.Errorf("prices.margins.%s is %d; accepted: 1 to %d basis points", name, margin, most))
		default:
			c.ListingClasses[i].MarginBPS = margin
		}
	}
	return errors.Join(faults...)
}
