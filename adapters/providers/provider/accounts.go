package provider

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"causeway/adapters/upstream"
	"causeway/core"
)

// Cover returns the coverage of a provider that names accounts of the same channels in several
// countries.
func Cover(countries []string, channels ...core.Channel) []Coverage {
	out := make([]Coverage, len(countries))
	for i, country := range countries {
		out[i] = Coverage{Country: country, Channels: channels}
	}
	return out
}

// Keyed is a provider that needs a key. Without one it is off: it serves no country and resolves
// nothing.
type Keyed struct {
	Client *upstream.Client // nil: off

	name      string
	countries []string
}

// OpenKeyed returns a provider that sends key in a header, after a prefix. countries are the
// countries whose banks it lists.
func OpenKeyed[T any](
	factory *upstream.Factory, p upstream.Provider, header, prefix string, key core.Secret, countries map[string]T,
) (k Keyed, err error) {
	k.name = p.Name
	if key == "" {
		return k, nil
	}
	k.countries = slices.Sorted(maps.Keys(countries))
	p.Header = http.Header{header: {prefix + key.Reveal()}}
	k.Client, err = factory.Client(p)
	return k, err
}

// Name returns the name of the provider.
func (k Keyed) Name() string { return k.name }

// Countries returns the countries whose banks the provider lists, sorted; none if it is off.
func (k Keyed) Countries() []string { return k.countries }

// CountryKeys returns the credentials of a provider with a key for each country, as in the setting
// "keys". They have the prefixes of a template.
func CountryKeys(keys map[string]core.Secret, countries []string, template Credential) []Credential {
	out := make([]Credential, len(countries))
	for i, country := range countries {
		template.Setting, template.Value, template.Country = "keys."+strings.ToLower(country), keys[country], country
		out[i] = template
	}
	return out
}

// ValidateCountryKeys returns keys with upper-case countries and without empty ones, and an error
// for each key of another country or in another form. The form completes the sentence "keys.ng is
// not …"; parse may be nil.
func ValidateCountryKeys(
	keys map[string]core.Secret, countries []string, form string, parse func(core.Secret) bool,
) (map[string]core.Secret, error) {
	var faults []error
	out := make(map[string]core.Secret, len(keys))
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		country, key := strings.ToUpper(name), keys[name]
		if key == "" {
			continue
		}
		out[country] = key
		if !slices.Contains(countries, country) {
			faults = append(faults, fmt.Errorf("keys has a key for %s; accepted: %s",
				core.Quoted(country), strings.Join(countries, ", ")))
		} else if parse != nil && !parse(key) {
			faults = append(faults, fmt.Errorf("keys.%s is not %s", strings.ToLower(country), form))
		}
	}
	return out, errors.Join(faults...)
}

// Basic returns the value of the header Authorization for a user and a password, separated by a
// colon.
func Basic(credentials string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(credentials))
}

// NewSession returns a session that logs in with a request of OAuth 2.0 (RFC 6749). refused is a
// status that also means rejected credentials, besides 401 and 403; 0: none.
func NewSession(client *upstream.Client, login upstream.Request, refused int) *upstream.Session {
	login.Op, login.Urgent = "login", true
	return upstream.NewSession(client, func(ctx context.Context) (core.Secret, time.Duration, error) {
		var token struct {
			Access  core.Secret     `json:"access_token"`
			Expires json.RawMessage `json:"expires_in"`
		}
		err := client.Do(ctx, login, func(r upstream.Response) error {
			if refused != 0 && r.Status == refused {
				return upstream.Fail(upstream.Refused, "the credentials are not accepted")
			}
			return r.Decode(&token)
		})
		return token.Access, upstream.Lifetime(token.Expires), err
	})
}

// Sessions are the sessions of a provider with credentials for each country.
type Sessions map[string]*upstream.Session

// Login checks the credentials of all countries without a request about a holder.
func (s Sessions) Login(ctx context.Context) error {
	if len(s) == 0 {
		return core.Errorf(core.Unsupported, "There are no credentials")
	}
	for _, country := range slices.Sorted(maps.Keys(s)) {
		if err := s[country].Login(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Caller sends requests: an *upstream.Client or an *upstream.Session.
type Caller interface {
	Do(ctx context.Context, q upstream.Request, read func(upstream.Response) error) error
}

// Lookup sends a request about an account and returns the name that judge finds in the response.
func Lookup(
	ctx context.Context, caller Caller, q upstream.Request, judge func(upstream.Response) (core.Private, error),
) (core.Private, error) {
	var name core.Private
	q.Op, q.Urgent = "resolve", true
	err := caller.Do(ctx, q, func(r upstream.Response) (err error) {
		name, err = judge(r)
		return err
	})
	if err != nil {
		return "", err
	}
	return name, nil
}

// LookupBy sends a request as Lookup does, by POST with the JSON form of a body.
func LookupBy(
	ctx context.Context, caller Caller, q upstream.Request, body any, judge func(upstream.Response) (core.Private, error),
) (core.Private, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return "", core.Errorf(core.Internal, "Internal error").With(err)
	}
	q.Method, q.Body = http.MethodPost, text
	return Lookup(ctx, caller, q, judge)
}
