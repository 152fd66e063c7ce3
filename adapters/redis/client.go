// Package redis shares four things between replicas through one Redis or Valkey server: rate
// limits, a cache of sealed account names, a log of sealed account lookups, and the price snapshot
// of the replica that is elected leader.
//
// Redis is an optimization, never a dependency: without it rate limits and lookups are counted
// locally, names come from the account provider, and prices from the replica's own sources. A
// server that does not respond delays requests by commandTimeout until a command or a ping notices;
// later ones skip it until a ping succeeds.
//
// Redis holds no clear text about people: callers and accounts are keyed hashes, names and lookups
// are sealed. It holds no credentials either, and price snapshots are signed. Restrict access by
// ACL and TLS nevertheless: who can write to Redis can reset limits and interrupt the sharing of
// prices.
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
	"golang.org/x/time/rate"

	"causeway/core"
)

const (
	commandTimeout = 500 * time.Millisecond // after which a process continues without Redis
	pingInterval   = 250 * time.Millisecond
	dialTimeout    = time.Second
	writeTimeout   = time.Second // until a silent connection is closed
	warnInterval   = time.Minute // between warnings about rejected commands
)

// Config is the configuration of the shared server.
type Config struct {
	URL    core.Secret `json:"url" doc:"redis:// or rediss:// URL of the Redis or Valkey server that replicas share. Empty: replicas share nothing."`
	Prefix string      `json:"prefix" doc:"Prefix of all keys and channels in Redis: one per installation."`
}

// Default returns the default configuration, which has no server.
func Default() Config { return Config{Prefix: "causeway:"} }

// Check validates the configuration. Its errors do not contain the URL, which may contain a password.
func (c Config) Check() error {
	var errs []error
	if c.URL != "" {
		if _, err := c.option(); err != nil {
			errs = append(errs, err)
		}
	}
	if c.Prefix == "" {
		errs = append(errs, errors.New("redis.prefix is empty; set any text, one per installation"))
	}
	return errors.Join(errs...)
}

// option returns the options of every client of the server. Errors do not contain the URL.
func (c Config) option() (rueidis.ClientOption, error) {
	option, err := rueidis.ParseURL(c.URL.Reveal())
	if err != nil || option.Sentinel.MasterSet != "" {
		return option, errors.New("redis.url is not a URL of Redis; " +
			"accepted: redis://user:password@host:port/0, or rediss:// for TLS")
	}
	option.DisableCache, option.DisableRetry = true, true
	option.ForceSingleClient = true // such a client reconnects by itself, also when the first attempt fails
	option.Dialer.Timeout, option.ConnWriteTimeout = dialTimeout, writeTimeout
	return option, nil
}

// Client is a connection to the shared server. It connects in the background and again after every failure.
type Client struct {
	cfg    Config
	log    *zap.Logger
	client rueidis.Client

	up       atomic.Bool
	warnings rate.Sometimes // about rejected commands
	upGauge  prometheus.Gauge
	failures *prometheus.CounterVec
}

// Open makes a client, which Run connects. It succeeds whether or not the server is running.
func Open(cfg Config, log *zap.Logger, reg prometheus.Registerer) (*Client, error) {
	option, err := cfg.option()
	if err != nil {
		return nil, err
	}
	log = log.Named("redis")
	option.ClientName = "causeway"
	option.PipelineMultiplex = -1  // one connection
	option.AlwaysPipelining = true // else the deadline of one command closes the connection of all
	client, err := rueidis.NewClient(option)
	if client == nil {
		return nil, fmt.Errorf("redis: %w", describe(err))
	}
	auto := promauto.With(reg)
	return &Client{
		cfg: cfg, log: log, client: client, warnings: rate.Sometimes{Interval: warnInterval},
		upGauge: auto.NewGauge(prometheus.GaugeOpts{
			Name: "causeway_redis_up", Help: "1 if the last command or ping reached Redis, 0 otherwise.",
		}),
		failures: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_redis_errors_total", Help: "Redis commands that failed, by use: limit, cache, lookups or snapshot.",
		}, []string{"use"}),
	}, nil
}

// Up reports whether the last command or ping reached the server.
func (c *Client) Up() bool { return c.up.Load() }

// Run pings the server until ctx ends, then closes the connection.
func (c *Client) Run(ctx context.Context) {
	defer c.client.Close()
	c.ping(ctx)
	if !c.Up() && ctx.Err() == nil {
		c.log.Warn("redis is not reachable; continuing without it")
	}
	core.Repeat(ctx, func() time.Duration {
		c.ping(ctx)
		return pingInterval
	})
}

func (c *Client) ping(ctx context.Context) {
	pingCtx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	err := c.client.Do(pingCtx, c.client.B().Ping().Build()).Error()
	if ctx.Err() == nil {
		_, replied := rueidis.IsRedisErr(err)
		c.setUp(err == nil || replied)
	}
}

// setUp records whether the server is reachable, and logs changes.
func (c *Client) setUp(up bool) {
	if c.up.Swap(up) == up {
		return
	}
	if up {
		c.upGauge.Set(1)
		c.log.Info("connected to redis")
		return
	}
	c.upGauge.Set(0)
	c.log.Warn("redis is not reachable; continuing without it")
}

// errUnavailable says that the server did not execute a command. It has no cause, which may contain the address.
var errUnavailable = errors.New("redis: unavailable")

// do calls f with a context that ends after commandTimeout. It returns errUnavailable at once while
// the server is down. A caller whose own context ends earlier learns nothing about the server,
// which stays in use: pings notice an outage.
func (c *Client) do(ctx context.Context, use string, f func(context.Context, rueidis.Client) error) error {
	if !c.Up() {
		return errUnavailable
	}
	limited, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	err := f(limited, c.client)
	if err == nil || rueidis.IsRedisNil(err) {
		return err
	}
	if ctx.Err() != nil {
		return errUnavailable
	}
	c.failures.WithLabelValues(use).Inc()
	if _, replied := rueidis.IsRedisErr(err); replied {
		c.warnings.Do(func() {
			c.log.Warn("redis rejects commands; continuing without it", zap.String("use", use), zap.Error(describe(err)))
		})
	} else {
		c.setUp(false)
	}
	return errUnavailable
}
