package app

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

const (
	standEvery = 250 * time.Millisecond // how often a process looks whether somebody leads, and what the newest edition is
	unheardFor = 2 * time.Second        // without a word of the book a process goes on alone after so long
	silentFor  = pairs.Heartbeat + 5*time.Second
	joinFor    = 500 * time.Millisecond // how long a start waits for the book
)

// replica is this process as one of those who share the book of prices. It leads, or follows, or is alone: then it asks the sources for
// itself. It is alone where it has nobody to follow: the book cannot be reached or is not to be believed, or who leads is silent. Nobody
// who reads prices waits for any of this.
//
// Where nothing is shared it is always alone.
type replica struct {
	now      atomic.Pointer[pairs.Service] // whose prices they are; of a sandbox the world `default` may be reset, and has another one then
	moved    chan struct{}                 // of capacity 1: now is another one
	changes  chan func()                   // to be made while nobody runs the prices
	mu       sync.Mutex                    // guards book where it is not Run that reads it
	book     ports.PriceBook               // nil: nothing is shared
	editions editions
	clock    core.Clock // of the prices
	machine  core.Clock
	log      *zap.Logger
	metrics  *replicaMetrics

	// The rest belongs to the goroutine of Run.
	role     role
	leave    func()     // ends what the role does, and waits for it
	tried    ports.Mark // of the newest edition that was looked at
	heard    time.Time  // when it was last known that somebody leads
	adopted  time.Time  // when an edition last was
	abstains time.Time  // until when it does not stand
	worry    string     // what was the matter with the last edition that was refused, once it is in the log
}

// role is what a process does about prices.
type role string

const (
	nothing   role = ""
	leading   role = "leader"
	following role = "follower"
	alone     role = "alone"
)

func newReplica(service *pairs.Service, book ports.PriceBook, e editions, clock core.Clock, log *zap.Logger, metrics *replicaMetrics) *replica {
	r := &replica{
		moved: make(chan struct{}, 1), changes: make(chan func()), book: book, editions: e, clock: clock, machine: time.Now, log: log.Named("book"), metrics: metrics, leave: func() {},
	}
	r.now.Store(service)
	return r
}

// Run keeps prices coming until ctx is done.
func (r *replica) Run(ctx context.Context) {
	for ctx.Err() == nil {
		end := begin(ctx, r.run)
		var change func()
		select {
		case <-ctx.Done():
		case change = <-r.changes:
		case <-r.moved:
			change = func() { r.anew(r.book) }
		}
		end()
		if change != nil {
			change()
		}
	}
}

// run does so until ctx is done, or another configuration is to be taken.
func (r *replica) run(ctx context.Context) {
	if r.book == nil {
		r.now.Load().Run(ctx)
		return
	}
	news := make(chan ports.Edition, 1)
	var listening sync.WaitGroup
	listening.Go(func() {
		r.book.Follow(ctx, func(e ports.Edition) {
			select {
			case <-news: // this one is newer
			default:
			}
			news <- e // there is room: nobody else writes
		})
	})
	next := time.NewTimer(0)
	defer next.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case e := <-news:
			if len(e.Body) > 0 {
				r.adopt(ctx, e)
			} else {
				next.Reset(0)
			}
		case <-next.C:
			next.Reset(r.stand(ctx))
		}
	}
	r.leave()
	listening.Wait()
}

// join adopts what is shared, if that is there, so that a process that starts shows what the others show without asking anybody else.
func (r *replica) join(ctx context.Context) bool {
	if r.book == nil {
		return false
	}
	patience, again := time.NewTimer(joinFor), time.NewTicker(joinFor/20)
	defer patience.Stop()
	defer again.Stop()
	for {
		edition, err := r.book.Read(ctx, ports.Mark{})
		if err == nil {
			r.heard = r.machine()
			r.adopt(ctx, edition)
		}
		if core.CodeOf(err) != core.Unavailable {
			return r.role == following
		}
		select {
		case <-again.C:
		case <-patience.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// stand leads if nobody else does, for as long as that lasts; else it follows who does. It returns when to ask again.
func (r *replica) stand(ctx context.Context) time.Duration {
	var err error = core.Errorf(core.Conflict, "it is somebody else's turn")
	if !r.machine().Before(r.abstains) {
		err = r.book.Lead(ctx, r.lead)
	}
	switch core.CodeOf(err) {
	case "":
		return 0
	case core.Conflict:
		edition, err := r.book.Read(ctx, r.tried)
		if core.CodeOf(err) != core.Unavailable {
			r.heard = r.machine()
		}
		if err == nil {
			r.adopt(ctx, edition)
		}
	default: // the book is away; see below
	}
	now := r.machine()
	if r.role == nothing || r.role == following && (now.Sub(r.heard) > unheardFor || now.Sub(r.adopted) > silentFor) {
		r.become(ctx, alone)
	}
	return standEvery
}

// adopt shows an edition, and follows who wrote it, if it is newer and to be believed.
func (r *replica) adopt(ctx context.Context, e ports.Edition) {
	if !e.Above(r.tried) {
		return
	}
	snapshot, err := r.editions.read(e)
	if err != nil {
		r.refuse(err)
		return
	}
	r.tried = e.Mark
	switch err = r.now.Load().Adopt(ctx, snapshot); {
	case err == nil:
		r.metrics.adopted(r.clock().Sub(snapshot.At))
		r.heard, r.adopted, r.worry = r.machine(), r.machine(), ""
		r.become(ctx, following)
	case errors.Is(err, pairs.ErrLate):
		r.metrics.edition(outcomeLate)
	default:
		r.refuse(err)
		r.become(ctx, alone)
	}
}

// refuse tells the operator what is the matter with an edition, once for as long as it is the same.
func (r *replica) refuse(err error) {
	r.metrics.edition(outcomeRefused)
	if r.worry != err.Error() {
		r.worry = err.Error()
		r.log.Error("an edition of the shared book of prices is not to be believed, and is not shown", zap.Error(err))
	}
}

// become changes the role, and does what goes with it.
func (r *replica) become(ctx context.Context, to role) {
	if r.role == to {
		return
	}
	r.leave()
	r.leave = func() {}
	if to != nothing {
		r.log.Info("the process has another part in the shared book of prices", zap.String("role", string(to)), zap.String("before", string(r.role)))
		r.metrics.plays(to)
	}
	r.role = to
	switch to {
	case following:
		r.leave = begin(ctx, r.now.Load().Follow)
	case alone:
		r.tried = ports.Mark{} // whatever is there when the book is back is worth a look
		r.leave = begin(ctx, r.now.Load().Run)
	case leading, nothing:
	}
}

// begin lets something run until it is ended.
func begin(ctx context.Context, work func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		work(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}
