package redis

import "github.com/redis/rueidis"

// The price book has a key that is there while somebody leads, and holds the leader's term, and one with the newest edition: its term and
// number in decimal, a space between and a line feed behind, then its body. The channel has the same text. Terms are microseconds of
// the server's clock at least, so they rise although everything was forgotten; Lua's numbers hold them up to 2^53.
var (
	// stand takes the lead if it is free, for ARGV[1] milliseconds, under a term above that of the newest edition.
	stand = rueidis.NewLuaScript(newest + `
local time = redis.call('TIME')
term = string.format('%.0f', math.max(time[1] * 1000000 + time[2], term + 1))
if not redis.call('SET', KEYS[1], term, 'NX', 'PX', ARGV[1]) then return false end
return {term, string.format('%.0f', number)}
`)

	// renew keeps the lead of term ARGV[1] for ARGV[2] more milliseconds, if it is still that one's.
	renew = rueidis.NewLuaScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

	// resign gives up the lead of term ARGV[1], and says so on the channel.
	resign = rueidis.NewLuaScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', KEYS[3], '')
return 1
`)

	// publish writes edition ARGV[2] of term ARGV[1], for ARGV[4] milliseconds.
	publish = rueidis.NewLuaScript(newest + `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if tonumber(ARGV[2]) <= number or tonumber(ARGV[1]) < term then return 0 end
local edition = ARGV[1] .. ' ' .. ARGV[2] .. '\n' .. ARGV[3]
redis.call('SET', KEYS[2], edition, 'PX', ARGV[4])
redis.call('PUBLISH', KEYS[3], edition)
return 1
`)

	// above returns the newest edition if its mark is above term ARGV[1], number ARGV[2].
	above = rueidis.NewLuaScript(newest + `
local t = tonumber(ARGV[1])
if term < t or term == t and number <= tonumber(ARGV[2]) then return false end
return redis.call('GET', KEYS[2])
`)

	// say leaves the word ARGV[1] for ARGV[2] milliseconds.
	say = rueidis.NewLuaScript(`
redis.call('SADD', KEYS[4], ARGV[1])
return redis.call('PEXPIRE', KEYS[4], ARGV[2])
`)
)

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

// newest reads the mark of the newest edition; zeros where there is none.
const newest = `
local term, number = string.match(redis.call('GETRANGE', KEYS[2], 0, 48), '^(%d+) (%d+)\n')
term, number = tonumber(term or 0), tonumber(number or 0)
`
