package format

import (
	"cmp"
	"net/http"
	"strings"

	"causeway/simulator/chain"
	"causeway/simulator/faults"
)

// Node is a request to a back end of a blockchain, and the chain that the back end shows.
type Node struct {
	*chain.Chain
	*Request
}

// Faults of blockchains, for Operation.Chain.
var (
	TipFaults   = []faults.Kind{faults.Lagging, faults.OtherNetwork} // change which block is the newest
	BlockFaults = []faults.Kind{faults.Incomplete, faults.Lagging, faults.OtherNetwork}
)

// Nodes describes the back ends of a kind, one for each of the networks.
func Nodes(kind string, networks []string, respond func(Node) Reply, operations ...Operation) []Descriptor {
	var all []Descriptor
	for _, network := range networks {
		name := kind + "-" + strings.ToLower(network)
		all = append(all, Descriptor{
			Name: name, Hosts: []string{name + ".chains.example"}, Operations: operations,
			Respond: func(r *Request) Reply {
				c, err := r.World.Chains().Find(network)
				if err != nil {
					return Text(http.StatusNotFound, "404 page not found\n")
				}
				if r.Effect.Kind == faults.OtherNetwork {
					c = c.Other()
				}
				return respond(Node{c, r})
			},
		})
	}
	return all
}

// Tip returns the height of the newest block that the node has.
func (n Node) Tip() int64 {
	height := n.Height(n.Now)
	if n.Effect.Kind == faults.Lagging {
		const usual = 10
		height -= cmp.Or(n.Effect.Blocks, usual)
	}
	return height
}

// At returns the block with a height. It is false for a block that the node does not have.
func (n Node) At(height int64) (chain.Block, bool) {
	if height > n.Tip() {
		return chain.Block{}, false
	}
	return n.Block(height, n.Now)
}

// Lacks reports whether the node leaves out a transaction, or a part of it, because its blocks are incomplete.
func (n Node) Lacks(t chain.Transaction) bool { return t.Paid && n.Effect.Kind == faults.Incomplete }
