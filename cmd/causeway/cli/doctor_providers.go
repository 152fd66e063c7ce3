package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"causeway/adapters/providers/all"
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/cmd/causeway/app"
	"causeway/config"
	"causeway/core"
	"causeway/ports"
)

// providerReply is the result of one request to a provider.
type providerReply struct {
	operation string // "rates", "login" or the country of a bank list
	found     string // empty if there is an error
	err       error
}

// newWorld constructs the services of a process without listeners and storage, and the catalog.
func newWorld(cfg config.Config, env app.Environment) (*app.WorldServices, config.Catalog, error) {
	if cfg.Mode == config.Sandbox {
		cfg = app.SandboxSettings(cfg)
	}
	catalog, err := cfg.LoadCatalog()
	if err != nil {
		return nil, catalog, err
	}
	world, err := app.NewWorldServices(cfg, catalog, env, app.Shared{})
	return world, catalog, err
}

// providers constructs the services as the start of a process does and calls each provider.
func (d *doctor) providers(ctx context.Context) []result {
	named := func(name string, r result) []result {
		r.Check = name
		return []result{r}
	}
	world, catalog, err := newWorld(d.cfg, d.env)
	switch {
	case err != nil && d.faulty:
		return named("providers", skip("not called: the configuration has faults"))
	case err != nil:
		return configurationFaults(err)
	}
	clients := world.Providers
	clients.Resolvers = slices.DeleteFunc(clients.Resolvers, func(r ports.AccountResolver) bool {
		return d.cfg.Mode == config.Production && !d.hasCredentials(r.Name())
	})
	var out []result
	if !d.faulty {
		out = named("configuration", pass(fmt.Sprintf("mode %s; rate sources: %d, account providers: %d",
			d.cfg.Mode, len(clients.Sources), len(clients.Resolvers))))
	}
	if d.cfg.Mode != config.Production {
		r := skip("a sandbox simulates them")
		r.Do = "run with --mode production to check the real ones"
		return append(out, named("providers", r)...)
	}
	for _, w := range d.cfg.Warnings() {
		out = append(out, named(w.Key, warn(w.Problem, w.Remedy))...)
	}
	if d.offline {
		return slices.Concat(out, named("providers", skip("not called")), d.credentials(nil))
	}
	replies := callProviders(ctx, clients, catalog)
	return slices.Concat(out, d.credentials(replies), d.judgeProviders(clients, replies), named("clock", d.clocks.judge()))
}

// callProviders sends each provider a harmless request and returns the replies by provider.
func callProviders(ctx context.Context, clients app.Providers, catalog config.Catalog) map[string][]providerReply {
	var (
		work    sync.WaitGroup
		mu      sync.Mutex
		replies = map[string][]providerReply{}
	)
	call := func(provider, operation string, request func() (string, error)) {
		work.Go(func() {
			found, err := request()
			mu.Lock()
			defer mu.Unlock()
			replies[provider] = append(replies[provider], providerReply{operation, found, err})
		})
	}
	for _, source := range clients.Sources {
		call(source.Name(), "rates", func() (string, error) {
			const enough = 3 // markets show whether the source responds
			var pairs []core.Pair
			for _, m := range catalog.Markets {
				if slices.Contains(m.Sources, source.Name()) && len(pairs) < enough {
					pairs = append(pairs, m.Pair)
				}
			}
			observed, err := source.Observe(ctx, pairs)
			return fmt.Sprintf("%d of %d markets", len(observed), len(pairs)), err
		})
	}
	for _, directory := range clients.Directories {
		for _, country := range directory.Countries() {
			call(directory.Name(), country, func() (string, error) {
				banks, err := directory.Banks(ctx, country)
				return fmt.Sprintf("%d institutions of %s", len(banks), country), err
			})
		}
	}
	for _, resolver := range clients.Resolvers {
		if r, ok := resolver.(provider.Login); ok {
			call(resolver.Name(), "login", func() (string, error) { return "a login", r.Login(ctx) })
		}
	}
	work.Wait()
	for _, all := range replies {
		slices.SortFunc(all, func(a, b providerReply) int { return cmp.Compare(a.operation, b.operation) })
	}
	return replies
}

