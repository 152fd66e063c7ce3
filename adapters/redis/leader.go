package redis

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"causeway/core"
	"causeway/ports"
)

// Lead asks for the lead, and has while run for as long as it can be kept. By this process's time it ends no later than by the server's, since
// it counts from before the question.
func (b *Book) Lead(ctx context.Context, while func(context.Context, ports.Lead)) error {
	led, end := context.WithCancel(ctx)
	defer end()
	until := time.AfterFunc(leadFor, end)
	l, err := b.stand(ctx)
	if err != nil {
		until.Stop()
		return err
	}
	var keeping sync.WaitGroup
	keeping.Go(func() { l.keep(led, until, end) })
	while(led, l)
	end()
	keeping.Wait()
	_, _ = b.run(context.WithoutCancel(ctx), resign, numeral(l.term)) // else it ends by itself
	return nil
}

// stand gets the lead, if it is free.
func (b *Book) stand(ctx context.Context) (*lead, error) {
	told, err := b.run(ctx, stand, millis(leadFor))
	if rueidis.IsRedisNil(err) {
		return nil, core.Errorf(core.Conflict, "another process leads")
	}
	if err != nil {
		return nil, err
	}
	numbers, err := told.AsStrSlice()
	if err == nil && len(numbers) == 2 {
		l := &lead{book: b}
		var newest error
		l.term, err = strconv.ParseUint(numbers[0], 10, 53)
		if l.newest, newest = strconv.ParseUint(numbers[1], 10, 53); err == nil && newest == nil {
			return l, nil
		}
	}
	return nil, core.Errorf(core.Unavailable, "the shared book of prices cannot be read")
}

// lead is the lead under one term.
type lead struct {
	book         *Book
	term, newest uint64
}

func (l *lead) Term() uint64   { return l.term }
func (l *lead) Newest() uint64 { return l.newest }

// keep renews the lead until ctx is done, and ends it when it is lost. until ends it when it could not be renewed.
func (l *lead) keep(ctx context.Context, until *time.Timer, end context.CancelFunc) {
	defer func() { until.Stop() }()
	next := time.NewTimer(renewEvery)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		next.Reset(renewEvery)
		later := time.AfterFunc(leadFor, end)
		told, err := l.book.run(ctx, renew, numeral(l.term), millis(leadFor))
		if err != nil {
			later.Stop()
			continue
		}
		until.Stop()
		until = later
		if kept, err := told.AsInt64(); err != nil || kept != 1 {
			end()
			return
		}
	}
}

// Publish writes an edition.
func (l *lead) Publish(ctx context.Context, number uint64, body []byte) error {
	told, err := l.book.run(ctx, publish, numeral(l.term), numeral(number), rueidis.BinaryString(body), millis(editionFor))
	if err != nil {
		return err
	}
	if written, err := told.AsInt64(); err != nil || written != 1 {
		return core.Errorf(core.Conflict, "another process leads")
	}
	return nil
}

// Words are those that were left lately.
func (l *lead) Words(ctx context.Context) ([]string, error) {
	var words []string
	err := l.book.server.do(ctx, bookUse, func(ctx context.Context, client rueidis.Client) error {
		var err error
		words, err = client.Do(ctx, client.B().Smembers().Key(l.book.keys[3]).Build()).AsStrSlice()
		return err
	})
	if err != nil {
		return nil, errBookAway(err)
	}
	return words, nil
}
