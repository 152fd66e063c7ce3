// Package chain simulates the blockchains of a world.
//
// A chain is a pre-history, which the seed decides, and a list of facts: payments, mined blocks and
// reorganizations. It sleeps: the clock adds blocks only until every payment has its confirmations and
// the block after them. The same seed, facts and times give the same blocks.
//
// A network with finality calls a block final as soon as it has the confirmations that the network
// requires, and after 12 confirmations if the network requires none. A reorganization may go deeper.
package chain

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"
	"sync"
	"time"

	"causeway/core"
	"causeway/simulator/seed"
)

const (
	finalityDepth = 12      // confirmations of a final block where the network requires no number
	history       = 1_000   // blocks that exist before the world began
	maxBlocks     = 100_000 // that a chain can have above them
	usualTime     = 5 * time.Second
)

// Hash is the hash of a block or a transaction.
type Hash [sha256.Size]byte

// Derive returns a hash that h and a kind of value decide.
func (h Hash) Derive(kind string) Hash { return sha256.Sum256(append(h[:], kind...)) }

// Block is a block with all its transactions.
type Block struct {
	Height       int64
	Hash, Parent Hash
	Time         time.Time
	Transactions []Transaction
}

// block is a block without what the seed decides.
type block struct {
	height, branch int64
	hash, parent   Hash
	time           time.Time
	paid           []int // positions in the payments of the chain
}

// Chain is the chain of a network in a world. It is safe for concurrent use.
//
// All methods with a time first add the blocks that are due by then.
type Chain struct {
	core.Chain

	seed      uint64
	began     time.Time // of the world
	first     int64     // height of the newest block at that time
	blockTime time.Duration
	record    func(*Chain, Block, int) // called for each block with payments, with the empty ones before it

	mu       sync.Mutex
	base     int64   // the blocks up to this height are the pre-history
	blocks   []block // above
	replaced []block // by reorganizations
	branch   int64   // number of reorganizations
	payments []Transaction
	waiting  []int // payments for the next block
	dropped  []int // payments that a reorganization dropped
	until    int64 // height up to which the clock adds blocks
	due      time.Time
	empty    int // blocks without payments since the last one with
}

func newChain(spec core.Chain, worldSeed uint64, began time.Time, blockTime time.Duration) *Chain {
	const lowest, span = 1_000_000, 9_000_000
	c := &Chain{
		Chain: spec, seed: seed.Derive(worldSeed, "chain", spec.Network), began: began.Truncate(time.Second),
		blockTime: cmp.Or(blockTime, usualTime), record: func(*Chain, Block, int) {},
	}
	c.first = lowest + int64(c.seed%span) // far below 2^63
	c.base = c.first
	return c
}

// clone returns an independent chain with the same facts.
func (c *Chain) clone(record func(*Chain, Block, int)) *Chain {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &Chain{
		Chain: c.Chain, seed: c.seed, began: c.began, first: c.first, blockTime: c.blockTime, record: record,
		base: c.base, blocks: slices.Clone(c.blocks), replaced: slices.Clone(c.replaced), branch: c.branch,
		payments: slices.Clone(c.payments), waiting: slices.Clone(c.waiting), dropped: slices.Clone(c.dropped),
		until: c.until, due: c.due, empty: c.empty,
	}
}

// Other returns another network, for a back end that was configured by mistake.
func (c *Chain) Other() *Chain {
	spec := c.Chain
	if spec.ID = "1337"; !number.MatchString(c.ID) {
		spec.ID = c.Text(c.sum("other network"))
	}
	return newChain(spec, seed.Mix(c.seed), c.began, c.blockTime)
}

func (c *Chain) active() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.blocks) > 0 || len(c.payments) > 0
}

// Depth returns how many confirmations complete a payment.
func (c *Chain) Depth() int64 { return cmp.Or(c.Confirmations, finalityDepth) }

// BlockTime returns how often the clock adds a block.
func (c *Chain) BlockTime() time.Duration { return c.blockTime }

// Height returns the height of the newest block.
func (c *Chain) Height(now time.Time) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(now)
	return c.height()
}

// Block returns the block with a height. It is false for blocks that do not exist yet, and for those long before
// the world began.
func (c *Chain) Block(height int64, now time.Time) (Block, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(now)
	if height > c.height() || height <= c.first-history {
		return Block{}, false
	}
	return c.whole(c.at(height)), true
}

// Find returns the block with a hash, which may be of an earlier branch.
func (c *Chain) Find(hash Hash, now time.Time) (Block, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(now)
	for _, list := range [][]block{c.blocks, c.replaced} {
		for _, b := range slices.Backward(list) {
			if b.hash == hash {
				return c.whole(b), true
			}
		}
	}
	for height := c.base; height > c.first-history; height-- {
		if c.hash(0, height) == hash {
			return c.whole(c.at(height)), true
		}
	}
	return Block{}, false
}