// judgeProviders reports which providers respond. One that prices can do without is a warning.
func (d *doctor) judgeProviders(clients app.Providers, replies map[string][]providerReply) []result {
	needed := map[string]bool{}
	for _, descriptor := range all.Descriptors {
		needed[descriptor.Name] = descriptor.Required != ""
	}
	for _, r := range clients.Resolvers {
		needed[r.Name()] = true
	}
	var out []result
	responds := map[bool]bool{} // whether any source of rates, or of anything else, responds
	for _, name := range slices.Sorted(maps.Keys(replies)) {
		r := d.judgeReplies(name, replies[name])
		if r.State == failed && !needed[name] {
			r.State = warning
		}
		out = append(out, r)
		for _, reply := range replies[name] {
			isRates := reply.operation == "rates"
			responds[isRates] = responds[isRates] || reply.err == nil
		}
	}
	if !responds[true] {
		out = append(out, result{
			"prices", failed, "no rate source responds",
			"there are no prices without one; see the providers above",
		})
	}
	if !responds[false] {
		out = append(out, result{
			"account names", failed, "no account provider responds",
			"no account can be resolved without one; see the providers above",
		})
	}
	return out
}

// judgeReplies returns the worst of what a provider replied.
func (d *doctor) judgeReplies(name string, replies []providerReply) result {
	var found []string
	for _, reply := range replies {
		if reply.err != nil {
			r := d.judgeFailure(name, reply.err)
			r.Check, r.Found = "provider "+name, reply.operation+": "+r.Found
			return r
		}
		found = append(found, reply.found)
	}
	return result{"provider " + name, passed, "responds: " + strings.Join(found, ", "), ""}
}

func (d *doctor) judgeFailure(name string, err error) result {
	failure, ok := errors.AsType[*upstream.Failure](err)
	if !ok {
		return warn("the response is not the documented one", "see its status page; run doctor again")
	}
	descriptor, _ := all.Find(name)
	moved := failure.Status/100 == 3 || failure.Status == http.StatusNotFound
	if moved && len(descriptor.Alternatives) > 0 {
		return fail(failure.Error(), fmt.Sprintf("the API may have moved: unset %s, or set it to %s",
			config.BaseURLKey(descriptor), strings.Join(descriptor.Alternatives, " or ")))
	}
	switch failure.Outcome {
	case upstream.Refused:
		if d.hasCredentials(name) {
			return warn(failure.Error(), "see its credentials")
		}
		return warn(failure.Error(),
			"it refuses the country or address of this machine: call it from elsewhere, or do without it")
	case upstream.Throttled, upstream.Quota:
		return warn(failure.Error(),
			"wait; if it stays, another program uses the same key or address, or the plan is too small")
	case upstream.Malformed:
		return fail(failure.Error(), "another server responds in its place: check its base URL and proxies on the way")
	case upstream.TimedOut, upstream.Unavailable:
		if failure.Status != 0 {
			return fail(failure.Error(), "it is down: see its status page")
		}
		return fail(failure.Error(), "check DNS, the firewall, HTTPS_PROXY, and the authorities that this machine trusts")
	default:
		return warn(failure.Error(), "see its status page; run doctor again")
	}
}

// hasCredentials reports whether a credential of a provider is configured.
func (d *doctor) hasCredentials(name string) bool {
	return provider.HasCredentials(d.cfg.Providers[name])
}

// credentials checks the form of each credential and whether its provider accepts it. replies is
// nil if no provider was called.
func (d *doctor) credentials(replies map[string][]providerReply) []result {
	var out []result
	for _, descriptor := range all.Descriptors {
		for _, c := range provider.Credentials(d.cfg.Providers[descriptor.Name]) {
			if c.Value != "" {
				setting := descriptor.SectionName() + "." + c.Setting
				r := judgeCredential(c, setting, replies != nil, replies[descriptor.Name])
				r.Check = "credential " + setting
				out = append(out, r)
			}
		}
	}
	return out
}

