package guard

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
)

// state is what is remembered of one caller.
type state struct {
	name    [16]byte // in records: a hash of id
	id, key string   // empty until this process sees the caller
	seen    time.Time
	hour    int64             // since 1970, of the latest lookup
	numbers []number          // sorted by place and bank
	spent   [memory + 1]int32 // units of the budget, by hour
	members [2]uint64         // of a group: hashes of its active networks, today and yesterday
	day     int64             // of members[0]
	group   bool

	results uint64 // the latest ones, a bit each: 1 for a number that does not exist
	settled int    // results that are known, up to watched

	until   time.Time // the caller is stopped until then
	reason  Reason
	refused bool // while stopped, lookups are refused; else names are hidden
	strikes int  // alarms in a row, each within a day of the alarm before
	alarmed bool // in Guard.alarmed
}

// number is one account that a caller looked up, in 16 bytes.
type number struct {
	place  uint64 // the account number, shifted by a secret
	bank   uint16 // hash
	claims uint16 // Bloom filter of the names that were claimed
	hour   uint8  // of the last lookup that was charged; the low bits suffice for 24 hours
	units  uint8  // of the budget that it cost
	result result
	exempt bool // in a range that the operator allowed
}

type result uint8

const (
	elsewhere result = iota // another process asked for it, and has no result yet
	unknown
	missing
	mismatched // the claimed name was wrong
	found
)

// point is a lookup as the memory holds it.
type point struct {
	place  uint64
	bank   uint16
	claim  uint16 // one bit, or none without a claim
	exempt bool
}

func comparePoints(n number, p point) int {
	return cmp.Or(cmp.Compare(n.place, p.place), cmp.Compare(n.bank, p.bank))
}

// pointOf hides the account of a lookup from readers of the state of an owner. Numbers keep
// their distance within an owner and a country, and within a channel without banks. Digits beyond
// the last 15 shift them elsewhere.
func (g *Guard) pointOf(owner string, l Lookup) point {
	q := l.Account
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, q.Number.Reveal())
	const tail = 15
	cut := max(0, len(digits)-tail)
	value, _ := strconv.ParseUint(digits[cut:], 10, 64) // 15 digits fit; none are 0
	kind := ""
	if q.Bank.Code == "" {
		kind = string(q.Channel)
	}
	p := point{
		place:  g.bits("place", owner, q.Country, kind, digits[:cut]) + value,
		bank:   low16(g.bits("bank", q.Bank.Code)),
		exempt: contains(g.allowed[l.Key], q),
	}
	if name := strings.ToLower(strings.Join(strings.Fields(l.Claim.Reveal()), " ")); name != "" {
		p.claim = 1 << (g.bits("claim", q.Number.Reveal(), name) % 16)
	}
	return p
}

func (g *Guard) bits(parts ...string) uint64 {
	h := g.cfg.Hash(append([]string{"guard"}, parts...)...)
	return binary.LittleEndian.Uint64(h[:])
}

// low16 returns the low bits of a number.
func low16(n uint64) uint16 { return uint16(n & 0xffff) }

func (g *Guard) text(parts ...string) string {
	h := g.cfg.Hash(append([]string{"guard"}, parts...)...)
	return hex.EncodeToString(h[:16])
}

// low8 returns the low bits of a number.
func low8(n int64) uint8 { return uint8(n & 0xff) }

// advance moves the memory to the present: it forgets what is older than a day. A clock that was
// set back clears it.
func (s *state) advance(now time.Time) {
	hour := now.Unix() / int64(time.Hour/time.Second)
	if now.Before(s.seen) {
		*s = state{name: s.name, id: s.id, key: s.key, group: s.group, alarmed: s.alarmed}
	}
	s.seen = now
	if hour == s.hour {
		return
	}
	for h := max(s.hour+1, hour-memory); h <= hour; h++ {
		s.spent[h%int64(len(s.spent))] = 0
	}
	idle := hour-s.hour > memory
	s.hour = hour
	s.numbers = slices.DeleteFunc(s.numbers, func(n number) bool { return idle || low8(hour)-n.hour > memory })
	if cap(s.numbers) > 2*len(s.numbers) {
		s.numbers = slices.Clone(s.numbers) // release the rest
	}
}

