package main

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// lookForPrices is how often a process that is to replace another one looks whether it can.
const lookForPrices = 100 * time.Millisecond

// open opens the public listener. A process that replaces another one does so once it has prices, and takes health over last: until then the
// other one serves, and is ready.
func (s *process) open(ctx context.Context, failed failures, replaces bool) error {
	if replaces {
		if err := s.awaitPrices(ctx); err != nil {
			return err
		}
	}
	if err := s.public.start(ctx, failed); err != nil || !replaces {
		return err
	}
	return s.openOperator(ctx, failed)
}

// awaitPrices waits for the first prices while another process serves.
func (s *process) awaitPrices(ctx context.Context) error {
	if s.parts.Pairs.Snapshot() == nil {
		s.parts.Log.Warn("another process serves the address, and goes on until there are prices here", zap.String("address", s.parts.Config.Listen))
	}
	look := time.NewTicker(lookForPrices)
	defer look.Stop()
	for s.parts.Pairs.Snapshot() == nil && len(s.public.others()) > 0 {
		select {
		case <-look.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (s *process) openOperator(ctx context.Context, failed failures) error {
	if err := s.operator.start(ctx, failed); err != nil {
		return err
	}
	if !s.operator.loopback() {
		s.parts.Log.Warn("the operator's listener can be reached from other machines and asks nobody for a key; see that only probes and Prometheus get there",
			zap.Stringer("address", s.operator.bound))
	}
	return nil
}
