package ports

import (
	"context"
	"errors"
	"time"

	"causeway/core"
)

// ErrLeaseLost means that another process reads the network, or that this one read other blocks meanwhile. Nothing was
// written.
var ErrLeaseLost = errors.New("another process reads the blocks of the network")

// ChainState is what is stored about a network whose blocks are read.
type ChainState struct {
	Network  string
	Start    int64        // height of the first block that was read
	Tip      core.BlockID // last block that was read; zero: none
	TipTime  time.Time    // of that block
	Verified int64        // the blocks up to this height were read again, and were the same
	Final    int64        // the blocks up to this height are final
	Head     int64        // height of the newest block of the network, when it was last known
	Checked  time.Time    // when Head was last known, by the clock of the holder
	Stopped  string       // why no block is read until the operator resumes the network; empty: it is not stopped
	Problem  string       // why no block above Verified is verified; empty: nothing contradicts the blocks

	Holder string // process that reads the network
	Epoch  int64  // of the lease: how often the holder changed
	Beat   int64  // how often a holder wrote; it never decreases
}

// ChainBatch is what one transaction of the database changes. Either all of it is stored, or nothing.
type ChainBatch struct {
	// State is the new state of the network. Its Epoch is the epoch of the writer's lease; the store sets Holder and Beat.
	State ChainState
	// Before is the last block that was read, as the writer knows it.
	Before core.BlockID
	// Undo removes the stored blocks above Kept, before Blocks are added.
	Undo bool
	// Blocks are new ones, in the order of their heights. Their transfers are not stored.
	Blocks []core.Block
	// Forget removes the stored blocks below a height; 0: none.
	Forget int64
	// Transactions are new ones, with the revision 1, and changed ones, each with the next revision. A stored
	// transaction with another revision before is ErrLeaseLost. Balances follow in the same transaction.
	Transactions []core.Transaction
	// Unassigned are transfers that are credited to no user; no block has those without a Block at the moment. Known ones
	// are replaced, after those above Kept are removed with Undo.
	Unassigned []core.UnassignedTransfer
}

// Kept returns the height of the last stored block that stays with Undo: the one before Blocks, or State.Tip.
func (b ChainBatch) Kept() int64 {
	if len(b.Blocks) > 0 {
		return b.Blocks[0].Height - 1
	}
	return b.State.Tip.Height
}

// TransactionQuery selects transactions of a user.
type TransactionQuery struct {
	User     core.DepositUser
	Currency string // empty: all
	Network  string // empty: all
	Status   core.TransactionStatus
	Oldest   bool // first, otherwise the newest is
	// After is the position before the first one, in the order of the query: its time of creation and ID. Zero: none.
	After TransactionPosition
	Limit int
}

// UnassignedQuery selects transfers that are credited to no user.
type UnassignedQuery struct {
	Network string   // empty: all
	Hashes  []string // of their transactions on the network; nil: all
	Limit   int      // of the newest ones; 0: none
}

// TransactionPosition is the place of a transaction in the order of creation.
type TransactionPosition struct {
	Created time.Time
	ID      string
}

// TransactionStore keeps transactions, balances and the blocks that were read.
//
// Chains returns the state of all networks, by network. Lease makes holder the only writer of a network, if the epoch
// of its lease is still the given one, which is 0 for a network that no process has read yet; it returns the new
// state, whose epoch is higher by 1. Otherwise the error is ErrLeaseLost. Commit stores a batch if the stored epoch
// and last block still equal State.Epoch and Before, and otherwise returns ErrLeaseLost. A process that is killed in a
// Commit has either stored all of the batch or nothing.
//
// Blocks returns the stored blocks from one height to another, both included, by height and without transfers. Known
// returns the stored transactions of all users among any number of IDs. Unsettled returns
// the transactions of a network that are pending, and those in a block above a height, by creation and ID. Unassigned
// returns the transfers of a query that are credited to no user, newest first. Anyone can add to them: a query without
// Hashes needs a Limit.
//
// List returns the transactions of a query. Find returns a transaction of a user, or core.NotFound. Balances returns
// the balances of a user, by currency.
//
// Events and Deliveries return the stores of the events that Commit writes, and of their deliveries.
//
// A database that cannot be reached is core.Unavailable. All methods are safe for concurrent use and return promptly
// when ctx is done.
//
//nolint:interfacebloat // one set of tables, one store
type TransactionStore interface {
	Chains(ctx context.Context) ([]ChainState, error)
	Lease(ctx context.Context, network, holder string, epoch int64) (ChainState, error)
	Commit(ctx context.Context, batch ChainBatch) error
	Blocks(ctx context.Context, network string, from, to int64) ([]core.Block, error)
	Known(ctx context.Context, ids []string) ([]core.Transaction, error)
	Unsettled(ctx context.Context, network string, above int64) ([]core.Transaction, error)
	Unassigned(ctx context.Context, query UnassignedQuery) ([]core.UnassignedTransfer, error)
	List(ctx context.Context, query TransactionQuery) ([]core.Transaction, error)
	Find(ctx context.Context, user core.DepositUser, id string) (core.Transaction, error)
	Balances(ctx context.Context, user core.DepositUser) ([]core.Balance, error)
	Events() EventStore
	Deliveries() DeliveryStore
}
