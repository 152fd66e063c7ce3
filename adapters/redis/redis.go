// Package redis shares between replicas what they must agree on, through a Redis or Valkey server: which keys callers have and how much
// of a limit they have used, which accounts were looked up, who asks the rate sources and what prices came of it.
//
// Nothing depends on it. Whoever uses it has an answer without it: a limiter of its own, a lookup, its own polling. So a server that is
// unreachable, slow, stopped, flushed, restarted or full costs a tenth of a second once, and then nothing until it answers a ping
// again. It refuses to keep anything that tells of people: callers and accounts are hashes, names of holders are sealed before they come
// here. What it does keep in the clear is what operators wrote about keys: the name that they gave each, its scopes, rate and times. It is signed,
// and not secret: whoever can read the server knows which key is whose, though not the key.
package redis

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/redis/rueidis"
	"go.uber.org/zap"

	"causeway/core"
)

// Name of the package's logger.
const Name = "redis"

const (
	pingEvery    = 250 * time.Millisecond
	writeTimeout = time.Second
	calm         = 12 // pings without a refused write, until the server takes writes again
)

// Config says which server is shared.
type Config struct {
	URL     core.Secret   `json:"url" doc:"redis:// or rediss:// URL of the Redis or Valkey server that replicas share; empty: every process for itself"`
	Prefix  string        `json:"prefix" doc:"what all keys there begin with: one per installation"`
	Timeout time.Duration `json:"timeout" doc:"how long it may take to answer, before a process goes on without it"`
}

// Default has no server.
func Default() Config { return Config{Prefix: "causeway:", Timeout: 100 * time.Millisecond} }

// Check returns what is wrong with the configuration. The URL is not shown: a password may be in it.
func (c Config) Check() error {
	var faults []error
	if c.URL != "" {
		if _, err := rueidis.ParseURL(c.URL.Reveal()); err != nil {
			faults = append(faults, errors.New("redis.url is not a URL of Redis; accepted: redis://user:password@host:port/0, or rediss:// for TLS"))
		}
	}
	if c.Prefix == "" {
		faults = append(faults, errors.New("redis.prefix is empty; any text will do, one per installation"))
	}
	if c.Timeout <= 0 || c.Timeout > time.Second {
		faults = append(faults, fmt.Errorf("redis.timeout is %s; accepted: more than 0s, at most 1s", c.Timeout))
	}
	return errors.Join(faults...)
}

// Server is the shared server, as far as it can be reached. Make it with New and keep it with Run.
type Server struct {
	cfg     Config
	log     *zap.Logger
	metrics metrics

	client  atomic.Pointer[rueidis.Client]
	up      atomic.Bool
	asked   atomic.Bool
	refuses atomic.Int32 // how many more pings it counts as one that takes no writes
}

type metrics struct {
	up       prometheus.Gauge
	failures *prometheus.CounterVec
	alone    *prometheus.CounterVec
}

// New asks nobody yet. It needs a URL.
func New(cfg Config, log *zap.Logger, reg prometheus.Registerer) (*Server, error) {
	if cfg.URL == "" {
		return nil, errors.New("redis: no url")
	}
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	auto := promauto.With(reg)
	return &Server{cfg: cfg, log: log.Named(Name), metrics: metrics{
		up:       auto.NewGauge(prometheus.GaugeOpts{Name: "causeway_redis_up", Help: "1 while the shared server answers."}),
		failures: auto.NewCounterVec(prometheus.CounterOpts{Name: "causeway_redis_failures_total", Help: "Questions that the shared server did not answer, by what they were for."}, []string{"use"}),
		alone:    auto.NewCounterVec(prometheus.CounterOpts{Name: "causeway_redis_alone_total", Help: "Times that a process went on without the shared server, by what it was for."}, []string{"use"}),
	}}, nil
}

// Up reports whether the server answered lately.
func (s *Server) Up() bool { return s.up.Load() }

// Run connects, and connects again, until ctx ends.
func (s *Server) Run(ctx context.Context) {
	wait := time.NewTimer(0)
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			if c := s.client.Load(); c != nil {
				(*c).Close()
			}
			return
		case <-wait.C:
			s.ping(ctx)
			wait.Reset(pingEvery)
		}
	}
}

// ping finds out whether the server answers.
func (s *Server) ping(ctx context.Context) {
	client, err := s.connected()
	if err == nil {
		inTime, done := context.WithTimeout(ctx, s.cfg.Timeout)
		err = client.Do(inTime, client.B().Ping().Build()).Error()
		done()
	}
	if ctx.Err() != nil {
		return
	}
	s.found(err == nil)
	if err == nil && s.refuses.Load() > 0 {
		s.try(ctx, client)
	}
}

// connected is the client. Making one asks the server, and fails where that does not answer.
func (s *Server) connected() (rueidis.Client, error) {
	if c := s.client.Load(); c != nil {
		return *c, nil
	}
	option, err := rueidis.ParseURL(s.cfg.URL.Reveal())
	if err != nil {
		return nil, err
	}
	option.Dialer.Timeout = s.cfg.Timeout
	option.ConnWriteTimeout = writeTimeout
	option.DisableCache, option.DisableRetry = true, true
	option.ClientName = "causeway"
	client, err := rueidis.NewClient(option)
	if err != nil {
		return nil, err
	}
	s.client.Store(&client)
	return client, nil
}

// found notes whether the server answers, and tells the operator of a change, and of one that does not from the start.
func (s *Server) found(up bool) {
	first := !s.asked.Swap(true)
	if s.up.Swap(up) == up && !first {
		return
	}
	if up {
		s.metrics.up.Set(1)
		s.log.Info("the shared server answers")
		return
	}
	s.metrics.up.Set(0)
	s.log.Warn("the shared server does not answer; every process goes on by itself until it does")
}

var errDown = errors.New("the shared server does not answer")

// ask asks the server, if it answered lately. Its error says that this process is by itself.
func (s *Server) ask(ctx context.Context, use string, question func(context.Context, rueidis.Client) error) error {
	client := s.client.Load()
	if client == nil || !s.up.Load() {
		s.metrics.alone.WithLabelValues(use).Inc()
		return errDown
	}
	inTime, done := context.WithTimeout(ctx, s.cfg.Timeout)
	defer done()
	err := question(inTime, *client)
	if err == nil || rueidis.IsRedisNil(err) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.metrics.failures.WithLabelValues(use).Inc()
	s.metrics.alone.WithLabelValues(use).Inc()
	if answer, answered := rueidis.IsRedisErr(err); !answered {
		s.found(false)
	} else {
		s.refused(answer)
	}
	return fmt.Errorf("%w: %s", errDown, use) // the client's text may show the address
}
