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
	Budget      time.Duration       `json:"budget" doc:"what all providers of an account have together; a client waits 8s at most"`
	Routes      map[string][]string `json:"routes" doc:"whom to ask, in order, by country and channel (ng_bank_transfer: paystack,korapay); where nothing is set, the built-in order"`
	Hedge       []string            `json:"hedge" doc:"where the second provider is asked too once the first one is slower than it usually is: ng_bank_transfer and the like, or all"`
	ConfirmOnly bool                `json:"confirm_only" doc:"tell nobody a name: callers send the name they know and learn whether it is the holder's"`
	Key         core.Secret         `json:"key" doc:"secret of 32 characters or more for the cache and the hashes of the audit; replicas that share a cache have the same; empty: drawn at start"`
	Cache       CacheSettings       `json:"cache"`
	Guard       GuardSettings       `json:"guard"`
}

// CacheSettings say how long answers are kept. What could not be told is never kept.
type CacheSettings struct {
	Found    time.Duration `json:"found" doc:"how long a holder is remembered; 0s: not at all"`
	NotFound time.Duration `json:"not_found" doc:"how long it is remembered that an account does not exist; 0s: not at all"`
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
	Mode GuardMode `json:"mode" doc:"off, block or confirm_only: what becomes of a caller who seems to search through account numbers; empty: off in the sandbox, block in production"`

	Capacity     int `json:"capacity" doc:"tokens that a caller has at most, or as many as its key may call at once if that is more; a name that is found costs one"`
	PerMinute    int `json:"per_minute" doc:"tokens that a caller gets back in a minute, or as many as its key may call in one if that is more"`
	NotFoundCost int `json:"not_found_cost" doc:"tokens that an account costs that does not exist, or a wrong name where names are only confirmed"`

	Adjacent        int           `json:"adjacent" doc:"how many of a caller's last 50 numbers may lie beside another one, before that counts as a search"`
	Banks           int           `json:"banks" doc:"at how many banks within an hour one number is a search; guessing the bank takes four or five"`
	NotFoundPercent int           `json:"not_found_percent" doc:"how many percent of a caller's last 50 numbers may not exist"`
	Block           time.Duration `json:"block" doc:"how long a search is stopped; each further one within a day twice as long, up to a day"`
	Callers         int           `json:"callers" doc:"how many callers are watched, the latest ones; a busy one takes 5 KB"`
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
	need(s.Key == "" || len(s.Key) >= leastKey, "key", "too short", "32 characters or more, or none")
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
			need(slices.Contains(providerNames, tidy(name)), "routes."+place, fmt.Sprintf("%q", name), joined(providerNames))
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
