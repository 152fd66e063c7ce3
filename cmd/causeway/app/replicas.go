package app

import (
	"context"
	"math"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/zap"

	"causeway/adapters/redis"
	"causeway/config"
	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

const (
	heartbeat     = time.Second            // between publications of the leader, at most
	followTimeout = 5 * time.Second        // without a snapshot, until a follower computes prices itself
	joinTimeout   = 500 * time.Millisecond // how long a start waits for a stored snapshot
	maxDelay      = 2 * time.Second        // by which a leader may be late to let a price age
	silence       = 10 * time.Second       // without a reply from any rate source, until a leader resigns
	distrust      = time.Minute            // after a forged message, until a replica follows again
)

// role is what a replica does about prices.
type role string

const (
	leader     role = "leader"     // computes and shares prices
	follower   role = "follower"   // serves the prices of the leader
	standalone role = "standalone" // computes prices for itself: there is no Redis or no leader
)

// priceRunner keeps the prices of a process up to date. Replicas that share prices elect a leader,
// which runs the price service and shares each snapshot; the others publish these snapshots to
// their own readers. A replica that receives no snapshots runs its own service until it does.
// Because every service continues from the last snapshot that it published, a change of roles neither
// forgets prices, doubts and acknowledgements nor interrupts readers.
type priceRunner struct {
	home    *defaultWorld
	sharing ports.PriceSharing // nil: not shared
	signer  signer             // of what is shared
	clock   core.Clock         // of prices; other times are those of this machine
	name    string             // of this process, for operators
	process uint64             // random: names need not be unique
	log     *zap.Logger

	roles           *prometheus.GaugeVec
	rejectedCounter *prometheus.CounterVec

	changes   chan func() // to be called while the service does not run
	published chan *pairs.Snapshot
	following atomic.Pointer[string] // name of the leader that is followed; nil: none

	// The rest belongs to the goroutine of Run.
	role     role
	term     term      // of leadership; zero: none
	leader   *string   // name of the leader that was last heard
	heard    time.Time // when it was
	forged   time.Time // when a message with a wrong signature was last received
	rejected string    // why the last snapshot was rejected; empty: it was not
	stop     func()    // stops the service and waits for it; nil: it does not run
}

// newPrices makes the runner of the default world's prices. With Redis, replicas share prices.
func newPrices(
	cfg config.Config, client *redis.Client, home *defaultWorld, log *zap.Logger, reg prometheus.Registerer,
) (*priceRunner, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	_, port, _ := net.SplitHostPort(cfg.OperatorListen)
	name := net.JoinHostPort(host, port)
	if client == nil {
		return newPriceRunner(home, nil, signer{}, name, log, reg), nil
	}
	sharing, err := redis.NewPriceSharing(client)
	if err != nil {
		return nil, err
	}
	signer, err := newSigner(cfg.Privacy.HashKey, cfg.Redis.Prefix)
	if err != nil {
		return nil, err
	}
	return newPriceRunner(home, sharing, signer, name, log, reg), nil
}

// newPriceRunner makes a runner, which shares prices if sharing is not nil.
func newPriceRunner(
	home *defaultWorld, sharing ports.PriceSharing, signer signer, name string, log *zap.Logger, reg prometheus.Registerer,
) *priceRunner {
	auto := promauto.With(reg)
	r := &priceRunner{
		home: home, sharing: sharing, signer: signer, clock: home.services.Load().Environment.Clock,
		name: name, process: SystemEntropy(), log: log.Named("replicas"),
		roles: auto.NewGaugeVec(prometheus.GaugeOpts{
			Name: "causeway_prices_role", Help: "1 for the role of this process: leader, follower or standalone.",
		}, []string{"role"}),
		rejectedCounter: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_prices_snapshots_rejected_total",
			Help: "Shared price snapshots that were not used, by reason: signature, version, malformed, expired, invalid " +
				"or outdated.",
		}, []string{"reason"}),
		changes: make(chan func()), published: make(chan *pairs.Snapshot, 1),
	}
	auto.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "causeway_prices_snapshot_age_seconds", Help: "Age of the served price snapshot.",
	}, func() float64 {
		if s := home.pairs().Snapshot(); s != nil {
			return r.clock().Sub(s.At).Seconds()
		}
		return math.NaN()
	})
	if sharing != nil {
		home.pairs().Subscribe(func(s *pairs.Snapshot) { replace(r.published, s) })
	}
	r.takeRole()
	return r
}

// replace puts a value into a channel of capacity 1, in place of one that was not received yet.
func replace[T any](c chan T, v T) {
	for {
		select {
		case c <- v:
			return
		default:
		}
		select {
		case <-c:
		default:
		}
	}
}

// warmUp provides first prices: those of the leader, or else of the own sources.
func (r *priceRunner) warmUp(ctx context.Context) {
	if r.sharing != nil {
		r.join(ctx)
	}
	if r.takeRole(); r.role == standalone {
		r.home.pairs().Tick(ctx)
	}
}

// join publishes the stored snapshot, if there is one.
func (r *priceRunner) join(ctx context.Context) {
	first, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	received := make(chan []byte, 1)
	r.sharing.Subscribe(first, func(message []byte) {
		replace(received, message)
		cancel()
	})
	select {
	case message := <-received:
		r.follow(ctx, message)
	default: // none is stored
	}
}

// term is a term of leadership. done is closed at its end; resign ends it earlier.
type term struct {
	began  time.Time
	done   <-chan struct{}
	resign context.CancelFunc
}

// Run keeps prices up to date until ctx ends.
func (r *priceRunner) Run(ctx context.Context) {
	received, elected := make(chan []byte, 1), make(chan term)
	var work sync.WaitGroup
	defer work.Wait()
	if r.sharing != nil {
		work.Go(func() { r.sharing.Subscribe(ctx, func(message []byte) { replace(received, message) }) })
		work.Go(func() {
			r.sharing.Campaign(ctx, func(ctx context.Context) {
				ctx, cancel := context.WithCancel(ctx)
				defer cancel()
				select {
				case elected <- term{time.Now(), ctx.Done(), cancel}:
					<-ctx.Done()
				case <-ctx.Done():
				}
			})
		})
	}
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	defer r.pause()
	for ctx.Err() == nil {
		r.update(ctx)
		select {
		case <-ctx.Done():
		case r.term = <-elected:
			r.heard = time.Time{} // the leader before is not followed after this term
		case <-r.term.done:
			r.term = term{}
		case message := <-received:
			if r.role != leader {
				r.follow(ctx, message)
			}
		case s := <-r.published:
			r.publish(ctx, s)
		case <-tick.C:
			r.publish(ctx, r.home.pairs().Snapshot())
			if r.role == leader && time.Since(r.term.began) > silence && r.isolated() {
				r.log.Warn("no rate source replies; resigning as price leader")
				r.term.resign()
			}
		case f := <-r.changes:
			r.pause()
			f()
		case <-r.home.replaced:
			r.pause()
		}
	}
}

// update takes the role that is due. The service runs unless this replica follows.
func (r *priceRunner) update(ctx context.Context) {
	before := r.role
	if r.takeRole(); r.role != before {
		r.log.Info("price role changed", zap.String("from", string(before)), zap.String("to", string(r.role)))
	}
	if r.role == follower {
		r.pause()
	} else if r.stop == nil {
		r.stop = Background(ctx, r.home.pairs().Run)
	}
}

// pause stops the service if it runs.
func (r *priceRunner) pause() {
	if r.stop != nil {
		r.stop()
		r.stop = nil
	}
}