// judgeCredential judges a credential without showing it.
func judgeCredential(c provider.Credential, setting string, called bool, replies []providerReply) result {
	variable := config.Variable(setting)
	secret, found := c.Value.Reveal(), ""
	switch accepted, refusal := acceptance(c, replies); {
	case strings.ContainsFunc(secret, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }):
		return fail("it contains spaces or line breaks", "copy it again, without them, into "+variable)
	case strings.Trim(secret, `"'`) != secret:
		return fail("it is in quotes", "remove them from "+variable)
	case c.Mistaken != "" && strings.HasPrefix(secret, c.Mistaken):
		return fail("it is another credential of the same account, which begins with "+c.Mistaken,
			"set "+variable+" to the right one")
	case c.Untested:
		found = "; no harmless request shows whether the provider accepts it"
	case refusal != nil:
		return fail(fmt.Sprintf("the provider refuses it, its plan, or the address of this machine (%s)", refusal),
			"compare "+variable+" and the allowed addresses with the dashboard")
	case accepted:
		found = "; the provider accepts it"
	case called:
		found = "; the provider did not respond"
	}
	switch {
	case c.Test != "" && strings.HasPrefix(secret, c.Test):
		return warn("it is a test credential ("+c.Test+"…)"+found,
			"set "+variable+" to the live one, which begins with "+c.Live)
	case !strings.HasPrefix(secret, c.Live):
		return warn("it does not have the usual form"+found,
			"compare "+variable+" with the dashboard: it should begin with "+c.Live)
	}
	return pass("it is set" + found)
}

// acceptance reports whether a provider responded to a request with a credential, and the last refusal.
func acceptance(c provider.Credential, replies []providerReply) (accepted bool, refusal error) {
	for _, reply := range replies {
		if c.Country != "" && c.Country != reply.operation {
			continue // another credential
		}
		accepted = accepted || reply.err == nil
		if failure, ok := errors.AsType[*upstream.Failure](reply.err); ok && failure.Outcome == upstream.Refused {
			refusal = failure
		}
	}
	return accepted, refusal
}

// clockComparison is a transport that compares the clocks of providers with the clock of this machine.
type clockComparison struct {
	next http.RoundTripper

	mu      sync.Mutex
	offsets map[string]offset // by host: the most precise one
}

// offset is how far the clock of this machine is ahead of another one, and the uncertainty.
type offset struct{ ahead, within time.Duration }

// RoundTrip implements http.RoundTripper.
func (c *clockComparison) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := time.Now()
	resp, err := c.next.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	date, err := http.ParseTime(resp.Header.Get("Date"))
	if age := resp.Header.Get("Age"); err != nil || age != "" && age != "0" {
		return resp, nil // unknown, or from a cache
	}
	half := time.Since(sent) / 2
	const halfSecond = time.Second / 2 // dates have whole seconds
	measured := offset{ahead: sent.Add(half).Sub(date.Add(halfSecond)), within: half + halfSecond}
	c.mu.Lock()
	defer c.mu.Unlock()
	if before, ok := c.offsets[r.URL.Host]; !ok || measured.within < before.within {
		c.offsets[r.URL.Host] = measured
	}
	return resp, nil
}

// judge compares the clock of this machine with the median of the others. Quotes from more than two seconds ahead are
// not used.
func (c *clockComparison) judge() result {
	const warns, fails, unit = time.Second, 2 * time.Second, 100 * time.Millisecond
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.SortedFunc(maps.Values(c.offsets), func(a, b offset) int { return cmp.Compare(a.ahead, b.ahead) })
	if len(all) == 0 {
		return skip("no provider sent the time")
	}
	median := all[len(all)/2]
	off, side := median.ahead, "ahead of"
	if off < 0 {
		off, side = -off, "behind"
	}
	found := fmt.Sprintf("it is %s %s the clocks of %d providers", off.Round(unit), side, len(all))
	const do = "let chrony or systemd-timesyncd set it: " +
		"from 2s on, fresh quotes count as old ones or as ones from the future"
	switch certain := off - median.within; {
	case certain > fails:
		return fail(found, do)
	case certain > warns:
		return warn(found, do)
	}
	return pass(fmt.Sprintf("within %s of the clocks of %d providers", (off + median.within).Round(unit), len(all)))
}
