// Package config is the one place where Causeway learns how it should run: the settings (a YAML file, then
// the environment, then flags; later wins) and the catalog of countries, banks, currencies and pairs that is
// built in. Load is pure: everything it reads comes in as an argument, and it reports all faults at once.
//
// It composes the Config types of the adapters and decides nothing about them: what a provider needs is
// written next to that provider.
package config

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"causeway/adapters/afriex"
	"causeway/adapters/binance"
	"causeway/adapters/busha"
	"causeway/adapters/bybit"
	"causeway/adapters/coinbase"
	"causeway/adapters/coingecko"
	"causeway/adapters/daraja"
	"causeway/adapters/flutterwave"
	"causeway/adapters/frankfurter"
	"causeway/adapters/korapay"
	"causeway/adapters/kraken"
	"causeway/adapters/memory"
	"causeway/adapters/monnify"
	"causeway/adapters/okx"
	"causeway/adapters/openexchangerates"
	"causeway/adapters/paystack"
	"causeway/adapters/quidax"
	"causeway/adapters/redis"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/core/recipients"
	"causeway/simulator"
)

// Mode is what a process is for.
type Mode string

// The modes. Sandbox answers from the simulated world; production asks real providers and never simulates.
const (
	Sandbox    Mode = "sandbox"
	Production Mode = "production"
)

// Config is the whole configuration.
type Config struct {
	Mode           Mode   `json:"mode" doc:"sandbox or production"`
	Listen         string `json:"listen" doc:"address of the public API"`
	OperatorListen string `json:"operator_listen" doc:"address of the operator's listener: health, metrics, profiles"`

	Log    Log    `json:"log"`
	Server Server `json:"server"`
	TLS    TLS    `json:"tls"`
	Drain  Drain  `json:"drain"`
	API    API    `json:"api"`
	Auth   Auth   `json:"auth"`

	Limits Limits `json:"limits"`

	State   State   `json:"state"`
	History History `json:"history"`

	Catalog CatalogFiles `json:"catalog"`
	Prices  Prices       `json:"prices"`

	Resolution recipients.Settings `json:"resolution"`
	Memory     memory.Config       `json:"memory"`
	Redis      redis.Config        `json:"redis"`

	Upstream          upstream.Config          `json:"upstream"`
	Paystack          paystack.Config          `json:"paystack"`
	Flutterwave       flutterwave.Config       `json:"flutterwave"`
	Korapay           korapay.Config           `json:"korapay"`
	Monnify           monnify.Config           `json:"monnify"`
	Afriex            afriex.Config            `json:"afriex"`
	Daraja            daraja.Config            `json:"daraja"`
	Kraken            kraken.Config            `json:"kraken"`
	Binance           binance.Config           `json:"binance"`
	Coinbase          coinbase.Config          `json:"coinbase"`
	OKX               okx.Config               `json:"okx"`
	Bybit             bybit.Config             `json:"bybit"`
	Quidax            quidax.Config            `json:"quidax"`
	Busha             busha.Config             `json:"busha"`
	OpenExchangeRates openexchangerates.Config `json:"open_exchange_rates"`
	Frankfurter       frankfurter.Config       `json:"frankfurter"`
	CoinGecko         coingecko.Config         `json:"coingecko"`

	Simulator simulator.Config `json:"simulator"`

	again  func() (Config, error) // reads the same sources once more
	origin map[string]string      // where keys were set
}

// Log says what is written to standard error, and how.
type Log struct {
	Level  string `json:"level" doc:"debug, info, warn or error"`
	Format string `json:"format" doc:"json, text, or auto: text on a terminal"`
}

// Drain says how a stopping process takes its leave.
type Drain struct {
	Delay   time.Duration `json:"delay" doc:"how long it goes on accepting requests after it said that it is not ready; in production 5s, unless it is said"`
	Timeout time.Duration `json:"timeout" doc:"how long requests in flight may take to finish"`
}

// How long a leaving process goes on accepting requests: long enough for a load balancer to notice, of which a sandbox has none.
const (
	productionDelay = 5 * time.Second
	sandboxDelay    = 250 * time.Millisecond
)

// API holds the settings of the public API.
type API struct {
	CORSOrigins    []string `json:"cors_origins" doc:"origins whose pages may call the API; none by default"`
	TrustedProxies []string `json:"trusted_proxies" doc:"networks (10.0.0.0/8) of proxies that tell the caller's address in X-Forwarded-For; from others it is not believed, and the first one is warned of"`
}

