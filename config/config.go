// Package config reads the settings of Causeway from a YAML file, the environment and flags, in this order of
// precedence (the last one wins), and the catalog of countries, banks, currencies and pairs.
//
// The struct Config is the only description of the settings: its tags doc, enum, minimum and maximum (in seconds
// for durations) drive the loader, the checks, the commands config print, init and schema, and the table in
// docs/configuration.md. Load reports all faults at once.
package config

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"causeway/adapters/chains"
	"causeway/adapters/providers"
	"causeway/adapters/redis"
	"causeway/adapters/storage"
	"causeway/adapters/upstream"
	"causeway/adapters/wallets"
	"causeway/adapters/webhooks"
	"causeway/core"
	"causeway/core/recipients"
	"causeway/core/recipients/guard"
)

// Mode selects what a process serves.
type Mode string

// The modes. A sandbox serves the simulated world; production calls real providers and never simulates.
const (
	Sandbox    Mode = "sandbox"
	Production Mode = "production"
)

// Config holds all settings. Fields with the tag reload are taken over by a running process.
type Config struct {
	Mode           Mode   `json:"mode" enum:"sandbox,production" doc:"What to serve: a simulated world, or real providers."`
	Listen         string `json:"listen" doc:"Address of the public API; :8080 is every address of the machine. Default in production: :8080."`
	OperatorListen string `json:"operator_listen" doc:"Address of the operator listener: health, metrics, console and debug pages. It has no login."`

	Log    Log    `json:"log"`
	TLS    TLS    `json:"tls"`
	Drain  Drain  `json:"drain"`
	API    API    `json:"api"`
	Auth   Auth   `json:"auth"`
	Limits Limits `json:"limits"`

	State   State        `json:"state"`
	Storage Storage      `json:"storage"`
	Redis   redis.Config `json:"redis"`

	Catalog CatalogFiles `json:"catalog"`
	Pairs   Pairs        `json:"pairs"`

	Recipients recipients.Settings `json:"recipients"`
	Deposits   Deposits            `json:"deposits"`
	Webhooks   webhooks.Config     `json:"webhooks"`
	Privacy    Privacy             `json:"privacy"`

	Upstream  upstream.Config `json:"upstream"`
	Endpoints Endpoints       `json:"providers"`
	Providers Providers       `json:"-"` // a section each

	Simulator Simulator `json:"simulator"`

	sources Sources
	origin  map[string]string // where a setting was set, by path
}

// Log selects what is logged to standard error.
type Log struct {
	Level  string `json:"level" reload:"true" enum:"debug,info,warn,error" doc:"Least severe level that is logged."`
	Format string `json:"format" enum:"auto,json,text" doc:"Format of log lines; auto is text on a terminal and JSON elsewhere."`
}

// TLS names the files of the public listener's certificate.
type TLS struct {
	CertFile string `json:"cert_file" doc:"PEM file of the certificate and its intermediates, read again when it changes. Empty: plain HTTP, for use behind a proxy."`
	KeyFile  string `json:"key_file" doc:"PEM file of the certificate's private key."`
}

// On reports whether the public listener uses TLS.
func (t TLS) On() bool { return t.CertFile != "" }

// Drain says how a process stops.
type Drain struct {
	Delay   time.Duration `json:"delay" minimum:"0" doc:"Time between failing readiness and closing the listener, for load balancers to notice. Default in production: 5s."`
	Timeout time.Duration `json:"timeout" minimum:"0.001" doc:"Time for requests in flight to finish."`
}

// The default of Drain.Delay. No load balancer watches a sandbox.
const (
	productionDelay = 5 * time.Second
	sandboxDelay    = 250 * time.Millisecond

	productionListen = ":8080"
)

