// Package webhooks sends events to the endpoints of integrators, after the Standard Webhooks specification
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md, read 2026-11).
//
// An endpoint is a server that Causeway does not run: it may answer slowly, redirect, never end, or have a name that
// resolves to an address of the operator's own network. Each has a client of its own with bounded connections.
// Secrets and the paths and queries of URLs, which may hold tokens, never leave this package.
package webhooks

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"causeway/core"
	"causeway/ports"
)

// Config is the section "webhooks" of the configuration: endpoints by name.
type Config map[string]Endpoint

// Endpoint is a receiver of events.
type Endpoint struct {
	Account        string           `json:"account" doc:"Account whose events the endpoint receives, as causeway keys list shows it."`
	URL            core.Secret      `json:"url" doc:"https URL that events are sent to. http is accepted on this machine only."`
	Secret         core.Secret      `json:"secret" doc:"Signs what is sent: whsec_ and 24 to 64 random bytes in base64, such as echo whsec_$(openssl rand -base64 32) prints."`
	PreviousSecret core.Secret      `json:"previous_secret" doc:"Also signs, for receivers that do not know a new secret yet. Remove it when all of them do."`
	Events         []core.EventType `json:"events" doc:"Types of events that the endpoint receives. Empty: all."`
	AllowPrivate   bool             `json:"allow_private" doc:"Whether the host may have a private address, or an address of this machine."`
}

// Host returns the host and the port of the URL, which may be shown.
func (e Endpoint) Host() string {
	u, err := url.Parse(e.URL.Reveal())
	if err != nil {
		return ""
	}
	return u.Host
}

// Endpoints returns the endpoints in the order of their names.
func (c Config) Endpoints() []ports.WebhookEndpoint {
	var out []ports.WebhookEndpoint
	for _, name := range slices.Sorted(maps.Keys(c)) {
		out = append(out, ports.WebhookEndpoint{Name: name, Account: c[name].Account, Types: c[name].Events})
	}
	return out
}

var endpointName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Check reports what is wrong with the endpoints, without repeating URLs and secrets.
func (c Config) Check() error {
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if !endpointName.MatchString(name) {
			faults = append(faults, fmt.Errorf("webhooks.%s is no name of an endpoint; "+
				"accepted: up to 63 lower case letters, digits and hyphens", name))
		}
		for _, fault := range c[name].check(false) {
			faults = append(faults, fmt.Errorf("webhooks.%s.%w", name, fault))
		}
	}
	return errors.Join(faults...)
}

// CheckReceiver returns what is wrong with an endpoint of a sandbox as an error of its fields, without repeating the
// URL and the secret. Receivers there are test servers, so http is accepted for every host.
func CheckReceiver(name string, e Endpoint) error {
	var fields []core.FieldError
	if !endpointName.MatchString(name) {
		fields = append(fields, core.FieldError{
			Field: "name", Reason: "is no name of a receiver; accepted: up to 63 lower case letters, digits and hyphens",
		})
	}
	for _, fault := range e.check(true) {
		field, reason, _ := strings.Cut(fault.Error(), " ")
		fields = append(fields, core.FieldError{Field: field, Reason: reason})
	}
	if len(fields) == 0 {
		return nil
	}
	return core.InvalidFields(fields...)
}

// check returns what is wrong with the endpoint, of which plain says that http is accepted for every host.
func (e Endpoint) check(plain bool) []error {
	var faults []error
	if strings.TrimSpace(e.Account) == "" {
		faults = append(faults, errors.New("account is empty; accepted: an account of causeway keys list"))
	}
	if err := e.checkURL(plain); err != nil {
		faults = append(faults, fmt.Errorf("url %w", err))
	}
	if _, err := decodeSecret(e.Secret); err != nil {
		faults = append(faults, fmt.Errorf("secret %w", err))
	}
	if e.PreviousSecret != "" {
		if _, err := decodeSecret(e.PreviousSecret); err != nil {
			faults = append(faults, fmt.Errorf("previous_secret %w", err))
		} else if e.PreviousSecret == e.Secret {
			faults = append(faults, errors.New("previous_secret is the secret; "+
				"set the secret that was used before, or none"))
		}
	}
	for _, t := range e.Events {
		if known := core.EventTypes(); !slices.Contains(known, t) {
			faults = append(faults, fmt.Errorf("events has %s; accepted: %s", core.Quoted(string(t)), joined(known)))
		}
	}
	return faults
}

func joined(types []core.EventType) string {
	var names []string
	for _, t := range types {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

func (e Endpoint) checkURL(plain bool) error {
	const accepted = "; accepted: such as https://shop.example/webhooks"
	text := e.URL.Reveal()
	if text == "" {
		return errors.New("is empty" + accepted)
	}
	u, err := url.Parse(text)
	if err != nil {
		return errors.New("is not a URL" + accepted) // the error repeats the text
	}
	port, portErr := strconv.ParseUint(u.Port(), 10, 16)
	local := isLoopback(u.Hostname())
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return errors.New("is not an https URL" + accepted)
	case u.Hostname() == "" || u.Opaque != "" || strings.ContainsAny(u.Host, " \t%"):
		return errors.New("has no host" + accepted)
	case u.User != nil:
		return errors.New("has credentials, which are not sent; " +
			"remove them: receivers verify the signature, see docs/webhooks.md")
	case strings.Contains(text, "#"):
		return errors.New("has a fragment (#), which is not sent; remove it")
	case u.Port() != "" && (portErr != nil || port == 0):
		return errors.New("has a port that is not a number from 1 to 65535")
	case u.Scheme == "http" && !local && !plain:
		return errors.New("is not an https URL; http is accepted on this machine only, such as http://127.0.0.1:3000")
	}
	address, err := netip.ParseAddr(u.Hostname())
	if local && err != nil { // localhost
		address = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	} else if err != nil {
		return nil
	}
	if kind, never := classify(address); never {
		return fmt.Errorf("has %s, which receives no webhooks", kind)
	} else if kind != "" && !e.AllowPrivate {
		return fmt.Errorf("has %s; set allow_private of the endpoint to true if that is intended", kind)
	}
	return nil
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && address.Unmap().IsLoopback()
}

// The bytes of a secret, as the specification requires.
const (
	secretPrefix  = "whsec_"
	leastSecret   = 24
	longestSecret = 64
)

// decodeSecret returns the bytes of a secret.
func decodeSecret(secret core.Secret) ([]byte, error) {
	encoded, prefixed := strings.CutPrefix(secret.Reveal(), secretPrefix)
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	switch {
	case secret == "":
		return nil, errors.New("is empty; make one with: echo whsec_$(openssl rand -base64 32)")
	case !prefixed || err != nil || strings.ContainsAny(encoded, "\r\n"):
		return nil, errors.New("is not whsec_ and base64; make one with: echo whsec_$(openssl rand -base64 32)")
	case len(key) < leastSecret || len(key) > longestSecret:
		return nil, fmt.Errorf("has %d bytes; accepted: %d to %d, such as echo whsec_$(openssl rand -base64 32) prints",
			len(key), leastSecret, longestSecret)
	}
	return key, nil
}
