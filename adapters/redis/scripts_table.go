package redis

import "github.com/redis/rueidis"

// gcra is the algorithm of package adapters/gcra, by the server's clock, in microseconds. One key a caller, which goes when the limit is
// whole again.
var gcra = rueidis.NewLuaScript(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local per, calls, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local whole = per * calls
local arrival = tonumber(redis.call('GET', KEYS[1]) or now)
if arrival < now or arrival - now > whole then arrival = now end
local following = arrival + per * cost
local over = following - now - whole
if over > 0 then return {0, arrival - now, math.min(over, whole)} end
redis.call('SET', KEYS[1], string.format('%.0f', following), 'PX', math.ceil((following - now) / 1000) + 1)
return {1, following - now, 0}
`)
