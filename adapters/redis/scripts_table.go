package redis

import "github.com/redis/rueidis"

// The keys of callers are a hash of signed texts by id, with a mark of its state and a hash of when they were used, in seconds since 1970.
var (
	// readKeys returns the mark and all keys, these only where the mark is not ARGV[1]. Without a mark there may be keys all the same. A mark
	// without keys says nothing: a server that is full may throw out the one and keep the other.
	readKeys = rueidis.NewLuaScript(`
local mark = redis.call('EXISTS', KEYS[1]) == 1 and redis.call('GET', KEYS[2]) or ''
if mark ~= '' and mark == ARGV[1] then return {mark, {}} end
return {mark, redis.call('HGETALL', KEYS[1])}
`)
	// putKeys writes keys if each of them is what it was: id, text before (empty: none), text, and the same of the next one.
	putKeys = rueidis.NewLuaScript(`
for i = 1, #ARGV, 3 do
  if (redis.call('HGET', KEYS[1], ARGV[i]) or '') ~= ARGV[i + 1] then return 0 end
end
for i = 1, #ARGV, 3 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2]) end
local time = redis.call('TIME')
redis.call('SET', KEYS[2], time[1] .. '.' .. time[2])
return 1
`)
	// noteKeys writes down when keys were used: id, second, and the same of the next one.
	noteKeys = rueidis.NewLuaScript(`
for i = 1, #ARGV, 2 do
  local before = tonumber(redis.call('HGET', KEYS[3], ARGV[i]) or 0)
  if before < tonumber(ARGV[i + 1]) and redis.call('HEXISTS', KEYS[1], ARGV[i]) == 1 then
    redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
  end
end
return 1
`)
)
