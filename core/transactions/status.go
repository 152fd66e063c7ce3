package transactions

import (
	"context"
	"fmt"
	"slices"
	"time"

	"causeway/core"
	"causeway/ports"
)

const (
	lateAfter = 2 * time.Minute // without a look at the network, or without its blocks
	fewBlocks = 3               // that may wait to be read or verified

	stuckAfter  = 30 * time.Minute // without a new block, or if it is longer
	stuckBlocks = 20               // as long as this number of blocks usually takes

	finalAfter = time.Hour // that a block takes to become final, at most
)

// Status is the state of a network.
type Status struct {
	ports.ChainState

	Unread     int64  // blocks of the network that were not read yet
	Unverified int64  // confirmed blocks that were not read again yet
	Problem    string // why deposits arrive late, for example because of ChainState.Problem; empty: they do not
	Backends   []Backend
}

// Backend is a back end of a network as this process knows it. Only the process that reads the network
// uses its back ends.
type Backend struct {
	Name  string       `json:"name"`
	State BackendState `json:"state"`
}

// BackendState says whether a back end can be used.
type BackendState string

// The states of a back end.
const (
	BackendUnused BackendState = "unused" // by this process so far
	BackendUp     BackendState = "up"
	BackendDown   BackendState = "down" // the last request failed
)

func (b *backend) state() Backend {
	switch {
	case b.failed.Load():
		return Backend{b.Name(), BackendDown}
	case b.checked.Load():
		return Backend{b.Name(), BackendUp}
	}
	return Backend{b.Name(), BackendUnused}
}

// Status returns the state of the networks that are read here, by network, also if another process
// reads them.
func (s *Service) Status(ctx context.Context) ([]Status, error) {
	stored, err := s.states(ctx)
	if err != nil {
		return nil, err
	}
	var all []Status
	for _, code := range s.Networks() {
		all = append(all, s.status(s.networks[code], stored[code]))
	}
	return all, nil
}

// Delayed returns the networks whose deposits arrive late.
func (s *Service) Delayed(ctx context.Context) ([]string, error) {
	stored, err := s.states(ctx)
	return s.delayed(stored), err
}

func (s *Service) delayed(stored map[string]ports.ChainState) (late []string) {
	for _, code := range s.Networks() {
		if s.status(s.networks[code], stored[code]).Problem != "" {
			late = append(late, code)
		}
	}
	return late
}

// states returns what is stored about the networks.
func (s *Service) states(ctx context.Context) (map[string]ports.ChainState, error) {
	all, err := s.store.Chains(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	states := map[string]ports.ChainState{}
	for _, state := range all {
		states[state.Network] = state
	}
	return states, nil
}

func (s *Service) status(n *network, state ports.ChainState) Status {
	state.Network = n.Network
	status := Status{
		ChainState: state, Unread: max(0, state.Head-state.Tip.Height),
		Unverified: max(0, n.confirmed(state)-state.Verified),
	}
	for _, b := range n.backends {
		status.Backends = append(status.Backends, b.state())
	}
	now, checked := s.clock(), state.Checked
	if first := n.first.Load(); checked.IsZero() && first != nil {
		checked = *first
	}
	blockTime := max(n.BlockTime, time.Millisecond)
	patience := fewBlocks + int64(lateAfter/blockTime)
	final := max(state.Final, state.Start)
	switch {
	case state.Stopped != "":
		status.Problem = "stopped: " + state.Stopped
	case state.Problem != "":
		status.Problem = state.Problem
	case !checked.IsZero() && now.Sub(checked) > lateAfter:
		status.Problem = "no back end showed the newest block since " + checked.UTC().Format(time.RFC3339)
	case status.Unread > fewBlocks && now.Sub(state.TipTime) > lateAfter:
		status.Problem = fmt.Sprintf("%d blocks are not read yet", status.Unread)
	case state.Tip.Hash != "" && s.awake && now.Sub(state.TipTime) > max(stuckAfter, stuckBlocks*n.BlockTime):
		status.Problem = "no back end showed a new block since " + state.TipTime.UTC().Format(time.RFC3339)
	case n.Confirmations < 1 && state.Tip.Height-final > int64(finalAfter/blockTime):
		status.Problem = fmt.Sprintf("no block above %d is final", final)
	case status.Unverified > patience:
		status.Problem = fmt.Sprintf("%d confirmed blocks are not verified yet", status.Unverified)
	}
	return status
}

// Unassigned returns the newest transfers to our addresses without a user, of a network or of all if it
// is empty. Anyone can send more of them than the limit, which is above zero.
func (s *Service) Unassigned(ctx context.Context, network string, limit int) ([]core.UnassignedTransfer, error) {
	all, err := s.store.Unassigned(ctx, ports.UnassignedQuery{Network: network, Limit: limit})
	if err != nil {
		return nil, unavailable(err)
	}
	id := func(u core.UnassignedTransfer) string { return core.TransactionID(u.Network, u.Hash, u.Index) }
	ids := make([]string, len(all))
	for i, u := range all {
		ids[i] = id(u)
	}
	credited := map[string]bool{} // since then
	known, err := s.store.Known(ctx, ids)
	for _, t := range known {
		credited[t.ID] = t.Block.Hash != ""
	}
	return slices.DeleteFunc(all, func(u core.UnassignedTransfer) bool {
		return credited[id(u)] || u.Block.Hash == "" // its block was undone
	}), unavailable(err)
}
