// Package provider describes upstream providers to the rest of Causeway.
//
// Everything about one provider lives in its own folder, adapters/providers/<name>, which exports
// one Descriptor. Package all lists them. Configuration, wiring, the order of account providers,
// doctor and docs/providers.md iterate over that list, so no other package names a provider.
package provider

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

// Descriptor is what the rest of Causeway knows about a provider.
//
// It has no request for doctor, which derives the smallest harmless one from what the provider
// implements: a Login, the banks of each country of a Directory, or three markets of Rates. A
// provider with a Resolver needs one of the first two, because a lookup of an account is neither
// free nor private. No provider needs another request; Credential.Untested marks the credentials
// that these requests do not use.
type Descriptor struct {
	Name     string // in routes, bank codes, metrics and logs: stable, lower case
	Title    string // as the provider spells it
	Homepage string
	Section  string // of the configuration; empty: Name
	Required string // what production lacks without it, such as "a source of fiat rates"; empty: optional
	BaseURL  string // of the API
	TestURL  string // base URL of the API for test credentials; empty: BaseURL

	// Settings returns settings with defaults: a pointer to the Config of the provider.
	Settings func() Settings

	// Alternatives are other base URLs of the API, which clients use or used. Doctor names them if the
	// configured one redirects or does not have the API.
	Alternatives []string

	Accounts []Coverage // where it names account holders or confirms their names
	Evidence []Evidence
}

// SectionName returns the section of the configuration that holds the settings.
func (d Descriptor) SectionName() string { return cmp.Or(d.Section, d.Name) }

// Coverage is a country in which a provider knows the holders of accounts.
type Coverage struct {
	Country    string
	Channels   []core.Channel
	Rank       int  // providers of a lower rank are called first; equal ones in the order of providers.Descriptors
	ByDocument bool // it compares a document of the holder and returns no name
}

// Evidence is a fact about the API of a provider.
type Evidence struct {
	Fact   string
	Source string // a vendor's page or SDK file, or a recorded response, with its date; empty: assumed
}

// Settings are the section of a provider in the configuration: a pointer to a struct with the tags
// json and doc, and a field BaseURL outside of the section. They may implement Validator and
// Authenticated.
type Settings interface {
	// Connect returns the clients of the provider. It sends no request. Without credentials that
	// the provider needs, the clients serve no country and resolve nothing.
	Connect(factory *upstream.Factory) (Clients, error)
}

// keyless are the settings of a provider without credentials and options.
type keyless struct {
	BaseURL string `json:"-"` // empty: the provider's

	provider upstream.Provider
	connect  func(*upstream.Factory, upstream.Provider) (any, error)
}

// Connect implements Settings.
func (k *keyless) Connect(factory *upstream.Factory) (Clients, error) {
	p := k.provider
	p.BaseURL = cmp.Or(k.BaseURL, p.BaseURL)
	return Connected(k.connect(factory, p))
}

// Keyless returns the settings of a provider without credentials and options. open returns a client
// of the ports that the provider implements.
func Keyless(p upstream.Provider, open func(*upstream.Client) any) func() Settings {
	return KeylessWith(p, func(factory *upstream.Factory, p upstream.Provider) (any, error) {
		client, err := factory.Client(p)
		return open(client), err
	})
}

// KeylessWith returns the same settings for a client that needs more of the factory.
func KeylessWith(p upstream.Provider, connect func(*upstream.Factory, upstream.Provider) (any, error)) func() Settings {
	return func() Settings { return &keyless{provider: p, connect: connect} }
}

// Validator is implemented by settings with rules that struct tags cannot express.
type Validator interface {
	// Validate brings values into their canonical form and returns what is wrong with them. Each
	// error begins with the key of a setting within the section.
	Validate() error
}

// Authenticated is implemented by settings with credentials.
type Authenticated interface {
	// Credentials returns all credentials, set or not. Credentials without a country belong
	// together: all of them are set, or none.
	Credentials() []Credential
}

// Credential is a secret that an operator gets from a provider.
type Credential struct {
	Setting  string // within the section, such as "secret_key"
	Value    core.Secret
	Country  string // in which it is valid; empty: all
	Live     string // prefix of live credentials; empty: unknown
	Test     string // prefix of test credentials; empty: unknown
	Mistaken string // prefix of another credential that is easily taken for this one; empty: unknown
	Untested bool   // no harmless request shows whether the provider accepts it
}

// SetBaseURL sets the base URL of the API in settings. An empty URL means the Descriptor's.
func SetBaseURL(s Settings, url string) {
	reflect.ValueOf(s).Elem().FieldByName("BaseURL").SetString(url)
}

// Credentials returns the credentials of settings, set or not.
func Credentials(s Settings) []Credential {
	if a, ok := s.(Authenticated); ok {
		return a.Credentials()
	}
	return nil
}

// HasCredentials reports whether any credential is set.
func HasCredentials(s Settings) bool {
	return slices.ContainsFunc(Credentials(s), func(c Credential) bool { return c.Value != "" })
}

// NamingCredentials returns the credentials that the provider needs in order to name account
// holders, set or not.
func (d Descriptor) NamingCredentials(s Settings) []Credential {
	return slices.DeleteFunc(Credentials(s), func(c Credential) bool {
		return !slices.ContainsFunc(d.Accounts, func(a Coverage) bool {
			return !a.ByDocument && (c.Country == "" || c.Country == a.Country)
		})
	})
}

// NamesAccounts reports whether the provider names account holders with these settings.
func (d Descriptor) NamesAccounts(s Settings) bool {
	return slices.ContainsFunc(d.NamingCredentials(s), func(c Credential) bool { return c.Value != "" })
}

// Clients are the ports that a provider implements. Ports that it does not implement are nil.
type Clients struct {
	Directory ports.BankDirectory
	Resolver  ports.AccountResolver
	Confirmer ports.AccountConfirmer
	Rates     ports.RateSource
	Login     Login
}

// Login is implemented by providers whose credentials are exchanged for a token. Doctor calls it.
type Login interface {
	Login(ctx context.Context) error
}

// Connected returns the ports that a client implements. It takes the results of a constructor.
func Connected(client any, err error) (Clients, error) {
	if err != nil {
		return Clients{}, err
	}
	var c Clients
	c.Directory, _ = client.(ports.BankDirectory)
	c.Resolver, _ = client.(ports.AccountResolver)
	c.Confirmer, _ = client.(ports.AccountConfirmer)
	c.Rates, _ = client.(ports.RateSource)
	c.Login, _ = client.(Login)
	return c, nil
}
