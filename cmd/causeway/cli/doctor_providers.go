package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"causeway/adapters/providers"
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
func newWorld(
	cfg config.Config, env app.Environment, shared app.Shared,
) (*app.WorldServices, config.Catalog, error) {
	if cfg.Mode == config.Sandbox {
		cfg = app.SandboxSettings(cfg)
	}
	catalog, err := cfg.LoadCatalog()
	if err != nil {
		return nil, catalog, err
	}
	world, err := app.NewWorldServices(cfg, catalog, env, shared)
	return world, catalog, err
}

// providers constructs the services as the start of a process does and calls each provider.
func (d *doctor) providers(ctx context.Context) []result {
	world, catalog, err := newWorld(d.cfg, d.env, app.Shared{})
	switch {
	case err != nil && d.faults != nil:
		return []result{skip("not called: the configuration has faults").of("providers")}
	case err != nil:
		return configurationFaults(err)
	}
	clients := world.Providers
	clients.Resolvers = slices.DeleteFunc(clients.Resolvers, func(r ports.AccountResolver) bool {
		return d.cfg.Mode == config.Production && !provider.HasCredentials(d.cfg.Providers[r.Name()])
	})
	var out []result
	if d.faults == nil {
		out = append(out, pass(fmt.Sprintf("mode %s; rate sources: %d, account providers: %d",
			d.cfg.Mode, len(clients.Sources), len(clients.Resolvers))).of("configuration"))
	}
	if d.cfg.Mode != config.Production {
		r := skip("a sandbox simulates them; run with --mode production to check the real ones")
		return append(out, r.of("providers"))
	}
	for _, w := range d.cfg.Warnings() {
		out = append(out, warn(w.Problem, w.Remedy).of(w.Key))
	}
	replies := map[string][]providerReply{}
	var lists []*bankList
	if !d.offline {
		replies, lists = callProviders(ctx, clients, catalog)
	}
	for _, descriptor := range providers.Descriptors {
		out = append(out, d.judgeProvider(descriptor, replies[descriptor.Name])...)
	}
	if d.offline {
		return append(out, skip("not called").of("providers"))
	}
	coverage, err := d.judgeCoverage(ctx, world, catalog, lists)
	if err != nil {
		return append(out, configurationFaults(err)...)
	}
	return append(out, append(coverage, d.clock.judge().of("clock"))...)
}

