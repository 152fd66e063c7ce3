package core

import (
	"time"

	"github.com/shopspring/decimal"
)

// BlockID identifies a block of a network. Two forks have different blocks of the same height.
type BlockID struct {
	Height int64
	Hash   string // as the network writes it; lower case where case does not matter
}

// Block is a block as a back end shows it, with all incoming transfers that it can see.
type Block struct {
	BlockID

	Parent    string // hash of the block before it
	Time      time.Time
	Transfers []Transfer
}

// Tip is the newest block that a back end knows.
type Tip struct {
	BlockID

	Time time.Time
	// Final is the newest block that the network will never undo. Zero: the network, or the back end,
	// does not say.
	Final BlockID
}

// Transfer is a payment to an address in a block. Its network, Hash and Index identify it, whichever
// block has it.
type Transfer struct {
	Hash string // of the transaction
	// Index is a position within the transaction: the output, the operation, or 1 + the position in the
	// logs of its receipt, where 0 is the native transfer.
	Index    int64
	Contract string // of the token, or its issuer; empty: the coin of the network
	Address  Private
	Memo     Private         // empty: none
	Units    decimal.Decimal // smallest units of the asset, an integer above zero
}

// Chain describes how the blocks of a network are read: a row of the catalog.
type Chain struct {
	Network string // code
	// ID is what tells the network from others: the chain ID of an EVM network and the network ID of the
	// XRP Ledger in decimal, elsewhere the hash of the first block that no other network has.
	ID        string
	BlockTime time.Duration // about
	// Confirmations is how many blocks, from the block of the transaction on, complete a transaction. Zero:
	// only finality does.
	Confirmations int64
	Finality      bool // the network says which blocks are final
	// TransactionLink and AddressLink are pages of a block explorer, with {hash} and {address}. Empty:
	// none.
	TransactionLink string
	AddressLink     string
	Assets          []Asset
}

// Asset is a currency on a network. A network and a contract name one currency.
type Asset struct {
	Currency string // code
	Contract string // of the token, or its issuer; empty: the coin of the network
	Decimals int32  // of the smallest unit
}

// Asset returns the asset with a contract, or the native one. It is false for a currency that Causeway
// does not know.
func (c Chain) Asset(contract string) (Asset, bool) {
	for _, a := range c.Assets {
		if a.Contract == contract {
			return a, true
		}
	}
	return Asset{}, false
}

// AssetOf returns the asset of a currency. It is false if deposits of the currency are not detected on
// the network.
func (c Chain) AssetOf(currency string) (Asset, bool) {
	for _, a := range c.Assets {
		if a.Currency == currency {
			return a, true
		}
	}
	return Asset{}, false
}
