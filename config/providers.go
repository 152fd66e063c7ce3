package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"causeway/adapters/providers"
	"causeway/adapters/providers/provider"
)

// Endpoints are the servers of the providers.
type Endpoints struct {
	BaseURLs map[string]string `json:"base_urls" doc:"Base URL of a provider in place of its own, by its section, such as monnify: https://sandbox.monnify.com for test keys. docs/providers.md has the base URLs of all providers."`
}

// check returns what is wrong with the base URLs. They are not shown, because they may have passwords.
func (e Endpoints) check() []error {
	var faults []error
	for _, section := range slices.Sorted(maps.Keys(e.BaseURLs)) {
		key, base := baseURLKey(section), e.BaseURLs[section]
		if _, known := findSection(section); !known {
			faults = append(faults, fmt.Errorf("%s is of no provider; accepted: %s", key, sections()))
		}
		if base != "" && !isBaseURL(base) {
			faults = append(faults, fmt.Errorf("%s is not a base URL; accepted: "+
				"http or https, a host, a path if need be; no user, query or fragment", key))
		}
	}
	return faults
}

// baseURLKey returns the key of the base URL of the provider with a section.
func baseURLKey(section string) string { return "providers.base_urls." + section }

// BaseURLKey returns the key of the base URL of a provider.
func BaseURLKey(d provider.Descriptor) string { return baseURLKey(d.SectionName()) }

// Providers are the settings of all providers by name. In the configuration each is a section of its
// own, after "upstream". Copies of a Config share them.
type Providers map[string]provider.Settings

// defaultProviders returns the default settings of all providers.
func defaultProviders() Providers {
	p := Providers{}
	for _, d := range providers.Descriptors {
		p[d.Name] = d.Settings()
	}
	return p
}

// findSection returns the provider with a section of the configuration.
func findSection(name string) (provider.Descriptor, bool) {
	i := slices.IndexFunc(providers.Descriptors, func(d provider.Descriptor) bool { return d.SectionName() == name })
	if i < 0 {
		return provider.Descriptor{}, false
	}
	return providers.Descriptors[i], true
}

// sections lists the sections of all providers for error messages.
func sections() string {
	var names []string
	for _, d := range providers.Descriptors {
		names = append(names, d.SectionName())
	}
	return strings.Join(names, ", ")
}

// WithProviders returns the configuration with other settings of all providers: their defaults and the
// given values by provider and setting. A setting below a map has a dot: "keys.ng".
func (c Config) WithProviders(values map[string]map[string]string) (Config, error) {
	origin := map[string]string{} // of this copy
	maps.Copy(origin, c.origin)
	c.Providers, c.origin = defaultProviders(), origin
	var faults []error
	for name, settings := range values {
		d, _ := providers.Find(name)
		for setting, value := range settings {
			faults = append(faults, c.set(d.SectionName()+"."+setting, value, "simulator"))
		}
		if v, ok := c.Providers[name].(provider.Validator); ok {
			faults = append(faults, v.Validate())
		}
	}
	return c, errors.Join(faults...)
}

// check returns what is wrong with the settings. Each error begins with a key.
func (p Providers) check() []error {
	var faults []error
	for _, d := range providers.Descriptors {
		settings, section := p[d.Name], d.SectionName()
		if v, ok := settings.(provider.Validator); ok {
			for _, fault := range flatten(v.Validate()) {
				faults = append(faults, fmt.Errorf("%s.%w", section, fault))
			}
		}
		var keys []string
		empty := 0
		for _, c := range provider.Credentials(settings) {
			if c.Country != "" {
				continue
			}
			keys = append(keys, keyOfProvider(d, c))
			if c.Value == "" {
				empty++
			}
		}
		if empty > 0 && empty < len(keys) {
			faults = append(faults, fmt.Errorf("%s belong together, and one of them is empty", strings.Join(keys, " and ")))
		}
	}
	return faults
}

// checkProduction returns which providers production lacks.
func (p Providers) checkProduction() []error {
	var faults []error
	var named bool
	var accepted []string
	for _, d := range providers.Descriptors {
		named = named || d.NamesAccounts(p[d.Name])
		for _, c := range d.NamingCredentials(p[d.Name]) {
			accepted = append(accepted, keyOfProvider(d, c))
		}
		if d.Required != "" && !provider.HasCredentials(p[d.Name]) {
			key := keyOfProvider(d, provider.Credentials(p[d.Name])[0])
			faults = append(faults, fmt.Errorf("production mode needs %s: set %s (%s)", d.Required, key, Variable(key)))
		}
	}
	if !named {
		faults = append(faults, fmt.Errorf("production mode needs an account provider: set %s (such as %s)",
			strings.Join(accepted, ", "), Variable(accepted[0])))
	}
	return faults
}

// keyOfProvider returns the key of a credential.
func keyOfProvider(d provider.Descriptor, c provider.Credential) string {
	return d.SectionName() + "." + c.Setting
}

// Variable returns the environment variable of a key.
func Variable(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", envLevel))
}