// judge returns why a lookup must not be admitted, and for Budget how long to wait.
func (s *state) judge(p point, hidden bool, daily int) (Reason, time.Duration) {
	n, known := s.get(p)
	answered := known && n.result != elsewhere // else another replica may have refused it
	newClaim := known && hidden && p.claim&^n.claims != 0
	if newClaim && bits.OnesCount16(n.claims) >= maxClaims {
		return Claims, 0
	}
	if p.exempt || answered && !newClaim {
		return "", 0 // nothing is learnt that the operator did not allow or the caller does not know
	}
	if wait := s.overBudget(daily); wait > 0 {
		return Budget, wait
	}
	switch {
	case answered:
		return "", 0
	case s.banksAt(p) >= maxBanks:
		return Banks, 0
	case s.tooDense(p):
		return Density, 0
	default:
		return "", 0
	}
}

// get returns the number of a lookup, if it is remembered.
func (s *state) get(p point) (number, bool) {
	i, ok := slices.BinarySearchFunc(s.numbers, p, comparePoints)
	if !ok {
		return number{place: p.place, bank: p.bank, hour: low8(s.hour), exempt: p.exempt}, false
	}
	return s.numbers[i], true
}

// put remembers a number, and charges what it costs.
func (s *state) put(n number) {
	i, known := slices.BinarySearchFunc(s.numbers, point{place: n.place, bank: n.bank}, comparePoints)
	switch {
	case known:
		s.charge(s.numbers[i], -1)
		s.numbers[i] = n
	case len(s.numbers) < maxNumbers:
		s.numbers = slices.Insert(s.numbers, i, n)
	}
	s.charge(n, 1)
}

// remove forgets a number, and what it cost.
func (s *state) remove(n number) {
	if i, known := slices.BinarySearchFunc(s.numbers, point{place: n.place, bank: n.bank}, comparePoints); known {
		s.charge(s.numbers[i], -1)
		s.numbers = slices.Delete(s.numbers, i, i+1)
	}
}

// charge adds the units of a number to the hour of its last lookup, or takes them back.
func (s *state) charge(n number, sign int32) {
	if age := int64(low8(s.hour) - n.hour); !n.exempt && age <= memory {
		s.spent[(s.hour-age)%int64(len(s.spent))] += sign * int32(n.units)
	}
}

// at returns the numbers at a place: one account number at several banks.
func (s *state) at(place uint64) []number {
	from, _ := slices.BinarySearchFunc(s.numbers, point{place: place}, comparePoints)
	to := from
	for to < len(s.numbers) && s.numbers[to].place == place {
		to++
	}
	return s.numbers[from:to]
}

// banksAt returns at how many other banks a number was tried.
func (s *state) banksAt(p point) int {
	same := s.at(p.place)
	if _, known := s.get(p); known {
		return len(same) - 1
	}
	return len(same)
}

// tooDense reports whether the caller looked up as many numbers around a point as a block may have.
func (s *state) tooDense(p point) bool {
	for _, d := range densities {
		first := p.place - p.place%d.block
		i, _ := slices.BinarySearchFunc(s.numbers, point{place: first}, comparePoints)
		count := 0
		for ; i < len(s.numbers) && s.numbers[i].place-first < d.block; i++ {
			if n := s.numbers[i]; n.bank == p.bank && n.place != p.place && !n.exempt {
				count++
			}
		}
		if count >= d.limit {
			return true
		}
	}
	return false
}

// remember adds a lookup to the memory and charges for it. It reports whether the number is new,
// and whether the lookup is.
func (s *state) remember(p point, hidden bool) (added, fresh bool) {
	n, known := s.get(p)
	claims := n.claims
	if hidden {
		claims |= p.claim
	}
	fresh = !known || claims != n.claims
	if fresh {
		n.claims, n.hour = claims, low8(s.hour)
		n.addUnits(Named.price())
	}
	n.result = max(n.result, unknown)
	s.put(n)
	return !known, fresh
}

// addUnits adds to what a number cost.
func (n *number) addUnits(units int) {
	n.units = low8(int64(max(0, min(int(n.units)+units, math.MaxUint8))))
}

