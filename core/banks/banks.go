// Package banks is the registry of institutions: one identity per institution and country, with all
// its codes. It finds the bank behind a code, lists and filters banks, and suggests the banks that
// a Nigerian account number may belong to. It refreshes itself from the providers' own lists.
//
// The registry never guesses. A code that two institutions share is refused, and the error names
// both. A provider's list never renames, retypes or removes an institution of the catalog. A listed
// institution is joined to one of the catalog by its NIP code (Nigeria), by another code together
// with a similar name, or, if none of its codes is known, by its whole name. A code alone is not
// enough: Paystack's Kenyan list has been seen with the codes of KCB and Equity swapped, and a
// wrong join sends money to the wrong bank. Nor is a part of a name, or a whole name with another
// national code. Outside Nigeria, wallets and banks have separate codes and names.
// Institutions that cannot be joined are left out and reported, and so are rows of the catalog's
// list of exclusions: central banks, codes for many institutions, and banks that no longer exist.
// Where two lists contradict each other about an institution that no third source confirms, both
// are left out.
//
// The result is a function of the catalog and the last good list of every directory, independent of
// their order, except for lists that are held back. Once a provider's list has arrived, requests are
// sent to that provider only for institutions that have a joined row in it. An institution that
// disappears from a list stays listed, and stays resolvable while another provider lists it. An
// institution that only directories list is removed after it is missing from forgetAfter lists.
//
// A list is held back until it improves or an operator accepts it if it lacks more than a tenth of
// the institutions that its directory has listed since the start, or if it would cost a country a
// tenth of its institutions. The lists of a country that arrive together are merged together if
// none is to be held back, and one by one otherwise. Everything is in memory: a restart begins with
// the catalog.
package banks

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"causeway/core"
	"causeway/ports"
)

// Config holds the inputs of New.
type Config struct {
	Countries   []core.Country
	Catalog     []core.Bank // always listed, whatever providers list
	Excluded    []core.ExcludedBank
	Directories []ports.BankDirectory
	// Resolvable reports whether a provider resolves accounts of a bank. It is called for every
	// bank on each change.
	Resolvable func(core.Bank) bool
	Clock      core.Clock
	Entropy    core.Entropy
	// Report receives the state of a directory after every request, one call at a time per
	// directory. It may be nil.
	Report func(State)
}

// Service keeps the registry. It is safe for concurrent use.
type Service struct {
	countries   map[string]core.Country
	resolvable  func(core.Bank) bool
	clock       core.Clock
	entropy     core.Entropy
	report      func(State)
	current     atomic.Pointer[List]
	feeds       []*feed   // one per directory and country
	byDirectory [][]*feed // the same, grouped by directory: countries of one directory are fetched one after another

	mu          sync.Mutex // guards the fields below and the feeds, and orders publications
	areas       map[string]*area
	subscribers []func(*List)
}

// New returns a registry. The error names every invalid catalog entry: an unknown country, an empty
// code or name, a code that occurs twice in a country.
func New(cfg Config) (*Service, error) {
	s := &Service{
		countries:  make(map[string]core.Country, len(cfg.Countries)),
		resolvable: cfg.Resolvable, clock: cfg.Clock, entropy: cfg.Entropy, report: cfg.Report,
		areas: make(map[string]*area, len(cfg.Countries)),
	}
	for _, c := range cfg.Countries {
		s.countries[c.Code] = c
	}
	catalogs, err := s.byCountry(cfg.Catalog)
	if err := errors.Join(err, cfg.check()); err != nil {
		return nil, err
	}
	for code := range s.countries {
		s.areas[code] = newArea(catalogs[code], excludedIn(code, cfg.Excluded))
	}
	for _, d := range slices.SortedFunc(slices.Values(cfg.Directories),
		func(a, b ports.BankDirectory) int { return strings.Compare(a.Name(), b.Name()) }) {
		var feeds []*feed
		for _, country := range s.served(d) {
			feeds = append(feeds, &feed{
				source: source{d.Name(), country}, directory: d,
				state: State{Outcome: Outcome{Directory: d.Name(), Country: country}},
			})
		}
		s.feeds, s.byDirectory = append(s.feeds, feeds...), append(s.byDirectory, feeds)
	}
	s.publish()
	return s, nil
}

