// Package banks is the registry of institutions: one identity per institution and country, with every
// code it is known by. It answers which bank a code means, which banks there are, and which ones a Nigerian
// account number may belong to; it refreshes itself from the providers' own lists.
//
// It refuses to guess. A code that two institutions share is refused with both named. A provider's list never
// renames, retypes or removes an institution, and is joined to ours by Nigeria's NIP code alone or by another code
// and a similar name together: Paystack's Kenyan list has been seen with the codes of KCB and Equity the other way
// round, and a wrong join sends money to the wrong bank. What cannot be joined is left out and reported.
package banks

import (
	"context"
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

// Service keeps the registry. It is safe for concurrent use.
type Service struct {
	countries   map[string]core.Country
	directories []ports.BankDirectory // by name
	resolvable  func(core.Bank) bool
	current     atomic.Pointer[List]
	awaited     sync.Map // of source: the lists that never came; one leaves after what it told is published

	mu          sync.Mutex // guards what follows, and orders publications
	banks       []core.Bank
	subscribers []func(*List)
	outcomes    map[source]Outcome
}

// New makes the registry of a catalog. It names every fault of it: an unknown country, an empty code or name, a
// code that a country has twice. resolvable says whether account resolution can be asked about a bank; it is
// called for every bank each time the list changes.
func New(
	countries []core.Country, catalog []core.Bank, directories []ports.BankDirectory, resolvable func(core.Bank) bool,
) (*Service, error) {
	s := &Service{
		countries:   make(map[string]core.Country, len(countries)),
		directories: slices.Clone(directories),
		resolvable:  resolvable,
		banks:       make([]core.Bank, 0, len(catalog)),
		outcomes:    make(map[source]Outcome),
	}
	for _, c := range countries {
		s.countries[c.Code] = c
	}
	faults := s.faults(catalog)
	if resolvable == nil {
		faults = append(faults, errors.New("banks: who is resolvable is not said"))
	}
	names := make(map[string]bool, len(directories))
	for _, d := range directories {
		if names[d.Name()] {
			faults = append(faults, fmt.Errorf("banks: two directories are named %q", d.Name()))
		}
		names[d.Name()] = true
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	slices.SortFunc(s.directories, func(a, b ports.BankDirectory) int { return strings.Compare(a.Name(), b.Name()) })
	for _, d := range s.directories {
		for _, country := range s.served(d) {
			s.awaited.Store(source{d.Name(), country}, true)
		}
	}
	for _, b := range catalog {
		s.banks = append(s.banks, detached(b))
	}
	s.current.Store(newList(s.countries, s.banks, resolvable))
	return s, nil
}

// faults names everything that is wrong with a catalog.
func (s *Service) faults(catalog []core.Bank) []error {
	var out []error
	seen := make(map[key]string, len(catalog))
	for _, b := range catalog {
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
	return out
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
// one call at a time. fn must be quick and must not call Subscribe, Refresh or Outcomes.
func (s *Service) Subscribe(fn func(*List)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subscribers = append(s.subscribers, fn)
	fn(s.List())
}

// publish makes banks the registry. The caller holds the lock.
func (s *Service) publish(banks []core.Bank) {
	s.banks = banks
	list := newList(s.countries, banks, s.resolvable)
	s.current.Store(list)
	for _, fn := range s.subscribers {
		fn(list)
	}
}

// answer is what a directory said of a country.
type answer struct {
	source

	banks []core.Bank
	err   error
}

// Refresh asks every directory for each of its countries that we serve, and merges what they say: it learns each
// provider's own code of an institution and adds institutions that nobody knew. A directory that fails leaves
// everything as it was; its error is joined in what Refresh returns. A new List is published only when something
// changed.
func (s *Service) Refresh(ctx context.Context) error {
	answers := s.ask(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	banks, changed := s.banks, false
	for _, a := range answers {
		if a.err != nil {
			errs = append(errs, fmt.Errorf("%s: banks of %s: %w", a.directory, a.country, a.err))
			continue
		}
		m := newMerge(banks, s.countries[a.country], a.directory)
		for _, b := range sorted(a.banks, a.directory) {
			m.take(b)
		}
		m.learn()
		banks, changed = m.banks, changed || m.changed
		s.outcomes[a.source] = m.outcome
	}
	if changed {
		s.publish(banks)
	}
	for _, a := range answers {
		if a.err == nil {
			s.awaited.Delete(a.source)
		}
	}
	return errors.Join(errs...)
}

// ask asks all directories at the same time, each one country after the other. The order of the answers does not
// depend on who is quicker.
func (s *Service) ask(ctx context.Context) []answer {
	answers := make([][]answer, len(s.directories))
	var all sync.WaitGroup
	for i, d := range s.directories {
		all.Go(func() {
			for _, country := range s.served(d) {
				a := answer{source: source{d.Name(), country}}
				a.banks, a.err = d.Banks(ctx, country)
				if a.err == nil && len(a.banks) == 0 {
					a.err = core.Errorf(core.Unavailable, "The list of banks is empty")
				}
				answers[i] = append(answers[i], a)
			}
		})
	}
	all.Wait()
	return slices.Concat(answers...)
}

// served returns those countries of a directory that we serve, sorted, each once.
func (s *Service) served(d ports.BankDirectory) []string {
	return slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(d.Countries()))), func(country string) bool {
		_, ok := s.countries[country]
		return !ok
	})
}

// Outcomes says how the last good list of each directory and country was merged, in the order of directory and country.
func (s *Service) Outcomes() []Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.outcomes), func(a, b Outcome) int {
		if c := strings.Compare(a.Directory, b.Directory); c != 0 {
			return c
		}
		return strings.Compare(a.Country, b.Country)
	})
}

// detached returns a bank that shares nothing with b.
func detached(b core.Bank) core.Bank {
	b.Channels = slices.Clone(b.Channels)
	b.Codes = maps.Clone(b.Codes)
	return b
}

// normal is the spelling in which codes are compared.
func normal(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }
