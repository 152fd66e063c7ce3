package simulator

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"causeway/core"
)

// DefaultWorld is the world of whoever names none. It never ends.
const DefaultWorld = "default"

// Options say which world to make. All but the id may be left out.
type Options struct {
	ID            string       `json:"id" doc:"Name of the world, such as that of a test: 1 to 100 characters" example:"TestCheckout/pays"`
	Seed          string       `json:"seed,omitempty" doc:"The same seed gives the same names and prices; the ID if it is absent" example:"checkout"`
	Clock         StartOptions `json:"clock,omitzero" doc:"How the clock of the world starts; it follows the clock of the machine if it is absent"`
	TTL           Duration     `json:"ttl,omitempty" doc:"The world ends when it was unused for this long, by the clock of the machine"`
	MagicPairs    bool         `json:"magic_pairs,omitempty" doc:"Whether the world lists the magic pairs" example:"true"`
	EnforceLimits bool         `json:"enforce_limits,omitempty" doc:"Whether the world enforces the rate limits that it advertises" example:"false"`
	MainnetOnly   bool         `json:"mainnet_only,omitempty" doc:"Whether addresses of test networks are invalid, as in production" example:"false"`
	EdgeChaos     string       `json:"edge_chaos,omitempty" doc:"Share of responses that fail at random, a decimal" example:"0.01"`
}

// StartOptions are how the clock of a world goes in the beginning. The zero value follows the machine's.
type StartOptions struct {
	Now    *time.Time `json:"now,omitempty" doc:"Time of the world when it is created; the time of the machine if it is absent" example:"2026-11-16T12:00:00Z"`
	Frozen bool       `json:"frozen,omitempty" doc:"Whether the clock stands still" example:"true"`
	Rate   int64      `json:"rate,omitempty" doc:"Seconds of the world per second of the machine; 1 if it is absent"`
}

const (
	longestID   = 100
	longestSeed = 200
	longestTTL  = Duration(30 * 24 * time.Hour)
)

// worldIDs are names that tests give themselves, in the languages that are common.
var worldIDs = regexp.MustCompile(`^[A-Za-z0-9._/:@#=,+() -]{1,100}$`)

// CheckID says what is wrong with the id of a world, as that of the field "id".
func CheckID(id string) error { return CheckIDIn("id", id) }

// CheckIDIn is CheckID for an id that was given by another name, such as a header.
func CheckIDIn(field, id string) error {
	if !worldIDs.MatchString(id) || strings.TrimSpace(id) != id || strings.Trim(id, ".") == "" {
		return core.InvalidField(field, "%s is no name of a world; accepted: 1 to %d letters, digits, spaces between them, and . _ / : @ # = , + ( ) -, such as the name of a test",
			shown(id), longestID)
	}
	return nil
}

// Check returns everything that is wrong with the options, each with what is accepted.
func (o Options) Check() error {
	if err := CheckID(o.ID); err != nil {
		return err
	}
	var c checker
	c.need(len(o.Seed) <= longestSeed, "seed", fmt.Sprintf("%d bytes", len(o.Seed)), fmt.Sprintf("at most %d", longestSeed))
	if at := o.Clock.Now; at != nil {
		c.need(inTime(*at), "clock.now", at.Format(time.RFC3339), times())
	}
	c.need(o.Clock.Rate >= 0 && o.Clock.Rate <= mostRate, "clock.rate", o.Clock.Rate, fmt.Sprintf("1 to %d", mostRate))
	c.need(o.Clock.Rate == 0 || !o.Clock.Frozen, "clock.rate", o.Clock.Rate, "none where the clock is frozen")
	c.need(o.TTL == 0 || o.TTL >= Duration(time.Second) && o.TTL <= longestTTL, "ttl", time.Duration(o.TTL), "1s to "+time.Duration(longestTTL).String())
	checkChaos(&c, o.EdgeChaos)
	return c.err()
}

// shown is a text of a client as an error quotes it: one that is no secret.
func shown(text string) string {
	const longest = 120
	if r := []rune(text); len(r) > longest {
		text = string(r[:longest]) + "…"
	}
	return strconv.Quote(text)
}
