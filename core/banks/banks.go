// Package banks is the registry of institutions: one identity per institution and country, with every
// code it is known by. It answers which bank a code means, which banks there are, and which ones a Nigerian
// account number may belong to; it refreshes itself from the providers' own lists.
//
// It refuses to guess. A code that two institutions share is refused with both named. A provider's list never renames,
// retypes or removes an institution of the catalog, and is joined to it by Nigeria's NIP code alone or by another code and
// a similar name together: Paystack's Kenyan list has been seen with the codes of KCB and Equity the other way
// round, and a wrong join sends money to the wrong bank. What cannot be joined is left out and reported; where two lists
// contradict each other about an institution that nobody else knows, neither is believed.
//
// What is listed is a function of the catalog and of the last good list of every directory, whoever answered first (but for a list that
// is held back). An institution that a provider's list had and has no more is marked, and that provider alone is not asked about
// it any more; it stays listed, and is resolvable as long as any other provider can be asked. One that directories alone knew leaves when
// none of them has listed it for forgetAfter lists. A list that lacks more than a tenth of the institutions that its directory has told
// since the start, or that would cost a country a tenth of its institutions, is held back whole until it is better or an operator accepts it:
// a provider's bad day must not unlist banks. Lists of a country that come together are judged together if all can be taken
// over so, else one by one. All is in memory: after a restart the catalog is where it starts from.
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

// Config is what a registry is made of.
type Config struct {
	Countries   []core.Country
	Catalog     []core.Bank // what is known whatever providers say
	Directories []ports.BankDirectory
	// Resolvable says whether account resolution can be asked about a bank; it is called for every bank each time the list changes.
	Resolvable func(core.Bank) bool
	Clock      core.Clock
	Entropy    core.Entropy
	// Report is told how a directory does after every question, one call at a time per directory; nil: nobody is.
	Report func(State)
}

// Service keeps the registry. It is safe for concurrent use.
type Service struct {
	countries  map[string]core.Country
	resolvable func(core.Bank) bool
	clock      core.Clock
	entropy    core.Entropy
	report     func(State)
	current    atomic.Pointer[List]
	awaited    sync.Map  // of source: the lists that never came; one leaves after what it told is published
	feeds      []*feed   // by directory and country
	lanes      [][]*feed // the same, one lane per directory: its countries are asked one after another

	mu          sync.Mutex // guards what follows and what the feeds know, and orders publications
	areas       map[string]*area
	subscribers []func(*List)
}

// New makes the registry. It names every fault of what it is given: an unknown country, an empty code or name, a code that a country
// has twice.
func New(cfg Config) (*Service, error) {
	s := &Service{
		countries:  make(map[string]core.Country, len(cfg.Countries)),
		resolvable: cfg.Resolvable, clock: cfg.Clock, entropy: cfg.Entropy, report: cfg.Report,
		areas: make(map[string]*area, len(cfg.Countries)),
	}
	for _, c := range cfg.Countries {
		s.countries[c.Code] = c
	}
	if err := errors.Join(s.faults(cfg)...); err != nil {
		return nil, err
	}
	catalogs := make(map[string][]core.Bank, len(cfg.Countries))
	for _, b := range cfg.Catalog {
		catalogs[b.Country] = append(catalogs[b.Country], detached(b))
	}
	for code := range s.countries {
		s.areas[code] = newArea(catalogs[code])
	}
	for _, d := range slices.SortedFunc(slices.Values(cfg.Directories), func(a, b ports.BankDirectory) int { return strings.Compare(a.Name(), b.Name()) }) {
		var lane []*feed
		for _, country := range s.served(d) {
			at := source{d.Name(), country}
			s.awaited.Store(at, true)
			lane = append(lane, &feed{source: at, directory: d, state: State{Outcome: Outcome{Directory: d.Name(), Country: country}}})
		}
		s.feeds, s.lanes = append(s.feeds, lane...), append(s.lanes, lane)
	}
	s.publish()
	return s, nil
}

// faults names everything that is wrong with what a registry is to be made of.
func (s *Service) faults(cfg Config) []error {
	var out []error
	seen := make(map[key]string, len(cfg.Catalog))
	for _, b := range cfg.Catalog {
		where := fmt.Sprintf("banks: %s %q (%s)", b.Country, b.Code, b.Name)
		if _, ok := s.countries[b.Country]; !ok {
			out = append(out, fmt.Errorf("%s: unknown country", where))
		}
		if normal(b.Code) == "" {
			out = append(out, fmt.Errorf("%s: no code", where))
			continue
		}
		if strings.TrimSpace(b.Name) == "" {
			out = append(out, fmt.Errorf("%s: no name", where))
		}
		k := key{b.Country, normal(b.Code)}
		if other, ok := seen[k]; ok {
			out = append(out, fmt.Errorf("%s: the code is taken by %s", where, other))
		}
		seen[k] = b.Name
	}
	if cfg.Resolvable == nil {
		out = append(out, errors.New("banks: who is resolvable is not said"))
	}
	if cfg.Clock == nil || cfg.Entropy == nil {
		out = append(out, errors.New("banks: no clock or no entropy"))
	}
	names := make(map[string]bool, len(cfg.Directories))
	for _, d := range cfg.Directories {
		if names[d.Name()] {
			out = append(out, fmt.Errorf("banks: two directories are named %q", d.Name()))
		}
		names[d.Name()] = true
	}
	return out
}

// served returns those countries of a directory that we serve, sorted, each once.
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

// List returns the current registry. It never changes; a refresh publishes another one.
func (s *Service) List() *List { return s.current.Load() }

// Find returns the institution of a country that a code means: see List.Find.
func (s *Service) Find(country, code string) (core.Bank, error) { return s.List().Find(country, code) }

// Awaits reports whether the directory of that name lists the country but has not answered for it since the start: the
// codes that the provider wants for its institutions may then be missing, and institutions that only it knows. Once it is
// false, List has what the directory told.
func (s *Service) Awaits(directory, country string) bool {
	_, ok := s.awaited.Load(source{directory, country})
	return ok
}

// Subscribe calls fn with the current list at once, and with every later one in the order of publication,
// one call at a time. fn must be quick and must call only List, Find and Awaits of the service.
func (s *Service) Subscribe(fn func(*List)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subscribers = append(s.subscribers, fn)
	fn(s.List())
}

// publish makes what the countries have the list of the moment. The caller holds the lock.
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

// detached returns a bank that shares nothing with b.
func detached(b core.Bank) core.Bank {
	b.Channels, b.Names, b.Dropped = slices.Clone(b.Channels), slices.Clone(b.Names), slices.Clone(b.Dropped)
	b.Codes = maps.Clone(b.Codes)
	return b
}
