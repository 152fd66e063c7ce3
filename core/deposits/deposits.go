// Package deposits assigns deposit addresses: one per user and wallet, from sources that hold no
// private key, and finds the owners of addresses.
//
// A wallet is a network, or EVM for all networks with the addresses of Ethereum. An address
// is derived from the next index of its wallet and checked by the rules of its network before it is
// stored. Whenever it is returned, it is derived and checked again: if the result differs, or the
// store reports that the row was changed, the wallet is stopped until an operator resumes it.
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
	Marks      []ports.DepositMarks           // remember the highest indexes outside of the store
	NewUsers   int64                          // that an account may add a day; 0: any number
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
	// Verified reports the progress of Verify now and then, in assignments.
	Verified func(checked int, total int64)
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
	Stopped     Reason = "stopped"         // one of the faults above stopped it earlier
	Unsealed    Reason = "unsealed"        // the database is of a version without seals
	RolledBack  Reason = "rolled_back"     // an older state of the database was restored
	Quota       Reason = "quota"           // the account has too many new users today
	Unavailable Reason = "unavailable"     // the database, or the file of the highest indexes, cannot be used
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

	cause error // of the reason
}

// Service assigns addresses. It is safe for concurrent use.
type Service struct {
	store     ports.DepositStore
	addresses Validator
	clock     core.Clock
	events    Events
	marks     []ports.DepositMarks
	newUsers  int64
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
	shared   bool // all users have the same address, and a memo of their own

	stopped  atomic.Pointer[error] // nil: it is not stopped
	recorded atomic.Bool           // the store knows that it is stopped
	highest  atomic.Int64          // next index that is known
	saved    atomic.Int64          // next index that all marks remember
}

