package recipients

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"causeway/core"
	"causeway/core/recipients/guard"
)

// Settings configure account resolution.
type Settings struct {
	Budget      time.Duration       `json:"-"`
	Routes      map[string][]string `json:"routes" doc:"Providers to try, in this order, by country and channel, such as ng_bank_transfer: paystack,korapay. Empty: the built-in order."`
	ConfirmOnly bool                `json:"confirm_only" doc:"Never return names: callers send the name they know and learn whether it matches."`
	Key         core.Secret         `json:"-"`
	Cache       CacheSettings       `json:"cache"`
	Guard       guard.Settings      `json:"guard"`

	Providers []string            `json:"-"` // names of all account providers, with credentials or without
	Preferred map[string][]string `json:"-"` // the built-in order, in the form of Routes
}

// CacheSettings are the times to cache results.
type CacheSettings struct {
	Found    time.Duration `json:"found" minimum:"0" doc:"Time to cache the name of an account holder. 0s: not cached."`
	NotFound time.Duration `json:"-"` // accounts that do not exist
}

const (
	maxBudget = 8 * time.Second // within which a client gets its response
	minKey    = 32              // characters of Settings.Key
)

// Default returns the default settings. The budget leaves half a second for everything else.
func Default() Settings {
	return Settings{
		Budget: maxBudget - 500*time.Millisecond,
		Cache:  CacheSettings{Found: 24 * time.Hour, NotFound: 10 * time.Minute},
		Guard:  guard.Default(),
	}
}

// Check returns everything that is wrong with the settings. Each error begins with the setting.
func (s Settings) Check() error {
	var errs []error
	if s.Budget <= 0 || s.Budget > maxBudget {
		errs = append(errs, fmt.Errorf("recipients.budget is %s; accepted: more than 0s, 8s at most", s.Budget))
	}
	if s.Key != "" && len(s.Key) < minKey {
		err := fmt.Errorf("privacy.hash_key is too short; accepted: %d characters or more, or none", minKey)
		errs = append(errs, err)
	}
	if s.Cache.Found < 0 {
		errs = append(errs, fmt.Errorf("recipients.cache.found is %s; accepted: 0s or more", s.Cache.Found))
	}
	for _, at := range slices.Sorted(maps.Keys(s.Routes)) {
		if err := s.checkOrder(at, s.Providers); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, s.Guard.Check())...)
}

// checkOrder returns what is wrong with the order that an operator set for a place.
func (s Settings) checkOrder(at string, providers []string) error {
	if len(s.Routes[at]) == 0 {
		return fmt.Errorf("recipients.routes.%s is empty; accepted: the names of providers, in their order", at)
	}
	seen := make(map[string]bool)
	var errs []error
	for _, name := range s.Routes[at] {
		name = lower(name)
		if !slices.Contains(providers, name) {
			errs = append(errs, fmt.Errorf("recipients.routes.%s names %q, which is not a provider; accepted: %s",
				at, name, list(providers)))
		}
		if seen[name] {
			errs = append(errs, fmt.Errorf("recipients.routes.%s names %q twice", at, name))
		}
		seen[name] = true
	}
	return errors.Join(errs...)
}

// Order returns the providers of accounts of a country and channel in the order to call them, with
// credentials or without.
func (s Settings) Order(country string, channel core.Channel) []string {
	at := place{country, channel}.String()
	for spelling, order := range s.Routes {
		if lower(spelling) == at {
			return slices.Clone(order)
		}
	}
	return slices.Clone(s.Preferred[at])
}