// callProviders sends each provider a harmless request and returns the replies by provider, and the bank
// lists.
func callProviders(
	ctx context.Context, clients app.Providers, catalog config.Catalog,
) (replies map[string][]providerReply, lists []*bankList) {
	var (
		work sync.WaitGroup
		mu   sync.Mutex
	)
	replies = map[string][]providerReply{}
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
		list := &bankList{BankDirectory: directory, banks: map[string][]core.Bank{}}
		lists = append(lists, list)
		for _, country := range directory.Countries() {
			call(directory.Name(), country, func() (string, error) {
				banks, err := directory.Banks(ctx, country)
				list.store(country, banks)
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
	return replies, lists
}

// judgeProvider reports whether a provider responds and accepts its credentials. A provider that production can do
// without is a warning.
func (d *doctor) judgeProvider(descriptor provider.Descriptor, replies []providerReply) []result {
	var out []result
	var found []string
	for _, reply := range replies {
		if reply.err != nil {
			text, do := explain(descriptor, reply.err)
			r := warn(reply.operation+": "+text, do)
			if descriptor.Required != "" || provider.HasCredentials(d.cfg.Providers[descriptor.Name]) {
				r.State = failed
			}
			out, found = append(out, r), nil
			break
		}
		found = append(found, reply.found)
	}
	if len(found) > 0 {
		out = append(out, pass("responds: "+strings.Join(found, ", ")))
	}
	for i := range out {
		out[i].Check = "provider " + descriptor.Name
	}
	for _, c := range provider.Credentials(d.cfg.Providers[descriptor.Name]) {
		if c.Value != "" {
			setting := descriptor.SectionName() + "." + c.Setting
			out = append(out, judgeCredential(c, config.Variable(setting), replies).of("credential "+setting))
		}
	}
	return out
}

// explain returns what happened to a failed request, without anything of the response, and what to do.
func explain(descriptor provider.Descriptor, err error) (found, do string) {
	failure, ok := errors.AsType[*upstream.Failure](err)
	if !ok {
		return "the response is not the documented one", "see its status page; run doctor again"
	}
	found, do = failure.Error(), "it is down: see its status page; run doctor again"
	moved := failure.Status/100 == 3 || failure.Status == http.StatusNotFound
	switch {
	case moved && len(descriptor.Alternatives) > 0:
		do = fmt.Sprintf("the API may have moved: unset %s, or set it to %s",
			config.BaseURLKey(descriptor), strings.Join(descriptor.Alternatives, " or "))
	case failure.Outcome == upstream.Refused:
		do = "correct its credentials; without any, it refuses the country or address of this machine"
	case failure.Outcome == upstream.Throttled || failure.Outcome == upstream.Quota:
		do = "wait; if it stays, another program uses the same key or address, or the plan is too small"
	case failure.Outcome == upstream.Malformed:
		do = "another server responds in its place: check its base URL and proxies on the way"
	case failure.Status == 0:
		do = "check DNS, the firewall, HTTPS_PROXY, and the authorities that this machine trusts"
	}
	return found, do
}

// judgeCredential checks the form of a credential and whether the provider accepts it, without showing it.
func judgeCredential(c provider.Credential, variable string, replies []providerReply) result {
	secret := c.Value.Reveal()
	accepted, refusal := acceptance(c, replies)
	switch {
	case strings.ContainsFunc(secret, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) ||
		strings.Trim(secret, `"'`) != secret:
		return fail("it contains spaces, line breaks or quotes", "copy it again, without them, into "+variable)
	case c.Mistaken != "" && strings.HasPrefix(secret, c.Mistaken):
		return fail("it is another credential of the same account, which begins with "+c.Mistaken,
			"set "+variable+" to the right one")
	case refusal != nil && !c.Untested:
		return fail(fmt.Sprintf("the provider refuses it, its plan, or the address of this machine (%s)", refusal),
			"compare "+variable+" and the allowed addresses with the dashboard")
	case c.Test != "" && strings.HasPrefix(secret, c.Test):
		return warn("it is a test credential ("+c.Test+"…)",
			"set "+variable+" to the live one, which begins with "+c.Live)
	case !strings.HasPrefix(secret, c.Live):
		return warn("it does not have the usual form",
			"compare "+variable+" with the dashboard: it should begin with "+c.Live)
	case c.Untested:
		return pass("it is set; no harmless request shows whether the provider accepts it")
	case accepted:
		return pass("it is set; the provider accepts it")
	}
	return pass("it is set")
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

// clockCheck is a transport that compares the clock of this machine with the dates of responses.
type clockCheck struct {
	next http.RoundTripper

	mu       sync.Mutex
	compared int           // responses
	offset   time.Duration // of this machine's clock: the smallest, since latency and caches add to it
}

// RoundTrip implements http.RoundTripper.
func (c *clockCheck) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		c.compare(time.Since(date.Add(time.Second / 2))) // dates have whole seconds
	}
	return resp, nil
}

func (c *clockCheck) compare(offset time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.compared == 0 || offset.Abs() < c.offset.Abs() {
		c.offset = offset
	}
	c.compared++
}

// judge fails from the offset on at which quotes are taken for old ones, or for ones from the future.
func (c *clockCheck) judge() result {
	const largest = 2 * time.Second
	c.mu.Lock()
	defer c.mu.Unlock()
	side := "ahead of"
	if c.offset < 0 {
		side = "behind"
	}
	found := fmt.Sprintf("it is %s %s the clocks of providers", c.offset.Abs().Round(time.Second/10), side)
	switch {
	case c.compared == 0:
		return skip("no provider sent the time")
	case c.offset.Abs() > largest:
		return fail(found,
			"let chrony or systemd-timesyncd set it: fresh quotes count as old ones, or as ones from the future")
	}
	return pass(found)
}
