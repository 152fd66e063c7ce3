package deposits

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"causeway/core"
	"causeway/ports"
)

// Item is a deposit address as the user of a currency on a network sees it.
type Item struct {
	core.Deposit

	Currency  string // code
	Network   string // code
	Label     string
	Simulated bool // no private key is known
}

// ProfileField is the name of the header with the ID of a profile, in errors.
const ProfileField = "X-BU-PROFILE-ID"

// requestTimeout bounds a request. A server ends a response after 30 seconds.
const requestTimeout = 10 * time.Second

// maxProfile is the longest ID of a profile in characters.
const maxProfile = 64

// CheckProfile reports what is wrong with the ID of a profile that a client sent.
func CheckProfile(id string) error {
	switch length := utf8.RuneCountInString(id); {
	case strings.TrimSpace(id) == "":
		return core.InvalidField(ProfileField,
			"is empty; send an ID of 1 to %d characters, or omit the header for the default user", maxProfile)
	case !utf8.ValidString(id) || strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }):
		return core.InvalidField(ProfileField,
			"has characters that cannot be printed; accepted: letters, digits, marks and spaces")
	case strings.Contains(id, ","): // proxies join headers of the same name with a comma
		return core.InvalidField(ProfileField, "has a comma, as if it were sent more than once; send one ID without commas")
	case length > maxProfile:
		return core.InvalidField(ProfileField, "is %d characters long; at most %d are accepted", length, maxProfile)
	}
	return nil
}

// target is a network of a currency with its wallet.
type target struct {
	currency core.Currency
	network  core.Network
	wallet   *wallet
}

// Check returns the error with which Get refuses a currency and a network.
func (s *Service) Check(currency, network string) error {
	_, err := s.targets(currency, network)
	return err
}

// targets returns the given network of a currency, or all that have a wallet.
func (s *Service) targets(currency, network string) ([]target, error) {
	verdict, err := s.addresses.Validate(core.AddressQuery{Currency: currency, Network: network})
	if err != nil {
		return nil, err
	}
	var all []target
	for _, c := range s.currencies() {
		if c.Code == currency {
			all = s.targetsOf(c)
		}
	}
	if len(all) == 0 {
		return nil, core.InvalidField("currency", "%s has no deposit wallet here", currency)
	}
	if network == "" {
		return all, nil
	}
	var accepted []string
	for _, t := range all {
		if t.network.Code == verdict.Network {
			return []target{t}, nil
		}
		accepted = append(accepted, t.network.Code)
	}
	return nil, core.InvalidField("network", "%s has no deposit wallet here; accepted for %s: %s", verdict.Network,
		currency, strings.Join(accepted, ", "))
}

// targetsOf returns the networks of a currency that have a wallet, in the order of the catalog.
func (s *Service) targetsOf(c core.Currency) []target {
	var out []target
	for _, network := range c.Networks {
		if w := s.wallets[s.walletOf(network)]; w != nil {
			out = append(out, target{c, s.networks[network], w})
		}
	}
	return out
}

// Get returns the addresses of a user for a currency: on the given network, or on all networks that
// have a wallet. It assigns those that the user does not have. With previous, replaced addresses
// follow the current one. Wallets that cannot be used at the moment are left out if others can.
func (s *Service) Get(
	ctx context.Context, user core.DepositUser, currency, network string, previous bool,
) ([]Item, error) {
	targets, err := s.targets(currency, network)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	owned, err := s.store.List(ctx, user)
	if err != nil {
		return nil, unavailable(err)
	}
	var refused error
	for _, t := range targets {
		if slices.ContainsFunc(owned, func(d core.Deposit) bool { return d.Wallet == t.wallet.name && d.Replaced.IsZero() }) {
			continue
		}
		deposit, err := s.assign(ctx, t.wallet, ports.DepositRequest{User: user})
		if err != nil {
			refused = err
			continue
		}
		owned = append(owned, deposit)
	}
	items, err := s.items(targets, owned, previous)
	if len(items) == 0 && err == nil {
		err = refused
	}
	return items, err
}

// List returns all addresses that a user has, one item per currency and network. It assigns nothing.
func (s *Service) List(ctx context.Context, user core.DepositUser, previous bool) ([]Item, error) {
	if len(s.wallets) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	owned, err := s.store.List(ctx, user)
	if err != nil {
		return nil, unavailable(err)
	}
	var all []target
	for _, c := range s.currencies() {
		all = append(all, s.targetsOf(c)...)
	}
	return s.items(all, owned, previous)
}

