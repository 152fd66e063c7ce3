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

// maxPrevious is how many replaced addresses of a user in a wallet are shown, the newest. All of them stay assigned:
// Owner finds them, and Export has them.
const maxPrevious = 100

func shownPrevious(shown bool) int {
	if shown {
		return maxPrevious
	}
	return 0
}

// Query asks for addresses of a user.
type Query struct {
	User     core.DepositUser
	Currency string
	Network  string // empty: all that have a wallet
	Previous bool   // the newest replaced addresses follow the current one
	ReadOnly bool   // assign none
}

// Result holds addresses, the newest of a network first.
type Result struct {
	Items       []Item
	Unavailable []Missing
}

// Missing is a network whose addresses cannot be shown at the moment.
type Missing struct{ Currency, Network string }

// Get returns the addresses of a user for a currency. It assigns those that the user does not have,
// unless the query is read-only.
func (s *Service) Get(ctx context.Context, q Query) (Result, error) {
	targets, err := s.targets(q.Currency, q.Network)
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	owned, err := s.store.List(ctx, q.User, shownPrevious(q.Previous))
	if err != nil {
		return Result{}, unavailable(err)
	}
	failed := map[*wallet]error{} // networks share wallets
	for _, t := range targets {
		has := func(d core.Deposit) bool { return d.Wallet == t.wallet.name && d.Replaced.IsZero() }
		if q.ReadOnly || failed[t.wallet] != nil || slices.ContainsFunc(owned, has) {
			continue
		}
		deposit, err := s.assign(ctx, t.wallet, ports.DepositRequest{User: q.User})
		switch {
		case core.CodeOf(err) == core.TooMany:
			return Result{}, err
		case err != nil:
			failed[t.wallet] = err
		default:
			owned = append(owned, deposit)
		}
	}
	result, err := s.result(ctx, targets, owned, failed)
	switch {
	case len(result.Items) > 0:
		return result, nil
	case err == nil:
		err = core.Errorf(core.NotFound, "The user has no deposit address of %s yet. "+
			"A key with the scope addresses:write assigns it", q.Currency)
	}
	return Result{}, err
}

// List returns all addresses that a user has, one item per currency and network. It assigns nothing.
func (s *Service) List(ctx context.Context, user core.DepositUser, previous bool) (Result, error) {
	if len(s.wallets) == 0 {
		return Result{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	owned, err := s.store.List(ctx, user, shownPrevious(previous))
	if err != nil {
		return Result{}, unavailable(err)
	}
	var all []target
	for _, c := range s.currencies() {
		all = append(all, s.targetsOf(c)...)
	}
	result, err := s.result(ctx, all, owned, map[*wallet]error{})
	if len(result.Items) > 0 || len(owned) == 0 {
		err = nil
	}
	return result, err
}

// result returns the addresses of a user on networks. Networks whose wallet failed or is stopped,
// or whose addresses are not what they should be, are unavailable; err is one of their errors.
func (s *Service) result(
	ctx context.Context, targets []target, owned []core.Deposit, failed map[*wallet]error,
) (result Result, err error) {
	for _, t := range targets {
		shown := slices.DeleteFunc(slices.Clone(owned), func(d core.Deposit) bool {
			return d.Wallet != t.wallet.name
		})
		fault, known := failed[t.wallet]
		if !known {
			fault = s.verify(ctx, t.wallet, shown...)
			failed[t.wallet] = fault
		}
		if fault != nil {
			err = fault
			result.Unavailable = append(result.Unavailable, Missing{t.currency.Code, t.network.Code})
			continue
		}
		for _, d := range slices.Backward(shown) {
			result.Items = append(result.Items, s.item(t, d))
		}
	}
	return result, err
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
	err := w.stoppedBy()
	if err == nil {
		request.Known, err = s.remember(ctx, w, 0)
	}
	if err != nil {
		return core.Deposit{}, s.refuse(ctx, w, err)
	}
	request.Binding, request.Now, request.NewUsers = w.binding, s.clock(), s.newUsers
	request.Derive = func(index int64, imported core.Private) (core.DepositAddress, error) {
		return s.derive(w, index, imported)
	}
	deposit, created, err := s.store.Assign(ctx, request)
	if err != nil {
		return core.Deposit{}, s.refuse(ctx, w, err)
	}
	if created {
		s.events.Assigned(w.name)
	}
	return deposit, nil
}

// verify derives stored addresses of a wallet again, and remembers that their indexes are used. An
// address that is not what it should be stops the wallet. Every address passes verify before it is
// returned.
func (s *Service) verify(ctx context.Context, w *wallet, all ...core.Deposit) error {
	err := w.stoppedBy()
	for _, d := range all {
		if err == nil {
			err = d.Fault
		}
		if err == nil {
			err = s.compare(w, d)
		}
		if err == nil && d.Index >= w.saved.Load() {
			_, err = s.remember(ctx, w, d.Index+1)
		}
	}
	if err != nil {
		return s.refuse(ctx, w, err)
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
	if err := s.verify(ctx, t.wallet, d); err != nil {
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
	case core.CodeOf(err) == core.NotFound:
		err = s.complete(ctx, t.wallet)
	case err != nil:
		err = unavailable(err)
	default:
		err = s.verify(ctx, t.wallet, d)
	}
	switch {
	case err != nil:
		return Item{}, err
	case d.ID == "" || account != "" && d.User.Account != account:
		return Item{}, notFound
	}
	return s.item(t, d), nil
}

// complete returns an error if assignments of a wallet may be missing in the store.
func (s *Service) complete(ctx context.Context, w *wallet) error {
	states, err := s.states(ctx, s.wallets)
	if err != nil {
		return unavailable(err)
	}
	switch status := s.status(ctx, w, states[w.name]); status.Reason {
	case "", Unconfirmed, Exhausted:
		return nil
	default:
		return s.refuse(ctx, w, status.cause)
	}
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
