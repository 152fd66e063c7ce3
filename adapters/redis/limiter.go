package redis

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/redis/rueidis"

	"causeway/core"
	"causeway/ports"
)

// Limiter counts calls for all replicas together, and for this one alone while the server does not answer.
type Limiter struct {
	server *Server
	own    ports.RateLimiter
	secret []byte
}

var _ ports.RateLimiter = (*Limiter)(nil)

// NewLimiter makes a limiter. own counts while the server does not answer. Callers are told apart there by hashes with a key made of the
// secret, since they may be addresses of people.
func NewLimiter(server *Server, own ports.RateLimiter, secret core.Secret) *Limiter {
	return &Limiter{server, own, derived(secret, "the limits of callers")}
}

// place is where the calls of a caller are counted.
func (l *Limiter) place(caller string) string {
	const enough = 16 // bytes
	return l.server.cfg.Prefix + "limit:" + base64.RawURLEncoding.EncodeToString(sum(l.secret, caller)[:enough])
}

// Take counts cost calls of a caller.
func (l *Limiter) Take(ctx context.Context, caller string, limit core.RateLimit, cost int) (core.Allowance, error) {
	if limit.None() {
		return core.Allowance{OK: true}, nil
	}
	per := max(1, (limit.Per / time.Duration(limit.Calls)).Microseconds())
	var told []int64
	err := l.server.ask(ctx, "limits", func(ctx context.Context, client rueidis.Client) error {
		var err error
		told, err = gcra.Exec(ctx, client, []string{l.place(caller)},
			[]string{decimal(per), decimal(int64(limit.Calls)), decimal(int64(cost))}).AsIntSlice()
		return err
	})
	const members = 3
	if err != nil || len(told) != members {
		return l.own.Take(ctx, caller, limit, cost)
	}
	micro := func(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
	return core.Allowance{
		OK: told[0] == 1, Remaining: int((per*int64(limit.Calls) - told[1]) / per), Reset: micro(told[1]), RetryAfter: micro(told[2]),
	}, nil
}
