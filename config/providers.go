package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"causeway/adapters/providers/all"
	"causeway/adapters/providers/provider"
)

// Providers are the settings of all providers by name. In the configuration each is a section of its
// own, after "upstream". Copies of a Config share them.
type Providers map[string]provider.Settings

// defaultProviders returns the default settings of all providers.
func defaultProviders() Providers {
	p := Providers{}
	for _, d := range all.Descriptors {
		p[d.Name] = d.Settings()
	}
	return p
}

// section returns the settings of the provider with a section of the configuration.
func (p Providers) section(name string) (provider.Settings, bool) {
	for _, d := range all.Descriptors {
		if d.SectionName() == name {
			return p[d.Name], true
		}
	}
	return nil, false
}

// WithProviders returns the configuration with other settings of all providers: their defaults and the
// given values by provider and setting. A setting below a map has a dot: "keys.ng".
func (c Config) WithProviders(values map[string]map[string]string) (Config, error) {
	c.Providers = defaultProviders()
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		settings, ok := c.Providers[name]
		if !ok {
			faults = append(faults, fmt.Errorf("%q is not a provider", name))
			continue
		}
		for setting, value := range values[name] {
			var raw any = value
			path := strings.Split(setting, ".")
			for _, key := range slices.Backward(path) {
				raw = map[string]any{key: raw}
			}
			faults = append(faults, decodeInto(raw, settings))
		}
		if v, ok := settings.(provider.Validator); ok {
			faults = append(faults, v.Validate())
		}
	}
	return c, errors.Join(faults...)
}

// check returns what is wrong with the settings. Each error begins with a key.
func (p Providers) check() []error {
	var faults []error
	for _, d := range all.Descriptors {
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
	var names bool
	var accepted []string
	for _, d := range all.Descriptors {
		names = names || d.NamesAccounts(p[d.Name])
		together := ""
		for _, c := range d.NamingCredentials(p[d.Name]) {
			key := keyOfProvider(d, c)
			switch {
			case c.Country != "":
				accepted = append(accepted, key)
			case together == "":
				together = key
			default:
				together += " and " + key
			}
		}
		if together != "" {
			accepted = append(accepted, together)
		}
		if d.Required != "" && !provider.HasCredentials(p[d.Name]) {
			key := keyOfProvider(d, provider.Credentials(p[d.Name])[0])
			faults = append(faults, fmt.Errorf("production mode needs %s: set %s (%s)", d.Required, key, Variable(key)))
		}
	}
	if !names {
		last := len(accepted) - 1
		faults = append(faults, fmt.Errorf("production mode needs an account provider: set %s or %s (such as %s)",
			strings.Join(accepted[:last], ", "), accepted[last], Variable(accepted[0])))
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
