package config

import (
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"causeway/core"
)

// Warning is a setting that is accepted and leaves something open.
type Warning struct {
	Key     string // of the setting, or the environment variable
	Problem string
	Remedy  string
}

// Warnings returns what a production configuration leaves open. Each may be right behind the right network.
func (c Config) Warnings() []Warning {
	if c.Mode != Production {
		return nil
	}
	var out []Warning
	for _, section := range slices.Sorted(maps.Keys(c.Endpoints.BaseURLs)) {
		if IsPlain(c.Endpoints.BaseURLs[section]) {
			out = append(out, Warning{
				baseURLKey(section), "the provider is called without TLS: keys and account numbers are sent in clear text",
				"use an https:// address, or a proxy on this machine",
			})
		}
	}
	if IsPlain(c.Redis.URL.Reveal()) {
		out = append(out, Warning{
			"redis.url", "Redis is used without TLS: its password is sent in clear text",
			"use rediss://, or a Redis on this machine",
		})
	}
	for _, variable := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"} {
		if IsPlain(c.sources.getenv(variable)) {
			out = append(out, Warning{
				variable, "traces are sent without TLS", "use an https:// address, or a collector on this machine",
			})
		}
	}
	if len(c.Deposits.Wallets) > 0 && c.State.Dir == "" && c.Redis.URL == "" {
		out = append(out, Warning{
			"state.dir", "the highest indexes of deposit wallets are in memory only: after a restart, nothing shows that " +
				"an older database was restored, and addresses may be assigned twice",
			"set state.dir to a directory that outlives the process, or redis.url",
		})
	}
	if missing := c.Deposits.Undetected(c.depositWallets()); len(missing) > 0 {
		out = append(out, Warning{
			"deposits.chains", "deposits on " + strings.Join(missing, ", ") + " are not detected: they have no back end",
			"add their back ends, or watch these networks with other software; see docs/deposits.md",
		})
	}
	if unread := c.Unread(); len(unread) > 0 {
		out = append(out, Warning{
			"deposits.chains", "the blocks of " + strings.Join(unread, ", ") + " are not read: no wallet has addresses there",
			"set the wallets of these networks in deposits.wallets, or remove the networks",
		})
	}
	if !c.RecipientsNeedKey() {
		out = append(out, Warning{
			"auth.recipients",
			"account resolution is open: every client that reaches this process learns names of account holders",
			"set it to required, unless only trusted clients can reach the API",
		})
	}
	return append(out, c.halfClosed()...)
}

// halfClosed warns of operations that need a key although others of their group, which show the same
// data, do not.
func (c Config) halfClosed() []Warning {
	var out []Warning
	all := c.KeyedOperations()
	groups := core.OperationGroups()
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		var keyed, open []string
		for _, id := range groups[name] {
			if slices.Contains(all, id) {
				keyed = append(keyed, id)
			} else {
				open = append(open, id)
			}
		}
		if len(keyed) > 0 && len(open) > 0 {
			out = append(out, Warning{
				"auth.operations",
				"keys protect " + strings.Join(keyed, ", ") + ", but the same can be read without a key from " +
					strings.Join(open, ", "),
				"add " + name + ", which stands for all of them",
			})
		}
	}
	return out
}

// IsPlain reports whether a URL leads to another machine without TLS.
func IsPlain(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "redis" {
		return false
	}
	host := u.Hostname()
	address, err := netip.ParseAddr(host)
	local := host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost")
	return !local && (err != nil || !address.Unmap().IsLoopback())
}
