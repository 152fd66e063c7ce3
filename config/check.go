package config

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"causeway/core"
)

// The countries in which a Paystack business can have a key, and those of them where it names account holders
// (project reference providers.md A1).
var (
	paystackCountries = []string{"NG", "GH", "KE", "ZA", "CI"} //nolint:gochecknoglobals // an immutable table
	paystackResolves  = []string{"NG", "GH"}                   //nolint:gochecknoglobals // an immutable table
)

// check returns what is wrong with the values, each fault with its key, the value and what is accepted.
func (c Config) check() []error {
	var faults []error
	oneOf := func(key, value string, accepted ...string) {
		if !slices.Contains(accepted, value) {
			faults = append(faults, fmt.Errorf("%s is %q; accepted: %s", key, value, strings.Join(accepted, ", ")))
		}
	}
	oneOf("mode", string(c.Mode), string(Sandbox), string(Production))
	oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	oneOf("log.format", c.Log.Format, "auto", "json", "text")
	if c.Auth.Resolution != "" {
		oneOf("auth.resolution", c.Auth.Resolution, Open, Required)
	}
	faults = append(faults, c.checkListeners()...)
	if c.Drain.Delay < 0 || c.Drain.Timeout <= 0 {
		faults = append(faults, fmt.Errorf("drain.delay is %s and drain.timeout %s; accepted: a delay of 0s or more, a timeout above 0s", c.Drain.Delay, c.Drain.Timeout))
	}
	faults = append(faults, checkOrigins(c.API.CORSOrigins)...)
	if _, err := c.Proxies(); err != nil {
		faults = append(faults, err)
	}
	faults = append(faults, c.checkProviders()...)
	faults = append(faults, c.checkShared()...)
	faults = append(faults, c.checkOperations()...)
	for _, part := range []interface{ Check() error }{c.Server, c.TLS, c.Upstream, c.ResolutionSettings(), c.Memory, c.Redis, c.Simulator} {
		if err := part.Check(); err != nil {
			faults = append(faults, err)
		}
	}
	if c.Mode == Production {
		faults = append(faults, c.checkProduction()...)
	}
	return faults
}

// checkListeners returns what is wrong with the two addresses.
func (c Config) checkListeners() (faults []error) {
	for _, l := range [][2]string{{"listen", c.Listen}, {"operator_listen", c.OperatorListen}} {
		if !isAddress(l[1]) {
			faults = append(faults, fmt.Errorf("%s is %q; accepted: host:port or :port, the port a number up to 65535", l[0], l[1]))
		}
	}
	if c.Listen == c.OperatorListen && !strings.HasSuffix(c.Listen, ":0") {
		faults = append(faults, fmt.Errorf("listen and operator_listen are both %q; they are two listeners, each with a port of its own", c.Listen))
	}
	return faults
}

// isAddress reports whether a listener may have an address.
func isAddress(text string) bool {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// checkShared returns what is wrong with what replicas have in common.
func (c Config) checkShared() []error {
	if c.Redis.URL == "" || c.Resolution.Key != "" {
		return nil
	}
	return []error{fmt.Errorf("redis.url is set and resolution.key (CAUSEWAY_RESOLUTION__KEY) is empty: replicas seal and sign what they share with one secret of 32 characters or more")}
}

func checkOrigins(origins []string) []error {
	var faults []error
	for _, origin := range origins {
		if u, err := url.Parse(origin); err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" {
			faults = append(faults, fmt.Errorf("api.cors_origins has %q; accepted: origins such as https://app.example.com", origin))
		}
	}
	return faults
}

// checkProviders returns what is wrong with where the providers are and whose keys they got. A URL is not shown: a
// password may be in it.
func (c Config) checkProviders() []error {
	var faults []error
	walk("", reflect.ValueOf(c), func(name, _ string, value reflect.Value) {
		if strings.HasSuffix(name, ".base_url") && value.String() != "" && !isBaseURL(value.String()) {
			faults = append(faults, fmt.Errorf("%s is not a base URL; accepted: http or https, a host, a path if need be; no user, query or fragment", name))
		}
	})
	for _, country := range slices.Sorted(maps.Keys(c.Paystack.Keys)) {
		if !slices.Contains(paystackCountries, country) {
			faults = append(faults, fmt.Errorf("paystack.keys has a key for %s; accepted: %s", core.Quoted(country), strings.Join(paystackCountries, ", ")))
		}
	}
	if (c.Monnify.APIKey == "") != (c.Monnify.SecretKey == "") {
		faults = append(faults, fmt.Errorf("monnify.api_key and monnify.secret_key belong together, and one of them is empty"))
	}
	if (c.Daraja.ConsumerKey == "") != (c.Daraja.ConsumerSecret == "") {
		faults = append(faults, fmt.Errorf("daraja.consumer_key and daraja.consumer_secret belong together, and one of them is empty"))
	}
	return faults
}

// resolves reports whether there are credentials of a provider that names account holders.
func (c Config) resolves() bool {
	return slices.ContainsFunc(paystackResolves, func(country string) bool { return c.Paystack.Keys[country] != "" }) ||
		c.Flutterwave.SecretKey != "" || c.Korapay.SecretKey != "" || c.Monnify.SecretKey != "" ||
		c.Afriex.APIKey != "" || c.Daraja.ConsumerSecret != "" || c.Busha.APIKey != ""
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

// checkProduction names what production mode lacks: it never falls back to simulated data.
func (c Config) checkProduction() []error {
	var faults []error
	if !c.resolves() {
		faults = append(faults, fmt.Errorf("production mode needs an account provider: set paystack.keys.ng or paystack.keys.gh (CAUSEWAY_PAYSTACK__KEYS__NG, CAUSEWAY_PAYSTACK__KEYS__GH), "+
			"flutterwave.secret_key, korapay.secret_key, monnify.api_key and monnify.secret_key, afriex.api_key, daraja.consumer_key and daraja.consumer_secret, or busha.api_key"))
	}
	if c.OpenExchangeRates.AppID == "" {
		faults = append(faults, fmt.Errorf("production mode needs a source of fiat rates: set open_exchange_rates.app_id (CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID)"))
	}
	if c.Simulator.EdgeChaos != "" {
		faults = append(faults, fmt.Errorf("simulator.edge_chaos is set in production mode, where nothing goes wrong on purpose; accepted: nothing"))
	}
	if len(c.KeyedOperations()) > 0 && len(c.Auth.Keys) == 0 && c.Auth.KeyFile == "" && c.Redis.URL == "" {
		faults = append(faults, fmt.Errorf("account resolution needs keys in production mode: set auth.key_file (CAUSEWAY_AUTH__KEY_FILE) to a file that causeway keys makes, or redis.url (CAUSEWAY_REDIS__URL) for keys that replicas share, or auth.keys (CAUSEWAY_AUTH__KEYS); or auth.resolution: open if the network in front of it keeps strangers out"))
	}
	return faults
}
