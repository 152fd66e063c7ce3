package core

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
)

// TransactionStatus is where a transaction stands.
type TransactionStatus string

// The statuses. A completed transaction becomes pending again if its block is undone, and a failed one if a later
// block has it.
const (
	Pending   TransactionStatus = "pending"   // in a block that is not confirmed, or in none at the moment
	Completed TransactionStatus = "completed" // confirmed
	Failed    TransactionStatus = "failed"    // undone, and not in the blocks that came instead
)

// Reasons of a status.
const (
	Reorganized = "reorganized" // the network undid the block of the transaction
	Dropped     = "dropped"     // the blocks that came instead do not have it
)

// Transaction is a transfer to a deposit address, as its user sees it. A transfer is one transaction, however often
// blocks with it are undone.
type Transaction struct {
	ID      string // see TransactionID
	Network string // code
	Hash    string // of the transaction on the network
	Index   int64  // see Transfer

	User     DepositUser
	Address  DepositAddress
	Currency string
	Units    decimal.Decimal // smallest units
	Decimals int32           // of the smallest unit

	Status   TransactionStatus
	Reason   string  // Reorganized, Dropped, or empty
	Revision int64   // from 1 on; each change adds 1
	Block    BlockID // that has it; zero: none has it at the moment
	// Ancestor is, for a transaction that no block has, the height of the last block that both forks have.
	Ancestor int64

	Created   time.Time // first seen, by our clock
	Updated   time.Time // of the revision
	Completed time.Time // zero unless completed
}

// TransactionID returns the ID of the transfer with an index in a transaction of a network.
func TransactionID(network, hash string, index int64) string {
	const idBytes = 16
	sum := sha256.Sum256([]byte(network + "\n" + hash + "\n" + strconv.FormatInt(index, 10)))
	return "tx_" + hex.EncodeToString(sum[:idBytes])
}

// Amount returns the amount in units of the currency.
func (t Transaction) Amount() decimal.Decimal { return t.Units.Shift(-t.Decimals) }

// UnassignedTransfer is a transfer to one of our addresses that is credited to no user.
type UnassignedTransfer struct {
	Transfer

	Network  string
	Currency string
	Decimals int32
	Block    BlockID
	Reason   Unassigned
	Seen     time.Time // by our clock
}

// Unassigned says why a transfer is credited to no user.
type Unassigned string

// The reasons.
const (
	WithoutMemo       Unassigned = "without_memo"       // to a shared address, without a memo
	UnknownMemo       Unassigned = "unknown_memo"       // to a shared address, with a memo that no user has
	UnassignedAddress Unassigned = "unassigned_address" // to an address of a pool that no user has
	TamperedAddress   Unassigned = "tampered_address"   // the stored row of the address is not to be trusted
	ChangedReceiver   Unassigned = "changed_receiver"   // another user had it before a reorganization
)

// Balance is what a user received in a currency.
type Balance struct {
	User      DepositUser
	Currency  string
	Pending   decimal.Decimal // of pending transactions
	Available decimal.Decimal // of completed transactions
}

// Replace returns the balance after a transaction changed. Before is zero if it is new.
func (b Balance) Replace(before, after Transaction) Balance {
	b.add(before, decimal.NewFromInt(-1))
	b.add(after, decimal.NewFromInt(1))
	return b
}

func (b *Balance) add(t Transaction, sign decimal.Decimal) {
	switch amount := t.Amount().Mul(sign); t.Status {
	case Pending:
		b.Pending = b.Pending.Add(amount)
	case Completed:
		b.Available = b.Available.Add(amount)
	case Failed:
	}
}

// DepositMatch is what is known about an address that received a transfer.
type DepositMatch struct {
	// Deposit has the user of the address, which is derived again and compared. For an address without a user,
	// only the canonical address is set.
	Deposit Deposit
	Ours    bool       // it is an address of ours
	Reason  Unassigned // of an address of ours without a user
}
