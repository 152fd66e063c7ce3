package app

import (
	"context"
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

const (
	attendEvery = 500 * time.Millisecond // how often a leader looks after what is not prices
	deafFor     = 10 * time.Second       // a leader that no source answers lets another one try, and stands again after as long
)

// lead leads from where the book is until the lead is lost, or given up: because the book cannot be written to although its prices run
// out, or no source answers here. Then the process is nothing, and stands again at once.
func (r *replica) lead(ctx context.Context, lead ports.Lead) {
	if edition, err := r.book.Read(ctx, r.tried); err == nil {
		r.adopt(ctx, edition)
	}
	r.become(ctx, leading)
	defer r.become(ctx, nothing)
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	r.leave = begin(ctx, func(ctx context.Context) { r.attend(ctx, lead, giveUp) })
	r.now.Load().Lead(ctx, pairs.Lead{Term: lead.Term(), Above: lead.Newest(), Share: func(ctx context.Context, s *pairs.Snapshot) error {
		body, err := r.editions.write(s)
		if err == nil {
			err = lead.Publish(ctx, s.ID, body)
		}
		if err == nil {
			r.metrics.edition(outcomePublished)
			return nil
		}
		r.metrics.edition(outcomeUnpublished)
		if last := r.now.Load().Snapshot(); last == nil || core.CodeOf(err) != core.Unavailable || r.clock().After(last.FreshUntil) {
			giveUp()
		}
		return err
	}})
	if r.deaf() {
		r.abstains = r.machine().Add(deafFor)
	}
}

// attend hears what operators say to other processes, and gives the lead up when no source answers here.
func (r *replica) attend(ctx context.Context, lead ports.Lead, giveUp context.CancelFunc) {
	began, next, done := r.machine(), time.NewTicker(attendEvery), map[string]bool{}
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		words, _ := lead.Words(ctx) // they are there for some more turns
		maps.DeleteFunc(done, func(word string, _ bool) bool { return !slices.Contains(words, word) })
		for _, word := range words {
			done[word] = done[word] || r.now.Load().Acknowledge(word) == nil // what a word is for happens once
		}
		if r.machine().Sub(began) > deafFor && r.deaf() {
			r.log.Warn("no rate source answers here; another process may lead")
			giveUp()
			return
		}
	}
}

// deaf reports whether sources that were asked do not answer, and no other has for a while.
func (r *replica) deaf() bool {
	sources, since := r.now.Load().Sources(), r.clock().Add(-deafFor)
	return slices.ContainsFunc(sources, func(s pairs.SourceState) bool { return s.LastError != "" }) &&
		!slices.ContainsFunc(sources, func(s pairs.SourceState) bool { return s.LastSuccess.After(since) })
}

// Acknowledge is pairs.Service's, for all replicas: who leads hears of it.
func (r *replica) Acknowledge(what string) error {
	r.mu.Lock()
	book := r.book
	r.mu.Unlock()
	if err := r.now.Load().Acknowledge(what); err != nil || book == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), unheardFor)
	defer cancel()
	if err := book.Say(ctx, what); err != nil {
		r.log.Warn("the operator's word is heard in this process alone: the shared book of prices cannot be reached", zap.String("about", what))
	}
	return nil
}

// Depegged is pairs.Service's.
func (r *replica) Depegged() []pairs.Depeg { return r.now.Load().Depegged() }

// Leapt is pairs.Service's.
func (r *replica) Leapt() []core.Pair { return r.now.Load().Leapt() }
