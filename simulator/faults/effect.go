package faults

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"causeway/adapters/web/apierror"
	"causeway/core"
	"causeway/simulator/input"
)

// Kind is a kind of effect.
type Kind string

// The kinds of effects. The catalog describes them with the titles below.
const (
	Status           Kind = "status"
	Latency          Kind = "latency"
	Hang             Kind = "hang"
	Reset            Kind = "reset"
	Refuse           Kind = "refuse"
	Redirect         Kind = "redirect"
	SlowHeaders      Kind = "slow_headers"
	Dribble          Kind = "dribble"
	HTML             Kind = "html"
	Empty            Kind = "empty"
	Truncate         Kind = "truncate"
	Malformed        Kind = "malformed"
	WrongContentType Kind = "wrong_content_type"
	HugeBody         Kind = "huge_body"
	Duplicate        Kind = "duplicate"
	UnknownFields    Kind = "unknown_extra_fields"
	Times            Kind = "times"
	Inverted         Kind = "inverted"
	SwappedPair      Kind = "swapped_pair"
	Zero             Kind = "zero"
	Negative         Kind = "negative"
	CommaDecimal     Kind = "comma_decimal"
	MissingField     Kind = "missing_field"
	ChangedType      Kind = "changed_type"
	StaleTimestamp   Kind = "stale_timestamp"
	FutureTimestamp  Kind = "future_timestamp"
	SecondsForMillis Kind = "seconds_for_milliseconds"
	Incomplete       Kind = "incomplete"
	Lagging          Kind = "lagging"
	OtherNetwork     Kind = "other_network"
	Drop             Kind = "drop"
	Delay            Kind = "delay"
	Reorder          Kind = "reorder"
	WrongSignature   Kind = "wrong_signature"
	OldTimestamp     Kind = "old_timestamp"
)

// trait describes a kind of effect.
type trait struct {
	kind   Kind
	title  string
	edge   bool // it fits responses to clients too
	alters bool // it changes a complete response
	slows  bool // it changes how fast a response is sent
	needs  needs
	takes  []string // fields of Effect that it reads

	webhook bool // it fits what is sent to receivers of events
}

// needs is what a response must contain for an effect to fit it; empty: nothing.
type needs string

const (
	prices       needs = "prices"
	member       needs = "member"        // a price, or a member of Capabilities.Members
	times        needs = "times"         // of prices
	countedTimes needs = "counted_times" // times that are numbers of seconds or milliseconds
	chain        needs = "chain"         // a part of a blockchain: see Capabilities.Chain
	event        needs = "event"         // for a receiver of events
)

//go:embed kinds.csv
var kindsCSV []byte

// traits are the kinds of effects, sorted.
var traits = func() (out []trait) {
	rows, err := csv.NewReader(bytes.NewReader(kindsCSV)).ReadAll()
	if err != nil {
		panic(err) // the table is part of the program
	}
	for _, r := range rows[1:] {
		out = append(out, trait{
			kind: Kind(r[0]), title: r[1], edge: r[2] != "", alters: r[3] != "", slows: r[4] != "", needs: needs(r[5]),
			takes: strings.Fields(r[6]), webhook: r[7] != "",
		})
	}
	return out
}()

func (k Kind) trait() trait {
	for _, t := range traits {
		if t.kind == k {
			return t
		}
	}
	return trait{}
}

// Kinds returns all kinds of effects, sorted.
func Kinds() []string {
	var out []string
	for _, t := range traits {
		out = append(out, string(t.kind))
	}
	return out
}

// Title describes the effect.
func (k Kind) Title() string { return k.trait().title }

// Takes returns the fields of Effect that the kind reads.
func (k Kind) Takes() []string { return slices.Clone(k.trait().takes) }

// Alters reports whether the effect changes a complete response. Other effects replace or delay it.
func (k Kind) Alters() bool { return k.trait().alters }

// Slows reports whether the effect sends a response slowly.
func (k Kind) Slows() bool { return k.trait().slows }

// Chain reports whether the effect shows a blockchain that is not as it should be.
func (k Kind) Chain() bool { return k.trait().needs == chain }

// Planes returns the planes that the effect fits.
func (k Kind) Planes() (planes []Plane) {
	t := k.trait()
	if t.needs != event {
		planes = append(planes, Upstream)
	}
	if t.edge {
		planes = append(planes, Edge)
	}
	if t.webhook {
		planes = append(planes, Webhook)
	}
	return planes
}

// Distribution is the distribution of delays.
type Distribution string

// The distributions. A lognormal one has two thirds of its values between 0.6 and 1.6 times its median.
const (
	Fixed     Distribution = "fixed"
	Uniform   Distribution = "uniform"
	Lognormal Distribution = "lognormal"
)