// Background runs f until ctx ends or the returned function is called, which waits for it.
func Background(ctx context.Context, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// takeRole takes the role that is due: of a leader that was elected, of a follower while a leader is
// heard that lets its prices age and nothing was forged lately, or else standalone.
func (r *priceRunner) takeRole() {
	var following *string
	switch {
	case r.term.done != nil:
		r.role = leader
	case time.Since(r.forged) > distrust && time.Since(r.heard) <= followTimeout && !r.overdue(r.home.pairs().Snapshot()):
		r.role, following = follower, r.leader
	default:
		r.role = standalone
	}
	r.following.Store(following)
	for _, name := range []role{leader, follower, standalone} {
		r.roles.WithLabelValues(string(name)).Set(asNumber(name == r.role))
	}
}

// overdue reports whether a snapshot claims to be fresh although its time is over.
func (r *priceRunner) overdue(s *pairs.Snapshot) bool {
	return s.FreshUntil.After(s.At) && r.clock().After(s.FreshUntil.Add(maxDelay))
}

// isolated reports whether sources fail and none has replied lately.
func (r *priceRunner) isolated() bool {
	sources, since := r.home.pairs().Sources(), r.clock().Add(-silence)
	return slices.ContainsFunc(sources, func(s pairs.SourceState) bool { return s.LastError != "" }) &&
		!slices.ContainsFunc(sources, func(s pairs.SourceState) bool { return s.LastSuccess.After(since) })
}

// publish shares a snapshot if this replica leads. The client counts failures; the next heartbeat
// repeats it.
func (r *priceRunner) publish(ctx context.Context, s *pairs.Snapshot) {
	if r.role != leader || s == nil {
		return
	}
	text, err := r.signer.seal(r.name, r.process, s, time.Now())
	if err != nil {
		r.log.Error("price snapshot cannot be encoded", zap.Error(err))
		return
	}
	_ = r.sharing.Publish(ctx, text)
}

// follow publishes the snapshot of a leader, unless it is not sound. It ignores the messages of this
// process itself: after its term, a subscription that begins again receives the stored message.
func (r *priceRunner) follow(ctx context.Context, text []byte) {
	m, snapshot, rejected := r.signer.open(text, time.Now())
	if rejected != nil {
		if rejected.reason == forged {
			r.forged = time.Now()
		}
		r.reject(rejected.reason, rejected.err)
		return
	}
	if m.Process == r.process || time.Since(r.forged) <= distrust {
		return
	}
	service := r.home.pairs()
	switch last := service.Snapshot(); {
	case last != nil && snapshot.ID < last.ID:
		r.rejectedCounter.WithLabelValues("outdated").Inc()
		return
	case last == nil || snapshot.ID > last.ID: // else it is a heartbeat
		if err := snapshot.Check(r.clock()); err != nil {
			r.reject("invalid", err)
			return
		}
		service.Publish(ctx, snapshot)
	}
	r.leader, r.heard, r.rejected = &m.Leader, time.Now(), ""
}

// reject counts a snapshot, and logs it unless the one before was rejected for the same reason.
func (r *priceRunner) reject(reason string, err error) {
	r.rejectedCounter.WithLabelValues(reason).Inc()
	if r.rejected != reason {
		r.rejected = reason
		r.log.Error("shared price snapshot rejected", zap.String("reason", reason), zap.Error(err))
	}
}

// apply calls f while the service does not run, or not at all once ctx ends.
func (r *priceRunner) apply(ctx context.Context, f func()) {
	done := make(chan struct{})
	select {
	case <-ctx.Done():
	case r.changes <- func() { defer close(done); f() }:
		<-done
	}
}

// Acknowledge is that of pairs.Service. A follower returns core.Conflict with the name of the leader,
// because only the service that computes prices can act on it.
func (r *priceRunner) Acknowledge(what string) error {
	if name := r.following.Load(); name != nil {
		return core.Errorf(core.Conflict, "this replica serves the prices of %s; acknowledge %s there", *name, what)
	}
	return r.home.pairs().Acknowledge(what)
}
