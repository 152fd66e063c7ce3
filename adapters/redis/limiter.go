package redis

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"causeway/core"
	"causeway/ports"
)

// gcraScript takes ARGV[3] cells from a limit of ARGV[2] cells that refills one cell every ARGV[1] µs.
// KEYS[1] holds the theoretical arrival time by the server's clock in µs, and expires when the
// limit is full again. It returns whether the cells were taken, the µs until the limit is full, and
// the µs until a refused call may be repeated.
//
// The algorithm is the same as in adapters/gcra.
var gcraScript = rueidis.NewLuaScript(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval, calls, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local capacity = interval * calls
local arrival = tonumber(redis.call('GET', KEYS[1]) or now)
if arrival < now or arrival - now > capacity then arrival = now end
local next = arrival + interval * cost
local excess = next - now - capacity
if excess > 0 then return {0, arrival - now, math.min(excess, capacity)} end
redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.ceil((next - now) / 1000) + 1)
return {1, next - now, 0}
`)

// Limiter is a rate limiter whose limits hold for all replicas together. While the server is unavailable it counts
// locally.
type Limiter struct {
	client *Client
	local  ports.RateLimiter
	secret []byte
}

var _ ports.RateLimiter = (*Limiter)(nil)

// NewLimiter returns a limiter that falls back to local. The names of callers, which may be IP addresses, are stored as
// hashes keyed with the secret.
func NewLimiter(client *Client, local ports.RateLimiter, secret core.Secret) *Limiter {
	return &Limiter{client, local, []byte(secret.Reveal())}
}

func (l *Limiter) key(caller string) string {
	const size = 16 // bytes of the hash; enough to rule out collisions
	mac := hmac.New(sha256.New, l.secret)
	_, _ = mac.Write([]byte("causeway redis rate limit " + caller)) // never fails
	return l.client.cfg.Prefix + "limit:" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:size])
}

// Take counts cost calls of a caller.
func (l *Limiter) Take(ctx context.Context, caller string, limit core.RateLimit, cost int) (core.Allowance, error) {
	if limit.None() {
		return core.Allowance{OK: true}, nil
	}
	interval := max(1, (limit.Per / time.Duration(limit.Calls)).Microseconds())
	var reply []int64
	err := l.client.do(ctx, "limit", func(ctx context.Context, client rueidis.Client) (err error) {
		args := []string{strconv.FormatInt(interval, 10), strconv.Itoa(limit.Calls), strconv.Itoa(cost)}
		reply, err = gcraScript.Exec(ctx, client, []string{l.key(caller)}, args).AsIntSlice()
		return err
	})
	const fields = 3
	if err != nil || len(reply) != fields {
		return l.local.Take(ctx, caller, limit, cost)
	}
	ok, reset, retryAfter := reply[0] == 1, reply[1], reply[2]
	return core.Allowance{
		OK: ok, Remaining: int((interval*int64(limit.Calls) - reset) / interval),
		Reset: time.Duration(reset) * time.Microsecond, RetryAfter: time.Duration(retryAfter) * time.Microsecond,
	}, nil
}
