package main

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"causeway/config"
	"causeway/core"
	"causeway/core/banks"
	"causeway/core/recipients"
	"causeway/ports"
)

// newInstitutions makes the registry of banks and the resolution of accounts at them: each needs a word of the other.
func newInstitutions(
	catalog config.Catalog, s surroundings, p providers, settings recipients.Settings, cache ports.NameCache, log *zap.Logger, reg prometheus.Registerer,
) (*banks.Service, *recipients.Service, error) {
	var registry *banks.Service
	people, err := recipients.New(recipients.Config{
		Countries: catalog.Countries,
		Registry: recipients.Registry{
			Find:   func(country, code string) (core.Bank, error) { return registry.Find(country, code) },
			Awaits: func(provider, country string) bool { return registry.Awaits(provider, country) },
		},
		Resolvers: p.Resolvers, Confirmers: p.Confirmers, Settings: settings, Cache: cache,
		Clock: s.Clock, Stopwatch: time.Now, Entropy: s.Entropy, Events: noted(resolutionEvents(log, reg)),
	})
	if err != nil {
		return nil, nil, err
	}
	registry, err = banks.New(banks.Config{
		Countries: catalog.Countries, Catalog: slices.Concat(catalog.Banks, s.Banks), Directories: p.Directories, Resolvable: people.Resolvable,
		Clock: s.Clock, Entropy: s.Entropy, Report: reportBanks(log),
	})
	if err != nil {
		return nil, nil, err
	}
	registry.Subscribe(func(list *banks.List) { people.Survey(list.Banks()) }) // before the edge asks what is covered
	return registry, people, newBankMetrics(registry, s.Clock, reg)
}

// institutions are what the first world knows of banks, and all worlds go by: none changes them, and no other one asks for lists.
type institutions struct {
	registry   *banks.Service
	confirmers []ports.AccountConfirmer // their lists say at which banks names are confirmed
}

// participation is a world's own confirmer, which is asked about the banks that take part by what the first world's was told.
type participation struct {
	ports.AccountConfirmer

	told ports.AccountConfirmer
}

// Confirms is what the first world's confirmer says.
func (p participation) Confirms(country string, channel core.Channel, bank core.Bank) bool {
	return p.told.Confirms(country, channel, bank)
}

// informed are the confirmers of a world with what the first world's were told. Both are made of the same settings: none is without its like.
func (i institutions) informed(own []ports.AccountConfirmer) []ports.AccountConfirmer {
	out := make([]ports.AccountConfirmer, 0, len(own))
	for _, one := range own {
		for _, told := range i.confirmers {
			if told.Name() == one.Name() {
				out = append(out, participation{one, told})
			}
		}
	}
	return out
}