// settle records the outcome of an admitted lookup, which is charged if the lookup is fresh. Banks
// where a number does not exist are refunded once it is found at another one: the owner of an
// account may not know its bank.
func (s *state) settle(p point, fresh bool, o Outcome) {
	n, known := s.get(p)
	if extra := o.price() - Named.price(); fresh && known {
		n.addUnits(extra)
		s.put(n)
	} else if fresh {
		n.addUnits(extra) // the memory is full
		s.charge(n, 1)
	}
	switch o {
	case Missing:
		s.observe(p, missing)
	case NotMatched:
		s.observe(p, mismatched)
	default:
		s.observe(p, found)
	}
}

// observe records the result of a number.
func (s *state) observe(p point, now result) {
	switch failed, succeeded := s.mark(p, now); {
	case succeeded:
	case now == found && failed:
		s.results &= s.results - 1 // one miss less
	case now == found:
		s.push(0)
	case !failed:
		s.push(1)
	}
}

// mark sets the result of a number, and refunds other banks if it was found. It returns which
// results the account number had before, at any bank.
func (s *state) mark(p point, now result) (failed, succeeded bool) {
	same := s.at(p.place)
	for i := range same {
		n := &same[i]
		failed = failed || n.result == missing || n.result == mismatched
		succeeded = succeeded || n.result == found
		if n.bank == p.bank {
			n.result = max(n.result, now)
		} else if n.result == missing && now == found {
			s.charge(*n, -1)
			n.result = unknown
			n.addUnits(Named.price() - Missing.price())
			s.charge(*n, 1)
		}
	}
	return failed, succeeded
}

// merge adds what another process remembers of a number. It is idempotent, and the order does not
// matter.
func (s *state) merge(n number) (changed bool) {
	p := point{place: n.place, bank: n.bank, exempt: n.exempt}
	old, known := s.get(p)
	if !known && len(s.numbers) >= maxNumbers {
		return false
	}
	isFound := func(n number) bool { return n.result == found }
	if n.result == missing && slices.ContainsFunc(s.at(n.place), isFound) { // refunded
		n.result, n.units = elsewhere, low8(int64(Named.price()))
	}
	merged := n
	if merged.result = elsewhere; known {
		merged = old
		merged.claims |= n.claims
		merged.units = max(old.units, n.units)
		if low8(s.hour)-n.hour < low8(s.hour)-old.hour {
			merged.hour = n.hour
		}
	}
	if changed = !known || merged != old; changed {
		s.put(merged)
	}
	if n.result >= missing && n.result > old.result {
		s.observe(p, n.result)
		changed = true
	}
	return changed
}

// push records whether the latest number exists.
func (s *state) push(miss uint64) {
	s.results = (s.results<<1 | miss) & (1<<watched - 1)
	s.settled = min(s.settled+1, watched)
}

func (s *state) missesTooOften() bool {
	return s.settled == watched && bits.OnesCount64(s.results) > maxMisses
}

// overBudget returns how long it takes until there is something left of the daily budget.
func (s *state) overBudget(daily int) time.Duration {
	total := 0
	for _, units := range s.spent {
		total += int(units)
	}
	for h := s.hour - memory; h <= s.hour; h++ {
		if total < daily {
			if h == s.hour-memory {
				return 0
			}
			return time.Unix((h+memory)*int64(time.Hour/time.Second), 0).Sub(s.seen)
		}
		total -= int(s.spent[h%int64(len(s.spent))])
	}
	return memory * time.Hour
}

// addMember notes an active network of a group by one of 64 bits.
func (s *state) addMember(bit uint8, now time.Time) {
	s.group = true
	if day := now.Unix() / int64(24*time.Hour/time.Second); day != s.day {
		if s.members[1] = 0; day == s.day+1 {
			s.members[1] = s.members[0]
		}
		s.members[0], s.day = 0, day
	}
	s.members[0] |= 1 << (bit % 64)
}

// enforced reports whether the state decides on lookups: a group does if many of its networks are
// active.
func (s *state) enforced() bool {
	return !s.group || bits.OnesCount64(s.members[0]|s.members[1]) >= busy
}
