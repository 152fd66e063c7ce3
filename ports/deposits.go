package ports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"causeway/core"
)

// SourceKind is the kind of source of a wallet's addresses.
type SourceKind string

// The kinds of sources.
const (
	KeySource       SourceKind = "extended public key"
	PoolSource      SourceKind = "pool"
	SharedSource    SourceKind = "shared address"
	SimulatedSource SourceKind = "simulated"
)

// Reasons for which no address is assigned.
var (
	ErrNoAddressLeft = errors.New("no address is left")
	ErrNotConfirmed  = errors.New("the wallet is not confirmed")
	ErrOtherSource   = errors.New("the source of the wallet differs from the confirmed one")
	ErrStopped       = errors.New("the wallet is stopped")
	ErrRolledBack    = errors.New("the database has a lower next index than was used: it was restored")
	ErrQuota         = errors.New("the account has too many new users today")

	// The faults of stored rows.
	ErrTampered = errors.New("the stored row is not as Causeway wrote it, or privacy.hash_key is another one")
	ErrUnsealed = errors.New("the stored row has no seal: run causeway deposits seal")
	ErrOldSeal  = errors.New("the stored row has the seal of a previous privacy.hash_key")
)

// AddressSource makes the addresses of a wallet.
//
// Address returns the address with an index, from 0 on. It depends on the source, the index and the
// imported address with that index only, which is empty if there is none, so that it can be verified
// at any time. Different indexes give different addresses or different memos. If there is no address
// with that index, the error is ErrNoAddressLeft.
//
// Two sources with the same fingerprint make the same addresses. A fingerprint discloses neither keys
// nor addresses, and neither do errors. All methods are safe for concurrent use and do not block.
type AddressSource interface {
	Kind() SourceKind
	Fingerprint() string
	Address(index int64, imported core.Private) (core.DepositAddress, error)
}

// DepositRequest is a request for an address of a user.
type DepositRequest struct {
	User    core.DepositUser
	Binding core.DepositBinding
	Now     time.Time
	// Renew replaces the current address. Requests of a user with the same Key, unless it is empty, get
	// the same address.
	Renew bool
	Key   core.Private
	// Known is the lowest next index that the wallet can have.
	Known int64
	// NewUsers is how many users without an address an account may add a day (UTC); 0: any number.
	NewUsers int64
	// Derive returns the canonical address with an index. It is called inside a transaction and must
	// not use the store.
	Derive func(index int64, imported core.Private) (core.DepositAddress, error)
}

// Deposit returns the assignment of an address to the user of a request. Its ID is a hash of the
// address, so that it is unique and reveals nothing about other assignments.
func (r DepositRequest) Deposit(index int64, imported core.Private, address core.DepositAddress) core.Deposit {
	const idBytes = 10
	sum := sha256.Sum256([]byte(r.Binding.Wallet + "\n" + address.Address.Reveal() + "\n" + address.Memo.Reveal()))
	return core.Deposit{
		DepositAddress: address, ID: "da_" + hex.EncodeToString(sum[:idBytes]), User: r.User, Wallet: r.Binding.Wallet,
		Index: index, Imported: imported, Created: r.Now.UTC().Truncate(time.Microsecond),
	}
}

// Check returns why a request gets no address of a wallet in the given state, or nil.
func (r DepositRequest) Check(w core.DepositWallet) error {
	switch {
	case w.Fault != nil:
		return w.Fault
	case w.Confirmed.IsZero():
		return ErrNotConfirmed
	case w.Fingerprint != r.Binding.Fingerprint || r.Binding.First != "" && w.First != r.Binding.First:
		return ErrOtherSource
	case w.Stopped != "":
		return ErrStopped
	case w.Next < r.Known:
		return fmt.Errorf("%w: the next index is %d, and the indexes below %d are used", ErrRolledBack, w.Next, r.Known)
	}
	return nil
}

