package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"causeway/adapters/providers/all"
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/config"
	"causeway/core"
	"causeway/ports"
)

// marketsAsked is how many markets a source is asked for: enough to see that it answers.
const marketsAsked = 3

// ratesOp is the question of a source about rates; all others are about accounts.
const ratesOp = "rates"

// reply is what a provider was asked, and how it answered.
type reply struct {
	op  string
	got string // in words; empty: err
	err error
}

// replies are those of all providers, by name.
type replies struct {
	mu sync.Mutex
	of map[string][]reply
}

func (r *replies) add(provider, op, got string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of[provider] = append(r.of[provider], reply{op, got, err})
}

// Providers are the clients of the providers by what they can do, and the catalog.
type Providers struct {
	Directories []ports.BankDirectory
	Resolvers   []ports.AccountResolver
	Sources     []ports.RateSource
	Catalog     config.Catalog
}

// providers constructs what a process consists of, as its start does, and asks each provider something harmless.
func (d *Doctor) providers(ctx context.Context) []Finding {
	made, err := d.options.NewProviders(d.cfg, d.witness.wrap)
	if err != nil {
		return unreadable(err)
	}
	off := func(r ports.AccountResolver) bool { return d.cfg.Mode == config.Production && !d.holds(r.Name()) }
	made.Resolvers = slices.DeleteFunc(made.Resolvers, off)
	settled := Finding{"configuration", Fine, fmt.Sprintf("mode %s; rate sources: %d, account providers: %d", d.cfg.Mode, len(made.Sources), len(made.Resolvers)), ""}
	if d.cfg.Mode == config.Sandbox {
		return []Finding{settled, {"providers", Skipped, "a sandbox simulates them", "with --mode production real ones are checked"}}
	}
	if d.offline {
		return slices.Concat([]Finding{settled, {"providers", Skipped, "they are not asked", ""}}, d.plain(), d.credentials(nil))
	}
	heard := d.ask(ctx, made)
	out := slices.Concat([]Finding{settled}, d.plain(), d.credentials(heard.of))
	out = append(out, d.reached(made, heard.of)...)
	return append(out, d.witness.skew())
}

// ask asks all providers at once.
func (d *Doctor) ask(ctx context.Context, made Providers) *replies {
	heard := &replies{of: map[string][]reply{}}
	var work sync.WaitGroup
	for _, source := range made.Sources {
		work.Go(func() {
			markets := sampleOf(source.Name(), made.Catalog)
			observed, err := source.Observe(ctx, markets)
			heard.add(source.Name(), ratesOp, fmt.Sprintf("%d of %d markets", len(observed), len(markets)), err)
		})
	}
	for _, directory := range made.Directories {
		for _, country := range directory.Countries() {
			work.Go(func() {
				banks, err := directory.Banks(ctx, country)
				heard.add(directory.Name(), country, fmt.Sprintf("%d institutions of %s", len(banks), country), err)
			})
		}
	}
	for _, resolver := range made.Resolvers {
		if e, ok := resolver.(provider.Login); ok {
			work.Go(func() { heard.add(resolver.Name(), "login", "a login", e.Login(ctx)) })
		}
	}
	work.Wait()
	for _, all := range heard.of {
		slices.SortFunc(all, func(a, b reply) int { return strings.Compare(a.op, b.op) })
	}
	return heard
}

// sampleOf are a few markets that a source is asked for.
func sampleOf(source string, catalog config.Catalog) []core.Pair {
	var out []core.Pair
	for _, m := range catalog.Markets {
		if slices.Contains(m.Sources, source) && len(out) < marketsAsked {
			out = append(out, m.Pair)
		}
	}
	return out
}

// reached says which providers answer. One that prices can do without is a warning.
func (d *Doctor) reached(made Providers, heard map[string][]reply) []Finding {
	var out []Finding
	accounts := map[string]bool{}
	for _, r := range made.Resolvers {
		accounts[r.Name()] = true
	}
	for _, name := range slices.Sorted(maps.Keys(heard)) {
		found := judgeReplies(name, d.holds(name), heard[name])
		described, _ := all.Find(name)
		needed := accounts[name] || described.Required != ""
		if found.State == Broken && !needed {
			found.State = Worrying
		}
		out = append(out, found)
	}
	if !answered(heard, func(op string) bool { return op == ratesOp }) {
		out = append(out, Finding{"prices", Broken, "no rate source answers", "without one there are no prices; see the providers above"})
	}
	if !answered(heard, func(op string) bool { return op != ratesOp }) {
		out = append(out, Finding{"account names", Broken, "no account provider answers", "without one no account can be looked up; see the providers above"})
	}
	return out
}

// answered reports whether anybody answered a question of a kind.
func answered(heard map[string][]reply, of func(op string) bool) bool {
	for _, all := range heard {
		if slices.ContainsFunc(all, func(r reply) bool { return r.err == nil && of(r.op) }) {
			return true
		}
	}
	return false
}

// holds reports whether there are credentials of a provider.
func (d *Doctor) holds(name string) bool { return provider.HasCredentials(d.cfg.Providers[name]) }

// judgeReplies sums up what a provider said, with a key or without: the worst of it.
func judgeReplies(name string, keyed bool, all []reply) Finding {
	out := Finding{Check: "provider " + name, State: Fine}
	var got []string
	for _, r := range all {
		if r.err == nil {
			got = append(got, r.got)
			continue
		}
		if state, found, do := ailment(r.err, keyed); state > out.State {
			out.State, out.Found, out.Do = state, r.op+": "+found, do
		}
	}
	if out.State == Fine {
		out.Found = "answers: " + strings.Join(got, ", ")
	}
	return out
}

// ailment says what is the matter with a provider, and what to do. A key that is refused is the affair of the credentials.
func ailment(err error, keyed bool) (state Verdict, found, do string) {
	failure, ok := errors.AsType[*upstream.Failure](err)
	if !ok {
		return Worrying, "its answer is not the documented one", "look at its status page; run doctor again"
	}
	switch failure.Outcome {
	case upstream.Refused:
		if keyed {
			return Worrying, failure.Error(), "see its credentials"
		}
		return Worrying, failure.Error(), "it refuses this machine's country or address: ask from elsewhere, or do without it"
	case upstream.Throttled, upstream.Held, upstream.Quota:
		return Worrying, failure.Error(), "wait; if it stays, another program asks with the same key or address, or the plan is too small"
	case upstream.Malformed:
		return Broken, failure.Error(), "something else answers in its place: check its base_url, and proxies on the way"
	case upstream.TimedOut:
		return Broken, failure.Error(), "check that this machine may reach it (firewall, HTTPS_PROXY), and its status page"
	case upstream.Unavailable:
		if failure.Status != 0 {
			return Broken, failure.Error(), "it is down: look at its status page"
		}
		return Broken, failure.Error(), "check DNS, the firewall, HTTPS_PROXY, and the authorities that this machine trusts"
	default:
		return Worrying, failure.Error(), "look at its status page; run doctor again"
	}
}

// plain reports what the settings leave open.
func (d *Doctor) plain() []Finding {
	var out []Finding
	for _, w := range d.cfg.Warnings() {
		out = append(out, Finding{w.Key, Worrying, w.Problem, w.Remedy})
	}
	return out
}
