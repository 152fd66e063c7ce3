package core

import "time"

// DepositUser owns deposit addresses: a profile of the holder of an API key.
type DepositUser struct {
	Account string  // the holder of a key; see Key.Account
	Profile Private // an ID that the holder chooses; empty: the holder's default user
}

// DepositAddress is where a user receives transfers on a network.
type DepositAddress struct {
	Address Private
	Memo    Private // memo or tag that identifies the user; empty if the address alone does
}

// Deposit is an assigned deposit address.
type Deposit struct {
	DepositAddress

	ID       string
	User     DepositUser
	Wallet   string // a network, or a group of networks that share addresses
	Index    int64  // of the address in its source; used once
	Imported Private
	Created  time.Time
	Replaced time.Time // zero: the current address of the user in this wallet
	Fault    error     // why the stored row must not be used; nil: it is as Causeway wrote it
}

// PoolAddress is an imported address.
type PoolAddress struct {
	Wallet  string
	Index   int64
	Address Private
	Fault   error // as in Deposit
}

// DepositBinding identifies the source of a wallet's addresses. An operator confirms it once.
type DepositBinding struct {
	Wallet      string
	Fingerprint string  // hash of everything that determines the addresses
	First       Private // the address with index 0, or the shared one; empty before a pool is imported
}

// DepositWallet is the stored state of a wallet.
type DepositWallet struct {
	DepositBinding // as confirmed

	Confirmed time.Time // zero: not confirmed
	Next      int64     // index of the next assignment
	Assigned  int64     // assignments, replaced ones included
	Pool      int64     // imported addresses, assigned ones included
	PoolFirst Private   // first imported address
	PoolNext  Private   // imported address with the index Next
	Stopped   string    // why nothing is assigned until the operator resumes the wallet; empty: it is not stopped
	Fault     error     // as in Deposit
}
