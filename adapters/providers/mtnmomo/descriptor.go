package mtnmomo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
)

const sdk = "github.com/MTN-Group/MoMoAPIs_Android_sdk (2023-05-04)"

// Descriptor describes MTN MoMo.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "MTN MoMo", Homepage: "https://momodeveloper.mtn.com",
	Settings: func() provider.Settings { return &Config{} },
	Accounts: coverage(),
	Evidence: []provider.Evidence{
		{
			Fact:   "Paths, headers and members of the token and of basicuserinfo; the sandbox and its response.",
			Source: sdk,
		},
		{
			Fact:   "The production host and X-Target-Environment of each country.",
			Source: "github.com/lepresk/momo-api and other public clients (read 2026-11)",
		},
		{
			Fact:   "ACCOUNTHOLDER_NOT_FOUND and RESOURCE_NOT_FOUND are rejected as a wrong number.",
			Source: "public client code for Rwanda (read 2026-11)",
		},
		{
			Fact: "The status of these codes, ACCOUNTHOLDER_NOT_ACTIVE, and that credentials belong to one country.",
		},
	},
}

func coverage() []provider.Coverage {
	var out []provider.Coverage
	for _, country := range served() {
		out = append(out, provider.Coverage{Country: country, Channels: []core.Channel{core.MobileMoney}})
	}
	return out
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	var out []provider.Credential
	for _, country := range served() {
		out = append(out, provider.Credential{
			Setting: "keys." + strings.ToLower(country), Value: c.Keys[country], Country: country,
		})
	}
	return out
}

// Validate implements provider.Validator: country codes become upper case and empty keys are removed.
func (c *Config) Validate() error {
	var faults []error
	keys := make(map[string]core.Secret, len(c.Keys))
	for _, name := range slices.Sorted(maps.Keys(c.Keys)) {
		country, key := strings.ToUpper(name), c.Keys[name]
		if key == "" {
			continue
		}
		keys[country] = key
		if _, ok := environments[country]; !ok {
			faults = append(faults, fmt.Errorf("keys has a key for %s; accepted: %s",
				core.Quoted(country), strings.Join(served(), ", ")))
		} else if _, _, ok := parse(key); !ok {
			faults = append(faults, fmt.Errorf("keys.%s is not a subscription key, an API user and an API key, "+
				"separated by colons", strings.ToLower(country)))
		}
	}
	c.Keys = keys
	return errors.Join(faults...)
}
