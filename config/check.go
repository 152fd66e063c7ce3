package config

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
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
	for key, address := range map[string]string{"listen": c.Listen, "operator_listen": c.OperatorListen} {
		if _, _, err := net.SplitHostPort(address); err != nil {
			faults = append(faults, fmt.Errorf("%s is %q; accepted: host:port or :port", key, address))
		}
	}
	if c.Drain.Delay < 0 || c.Drain.Timeout <= 0 {
		faults = append(faults, fmt.Errorf("drain.delay is %s and drain.timeout %s; accepted: a delay of 0s or more, a timeout above 0s", c.Drain.Delay, c.Drain.Timeout))
	}
	faults = append(faults, checkOrigins(c.API.CORSOrigins)...)
	if err := c.Upstream.Check(); err != nil {
		faults = append(faults, err)
	}
	if c.Mode == Production {
		faults = append(faults, c.checkProduction()...)
	}
	return faults
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

// checkProduction names what production mode lacks: it never falls back to simulated data.
func (c Config) checkProduction() []error {
	var faults []error
	if len(c.Paystack.Keys) == 0 {
		faults = append(faults, fmt.Errorf("production mode needs an account provider: set paystack.keys.ng or paystack.keys.gh (CAUSEWAY_PAYSTACK__KEYS__NG, CAUSEWAY_PAYSTACK__KEYS__GH)"))
	}
	if c.OpenExchangeRates.AppID == "" {
		faults = append(faults, fmt.Errorf("production mode needs a source of fiat rates: set open_exchange_rates.app_id (CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID)"))
	}
	if c.ResolutionNeedsKey() && len(c.Auth.Keys) == 0 {
		faults = append(faults, fmt.Errorf("account resolution needs keys in production mode: set auth.keys (CAUSEWAY_AUTH__KEYS), or auth.resolution: open if the network in front of it keeps strangers out"))
	}
	return faults
}
