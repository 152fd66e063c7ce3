// Package replicas keeps the prices of a process up to date. Replicas that share prices elect a
// leader, which runs the price service and shares each snapshot; the others publish these snapshots
// to their own readers. A replica that receives no snapshots runs its own service until it does.
// Because every service continues from the last snapshot that it published, a change of roles neither
// forgets prices, doubts and acknowledgements nor interrupts readers.
//
// The package runs pairs.Service and uses ports.PriceSharing. Adapters do not import domains and the
// core does no I/O, so it is part of the program, like the packages operator and server.
package replicas

import (
	"context"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/zap"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

// Config is what Prices works with. The fields after Sharing are only used with it.
type Config struct {
	Service  func() *pairs.Service // the price service, which the reset of a sandbox replaces
	Replaced <-chan struct{}       // receives when Service was replaced
	Clock    core.Clock            // of prices; other times come from this machine's clock

	Sharing ports.PriceSharing // nil: not shared
	HashKey core.Secret        // signs what is shared
	Prefix  string             // of the installation in Redis
	Name    string             // of this process, for operators
	Process uint64             // random: names need not be unique
}

// Name returns the name of a process with an operator listener.
func Name(operatorListen string) string {
	host, _ := os.Hostname() // empty if it is unknown
	_, port, _ := net.SplitHostPort(operatorListen)
	return net.JoinHostPort(host, port)
}

// role is what a replica does about prices.
type role string

const (
	leader     role = "leader"     // computes and shares prices
	follower   role = "follower"   // serves the prices of the leader
	standalone role = "standalone" // computes prices for itself: there is no Redis or no leader
)

// Prices keeps the prices of a process up to date.
type Prices struct {
	cfg             Config
	signer          signer
	log             *zap.Logger
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

// New makes the Prices of a process. It computes and receives nothing yet.
func New(cfg Config, log *zap.Logger, reg prometheus.Registerer) (*Prices, error) {
	auto := promauto.With(reg)
	p := &Prices{
		cfg: cfg, log: log.Named("replicas"), role: standalone,
		roles: auto.NewGaugeVec(prometheus.GaugeOpts{
			Name: "causeway_pairs_role", Help: "1 for the role of this process: leader, follower or standalone.",
		}, []string{"role"}),
		rejectedCounter: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_pairs_snapshots_rejected_total",
			Help: "Shared price snapshots that were not used, by reason: signature, version, malformed, expired, invalid " +
				"or outdated.",
		}, []string{"reason"}),
		changes: make(chan func()), published: make(chan *pairs.Snapshot, 1),
	}
	p.roles.WithLabelValues(string(leader))
	p.roles.WithLabelValues(string(follower))
	p.roles.WithLabelValues(string(standalone)).Set(1)
	if cfg.Sharing == nil {
		return p, nil
	}
	cfg.Service().Subscribe(func(s *pairs.Snapshot) { replace(p.published, s) })
	var err error
	p.signer, err = newSigner(cfg.HashKey, cfg.Prefix)
	return p, err
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

// WarmUp provides first prices: the leader's prices if they are stored, or else its own.
// Call it before Run.
func (p *Prices) WarmUp(ctx context.Context) {
	if p.cfg.Sharing != nil {
		joining, cancel := context.WithTimeout(ctx, joinTimeout)
		received := make(chan []byte, 1)
		p.cfg.Sharing.Subscribe(joining, func(message []byte) { replace(received, message); cancel() })
		cancel()
		if len(received) > 0 {
			p.follow(ctx, <-received)
		}
	}
	if p.takeRole(); p.role == standalone {
		p.cfg.Service().Tick(ctx)
	}
}

// term is a term of leadership. done is closed at its end; resign ends it earlier.
type term struct {
	began  time.Time
	done   <-chan struct{}
	resign context.CancelFunc
}

// Run keeps prices up to date until ctx ends.
func (p *Prices) Run(ctx context.Context) {
	received, elected := make(chan []byte, 1), make(chan term)
	var work sync.WaitGroup
	defer work.Wait()
	if p.cfg.Sharing != nil {
		work.Go(func() { p.cfg.Sharing.Subscribe(ctx, func(message []byte) { replace(received, message) }) })
		work.Go(func() {
			p.cfg.Sharing.Campaign(ctx, func(ctx context.Context) {
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
	defer p.pause()
	for ctx.Err() == nil {
		p.update(ctx)
		select {
		case <-ctx.Done():
		case p.term = <-elected:
			p.heard = time.Time{} // the leader before is not followed after this term
		case <-p.term.done:
			p.term = term{}
		case message := <-received:
			if p.role != leader {
				p.follow(ctx, message)
			}
		case s := <-p.published:
			p.publish(ctx, s)
		case <-tick.C:
			p.publish(ctx, p.cfg.Service().Snapshot())
			if p.role == leader && time.Since(p.term.began) > silence && p.isolated() {
				p.log.Warn("no rate source replies; resigning as price leader")
				p.term.resign()
			}
		case f := <-p.changes:
			p.pause()
			f()
		case <-p.cfg.Replaced:
			p.pause()
		}
	}
}

// update takes the role that is due. The service runs unless this replica follows.
func (p *Prices) update(ctx context.Context) {
	p.takeRole()
	if p.role == follower {
		p.pause()
	} else if p.stop == nil {
		ctx, cancel := context.WithCancel(ctx)
		var work sync.WaitGroup
		work.Go(func() { p.cfg.Service().Run(ctx) })
		p.stop = func() { cancel(); work.Wait() }
	}
}

// pause stops the service if it runs.
func (p *Prices) pause() {
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
}

// takeRole takes the role that is due: of a leader that was elected, of a follower while a leader is
// heard that lets its prices age and nothing was forged lately, or else standalone.
func (p *Prices) takeRole() {
	due, following := standalone, (*string)(nil)
	if p.term.done != nil {
		due = leader
	} else if time.Since(p.forged) > distrust && time.Since(p.heard) <= followTimeout && !p.overdue() {
		due, following = follower, p.leader
	}
	p.following.Store(following)
	if due != p.role {
		p.log.Info("price role changed", zap.String("from", string(p.role)), zap.String("to", string(due)))
		p.roles.WithLabelValues(string(p.role)).Set(0)
		p.roles.WithLabelValues(string(due)).Set(1)
		p.role = due
	}
}

// overdue reports whether the served snapshot claims to be fresh although its time is over.
func (p *Prices) overdue() bool {
	s := p.cfg.Service().Snapshot()
	return s.FreshUntil.After(s.At) && p.cfg.Clock().After(s.FreshUntil.Add(maxDelay))
}

// isolated reports whether sources fail and none has replied lately.
func (p *Prices) isolated() bool {
	sources, since := p.cfg.Service().Sources(), p.cfg.Clock().Add(-silence)
	return slices.ContainsFunc(sources, func(s pairs.SourceState) bool { return s.LastError != "" }) &&
		!slices.ContainsFunc(sources, func(s pairs.SourceState) bool { return s.LastSuccess.After(since) })
}

// publish shares a snapshot if this replica leads. The client counts failures; the next heartbeat
// repeats it.
func (p *Prices) publish(ctx context.Context, s *pairs.Snapshot) {
	if p.role != leader || s == nil {
		return
	}
	text, err := p.signer.seal(p.cfg.Name, p.cfg.Process, s, time.Now())
	if err != nil {
		p.log.Error("price snapshot cannot be encoded", zap.Error(err))
		return
	}
	_ = p.cfg.Sharing.Publish(ctx, text)
}

// follow publishes the snapshot of a leader, unless it is not sound. It ignores the messages of this
// process itself: after its term, a subscription that begins again receives the stored message.
func (p *Prices) follow(ctx context.Context, text []byte) {
	m, snapshot, rejected := p.signer.open(text, time.Now())
	if rejected != nil {
		if rejected.reason == forged {
			p.forged = time.Now()
		}
		p.reject(rejected.reason, rejected.err)
		return
	}
	if m.Process == p.cfg.Process || time.Since(p.forged) <= distrust {
		return
	}
	service := p.cfg.Service()
	switch last := service.Snapshot(); {
	case last != nil && snapshot.ID < last.ID:
		p.rejectedCounter.WithLabelValues("outdated").Inc()
		return
	case last == nil || snapshot.ID > last.ID: // else it is a heartbeat
		if err := snapshot.Check(p.cfg.Clock()); err != nil {
			p.reject("invalid", err)
			return
		}
		service.Publish(ctx, snapshot)
	}
	p.leader, p.heard, p.rejected = &m.Leader, time.Now(), ""
}

// reject counts a snapshot, and logs it unless the last snapshot was rejected for the same reason.
func (p *Prices) reject(reason string, err error) {
	p.rejectedCounter.WithLabelValues(reason).Inc()
	if p.rejected != reason {
		p.rejected = reason
		p.log.Error("shared price snapshot rejected", zap.String("reason", reason), zap.Error(err))
	}
}

// Apply calls f while the service does not run, or not at all once ctx ends.
func (p *Prices) Apply(ctx context.Context, f func()) {
	done := make(chan struct{})
	select {
	case <-ctx.Done():
	case p.changes <- func() { defer close(done); f() }:
		<-done
	}
}

// Acknowledge forwards to pairs.Service unless this replica follows a leader. Then it returns
// core.Conflict with the name of the leader, because only the service that computes prices can act.
func (p *Prices) Acknowledge(what string) error {
	if name := p.following.Load(); name != nil {
		return core.Errorf(core.Conflict, "this replica serves the prices of %s; acknowledge %s there", *name, what)
	}
	return p.cfg.Service().Acknowledge(what)
}