// New makes a service. It fails if a wallet is of no network, or its first address is invalid.
func New(cfg Config) (*Service, error) {
	s := &Service{
		store: cfg.Store, addresses: cfg.Addresses, clock: cfg.Clock, events: cfg.Events.complete(),
		marks: cfg.Marks, newUsers: cfg.NewUsers, wallets: map[string]*wallet{}, networks: map[string]core.Network{},
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
	if e.Verified == nil {
		e.Verified = func(int, int64) {}
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
	w.binding.First, w.shared = first.Address, first.Memo != ""
	if memo := s.networks[w.network].Memo; first.Memo != "" && !memo.Supported {
		return nil, errors.New("its network has no memos, so users cannot share an address")
	}
	return w, nil
}

// SetCurrencies replaces the catalog.
func (s *Service) SetCurrencies(currencies []core.Currency) { s.catalog.Store(&currencies) }

func (s *Service) currencies() []core.Currency { return *s.catalog.Load() }

func (s *Service) walletOf(network string) string { return WalletOf(s.networks[network]) }

// WalletOf returns the wallet of a network.
func WalletOf(n core.Network) string {
	isEVM := func(f core.NetworkFormat) bool { return f.Name == "eip55" }
	if slices.ContainsFunc(n.Formats, isEVM) {
		return EVM
	}
	return n.Code
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
	errMissing  = errors.New("rows are missing, or were added")
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
		a.Memo = plainMemo(core.Private(*verdict.Memo))
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

// stop stops a wallet, in all processes, if an error is a reason to.
func (s *Service) stop(ctx context.Context, w *wallet, err error) {
	reason := reasonOf(err)
	if reason != Invalid && reason != Tampered || !w.stopped.CompareAndSwap(nil, &err) {
		return
	}
	s.events.Stopped(w.name, reason, err)
	s.recordStop(ctx, w, reason)
}

// recordStop stores that a wallet is stopped. After a failure, the next refresh tries again.
func (s *Service) recordStop(ctx context.Context, w *wallet, reason Reason) {
	w.recorded.Store(s.store.Stop(context.WithoutCancel(ctx), w.name, string(reason)) == nil)
}

// refuse reports why a wallet assigns no address, and returns the error for the client.
func (s *Service) refuse(ctx context.Context, w *wallet, err error) error {
	s.stop(ctx, w, err)
	reason := reasonOf(err)
	s.events.Refused(w.name, reason, err)
	if reason == Quota {
		now := s.clock().UTC()
		return core.Errorf(core.TooMany, "The key has added %d users today; the limit starts anew at 00:00 UTC", s.newUsers).
			Retry(now.Truncate(day).Add(day).Sub(now)).With(err)
	}
	return core.Errorf(core.Unavailable, "Deposit addresses of %s are temporarily unavailable. Retry later.", w.name).
		With(fmt.Errorf("deposit wallet %s: %w", w.name, err))
}

func reasonOf(err error) Reason {
	for cause, reason := range map[error]Reason{
		ports.ErrNotConfirmed: Unconfirmed, ports.ErrOtherSource: OtherSource, ports.ErrNoAddressLeft: Exhausted,
		ports.ErrStopped: Stopped, ports.ErrUnsealed: Unsealed, ports.ErrRolledBack: RolledBack, ports.ErrQuota: Quota,
		ports.ErrTampered: Tampered, errInvalid: Invalid, errTampered: Tampered, errMissing: Tampered,
	} {
		if errors.Is(err, cause) {
			return reason
		}
	}
	return Unavailable
}

// The intervals of Run.
const (
	refreshEvery = time.Minute
	auditEvery   = 60 // refreshes
)

const day = 24 * time.Hour

// Run refreshes the state of the wallets until ctx is done, and checks all stored rows once an
// hour.
func (s *Service) Run(ctx context.Context) {
	if len(s.wallets) == 0 {
		return
	}
	refreshes := 0
	core.Repeat(ctx, func() time.Duration {
		if refreshes%auditEvery == 0 {
			s.Audit(ctx)
		}
		refreshes++
		s.Refresh(ctx)
		return refreshEvery
	})
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

// Audit checks all stored rows, and stops the wallets of those that were changed. It derives no
// address, which takes far longer than to check a seal.
func (s *Service) Audit(ctx context.Context) {
	sealed := func(*wallet, core.Deposit) error { return nil }
	_, _, _ = s.verifyRows(ctx, sealed, func(x Difference) { // requests report that the store is unavailable
		if w := s.wallets[x.Wallet]; w != nil {
			s.stop(ctx, w, x.Err)
		}
	})
}

// Statuses returns the state of all configured wallets, by name.
func (s *Service) Statuses(ctx context.Context) ([]Status, error) {
	if len(s.wallets) == 0 {
		return nil, nil
	}
	recorded := map[string]bool{} // before the state is read: a stop may be recorded meanwhile
	for name, w := range s.wallets {
		recorded[name] = w.recorded.Load()
	}
	states, err := s.states(ctx, s.wallets)
	if err != nil {
		return nil, err
	}
	var out []Status
	for _, name := range slices.Sorted(maps.Keys(s.wallets)) {
		s.follow(ctx, s.wallets[name], states[name].Stopped, recorded[name])
		out = append(out, s.status(ctx, s.wallets[name], states[name]))
	}
	return out, nil
}

// state is the stored state of a wallet.
type state struct {
	core.DepositWallet // zero: none is stored

	known int64 // lowest next index that was known before the state was read
	err   error // the marks cannot be read
}

// states returns the state of all wallets that are stored, and of some configured ones, by name.
func (s *Service) states(ctx context.Context, configured map[string]*wallet) (map[string]state, error) {
	states := map[string]state{}
	for name, w := range configured {
		known, err := s.remember(ctx, w, 0) // first: another process may assign an address meanwhile
		states[name] = state{known: known, err: err}
	}
	stored, err := s.store.Wallets(ctx)
	for _, w := range stored {
		state := states[w.Wallet]
		state.DepositWallet = w
		states[w.Wallet] = state
	}
	return states, err
}

// follow stops a wallet that another process stopped, and resumes one that the operator resumed.
func (s *Service) follow(ctx context.Context, w *wallet, stored string, recorded bool) {
	err := w.stoppedBy()
	switch {
	case stored != "" && err == nil:
		err = fmt.Errorf("%w: %s", ports.ErrStopped, stored)
		w.recorded.Store(true)
		w.stopped.Store(&err)
	case stored == "" && err != nil && recorded:
		w.recorded.Store(false)
		w.stopped.Store(nil)
	case stored == "" && err != nil:
		s.recordStop(ctx, w, reasonOf(err))
	}
}

// status returns the state of a wallet. The reason is empty only if it can assign its next address.
func (s *Service) status(ctx context.Context, w *wallet, state state) Status {
	status := Status{
		Wallet: w.name, Kind: w.source.Kind(), Fingerprint: w.binding.Fingerprint,
		First: w.first(state.DepositWallet), Confirmed: state.Confirmed, Next: state.Next,
	}
	if status.Kind == ports.PoolSource {
		status.Left = max(0, state.Pool-state.Next)
	}
	request := ports.DepositRequest{Binding: w.binding, Known: state.known}
	request.Binding.First = status.First
	status.cause = request.Check(state.DepositWallet)
	if status.cause == nil {
		status.cause = state.err
	}
	if status.cause == nil {
		_, status.cause = s.remember(ctx, w, state.Next)
	}
	if status.cause == nil {
		status.cause = w.stoppedBy()
	}
	if status.cause == nil {
		_, status.cause = s.derive(w, state.Next, state.PoolNext)
	}
	switch {
	case errors.Is(status.cause, ports.ErrStopped) && state.Stopped != "":
		status.Reason = Reason(state.Stopped)
	case status.cause != nil:
		status.Reason = reasonOf(status.cause)
	}
	return status
}

// remember notes outside of the store that the next index of a wallet is at least next, and returns
// the highest one that is known.
func (s *Service) remember(ctx context.Context, w *wallet, next int64) (int64, error) {
	highest := next
	for _, m := range s.marks {
		known, err := m.Raise(ctx, w.name, next)
		if err != nil {
			return 0, fmt.Errorf("the highest index cannot be remembered: %w", err)
		}
		highest = max(highest, known)
	}
	raise(&w.saved, next)
	return raise(&w.highest, highest), nil
}

// raise raises a value to at least n, and returns it.
func raise(value *atomic.Int64, n int64) int64 {
	for {
		old := value.Load()
		if n <= old {
			return old
		}
		if value.CompareAndSwap(old, n) {
			return n
		}
	}
}

// first returns the first address of a wallet. The first address of a pool is in the database.
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
