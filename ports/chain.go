package ports

import (
	"context"
	"errors"

	"causeway/core"
)

// Errors of a Chain.
var (
	// ErrNoBlock means that a back end does not have a block, or not yet. It says nothing about the network.
	ErrNoBlock = errors.New("the back end does not have the block yet")
	// ErrIncomplete means that a response lacks a part of a block.
	ErrIncomplete = errors.New("the back end showed a part of the block")
	// ErrOtherNetwork means that a back end serves another network than it should.
	ErrOtherNetwork = errors.New("the back end serves another network")
)

// Chain reads the blocks of a network from one back end.
//
// Name is <adapter>-<network> in lower case, such as evm-bsc, with -2 and so on for further back ends of a network.
//
// Check reports whether the back end serves its network: nil, ErrOtherNetwork, or core.Unavailable.
//
// Tip returns the newest block of the back end. It may be ahead of the blocks that Block can return, and behind an
// earlier tip.
//
// Block returns the block of the back end's main chain with a height, with all incoming transfers of a successful
// transaction whose amount is above zero and known, in the order of the block. Transfers of the chain's assets are
// included, of other tokens are not. A block that is not there yet is ErrNoBlock and never an empty block; a block
// that is not as complete as the back end announced, or whose parts belong to different blocks, is ErrIncomplete.
//
// Other failures are core.Unavailable. All methods are safe for concurrent use.
type Chain interface {
	Name() string
	Check(ctx context.Context) error
	Tip(ctx context.Context) (core.Tip, error)
	Block(ctx context.Context, height int64) (core.Block, error)
}
