package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"causeway/core"
	"causeway/simulator"
)

// OperationID is the id of an operation, which may be written with underscores: variables have no hyphens.
func OperationID(written string) string {
	return strings.ReplaceAll(strings.TrimSpace(written), "_", "-")
}

// IsOperation reports whether the API has the operation of an id.
func IsOperation(id string) bool {
	return slices.ContainsFunc(simulator.Operations(), func(o simulator.Operation) bool { return o.Name == id })
}

// OperationIDs are the ids of all operations, for who wrote another one.
func OperationIDs() string {
	var ids []string
	for _, o := range simulator.Operations() {
		ids = append(ids, o.Name)
	}
	return strings.Join(ids, ", ")
}

// normalizeOperations writes ids with hyphens.
func (c *Config) normalizeOperations() {
	operations := make(map[string]core.RateLimit, len(c.Limits.Operations))
	for id, limit := range c.Limits.Operations {
		if _, set := operations[id]; !set || OperationID(id) != id {
			operations[OperationID(id)] = limit // variables have no hyphens; what was set by them overrides the default
		}
	}
	c.Limits.Operations = operations
	for i, id := range c.Auth.Operations {
		c.Auth.Operations[i] = OperationID(id)
	}
}

// checkOperations returns the operations that do not exist: what was meant instead would be open, or without its limit.
func (c Config) checkOperations() []error {
	var faults []error
	for _, id := range c.Auth.Operations {
		if !IsOperation(id) {
			faults = append(faults, fmt.Errorf("auth.operations has %s; accepted: %s", core.Quoted(id), OperationIDs()))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.Limits.Operations)) {
		if !IsOperation(id) {
			faults = append(faults, fmt.Errorf("limits.operations.%s is for no operation; accepted: %s", id, OperationIDs()))
		}
	}
	return faults
}
