package banks

import (
	"errors"
	"slices"

	"causeway/core"
)

// Plan checks a new catalog of the same countries and returns a function that applies it: the
// directories' lists are joined to the new catalog and published at once. Removals from the catalog
// are never held back.
func (s *Service) Plan(catalog []core.Bank) (change func(), err error) {
	cfg := Config{Catalog: catalog, Resolvable: s.resolvable, Clock: s.clock, Entropy: s.entropy}
	if err := errors.Join(s.faults(cfg)...); err != nil {
		return nil, err
	}
	catalogs := make(map[string][]core.Bank, len(s.countries))
	for _, b := range catalog {
		catalogs[b.Country] = append(catalogs[b.Country], detached(b))
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for code, a := range s.areas {
			a.catalog = catalogs[code]
			s.rejoin(code)
		}
		s.publish()
	}, nil
}

// rejoin merges the lists of a country into its new catalog. The caller holds the lock.
func (s *Service) rejoin(code string) {
	var all []listing
	var feeds []*feed
	for _, f := range s.feeds {
		if f.country == code {
			all, feeds = append(all, listing{f.source.directory, slices.Clone(f.rows)}), append(feeds, f)
		}
	}
	a := s.areas[code]
	m := newMerge(s.countries[code], a.catalog, all)
	a.set(m.banks, true)
	for list, f := range feeds {
		f.settle(m, list, a.catalog)
	}
}