// Day returns the day of the request in UTC, in days since 1970.
func (r DepositRequest) Day() int64 { return r.Now.Unix() / int64((24 * time.Hour).Seconds()) }

// DepositKey is an address in a wallet.
type DepositKey struct {
	core.DepositAddress

	Wallet string
}

// DepositMarks remember the highest indexes outside of the database, so that a restored database
// does not assign an address twice.
//
// Raise remembers that the wallet's next index is at least next, durably before it returns, and
// returns the highest next index that it remembers for the wallet. It is safe for concurrent use.
type DepositMarks interface {
	Raise(ctx context.Context, wallet string, next int64) (highest int64, err error)
}

// DepositStore keeps the assignments of deposit addresses.
//
// Assign returns the current address of the user in the wallet of the binding. If there is none, or
// the request renews it, Assign assigns the address with the next index of the wallet in one
// transaction, and created is true. An index is used at most once, also if several processes assign
// at once or one of them is killed; an index without an assignment is possible. No address is
// assigned twice with the same memo. Errors of DepositRequest.Check and of Derive are returned as
// they are, and nothing is assigned. A user without any address beyond NewUsers is ErrQuota.
//
// A store outside of the process seals its rows: a row that another program wrote or changed is
// returned with the fault ErrTampered, ErrUnsealed if the store did not seal rows yet when it was
// written, or ErrOldSeal if the store was also given a previous key. Such a row is never changed
// or built upon.
//
// List returns the current addresses of a user and up to so many replaced ones of each wallet, the newest, by wallet
// and index. Doubles returns current addresses of users with more than one in a wallet, which Assign makes never, by
// wallet and index; it may leave out some if there are very many. Find returns the
// assignment of an address in a wallet, or core.NotFound; an address that was assigned without a memo
// is found with any memo. FindAll does the same for any number of keys: it returns the assignments
// that exist, each once and in any order. Pooled returns the addresses of the pool of a wallet that
// no user has yet, among the given ones, in any order.
//
// Wallets returns the state of all wallets that are confirmed or have a pool, by name. Confirm
// binds a wallet to a source; a wallet that is bound already is ErrOtherSource unless the binding
// is the same. Import appends addresses to the pool of a wallet, all or none: if known is not
// empty, it holds the positions of those that the pool has already, and nothing was imported. Walk
// calls f with all assignments, ordered by wallet and index, until f returns an error, and WalkPool
// with all imported addresses.
//
// Stop stops a wallet until Resume, which also raises its next index, but never lowers it. Seal
// seals the rows of all wallets that have no seal, and those with the seal of the previous key; it
// returns the number of sealed rows. The caller has verified them.
//
// A database that cannot be reached is core.Unavailable. All methods are safe for concurrent use and
// return promptly when ctx is done.
//
//nolint:interfacebloat // one set of tables, one store
type DepositStore interface {
	Assign(ctx context.Context, request DepositRequest) (deposit core.Deposit, created bool, err error)
	List(ctx context.Context, user core.DepositUser, previous int) ([]core.Deposit, error)
	Doubles(ctx context.Context) ([]core.Deposit, error)
	Find(ctx context.Context, wallet string, address core.DepositAddress) (core.Deposit, error)
	FindAll(ctx context.Context, keys []DepositKey) ([]core.Deposit, error)
	Pooled(ctx context.Context, wallet string, addresses []core.Private) ([]core.PoolAddress, error)
	Wallets(ctx context.Context) ([]core.DepositWallet, error)
	Confirm(ctx context.Context, binding core.DepositBinding) error
	Import(ctx context.Context, wallet string, addresses []core.Private) (known []int, err error)
	Walk(ctx context.Context, f func(core.Deposit) error) error
	WalkPool(ctx context.Context, f func(core.PoolAddress) error) error
	Stop(ctx context.Context, wallet, reason string) error
	Resume(ctx context.Context, wallet string, next int64) error
	Seal(ctx context.Context) (rows int, err error)
}
