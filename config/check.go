package config

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/adapters/chains"
	"causeway/core"
)

// shortestKey is the least length of an API key in production: 16 random characters cannot be guessed.
const shortestKey = 16

// check returns the faults of the values. Each begins with the key, or with the first of several.
func (c Config) check() []error {
	var faults []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	for _, f := range fields(&c) {
		if !f.inBounds() {
			need(false, "%s is %s; accepted: %s", f.path, shown(f), f.accepted())
		}
	}
	for _, l := range [][2]string{{"listen", c.Listen}, {"operator_listen", c.OperatorListen}} {
		need(isAddress(l[1]), "%s is %q; accepted: host:port or :port, the port a number up to 65535", l[0], l[1])
	}
	need(c.Listen != c.OperatorListen || strings.HasSuffix(c.Listen, ":0"),
		"listen and operator_listen are both %q; give each a port of its own", c.Listen)
	need((c.TLS.CertFile == "") == (c.TLS.KeyFile == ""),
		"tls.cert_file and tls.key_file belong together, and one of them is empty")
	for _, origins := range []struct {
		setting string
		all     []string
	}{{"api.cors_origins", c.API.CORSOrigins}, {"simulator.cors_origins", c.Simulator.CORSOrigins}} {
		for _, origin := range origins.all {
			u, err := url.Parse(origin)
			need(err == nil && u.Scheme != "" && u.Host != "" && u.Path == "",
				"%s has %q; accepted: origins such as https://app.example.com", origins.setting, origin)
		}
	}
	_, err := c.Proxies()
	faults = append(faults, flatten(err)...)
	operations, groups := core.OperationIDs(), slices.Sorted(maps.Keys(core.OperationGroups()))
	for _, id := range c.Auth.Operations {
		need(slices.Contains(operations, id) || slices.Contains(groups, id), "auth.operations has %s; accepted: %s, %s",
			core.Quoted(id), strings.Join(groups, ", "), strings.Join(operations, ", "))
	}
	for _, id := range slices.Sorted(maps.Keys(c.Limits.Operations)) {
		need(slices.Contains(operations, id), "limits.operations.%s is for no operation; accepted: %s", id,
			strings.Join(operations, ", "))
	}
	need(c.Redis.URL == "" || c.Privacy.HashKey != "",
		"privacy.hash_key (CAUSEWAY_PRIVACY__HASH_KEY) is empty and redis.url is set: "+
			"replicas that share a Redis need the same secret of 32 characters or more")
	faults = append(faults, c.Endpoints.check()...)
	faults = append(faults, c.Providers.check()...)
	parts := []interface{ Check() error }{c.RecipientSettings(), c.Redis, c.Database(), c.Deposits, c.Webhooks}
	for _, part := range parts {
		for _, fault := range flatten(part.Check()) {
			known := slices.ContainsFunc(faults, func(f error) bool { return keyIn(f) == keyIn(fault) })
			need(known, "%w", fault) // the limits in the struct tags apply to the part only
		}
	}
	if c.Mode == Production {
		faults = append(faults, c.checkProduction()...)
	}
	return faults
}

// inBounds checks a value against the tags of its field.
func (f field) inBounds() bool {
	if enum, ok := f.tag.Lookup("enum"); ok {
		return slices.Contains(strings.Split(enum, ","), f.value.String())
	}
	var value float64
	switch {
	case f.isDuration():
		value = time.Duration(f.value.Int()).Seconds()
	case f.value.CanInt():
		value = float64(f.value.Int())
	default:
		return true
	}
	least, err := strconv.ParseFloat(f.tag.Get("minimum"), 64)
	if err == nil && value < least {
		return false
	}
	most, err := strconv.ParseFloat(f.tag.Get("maximum"), 64)
	return err != nil || value <= most
}

func shown(f field) string {
	if _, ok := f.tag.Lookup("enum"); ok {
		return strconv.Quote(f.value.String())
	}
	return f.literal()
}

// isAddress reports whether a listener can have an address.
func isAddress(text string) bool {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

func isBaseURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	port := u.Port()
	if n, err := strconv.ParseUint(port, 10, 16); port != "" && (err != nil || n == 0) {
		return false
	}
	return u.Hostname() != "" && !strings.ContainsAny(u.Host, " \t")
}

// checkProduction returns what production lacks: it never falls back to simulated data.
func (c Config) checkProduction() []error {
	faults := c.Providers.checkProduction()
	if slices.ContainsFunc(c.Auth.Keys, func(k core.Secret) bool { return len(k) < shortestKey }) {
		faults = append(faults, fmt.Errorf("auth.keys has a key that is too short; accepted in production: "+
			"%d characters or more, such as causeway keys create makes", shortestKey))
	}
	if len(c.Deposits.Wallets) > 0 && !c.Database().Enabled() {
		faults = append(faults, errors.New("deposits.wallets needs a database in production mode: "+
			"set state.dir (CAUSEWAY_STATE__DIR) or storage.url (CAUSEWAY_STORAGE__URL)"))
	}
	if len(c.Webhooks) > 0 && !c.Database().Enabled() {
		faults = append(faults, errors.New("webhooks are set, and no database is configured that keeps their events; "+
			"set state.dir (CAUSEWAY_STATE__DIR) or storage.url (CAUSEWAY_STORAGE__URL)"))
	}
	if len(c.Deposits.Wallets) > 0 && c.Privacy.HashKey == "" {
		faults = append(faults, errors.New("privacy.hash_key (CAUSEWAY_PRIVACY__HASH_KEY) is empty: deposits.wallets "+
			"needs a secret of 32 characters or more, which seals the addresses in the database; keep a copy of it"))
	}
	urls := c.Deposits.URLs()
	for _, network := range slices.Sorted(maps.Keys(urls)) {
		if slices.ContainsFunc(urls[network], IsPlain) {
			faults = append(faults, fmt.Errorf("deposits.chains.%s has a back end without TLS on another machine: "+
				"whoever is in between can invent deposits; accepted in production: https, or http on this machine", network))
		}
	}
	if len(c.KeyedOperations()) > 0 && len(c.Auth.Keys) == 0 && !c.Database().Enabled() {
		faults = append(faults, errors.New("account resolution needs API keys in production mode: "+
			"set state.dir (CAUSEWAY_STATE__DIR) or storage.url (CAUSEWAY_STORAGE__URL) and run causeway keys create, "+
			"or set auth.keys (CAUSEWAY_AUTH__KEYS); "+
			"or set auth.recipients to open if only trusted clients can reach the API"))
	}
	return faults
}

// Unread returns the networks of deposits.chains that are not read, because no wallet has addresses there.
func (c Config) Unread() (networks []string) {
	wallets := c.depositWallets()
	for name := range c.Deposits.Chains {
		if network := strings.ToUpper(name); !slices.Contains(wallets, chains.Wallet(network)) {
			networks = append(networks, network)
		}
	}
	slices.Sort(networks)
	return networks
}

// depositWallets returns the codes of the configured deposit wallets.
func (c Config) depositWallets() (codes []string) {
	for name := range c.Deposits.Wallets {
		codes = append(codes, strings.ToUpper(name))
	}
	return codes
}