// byCountry returns a deep copy of a catalog by country, or an error that names every invalid entry.
func (s *Service) byCountry(catalog []core.Bank) (map[string][]core.Bank, error) {
	var errs []error
	out := make(map[string][]core.Bank, len(s.countries))
	seen := make(map[key]string, len(catalog))
	for _, b := range catalog {
		out[b.Country] = append(out[b.Country], detached(b))
		where := fmt.Sprintf("banks: %s %q (%s)", b.Country, b.Code, b.Name)
		if _, ok := s.countries[b.Country]; !ok {
			errs = append(errs, fmt.Errorf("%s: unknown country", where))
		}
		if normal(b.Code) == "" {
			errs = append(errs, fmt.Errorf("%s: no code", where))
			continue
		}
		if strings.TrimSpace(b.Name) == "" {
			errs = append(errs, fmt.Errorf("%s: no name", where))
		}
		k := key{b.Country, normal(b.Code)}
		if other, ok := seen[k]; ok {
			errs = append(errs, fmt.Errorf("%s: the code is taken by %s", where, other))
		}
		seen[k] = b.Name
	}
	return out, errors.Join(errs...)
}

// excludedIn returns the exclusions of a country.
func excludedIn(country string, all []core.ExcludedBank) []core.ExcludedBank {
	return slices.DeleteFunc(slices.Clone(all), func(e core.ExcludedBank) bool { return e.Country != country })
}

// check returns an error for each missing dependency and each directory name that occurs twice.
func (cfg *Config) check() error {
	var errs []error
	if cfg.Resolvable == nil || cfg.Clock == nil || cfg.Entropy == nil {
		errs = append(errs, errors.New("banks: Resolvable, Clock and Entropy are required"))
	}
	names := make(map[string]bool, len(cfg.Directories))
	for _, d := range cfg.Directories {
		if names[d.Name()] {
			errs = append(errs, fmt.Errorf("banks: two directories are named %q", d.Name()))
		}
		names[d.Name()] = true
	}
	return errors.Join(errs...)
}

// served returns the supported countries of a directory, sorted, without duplicates.
func (s *Service) served(d ports.BankDirectory) []string {
	return slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(d.Countries()))), func(country string) bool {
		_, ok := s.countries[country]
		return !ok
	})
}

// feed returns the feed of a source, or nil.
func (s *Service) feed(at source) *feed {
	for _, f := range s.feeds {
		if f.source == at {
			return f
		}
	}
	return nil
}

// List returns the current registry. A List is immutable; a refresh publishes a new one.
func (s *Service) List() *List { return s.current.Load() }

// Find returns the institution with a code in a country; see List.Find.
func (s *Service) Find(country, code string) (core.Bank, error) { return s.List().Find(country, code) }

// Awaits reports whether a directory has not yet delivered its list of a country since the start.
// Until then the provider's own codes, and institutions that only it lists, may be missing. Once
// Awaits returns false, List contains the directory's list.
func (s *Service) Awaits(directory, country string) bool {
	f := s.feed(source{directory, country})
	return f != nil && !f.delivered.Load()
}

// Subscribe calls fn with the current list and then with every new one, in order and one call at a
// time. fn must return quickly and may call only List, Find and Awaits.
func (s *Service) Subscribe(fn func(*List)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subscribers = append(s.subscribers, fn)
	fn(s.List())
}

// publish builds the list from all countries and publishes it. The caller holds the lock.
func (s *Service) publish() {
	var banks []core.Bank
	for _, code := range slices.Sorted(maps.Keys(s.areas)) {
		banks = append(banks, s.areas[code].banks...)
	}
	list := newList(s.countries, banks, s.resolvable)
	s.current.Store(list)
	for _, fn := range s.subscribers {
		fn(list)
	}
}

// detached returns a deep copy of b.
func detached(b core.Bank) core.Bank {
	b.Channels, b.Names, b.Unlisted = slices.Clone(b.Channels), slices.Clone(b.Names), slices.Clone(b.Unlisted)
	b.Codes = maps.Clone(b.Codes)
	return b
}
