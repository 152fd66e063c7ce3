// Package catalog is a part of the simulator.
package catalog

import "causeway/simulator"

type Catalog = simulator.Catalog
type Sample = simulator.Sample
type Request = simulator.Request
type Want = simulator.Want
type AccountEntry = simulator.AccountEntry
type PairEntry = simulator.PairEntry
type OutcomeEntry = simulator.OutcomeEntry
type ErrorEntry = simulator.ErrorEntry
type AddressEntry = simulator.AddressEntry
type FaultEntry = simulator.FaultEntry
type PresetEntry = simulator.PresetEntry
type ScenarioEntry = simulator.ScenarioEntry

var New = simulator.NewCatalog
