// Package transactions detects transfers to deposit addresses.
package transactions

import "causeway/core"

// Query selects transactions of a user.
type Query struct {
	User     core.DepositUser
	Currency string // empty: all
	Network  string // empty: all
	Status   core.TransactionStatus
	Oldest   bool // first, otherwise the newest is
	Limit    int
	Cursor   string // of an earlier Page; empty: the first page
}

// Page is a part of a list.
type Page struct {
	Items          []Item
	Next, Previous string   // cursors; empty: there is no such page
	Delayed        []string // networks whose deposits arrive late
}

// Item is a transaction with what is computed when it is read.
type Item struct {
	core.Transaction

	Chain         core.Chain
	Confirmations int64 // at most Chain.Confirmations
}
