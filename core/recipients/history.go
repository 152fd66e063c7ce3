package recipients

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/core"
)

const (
	watched       = 50 // numbers of a caller that are looked at
	numbersLast   = int64(24 * time.Hour / time.Second)
	banksWithin   = int64(time.Hour / time.Second)
	mostForgiven  = 7 // wrong banks of a number
	numericDigits = 15

	// besides is how near two numbers are neighbours. Two consecutive serials of NUBANs are up to 19 apart: the last digit is a
	// check digit.
	besides = 20
)

// probe is what the guard may know of a question: no number. The same number has the same hash whatever the bank, and shifted numbers are
// as far from each other as the numbers themselves, but by how much they are shifted only the seal's key tells: another
// country, channel or beginning of a number is somewhere else altogether.
type probe struct {
	number  uint64
	shifted uint64
	bank    uint32
}

func (s *seal) probe(q core.AccountQuery) probe {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, q.Number.Reveal())
	cut := max(0, len(digits)-numericDigits)
	tail, _ := strconv.ParseUint(digits[cut:], 10, 64) // 0 for a number without digits: its hash still tells it from others
	first := func(parts ...string) uint64 {
		h := s.hash(parts...)
		return binary.LittleEndian.Uint64(h[:])
	}
	return probe{
		number:  first("guard number", q.Country, q.Number.Reveal()),
		shifted: first("guard place", q.Country, string(q.Channel), digits[:cut]) + tail,
		bank:    uint32(first("guard bank", q.Country, q.Bank.Code) >> 32),
	}
}

// history is what a caller asked lately, by number: a question that is repeated tells nothing new. Each list has its latest
// entry last. Times are in seconds since 1970: a busy caller takes 5 KB.
type history struct {
	asked  []askedNumber
	told   []toldNumber
	reason Reason // why the caller was stopped
}

type askedNumber struct {
	number, shifted uint64
	at, hour        int64 // when it was last asked; since when banks are counted
	banks           [mostBanks - 1]uint32
	tried           uint8 // of banks
}

type toldNumber struct {
	number uint64
	at     int64
	found  bool  // at some bank
	wrong  uint8 // banks that were charged for
}

// ask notes a question and says what search it makes of those before it, if any.
//
// Numbers that lie beside each other are a run. One number at many banks is somebody looking for where a person keeps money; a few
// are somebody who does not know the bank.
func (h *history) ask(p probe, cfg GuardSettings, now int64) Reason {
	h.asked = slices.DeleteFunc(h.asked, func(n askedNumber) bool { return now-n.at >= numbersLast })
	i := slices.IndexFunc(h.asked, func(n askedNumber) bool { return n.number == p.number })
	n := askedNumber{number: p.number, shifted: p.shifted, hour: now}
	if i >= 0 {
		n = h.asked[i]
		h.asked = slices.Delete(h.asked, i, i+1)
	} else if len(h.asked) == watched {
		h.asked = slices.Delete(h.asked, 0, 1)
	}
	if now-n.hour >= banksWithin {
		n.hour, n.tried = now, 0
	}
	n.at = now
	many := false
	if !slices.Contains(n.banks[:n.tried], p.bank) {
		if many = int(n.tried)+1 >= cfg.Banks; !many {
			n.banks[n.tried] = p.bank
			n.tried++
		}
	}
	h.asked = append(h.asked, n)
	switch {
	case many:
		return ManyBanks
	case i < 0 && h.neighbours() >= cfg.Adjacent:
		return Adjacent
	}
	return ""
}

// neighbours counts the numbers that another one lies beside.
func (h *history) neighbours() int {
	places := make([]uint64, 0, watched)
	for _, n := range h.asked {
		places = append(places, n.shifted)
	}
	slices.Sort(places)
	count := 0
	for i, at := range places {
		if i > 0 && at-places[i-1] <= besides || i+1 < len(places) && places[i+1]-at <= besides {
			count++
		}
	}
	return count
}

// tell notes what a question came to, and returns how many wrong banks of the same number were charged for before it was found.
func (h *history) tell(p probe, found bool, now int64) (wrong int) {
	h.told = slices.DeleteFunc(h.told, func(n toldNumber) bool { return now-n.at >= numbersLast })
	n := toldNumber{number: p.number}
	if i := slices.IndexFunc(h.told, func(n toldNumber) bool { return n.number == p.number }); i >= 0 {
		n = h.told[i]
		h.told = slices.Delete(h.told, i, i+1)
	} else if len(h.told) == watched {
		h.told = slices.Delete(h.told, 0, 1)
	}
	n.at = now
	if found {
		wrong, n.wrong, n.found = int(n.wrong), 0, true
	} else {
		n.wrong = min(n.wrong+1, mostForgiven)
	}
	h.told = append(h.told, n)
	return wrong
}

// tooManyMisses reports whether more of the caller's numbers do not exist than happens to people who pay each other.
func (h *history) tooManyMisses(cfg GuardSettings) bool {
	missing := 0
	for _, n := range h.told {
		if !n.found {
			missing++
		}
	}
	return len(h.told) == watched && missing*100 > cfg.NotFoundPercent*watched
}
