package redis

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"time"

	"github.com/redis/rueidis"
)

// Inspect runs every kind of command that this package needs, over a connection of its own. It waits
// for a reply as long as a process does. Errors say what to do and contain no part of the URL.
func Inspect(ctx context.Context, cfg Config) error {
	option, err := cfg.option()
	if err != nil {
		return err
	}
	option.ClientName = "causeway-doctor"
	client, err := rueidis.NewClient(option)
	if err != nil {
		return describe(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	key, b := cfg.Prefix+"doctor", client.B()
	replies := client.DoMulti(ctx,
		b.Ping().Build(),
		b.Set().Key(key).Value("").Px(time.Second).Build(),
		b.Get().Key(key).Build(),
		b.Del().Key(key).Build(),
		b.Publish().Channel(key).Message("").Build(),
	)
	for _, reply := range append(replies, gcraScript.Exec(ctx, client, []string{key}, []string{"1", "1", "0"})) {
		if err := reply.Error(); err != nil && !rueidis.IsRedisNil(err) {
			return describe(err)
		}
	}
	return nil
}

// describe replaces the text of an error: a client's text may contain the address, a server's text
// a command.
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
	const wrongPassword = "wrong user or password: correct redis.url"
	const lacksPermissions = "the user lacks permissions: allow +@read +@write +@connection +@pubsub +@scripting +time " +
		"on the keys and channels under redis.prefix"
	for _, known := range []struct{ sign, text string }{
		{"NOAUTH", wrongPassword},
		{"WRONGPASS", wrongPassword},
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