// API holds settings of the public API.
type API struct {
	CORSOrigins    []string `json:"cors_origins" doc:"Origins of web pages that may call the API, such as https://app.example.com. If there are none, a sandbox allows all and production none."`
	TrustedProxies []string `json:"trusted_proxies" doc:"Networks of proxies whose X-Forwarded-For is believed, such as 10.0.0.0/8."`
}

// Auth says which operations need an API key.
type Auth struct {
	Recipients string        `json:"recipients" enum:",open,required" doc:"Whether account resolution needs a key. Empty: open in a sandbox, required in production."`
	Operations []string      `json:"operations" doc:"Further operations that need a key, by operation ID, such as list-banks, or by group, the word after /v1/ in their paths: pairs stands for all operations of /v1/pairs."`
	Keys       []core.Secret `json:"keys" reload:"true" doc:"API keys for small installations, valid for all operations. In production each has 16 characters or more. See also causeway keys."`
}

// The values of Auth.Recipients.
const (
	Open     = "open"
	Required = "required"
)

// Limits bound the calls of one key, or of one address without a key.
type Limits struct {
	Default      core.RateLimit            `json:"default" doc:"Calls of one operation per s, m, h or d; none: no limit. A key can have a limit of its own."`
	Operations   map[string]core.RateLimit `json:"operations" doc:"Calls of single operations, by operation ID."`
	AddressShare int                       `json:"address_share" minimum:"1" maximum:"100" doc:"Per cent of the connections, and of the memory for large bodies, that one address (IPv6: a /64 network) may hold. Requests with a key count as connections only. Networks in api.trusted_proxies may hold all, their clients this share. 100: no limit."`
}

// Share returns how much of a total one address may take; 0: all of it.
func (l Limits) Share(total int) int {
	if l.AddressShare >= 100 {
		return 0
	}
	return max(1, total*l.AddressShare/100)
}

// State says where a process keeps its files.
type State struct {
	Dir string `json:"dir" doc:"Directory of the SQLite database, which has the API keys and the price history, and of the file with the highest indexes of deposit wallets. Empty: no database, unless storage.url is set."`
}

// Storage selects the database.
type Storage struct {
	URL core.Secret `json:"url" doc:"postgres:// URL of the database, for several replicas. Empty: SQLite in state.dir."`
}

// Database returns where the database is.
func (c Config) Database() storage.Config {
	return storage.Config{URL: c.Storage.URL, Dir: c.State.Dir}
}

// Deposits holds settings of deposit addresses, and of the blocks in which deposits are found.
type Deposits struct {
	wallets.Config
	chains.Settings
}

// Check reports what is wrong with the settings, without repeating keys and URLs.
func (d Deposits) Check() error { return errors.Join(d.Config.Check(), d.Settings.Check()) }

// Privacy holds what protects personal data.
type Privacy struct {
	HashKey core.Secret `json:"hash_key" doc:"Secret of 32 characters or more. It keys the hashes of callers and accounts in the audit log and in Redis, encrypts cached names, signs shared prices and seals deposit addresses in the database. Replicas share it. Empty: random at each start, and no deposit addresses."`
}

// Simulator holds what the simulated worlds of a sandbox start with.
type Simulator struct {
	Seed        string        `json:"seed" doc:"Seed of the simulated world: the same seed gives the same names and prices."`
	CORSOrigins []string      `json:"cors_origins" doc:"Origins of web pages that may call the control API of a sandbox at operator_listen, such as http://localhost:5173, so that tests in a browser have worlds of their own."`
	Idle        time.Duration `json:"-"` // after which an unused world ends; 0: an hour
}

