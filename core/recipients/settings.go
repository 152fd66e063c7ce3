package recipients

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"causeway/core"
)

// Settings are what an operator decides about the resolution of accounts.
type Settings struct {
	Budget      time.Duration       `json:"-"`
	Routes      map[string][]string `json:"routes" doc:"Providers to try, in this order, by country and channel, such as ng_bank_transfer: paystack,korapay. Empty: the built-in order."`
	Hedge       []string            `json:"hedge" doc:"Where to call the second provider as soon as the first is slower than usual: ng_bank_transfer and the like, or all."`
	ConfirmOnly bool                `json:"confirm_only" doc:"Never return names: callers send the name they know and learn whether it matches."`
	Key         core.Secret         `json:"-"`
	Cache       CacheSettings       `json:"cache"`
	Guard       GuardSettings       `json:"guard"`

	Providers []string            `json:"-"` // names of all account providers, with credentials or without
	Preferred map[string][]string `json:"-"` // the built-in order, in the form of Routes
}

// CacheSettings say how long answers are kept. What could not be told is never kept.
type CacheSettings struct {
	Found    time.Duration `json:"found" minimum:"0" doc:"Time to cache the name of an account holder. 0s: not cached."`
	NotFound time.Duration `json:"-"` // accounts that do not exist
}

// GuardMode says what becomes of callers who seem to search through account numbers.
type GuardMode string

// The modes. Whose tokens are used up is refused in each but GuardOff.
const (
	GuardOff         GuardMode = "off"
	GuardBlock       GuardMode = "block"        // they get no answer for a while
	GuardConfirmOnly GuardMode = "confirm_only" // they learn for a while whether a name is the holder's, but no name
)

// GuardSettings bound what one caller may look up. The attack that they are made for asked 600,000 times from 7 accounts and
// took 98,000 names, one in six; who pays people out has nearly all of his numbers right.
type GuardSettings struct {
	// Mode is one of the three here; whoever reads the configuration knows what to take for none.
	Mode GuardMode `json:"mode" enum:",off,block,confirm_only" doc:"What to do with callers that seem to enumerate account numbers. Empty: off in a sandbox, block in production."`

	Capacity     int `json:"capacity" minimum:"1" maximum:"1000000" doc:"Lookups that a caller may make at once. A key with a higher rate limit gets that."`
	PerMinute    int `json:"per_minute" minimum:"1" maximum:"1000000" doc:"Lookups that a caller gets back per minute. A key with a higher rate limit gets that."`
	NotFoundCost int `json:"-"`

	Adjacent        int           `json:"-"`
	Banks           int           `json:"-"`
	NotFoundPercent int           `json:"-"`
	Block           time.Duration `json:"-"`
	Callers         int           `json:"-"`
}

// The bounds of what an operator may set.
const (
	contractTime = 8 * time.Second // in which a client has its answer
	leastKey     = 32              // characters of Settings.Key
	mostBanks    = 12              // places for them in a caller's memory
)

// Default returns settings for a business that pays out to people. 5,000 tokens and 100 more a minute are a payroll of 3,500 at once
// with two wrong numbers in a hundred, and 100,000 payments a day. Who guesses numbers of which one in six exists has 8,400 guesses a
// day for them, were nothing else to stop him; a larger bucket would not help him, quicker tokens would. Half a second of the contract's
// eight is left for our own work and the way.
func Default() Settings {
	return Settings{
		Budget: 7500 * time.Millisecond,
		Cache:  CacheSettings{Found: 24 * time.Hour, NotFound: 10 * time.Minute},
		Guard: GuardSettings{
			Mode: GuardBlock, Capacity: 5000, PerMinute: 100, NotFoundCost: 20,
			Adjacent: 20, Banks: 8, NotFoundPercent: 30, Block: 15 * time.Minute, Callers: 10_000,
		},
	}
}

// Check returns every fault of the settings that can be seen without the catalog and the providers, with the key in the
// configuration, the value and what is accepted.
func (s Settings) Check() error {
	var faults []error
	need := func(ok bool, key string, value any, accepted string) {
		if !ok {
			faults = append(faults, fmt.Errorf("resolution.%s is %v; accepted: %s", key, value, accepted))
		}
	}
	need(s.Budget > 0 && s.Budget <= contractTime, "budget", s.Budget, "more than 0s, 8s at most")
	if s.Key != "" && len(s.Key) < leastKey {
		faults = append(faults, fmt.Errorf("privacy.hash_key is too short; accepted: %d characters or more, or none", leastKey))
	}
	need(s.Cache.Found >= 0, "cache.found", s.Cache.Found, "0s or more")
	need(s.Cache.NotFound >= 0, "cache.not_found", s.Cache.NotFound, "0s or more")
	s.checkRoutes(need)
	s.Guard.check(need)
	return errors.Join(faults...)
}

// needs takes down a fault where a value is not in order.
type needs func(ok bool, key string, value any, accepted string)

func (s Settings) checkRoutes(need needs) {
	for _, place := range slices.Sorted(maps.Keys(s.Routes)) {
		need(len(s.Routes[place]) > 0, "routes."+place, "empty", "the names of providers, in the order to ask")
		for _, name := range s.Routes[place] {
			need(slices.Contains(s.Providers, tidy(name)), "routes."+place, fmt.Sprintf("%q", name), joined(s.Providers))
		}
	}
}

func (g GuardSettings) check(need needs) {
	modes := []GuardMode{GuardOff, GuardBlock, GuardConfirmOnly}
	need(slices.Contains(modes, g.Mode), "guard.mode", fmt.Sprintf("%q", g.Mode), joined(modes))
	need(g.Capacity >= 1 && g.Capacity <= 1e6, "guard.capacity", g.Capacity, "1 to 1000000")
	need(g.PerMinute >= 1 && g.PerMinute <= 1e6, "guard.per_minute", g.PerMinute, "1 to 1000000")
	need(g.NotFoundCost >= 1 && g.NotFoundCost <= 1000, "guard.not_found_cost", g.NotFoundCost, "1 to 1000")
	need(g.Adjacent >= 2 && g.Adjacent <= watched, "guard.adjacent", g.Adjacent, "2 to 50")
	need(g.Banks >= 2 && g.Banks <= mostBanks, "guard.banks", g.Banks, "2 to 12")
	need(g.NotFoundPercent >= 1 && g.NotFoundPercent <= 100, "guard.not_found_percent", g.NotFoundPercent, "1 to 100")
	need(g.Block > 0 && g.Block <= longestBlock, "guard.block", g.Block, "more than 0s, 24h at most")
	need(g.Callers >= 1, "guard.callers", g.Callers, "1 or more")
}
