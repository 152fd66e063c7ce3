package banks

import "causeway/core"

// Plan checks a new catalog of the same countries, with its exclusions, and returns a function that
// applies it: the directories' lists are joined to the new catalog and published at once. Removals
// from the catalog are never held back.
func (s *Service) Plan(catalog []core.Bank, excluded []core.ExcludedBank) (change func(), err error) {
	catalogs, err := s.byCountry(catalog)
	if err != nil {
		return nil, err
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for country, a := range s.areas {
			a.catalog, a.exclude = catalogs[country], excludedIn(country, excluded)
			s.keep(s.attempt(country, nil, forgetAfter), true)
		}
		s.publish()
	}, nil
}