// Next returns when the clock adds the next block, or the zero time if the chain sleeps.
func (c *Chain) Next(now time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.advance(now); !c.awake() {
		return time.Time{}
	}
	return c.due
}

// Remaining returns how many blocks the clock adds until the chain sleeps.
func (c *Chain) Remaining(now time.Time) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(now)
	remaining := max(0, c.until-c.height())
	if len(c.waiting) > 0 {
		remaining = max(remaining, c.Depth()+1)
	}
	return remaining
}

// Added returns the newest blocks that were added since the world began, at most a number of them, by
// height.
func (c *Chain) Added(most int64, now time.Time) (blocks []Block) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(now)
	for height := max(c.first, c.height()-most) + 1; height <= c.height(); height++ {
		blocks = append(blocks, c.whole(c.at(height)))
	}
	return blocks
}

// Mine adds blocks at once.
func (c *Chain) Mine(blocks int64, now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(now)
	if err := c.room("blocks", blocks); err != nil {
		return err
	}
	for range blocks {
		c.add(now)
	}
	c.due = now.Add(c.blockTime)
	return nil
}

// Reorganize replaces the newest blocks by one block more of a new branch. The last new block has the payments of
// the replaced ones and those that an earlier reorganization dropped, unless they are to be dropped.
func (c *Chain) Reorganize(depth int64, drop bool, now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(now)
	if ancestor := c.height() - depth; depth < 1 || ancestor <= c.first-history {
		return core.InvalidField("depth", "is %d; accepted: 1 to %d blocks", depth, c.height()-(c.first-history)-1)
	}
	if err := c.room("depth", depth+1); err != nil {
		return err
	}
	for int64(len(c.blocks)) < depth {
		c.blocks = slices.Insert(c.blocks, 0, c.at(c.base))
		c.base--
	}
	kept := len(c.blocks) - int(depth)
	old := slices.Clone(c.blocks[kept:])
	c.replaced, c.blocks = append(c.replaced, old...), c.blocks[:kept]
	before, waiting := len(c.dropped), c.waiting
	for _, b := range old {
		c.dropped = append(c.dropped, b.paid...)
	}
	if drop && len(c.dropped) > before { // so that a reader sees that the payments do not come again
		c.until = max(c.until, c.height()+2*c.Depth()+1)
	}
	c.branch++
	c.waiting = nil
	for range depth {
		c.add(now)
	}
	if c.waiting = waiting; !drop {
		c.waiting, c.dropped = slices.Concat(c.dropped, waiting), nil
	}
	c.add(now)
	c.due = now.Add(c.blockTime)
	return nil
}

// The methods below need the lock.

func (c *Chain) height() int64 { return c.base + int64(len(c.blocks)) }

// room checks that the chain can have more blocks. Replaced ones count too.
func (c *Chain) room(field string, more int64) error {
	if left := maxBlocks - int64(len(c.blocks)+len(c.replaced)); more < 1 || more > left {
		return core.InvalidField(field, "is %d; accepted: 1 to %d in this world", more, left)
	}
	return nil
}

// awake reports whether the clock adds blocks.
func (c *Chain) awake() bool { return len(c.waiting) > 0 || c.height() < c.until }

// advance adds the blocks that the clock added by now.
func (c *Chain) advance(now time.Time) {
	for c.awake() && !c.due.After(now) {
		c.add(c.due)
		c.due = c.due.Add(c.blockTime)
	}
}

// add adds a block with the waiting payments.
func (c *Chain) add(at time.Time) {
	parent := c.at(c.height())
	b := block{
		height: parent.height + 1, branch: c.branch, hash: c.hash(c.branch, parent.height+1), parent: parent.hash, time: at,
		paid: c.waiting,
	}
	if b.time.Before(parent.time) {
		b.time = parent.time
	}
	c.blocks, c.waiting = append(c.blocks, b), nil
	if c.empty++; len(b.paid) > 0 {
		c.until = max(c.until, b.height+c.Depth())
		c.record(c, c.whole(b), c.empty-1)
		c.empty = 0
	}
}

// at returns a block of the present branch.
func (c *Chain) at(height int64) block {
	if height > c.base {
		return c.blocks[height-c.base-1]
	}
	return block{
		height: height, hash: c.hash(0, height), parent: c.hash(0, height-1),
		time: c.began.Add(-time.Duration(c.first-height) * c.blockTime),
	}
}

// hash returns the hash of a block.
func (c *Chain) hash(branch, height int64) Hash { return c.sum("block", branch, height) }

func (c *Chain) sum(kind string, numbers ...int64) Hash {
	text := strconv.AppendUint(nil, c.seed, 10)
	text = append(append(text, '\n'), kind...)
	for _, n := range numbers {
		text = strconv.AppendInt(append(text, '\n'), n, 10)
	}
	return sha256.Sum256(text)
}