// Effect is what goes wrong. Fields that the kind does not read must be absent.
type Effect struct {
	Kind         Kind           `json:"kind" doc:"Kind of effect; the catalog describes them" example:"inverted"`
	Status       int            `json:"status,omitempty" minimum:"400" maximum:"599" doc:"For the kind status: HTTP status. On the plane edge, a status of the public API"`
	Code         string         `json:"code,omitempty" maxLength:"100" doc:"For the kind status: error code in the body. On the plane edge, the name of an error with that status"`
	RetryAfter   input.Duration `json:"retry_after,omitempty" doc:"For the kind status: value of Retry-After, in whole seconds, such as 30s"`
	MS           int64          `json:"ms,omitempty" minimum:"1" maximum:"600000" doc:"For delays: milliseconds of the machine; the minimum or the median if the delay is not fixed"`
	MaxMS        int64          `json:"max_ms,omitempty" minimum:"1" maximum:"600000" doc:"For delays that are not fixed: the maximum in milliseconds"`
	Distribution Distribution   `json:"distribution,omitempty" enum:"fixed,uniform,lognormal" doc:"For delays; fixed if it is absent"`
	By           input.Duration `json:"by,omitempty" doc:"For stale, old and future timestamps: the difference; an hour if it is absent. For the kind delay: how late, by the clock of the world; a minute if it is absent"`
	Bytes        int64          `json:"bytes,omitempty" minimum:"1" doc:"For huge bodies: bytes of padding; 5 MiB if it is absent"`
	Blocks       int64          `json:"blocks,omitempty" minimum:"1" maximum:"100000" doc:"For the kind lagging: number of blocks; 10 if it is absent"`
	Factor       int64          `json:"factor,omitempty" doc:"For the kind times: a power of ten from 10 to 100000000"`
}

// check adds the errors of the fields of an effect.
func (e Effect) check(errs *input.Errors) {
	takes := e.Kind.trait().takes
	text, _ := json.Marshal(e) // numbers and texts
	var given map[string]any
	_ = json.Unmarshal(text, &given)
	delete(given, "kind")
	for _, name := range slices.Sorted(maps.Keys(given)) {
		errs.Require(slices.Contains(takes, name), "effect."+name, given[name],
			fmt.Sprintf("nothing: %s does not take it", e.Kind))
	}
	errs.Require(e.Bytes <= maxBytes, "effect.bytes", e.Bytes, fmt.Sprintf("up to %d", maxBytes))
	drawn := e.Distribution == Uniform || e.Distribution == Lognormal
	errs.Require(e.Kind != Status || e.Status != 0, "effect.status", "is missing", "400 to 599")
	errs.Require(time.Duration(e.RetryAfter)%time.Second == 0, "effect.retry_after", time.Duration(e.RetryAfter),
		"whole seconds")
	errs.Require(e.MS != 0 || !slices.Contains(takes, "ms"), "effect.ms", "is missing", "1 to 600000")
	errs.Require(drawn && e.MaxMS >= e.MS || !drawn && e.MaxMS == 0, "effect.max_ms", e.MaxMS,
		"ms or more if the delay is uniform or lognormal, and absent otherwise")
	errs.Require(e.Kind != Times || slices.Contains(factors, e.Factor), "effect.factor", e.Factor,
		"a power of ten from 10 to 100000000")
}

const maxBytes = 16 << 20

var factors = []int64{10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000}

// Error returns the first error of the public API with the status and the code, if there is a code. ok is false if
// there is none.
func (e Effect) Error() (found apierror.Name, ok bool) {
	for _, name := range apierror.Names() {
		if name.Status() == e.Status && (e.Code == "" || e.Code == string(name)) {
			return name, true
		}
	}
	return "", false
}

// Capabilities are the operations of a provider and what its responses contain.
type Capabilities struct {
	Operations []string // named as in the metrics of its adapter
	Prices     []string // operations whose responses have prices
	Members    []string // operations whose responses have another important member: an account holder, a token
	Times      bool     // prices have times
	Counted    bool     // which are numbers of seconds or milliseconds

	Chain map[Kind][]string // operations that effects on a blockchain fit

	edge    bool // they are operations of the public API
	webhook bool // they are types of events
}

// publicAPI is what the plane Edge has in the place of a provider.
var publicAPI = Capabilities{Operations: core.OperationIDs(), edge: true}

// events is what the plane Webhook has in the place of a provider.
var events = func() Capabilities {
	c := Capabilities{webhook: true}
	for _, t := range core.EventTypes() {
		c.Operations = append(c.Operations, string(t))
	}
	return c
}()

// fits reports whether an effect fits the responses to an operation. The operation is empty if the
// provider has none for the request.
func (c Capabilities) fits(k Kind, operation string) bool {
	t := k.trait()
	switch {
	case c.edge: // a stream has no end, for which some effects wait, and an image no members
		op, _ := core.FindOperation(operation)
		return t.edge && (!op.Stream || !t.alters && !t.slows) && (op.Member != "" || op.Stream || t.needs != member)
	case c.webhook:
		return t.webhook
	case t.needs == event:
		return false
	case t.needs == "":
		return true
	case t.needs == chain:
		return slices.Contains(c.Chain[k], operation)
	case t.needs == member && slices.Contains(c.Members, operation):
		return true
	case t.needs == times && !c.Times, t.needs == countedTimes && !c.Counted:
		return false
	}
	return slices.Contains(c.Prices, operation)
}

// isStream reports whether the responses to an operation of the public API do not end.
func isStream(operation string) bool {
	op, _ := core.FindOperation(operation)
	return op.Stream
}

// fitsAny reports whether an effect fits the responses to an operation, or to any if it is empty.
func (c Capabilities) fitsAny(k Kind, operation string) bool {
	return slices.ContainsFunc(c.Operations, func(o string) bool {
		return (operation == "" || operation == o) && c.fits(k, o)
	})
}
