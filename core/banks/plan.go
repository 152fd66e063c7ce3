package banks

import (
	"errors"
	"slices"

	"causeway/core"
)

// Plan checks another catalog of the same countries, naming every fault, and returns what makes the registry go on from it: with all that
// directories have told so far, joined to the institutions of the new catalog, and published at once. What the operator takes
// from the catalog is not held back, however much it is.
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

// rejoin joins what all directories have told of a country to its catalog anew. The caller holds the lock.
func (s *Service) rejoin(code string) {
	var all []told
	var feeds []*feed
	for _, f := range s.feeds {
		if f.country == code {
			all, feeds = append(all, told{f.source.directory, slices.Clone(f.rows)}), append(feeds, f)
		}
	}
	a := s.areas[code]
	m := merged(s.countries[code], a.catalog, all)
	a.become(m.banks, true)
	for list, f := range feeds {
		f.settle(m, list, a.catalog)
	}
}