// Default returns the configuration of a sandbox without any settings.
func Default() Config {
	resolving := recipients.Default()
	resolving.Guard.Mode = "" // depends on the mode of the process
	resolving.Providers, resolving.Preferred = providers.AccountProviders(), providers.Routes()
	return Config{
		Mode:           Sandbox,
		Listen:         "127.0.0.1:8080",
		OperatorListen: "127.0.0.1:9099",
		Log:            Log{Level: "info", Format: "auto"},
		Drain:          Drain{Delay: sandboxDelay, Timeout: 20 * time.Second},
		Limits: Limits{
			AddressShare: 25,
			Default:      core.RateLimit{Calls: 1200, Per: time.Minute}, // a client polls prices once a second
			Operations:   operationLimits(),
		},
		Recipients: resolving,
		Redis:      redis.Default(),
		Deposits:   Deposits{Config: wallets.Default()},
		Upstream:   upstream.Default(),
		Providers:  defaultProviders(),
		Simulator:  Simulator{Seed: "causeway"},
	}
}

// File returns the path of the configuration file, or nothing if there is none.
func (c Config) File() string { return c.sources.file() }

// operationLimits returns the default rate limits of single operations.
func operationLimits() map[string]core.RateLimit {
	limits := map[string]core.RateLimit{}
	for _, op := range core.Operations() {
		if !op.Limit.None() {
			limits[op.ID] = op.Limit
		}
	}
	return limits
}

// KeyedOperations returns the IDs of the operations that need a key, sorted.
func (c Config) KeyedOperations() []string {
	var keyed []string
	for _, op := range core.Operations() {
		if c.needsKey(op) {
			keyed = append(keyed, op.ID)
		}
	}
	slices.Sort(keyed)
	return keyed
}

func (c Config) needsKey(op core.Operation) bool {
	if slices.Contains(c.Auth.Operations, op.ID) || slices.Contains(c.Auth.Operations, op.Group()) {
		return true
	}
	resolving := op.ID == core.OpResolveAccount
	if resolving && c.Auth.Recipients != "" {
		return c.Auth.Recipients == Required
	}
	// All others are about the users of a key, who have no addresses without a wallet.
	return op.Keyed && c.Mode == Production && (resolving || len(c.Deposits.Wallets) > 0)
}

// RecipientsNeedKey reports whether account resolution needs a key.
func (c Config) RecipientsNeedKey() bool {
	op, _ := core.FindOperation(core.OpResolveAccount)
	return c.needsKey(op)
}

// RecipientSettings returns the settings of account resolution, with settings that depend on other sections.
func (c Config) RecipientSettings() recipients.Settings {
	s := c.Recipients
	s.Key = c.Privacy.HashKey
	if s.Guard.Mode == "" {
		s.Guard.Mode = guard.Block
		if c.Mode == Sandbox {
			s.Guard.Mode = guard.Off
		}
	}
	return s
}

// Proxies returns the networks of the trusted proxies.
func (c Config) Proxies() ([]netip.Prefix, error) {
	var (
		out    []netip.Prefix
		faults []error
	)
	for _, text := range c.API.TrustedProxies {
		network, err := netip.ParsePrefix(text)
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf(
				"api.trusted_proxies has %q; accepted: networks such as 10.0.0.0/8 or fd00::/8", text))
		case network.Bits() == 0:
			faults = append(faults, fmt.Errorf("api.trusted_proxies has %q, which lets every client choose "+
				"the address that it is limited by; name the networks of the proxies", text))
		}
		out = append(out, network)
	}
	return out, errors.Join(faults...)
}

// OperationID returns an operation ID that may be written with underscores: environment variables have no hyphens.
func OperationID(written string) string {
	return strings.ReplaceAll(strings.TrimSpace(written), "_", "-")
}

// IsScope reports whether a key may have a scope.
func IsScope(id string) bool { return slices.Contains(scopes(), id) }

// Scopes lists the scopes of keys for error messages.
func Scopes() string { return strings.Join(scopes(), ", ") }

// scopes returns the IDs of all operations and the scopes of several operations.
func scopes() []string {
	all := core.OperationIDs()
	for _, op := range core.Operations() {
		if op.Scope != "" && !slices.Contains(all, op.Scope) {
			all = append(all, op.Scope)
		}
	}
	return all
}
