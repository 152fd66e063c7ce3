package redis

import (
	"context"
	"strconv"

	"github.com/redis/rueidis"

	"causeway/ports"
)

// raiseScript raises field ARGV[1] of the hash KEYS[1] to at least ARGV[2], and returns it.
var raiseScript = rueidis.NewLuaScript(`
local next = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
if tonumber(ARGV[2]) > next then
  next = tonumber(ARGV[2])
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
end
return next
`)

// DepositMarks remembers the highest indexes of deposit wallets for all replicas.
type DepositMarks struct{ client *Client }

var _ ports.DepositMarks = DepositMarks{}

// NewDepositMarks returns the indexes that a server remembers.
func NewDepositMarks(client *Client) DepositMarks { return DepositMarks{client} }

// Raise implements ports.DepositMarks. While the server is unavailable it remembers nothing, and
// returns 0: replicas then rely on what they saw themselves.
func (m DepositMarks) Raise(ctx context.Context, wallet string, next int64) (highest int64, err error) {
	_ = m.client.do(ctx, "deposits", func(ctx context.Context, client rueidis.Client) (err error) {
		key, args := m.client.cfg.Prefix+"deposit-indexes", []string{wallet, strconv.FormatInt(next, 10)}
		highest, err = raiseScript.Exec(ctx, client, []string{key}, args).AsInt64()
		return err
	})
	return highest, nil
}