// Auth says what needs a key.
type Auth struct {
	Resolution string        `json:"resolution" doc:"whether account resolution needs a key: open or required; empty: open in the sandbox, required in production"`
	Operations []string      `json:"operations" doc:"further operations that need a key, by their ids in the API's description, such as list-pairs"`
	KeyFile    string        `json:"key_file" doc:"file of keys that causeway keys makes; empty: they are in Redis, where redis.url is set. A change is live within a second or two"`
	Keys       []core.Secret `json:"keys" doc:"bearer keys beside those that causeway keys makes, good for everything"`
}

// Limits say how often one key, or one address without a key, may ask.
type Limits struct {
	Default    core.RateLimit            `json:"default" doc:"calls of one operation, such as 600/m (s, m, h or d); none: no limit. A key may have a limit of its own"`
	Operations map[string]core.RateLimit `json:"operations" doc:"the same for single operations, by their ids: stream_pairs: 30/m"`
}

// State says where a process keeps what is to survive it.
type State struct {
	Dir string `json:"dir" doc:"directory for what is to survive the process: the price history, in history.db; empty: nothing does"`
}

// History says where the price history is kept.
type History struct {
	URL core.Secret `json:"url" doc:"postgres:// URL of the database that keeps the price history, for several replicas; empty: a file in state.dir, or memory alone"`
}

// The values of Auth.Resolution.
const (
	Open     = "open"
	Required = "required"
)

// Default returns the configuration of a sandbox that nobody configured.
func Default() Config {
	return Config{
		Mode:           Sandbox,
		Listen:         ":8080",
		OperatorListen: "127.0.0.1:9099",
		Log:            Log{Level: "info", Format: "auto"},
		Server:         server(),
		Drain:          Drain{Delay: sandboxDelay, Timeout: 20 * time.Second},
		Limits:         limits(),
		Resolution:     resolution(),
		Memory:         memory.Default(),
		Redis:          redis.Default(),
		Upstream:       upstream.Default(),
		Coinbase:       coinbase.Default(),
		Simulator:      simulator.Config{Seed: "causeway", Idle: time.Hour},
	}
}

// limits are the defaults. A client that follows prices by polling asks once a second; a payroll resolves ten accounts a second.
func limits() Limits {
	perMinute := func(calls int) core.RateLimit { return core.RateLimit{Calls: calls, Per: time.Minute} }
	return Limits{Default: perMinute(1200), Operations: map[string]core.RateLimit{
		"resolve-account": perMinute(600), "validate-addresses": perMinute(120), "stream-pairs": perMinute(60),
	}}
}

// KeyedOperations are those that need a key.
func (c Config) KeyedOperations() []string {
	if c.ResolutionNeedsKey() && !slices.Contains(c.Auth.Operations, resolveAccount) {
		return append(slices.Clone(c.Auth.Operations), resolveAccount)
	}
	return c.Auth.Operations
}

// resolveAccount is the id of the operation.
const resolveAccount = "resolve-account"

// Proxies are the networks of trusted proxies.
func (c Config) Proxies() ([]netip.Prefix, error) {
	var (
		out    []netip.Prefix
		faults []error
	)
	for _, text := range c.API.TrustedProxies {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			faults = append(faults, fmt.Errorf("api.trusted_proxies has %q; accepted: networks such as 10.0.0.0/8 or fd00::/8", text))
		} else if network.Bits() == 0 {
			faults = append(faults, fmt.Errorf("api.trusted_proxies has %q, which is everybody: anybody could choose the address that he is limited by; name the proxies' own networks", text))
		}
		out = append(out, network)
	}
	return out, errors.Join(faults...)
}

// resolution is the default of account resolution; whether callers are watched depends on the mode.
func resolution() recipients.Settings {
	s := recipients.Default()
	s.Guard.Mode = ""
	return s
}

// ResolutionSettings are those of account resolution, whole: callers are watched in production and not in a sandbox, unless it is said.
func (c Config) ResolutionSettings() recipients.Settings {
	s := c.Resolution
	if s.Guard.Mode == "" {
		s.Guard.Mode = recipients.GuardBlock
		if c.Mode == Sandbox {
			s.Guard.Mode = recipients.GuardOff
		}
	}
	return s
}

// ResolutionNeedsKey reports whether account resolution asks for a bearer key.
func (c Config) ResolutionNeedsKey() bool {
	if c.Auth.Resolution == "" {
		return c.Mode == Production
	}
	return c.Auth.Resolution == Required
}

// normalize brings what people write in several ways into one form.
func (c *Config) normalize() {
	keys := make(map[string]core.Secret, len(c.Paystack.Keys))
	for country, key := range c.Paystack.Keys {
		if key != "" {
			keys[strings.ToUpper(country)] = key
		}
	}
	c.Paystack.Keys = keys
	c.normalizeOperations()
	c.Auth.Keys = slices.DeleteFunc(c.Auth.Keys, func(k core.Secret) bool { return k == "" })
}
