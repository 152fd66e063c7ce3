package porttest

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/ports"
)

// ChainSuite has back ends for the contract of ports.Chain.
type ChainSuite struct {
	Chain  ports.Chain  // shows Blocks
	Blocks []core.Block // successive ones; the last one is the tip
	Final  core.BlockID // zero: the back end does not say
	Other  ports.Chain  // of another network
	Down   ports.Chain  // cannot be reached
}

// Chain checks the contract of ports.Chain.
func Chain(t *testing.T, s ChainSuite) {
	t.Helper()
	run(t, map[string]func(*testing.T){
		"name": s.name, "check": s.check, "tip": s.tip, "blocks": s.blocks, "block that is not there yet": s.notThere,
		"back end that is down": s.down, "canceled": s.canceled, "concurrent use": s.concurrent,
	})
}

func (s ChainSuite) last() core.Block { return s.Blocks[len(s.Blocks)-1] }

func (s ChainSuite) name(t *testing.T) {
	if !regexp.MustCompile(`^[a-z]+-[a-z]+(-[2-9])?$`).MatchString(s.Chain.Name()) {
		t.Errorf("got the name %q", s.Chain.Name())
	}
}

func (s ChainSuite) check(t *testing.T) {
	if err := s.Chain.Check(t.Context()); err != nil {
		t.Errorf("got %v", err)
	}
	if err := s.Other.Check(t.Context()); !errors.Is(err, ports.ErrOtherNetwork) {
		t.Errorf("another network: got %v, want %v", err, ports.ErrOtherNetwork)
	}
}

func (s ChainSuite) tip(t *testing.T) {
	last := s.last()
	want := core.Tip{BlockID: last.BlockID, Time: last.Time, Final: s.Final}
	if tip, err := s.Chain.Tip(t.Context()); err != nil || !cmp.Equal(tip, want) {
		t.Errorf("got %+v, %v, want %+v", tip, err, want)
	}
}

func (s ChainSuite) blocks(t *testing.T) {
	for i, want := range s.Blocks {
		for range 2 {
			got, err := s.Chain.Block(t.Context(), want.Height)
			if err != nil || !cmp.Equal(got, want) {
				t.Fatalf("block %d: got %+v, %v, want %+v", want.Height, got, err, want)
			}
			if i > 0 && got.Parent != s.Blocks[i-1].Hash {
				t.Errorf("block %d: got the parent %s, want %s", want.Height, got.Parent, s.Blocks[i-1].Hash)
			}
		}
		seen := map[core.Transfer]bool{}
		for _, transfer := range want.Transfers {
			identity := core.Transfer{Hash: transfer.Hash, Index: transfer.Index}
			if seen[identity] || transfer.Hash == "" || transfer.Index < 0 || transfer.Address == "" ||
				!transfer.Units.IsPositive() || !transfer.Units.IsInteger() {
				t.Errorf("block %d: got the transfer %+v", want.Height, transfer)
			}
			seen[identity] = true
		}
	}
}

func (s ChainSuite) notThere(t *testing.T) {
	got, err := s.Chain.Block(t.Context(), s.last().Height+1)
	if !errors.Is(err, ports.ErrNoBlock) || !cmp.Equal(got, core.Block{}) {
		t.Errorf("got %+v, %v, want %v", got, err, ports.ErrNoBlock)
	}
}

func (s ChainSuite) down(t *testing.T) {
	for name, err := range calls(t.Context(), s.Down, s.last().Height) {
		if core.CodeOf(err) != core.Unavailable || errors.Is(err, ports.ErrNoBlock) {
			t.Errorf("%s: got %v, want %s", name, err, core.Unavailable)
		}
		if strings.Contains(err.Error(), "://") {
			t.Errorf("%s: %v shows a URL, which may hold a key", name, err)
		}
	}
}

func (s ChainSuite) canceled(t *testing.T) {
	ctx := canceled(t)
	for name, err := range calls(ctx, s.Chain, s.last().Height) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want %v", name, err, context.Canceled)
		}
	}
}

// calls returns the errors of all methods.
func calls(ctx context.Context, c ports.Chain, height int64) map[string]error {
	_, tip := c.Tip(ctx)
	_, block := c.Block(ctx, height)
	return map[string]error{"Check": c.Check(ctx), "Tip": tip, "Block": block}
}

func (s ChainSuite) concurrent(t *testing.T) {
	concurrently(func() {
		for name, err := range calls(t.Context(), s.Chain, s.last().Height) {
			if err != nil {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})
}
