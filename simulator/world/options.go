package world

import (
	"regexp"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/input"
)

// Default is the world of requests that name none. It never ends.
const Default = "default"

// Options are the options of a new world. All but the ID may be absent.
type Options struct {
	ID            string         `json:"id" doc:"Name of the world, such as the name of a test: 1 to 100 characters" example:"TestCheckout/pays"`
	Seed          string         `json:"seed,omitempty" maxLength:"200" doc:"The same seed gives the same names and prices; the ID if it is absent" example:"checkout"`
	Clock         ClockSetting   `json:"clock,omitzero" doc:"How the clock of the world starts; it follows the clock of the machine if it is absent"`
	TTL           input.Duration `json:"ttl,omitempty" doc:"The world ends when it was unused for this long, by the clock of the machine"`
	MagicPairs    bool           `json:"magic_pairs,omitempty" doc:"Whether the world lists the magic pairs" example:"true"`
	EnforceLimits bool           `json:"enforce_limits,omitempty" doc:"Whether the world enforces the rate limits that it advertises" example:"false"`
	BlockTime     input.Duration `json:"block_time,omitempty" doc:"How often the chains of the world get a block while a payment is on its way; 5s if it is absent"`
	MainnetOnly   bool           `json:"mainnet_only,omitempty" doc:"Whether addresses of test networks are invalid, as in production" example:"false"`
}

const (
	maxTTL       = 30 * 24 * time.Hour
	maxBlockTime = time.Hour
)

var validID = regexp.MustCompile(`^[A-Za-z0-9._/:@#=,+() -]{1,100}$`)

// CheckID returns what is wrong with the ID of a world, as an error of the field.
func CheckID(field, id string) error {
	if !validID.MatchString(id) || strings.TrimSpace(id) != id || strings.Trim(id, ".") == "" {
		return core.InvalidField(field,
			"%s is not a name of a world; accepted: 1 to 100 letters, digits, spaces between them, "+
				"and . _ / : @ # = , + ( ) -, such as the name of a test", input.Quoted(id))
	}
	return nil
}

// check returns what the tags of the options cannot express.
func (o Options) check() error {
	if err := CheckID("id", o.ID); err != nil {
		return err
	}
	if ttl := time.Duration(o.TTL); ttl != 0 && (ttl < time.Second || ttl > maxTTL) {
		return core.InvalidField("ttl", "%s; accepted: 1s to %s", ttl, maxTTL)
	}
	if every := time.Duration(o.BlockTime); every != 0 && (every < time.Second || every > maxBlockTime) {
		return core.InvalidField("block_time", "%s; accepted: 1s to %s", every, maxBlockTime)
	}
	return o.Clock.check("clock.")
}
