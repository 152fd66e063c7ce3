package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/redis/rueidis"

	"causeway/core"
)

// inspectTimeout is longer than commandTimeout, so that Inspect can distinguish a slow server from an unreachable one.
const inspectTimeout = 2 * time.Second

// Inspect runs every kind of command that this package needs, over a connection of its own, and returns the slowest
// round trip, or an error if a process would not wait for it. Errors say what to do and contain no part of the URL.
func Inspect(ctx context.Context, cfg Config, clock core.Clock) (time.Duration, error) {
	option, err := cfg.option()
	if err != nil {
		return 0, err
	}
	option.ClientName = "causeway-doctor"
	option.Dialer.Timeout, option.ConnWriteTimeout = inspectTimeout, inspectTimeout
	client, err := rueidis.NewClient(option)
	if err != nil {
		return 0, describe(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	key, b := cfg.Prefix+"doctor", client.B()
	var slowest time.Duration
	for _, run := range []func() rueidis.RedisResult{
		func() rueidis.RedisResult { return client.Do(ctx, b.Ping().Build()) },
		func() rueidis.RedisResult { return client.Do(ctx, b.Set().Key(key).Value("").Px(time.Second).Build()) },
		func() rueidis.RedisResult { return client.Do(ctx, b.Get().Key(key).Build()) },
		func() rueidis.RedisResult { return client.Do(ctx, b.Del().Key(key).Build()) },
		func() rueidis.RedisResult { return client.Do(ctx, b.Publish().Channel(key).Message("").Build()) },
		func() rueidis.RedisResult {
			return gcraScript.Exec(ctx, client, []string{key}, []string{"1", "1", "0"})
		},
	} {
		start := clock()
		if err := run().Error(); err != nil && !rueidis.IsRedisNil(err) {
			return 0, describe(err)
		}
		slowest = max(slowest, clock().Sub(start))
	}
	if slowest >= commandTimeout {
		return slowest, fmt.Errorf("slowest round trip %s, and a process waits for %s only: move Redis closer",
			slowest.Round(time.Millisecond), commandTimeout)
	}
	return slowest, nil
}

// describe replaces the text of an error: that of the client may contain the address, that of the server a command.
func describe(err error) error {
	reply, replied := rueidis.IsRedisErr(err)
	if !replied {
		switch {
		case errors.Is(err, syscall.ECONNREFUSED):
			return errors.New("connection refused: check redis.url and that the server runs")
		case errors.Is(err, context.DeadlineExceeded):
			return errors.New("no reply in time: check redis.url, the network and the load of the server")
		}
		return errors.New("no connection, or not a Redis server: check redis.url and the network")
	}
	const lacksPermissions = "the user lacks permissions: allow +@read +@write +@connection +@pubsub +@scripting +time " +
		"on the keys and channels under redis.prefix"
	for _, known := range []struct{ sign, text string }{
		{"NOAUTH", "wrong user or password: correct redis.url"},
		{"WRONGPASS", "wrong user or password: correct redis.url"},
		{"without any password", "no password is set for the user of redis.url: correct one of them"},
		{"NOPERM", lacksPermissions},
		{"No permissions", lacksPermissions},
		{"OOM ", "the server is full: raise maxmemory, or set maxmemory-policy to volatile-ttl"},
		{"READONLY ", "the server is a replica: set redis.url to the primary"},
		{"MISCONF ", "the server cannot save to disk and rejects writes: see its log"},
		{"LOADING ", "the server is loading its data: try again"},
		{"MOVED ", "the server runs in cluster mode, which is not supported: use a single primary"},
	} {
		if strings.Contains(reply.Error(), known.sign) {
			return errors.New(known.text)
		}
	}
	return errors.New("the server rejects a command")
}