// items returns the addresses of a user as items, the newest of a network first. Those of wallets that
// are stopped are left out; if nothing is left, their error is returned.
func (s *Service) items(targets []target, owned []core.Deposit, previous bool) ([]Item, error) {
	var items []Item
	verified := map[string]error{} // networks share addresses
	for _, t := range targets {
		for _, d := range slices.Backward(owned) {
			if d.Wallet != t.wallet.name || !previous && !d.Replaced.IsZero() {
				continue
			}
			err, done := verified[d.ID]
			if !done {
				err = s.verify(t.wallet, d)
				verified[d.ID] = err
			}
			if err != nil {
				continue
			}
			items = append(items, s.item(t, d))
		}
	}
	if len(items) == 0 {
		for _, err := range verified {
			return nil, err
		}
	}
	return items, nil
}

// item returns a verified address as the user of a currency sees it.
func (s *Service) item(t target, d core.Deposit) Item {
	if shown, ok := s.check(t.currency.Code, t.network.Code, d.DepositAddress); ok {
		d.DepositAddress = shown
	}
	return Item{
		Deposit: d, Currency: t.currency.Code, Network: t.network.Code,
		Label:     t.currency.Name + " on " + t.network.Name,
		Simulated: t.wallet.source.Kind() == ports.SimulatedSource,
	}
}

// unavailable returns an error of the store for the client.
func unavailable(err error) error {
	return core.Errorf(core.Unavailable, "Deposit addresses are temporarily unavailable. Retry later.").With(err)
}

// assign assigns an address of a wallet.
func (s *Service) assign(ctx context.Context, w *wallet, request ports.DepositRequest) (core.Deposit, error) {
	if err := w.stoppedBy(); err != nil {
		return core.Deposit{}, s.refuse(w, err)
	}
	request.Binding, request.Now = w.binding, s.clock()
	request.Derive = func(index int64, imported core.Private) (core.DepositAddress, error) {
		return s.derive(w, index, imported)
	}
	deposit, created, err := s.store.Assign(ctx, request)
	if err != nil {
		return core.Deposit{}, s.refuse(w, err)
	}
	if created {
		s.events.Assigned(w.name)
	}
	return deposit, nil
}

// verify derives a stored address again. If the result differs, it stops the wallet.
func (s *Service) verify(w *wallet, d core.Deposit) error {
	err := w.stoppedBy()
	if err == nil {
		err = s.compare(w, d)
	}
	if err != nil {
		return s.refuse(w, err)
	}
	return nil
}

// compare reports whether a stored address is the one that its source makes.
func (s *Service) compare(w *wallet, d core.Deposit) error {
	made, err := s.derive(w, d.Index, d.Imported)
	if reasonOf(err) == Exhausted || err == nil && made != d.DepositAddress {
		return errTampered // exhausted: the pool lost the address
	}
	return err
}

// Regenerate assigns a new address to a user. The network defaults to the currency's default network.
// Requests with the same key, unless it is empty, get the same address.
func (s *Service) Regenerate(
	ctx context.Context, user core.DepositUser, currency, network string, key core.Private,
) (Item, error) {
	verdict, err := s.addresses.Validate(core.AddressQuery{Currency: currency, Network: network})
	if err != nil {
		return Item{}, err
	}
	targets, err := s.targets(currency, verdict.Network)
	if err != nil {
		return Item{}, err
	}
	t := targets[0]
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	d, err := s.assign(ctx, t.wallet, ports.DepositRequest{User: user, Renew: true, Key: key})
	if err != nil {
		return Item{}, err
	}
	if err := s.verify(t.wallet, d); err != nil {
		return Item{}, err
	}
	return s.item(t, d), nil
}

// Owner returns whose deposit address it is, in any spelling of the network and the address. If
// account is not empty, users of other accounts are not found.
func (s *Service) Owner(ctx context.Context, account, network string, address core.DepositAddress) (Item, error) {
	notFound := core.Errorf(core.NotFound, "No user has this deposit address")
	t, err := s.carrier(network)
	if err != nil {
		return Item{}, err
	}
	if t.wallet == nil {
		return Item{}, notFound
	}
	if !t.network.Memo.Supported {
		address.Memo = ""
	}
	canonical, ok := s.check(t.currency.Code, t.network.Code, address)
	if !ok {
		return Item{}, notFound
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	d, err := s.store.Find(ctx, t.wallet.name, canonical)
	switch {
	case core.CodeOf(err) == core.NotFound, err == nil && account != "" && d.User.Account != account:
		return Item{}, notFound
	case err != nil:
		return Item{}, unavailable(err)
	}
	return s.item(t, d), nil
}

// carrier returns a network by any of its names, with a currency that it carries.
func (s *Service) carrier(name string) (target, error) {
	if name == "" {
		return target{}, core.InvalidField("network", "is required. See GET /v1/currencies")
	}
	for _, c := range s.currencies() {
		verdict, err := s.addresses.Validate(core.AddressQuery{Currency: c.Code, Network: name})
		if err == nil {
			return target{c, s.networks[verdict.Network], s.wallets[s.walletOf(verdict.Network)]}, nil
		}
	}
	return target{}, core.InvalidField("network", "%s is not a network of a supported currency. See GET /v1/currencies",
		core.Quoted(name))
}
