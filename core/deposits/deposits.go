// Package deposits assigns deposit addresses: one per user and wallet, from sources that hold no
// private key. It watches no chain and knows no balances.
//
// A wallet is a network, or EVM for all networks whose addresses are those of Ethereum. An address is
// derived from the next index of its wallet and checked by the rules of its network before it is
// stored. Whenever it is returned, it is derived and checked again: if the result differs, the source
// or the database was changed, and the wallet is stopped until an operator restarts the process.
package deposits

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"causeway/core"
	"causeway/ports"
)

// EVM is the wallet of all networks with Ethereum's addresses.
const EVM = "EVM"

// Validator is what the service needs of package core/addresses.
type Validator interface {
	Validate(core.AddressQuery) (core.Verdict, error)
	Networks() []core.Network
}

// Config configures a Service.
type Config struct {
	Sources    map[string]ports.AddressSource // by wallet
	Store      ports.DepositStore             // nil: there are no wallets
	Addresses  Validator
	Currencies []core.Currency
	Clock      core.Clock
	Events     Events
}

// Events are called when something happens. All fields are optional.
type Events struct {
	Assigned func(wallet string)
	// Refused reports that a wallet assigned no address. err is for the operator.
	Refused func(wallet string, reason Reason, err error)
	// Stopped reports once that a wallet is stopped.
	Stopped func(wallet string, reason Reason, err error)
	// Checked reports the state of a wallet, about once a minute.
	Checked func(Status)
}

// Reason says why a wallet assigns no address.
type Reason string

// The reasons.
const (
	Unconfirmed Reason = "unconfirmed"     // the operator has not confirmed the wallet
	OtherSource Reason = "other_source"    // the source differs from the confirmed one
	Tampered    Reason = "tampered"        // a stored address is not the one that its source makes
	Invalid     Reason = "invalid_address" // the source makes an address that its network refuses
	Exhausted   Reason = "exhausted"       // no address is left
	Unavailable Reason = "unavailable"     // the database cannot be used
)

// Status is the state of a wallet.
type Status struct {
	Wallet      string
	Kind        ports.SourceKind
	Reason      Reason // empty: it assigns addresses
	Fingerprint string
	First       core.Private
	Confirmed   time.Time
	Next        int64 // index of the next assignment
	Left        int64 // unassigned addresses of a pool
}

// Service assigns addresses. It is safe for concurrent use.
type Service struct {
	store     ports.DepositStore
	addresses Validator
	clock     core.Clock
	events    Events
	wallets   map[string]*wallet // by name
	networks  map[string]core.Network
	catalog   atomic.Pointer[[]core.Currency]
}

// wallet is a configured wallet.
type wallet struct {
	name     string
	source   ports.AddressSource
	binding  core.DepositBinding
	currency string // any that one of its networks carries, to check addresses
	network  string

	stopped atomic.Pointer[error] // nil: it is not stopped
}

// New makes a service. It fails if a wallet is of no network, or its first address is invalid.
func New(cfg Config) (*Service, error) {
	s := &Service{
		store: cfg.Store, addresses: cfg.Addresses, clock: cfg.Clock, events: cfg.Events.complete(),
		wallets: map[string]*wallet{}, networks: map[string]core.Network{},
	}
	s.SetCurrencies(cfg.Currencies)
	for _, n := range cfg.Addresses.Networks() {
		s.networks[n.Code] = n
	}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(cfg.Sources)) {
		w, err := s.newWallet(name, cfg.Sources[name])
		if err != nil {
			faults = append(faults, fmt.Errorf("deposit wallet %s: %w", name, err))
			continue
		}
		s.wallets[name] = w
	}
	return s, errors.Join(faults...)
}

func (e Events) complete() Events {
	if e.Assigned == nil {
		e.Assigned = func(string) {}
	}
	if e.Refused == nil {
		e.Refused = func(string, Reason, error) {}
	}
	if e.Stopped == nil {
		e.Stopped = func(string, Reason, error) {}
	}
	if e.Checked == nil {
		e.Checked = func(Status) {}
	}
	return e
}

func (s *Service) newWallet(name string, source ports.AddressSource) (*wallet, error) {
	w := &wallet{name: name, source: source}
	for _, c := range s.currencies() {
		for _, network := range c.Networks {
			if w.network == "" && s.walletOf(network) == name {
				w.currency, w.network = c.Code, network
			}
		}
	}
	if w.network == "" {
		return nil, errors.New("no currency of the catalog is on such a network; " +
			"accepted: codes of networks, see GET /v1/currencies, and EVM for all networks with Ethereum's addresses")
	}
	w.binding = core.DepositBinding{Wallet: name, Fingerprint: source.Fingerprint()}
	if source.Kind() == ports.PoolSource {
		return w, nil
	}
	first, err := s.derive(w, 0, "")
	if err != nil {
		return nil, err
	}
	w.binding.First = first.Address
	if memo := s.networks[w.network].Memo; first.Memo != "" && !memo.Supported {
		return nil, errors.New("its network has no memos, so users cannot share an address")
	}
	return w, nil
}

// SetCurrencies replaces the catalog.
func (s *Service) SetCurrencies(currencies []core.Currency) { s.catalog.Store(&currencies) }

func (s *Service) currencies() []core.Currency { return *s.catalog.Load() }

// walletOf returns the wallet of a network.
func (s *Service) walletOf(network string) string {
	isEVM := func(f core.NetworkFormat) bool { return f.Name == "eip55" }
	if slices.ContainsFunc(s.networks[network].Formats, isEVM) {
		return EVM
	}
	return network
}

// derive returns the address with an index in its canonical form.
func (s *Service) derive(w *wallet, index int64, imported core.Private) (core.DepositAddress, error) {
	made, err := w.source.Address(index, imported)
	if err != nil {
		return core.DepositAddress{}, err
	}
	canonical, ok := s.check(w.currency, w.network, made)
	if !ok {
		return core.DepositAddress{}, errInvalid
	}
	return canonical, nil
}

var (
	errInvalid  = errors.New("the source makes an address that its network refuses")
	errTampered = errors.New("the stored address is not the one that its source makes")
)

// check returns the canonical form of an address, and whether the address and its memo are valid.
func (s *Service) check(currency, network string, a core.DepositAddress) (core.DepositAddress, bool) {
	q := core.AddressQuery{Currency: currency, Network: network, Address: a.Address}
	memo := a.Memo.Reveal()
	if memo != "" {
		q.Memo = &memo
	}
	verdict, err := s.addresses.Validate(q)
	if err != nil || !verdict.Valid {
		return core.DepositAddress{}, false
	}
	a.Address = core.Private(verdict.Normalized)
	if verdict.Memo != nil { // also a tag inside the address
		a.Memo = core.Private(*verdict.Memo)
	}
	return a, true
}

// stoppedBy returns the error that stopped the wallet.
func (w *wallet) stoppedBy() error {
	if err := w.stopped.Load(); err != nil {
		return *err
	}
	return nil
}

// refuse reports why a wallet assigns no address, and returns the error for the client.
func (s *Service) refuse(w *wallet, err error) error {
	reason := reasonOf(err)
	if (reason == Invalid || reason == Tampered) && w.stopped.CompareAndSwap(nil, &err) {
		s.events.Stopped(w.name, reason, err)
	}
	s.events.Refused(w.name, reason, err)
	return core.Errorf(core.Unavailable, "Deposit addresses of %s are temporarily unavailable. Retry later.", w.name).
		With(fmt.Errorf("deposit wallet %s: %w", w.name, err))
}

func reasonOf(err error) Reason {
	for cause, reason := range map[error]Reason{
		ports.ErrNotConfirmed: Unconfirmed, ports.ErrOtherSource: OtherSource, ports.ErrNoAddressLeft: Exhausted,
		errInvalid: Invalid, errTampered: Tampered,
	} {
		if errors.Is(err, cause) {
			return reason
		}
	}
	return Unavailable
}

// refreshEvery is the interval of Run.
const refreshEvery = time.Minute

// Run refreshes the state of the wallets until ctx is done.
func (s *Service) Run(ctx context.Context) {
	if len(s.wallets) == 0 {
		return
	}
	timer := time.NewTimer(refreshEvery)
	defer timer.Stop()
	for {
		s.Refresh(ctx)
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			timer.Reset(refreshEvery)
		}
	}
}

// Refresh compares all wallets with what the operator confirmed, and reports their state.
func (s *Service) Refresh(ctx context.Context) {
	statuses, err := s.Statuses(ctx)
	if err != nil {
		return // requests report it
	}
	for _, status := range statuses {
		s.events.Checked(status)
	}
}

// Statuses returns the state of all configured wallets, by name.
func (s *Service) Statuses(ctx context.Context) ([]Status, error) {
	if len(s.wallets) == 0 {
		return nil, nil
	}
	stored, err := s.store.Wallets(ctx)
	if err != nil {
		return nil, err
	}
	states := map[string]core.DepositWallet{}
	for _, state := range stored {
		states[state.Wallet] = state
	}
	var out []Status
	for _, name := range slices.Sorted(maps.Keys(s.wallets)) {
		w, state := s.wallets[name], states[name]
		status := Status{
			Wallet: name, Kind: w.source.Kind(), Fingerprint: w.binding.Fingerprint,
			First: w.first(state), Confirmed: state.Confirmed, Next: state.Next,
		}
		if status.Kind == ports.PoolSource {
			status.Left = max(0, state.Pool-state.Next)
		}
		switch stopped := w.stoppedBy(); {
		case stopped != nil:
			status.Reason = reasonOf(stopped)
		case state.Confirmed.IsZero():
			status.Reason = Unconfirmed
		case state.Fingerprint != status.Fingerprint || state.First != status.First:
			status.Reason = OtherSource
		case status.Kind == ports.PoolSource && status.Left == 0:
			status.Reason = Exhausted
		}
		out = append(out, status)
	}
	return out, nil
}

// first returns the first address of a wallet. That of a pool is in the database.
func (w *wallet) first(state core.DepositWallet) core.Private {
	if w.source.Kind() == ports.PoolSource {
		return state.PoolFirst
	}
	return w.binding.First
}

// configured returns a wallet, or an error that names the configured ones.
func (s *Service) configured(name string) (*wallet, error) {
	w := s.wallets[strings.ToUpper(name)]
	if w == nil {
		return nil, fmt.Errorf("%s is not a configured wallet; accepted: %s", core.Quoted(name),
			strings.Join(slices.Sorted(maps.Keys(s.wallets)), ", "))
	}
	return w, nil
}
