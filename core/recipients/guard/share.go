package guard

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"causeway/core"
	"causeway/ports"
)

const (
	flushEvery = time.Second
	lastFlush  = 2 * time.Second // for the records of a process that stops
	batch      = 500             // records sealed together
	maxUnsent  = 100_000         // records that wait for a log; the oldest are dropped
)

// record is what a process tells others of a caller: one number, a stop, or both.
type record struct {
	State  [16]byte // name of the caller's state
	Member uint8    // of a group: 1 + the bit of the network

	Hour   uint32 // since 1970
	Place  uint64
	Bank   uint16
	Claims uint16
	Units  uint8 // 0: no number
	Result result
	Exempt bool

	Until   int64 // of a stop, in ns since 1970; 0: no stop
	Reason  uint8 // index of reasons
	Refused bool
	Strikes uint8
}

var (
	recordSize = binary.Size(record{})
	reasons    = []Reason{Budget, Density, Banks, Misses, Claims}
)

// note adds a record of a number to the records of the call.
func (g *Guard) note(e entry) {
	s := e.state
	if n, known := s.get(e.point); known {
		age := int64(low8(s.hour) - n.hour)
		g.add(record{
			State: s.name, Member: e.member, Hour: uint32((s.hour - age) & math.MaxUint32), Place: n.place, Bank: n.bank,
			Claims: n.claims, Units: n.units, Result: n.result, Exempt: n.exempt,
		})
	}
}

// noteStop adds a record of a stop to the records of the call.
func (g *Guard) noteStop(s *state) {
	g.add(record{
		State: s.name, Until: s.until.UnixNano(), Reason: low8(int64(slices.Index(reasons, s.reason))),
		Refused: s.refused, Strikes: low8(int64(min(s.strikes, maxStrikes))),
	})
}

func (g *Guard) add(r record) {
	if g.cfg.Shared != nil {
		g.outbox = append(g.outbox, r)
	}
	if g.cfg.Saved != nil {
		g.unsaved = appendBounded(g.unsaved, r)
	}
}

func appendBounded(waiting []record, more ...record) []record {
	waiting = append(waiting, more...)
	return waiting[max(0, len(waiting)-maxUnsent):]
}

// send shares records. It reports whether it did: records that cannot be shared wait for Run.
func (g *Guard) send(ctx context.Context, records []record) bool {
	if len(records) == 0 {
		return false
	}
	// A caller who hangs up must not hide a lookup.
	if err := g.write(context.WithoutCancel(ctx), "shared", g.cfg.Shared, records); err != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.unshared = appendBounded(g.unshared, records...)
		return false
	}
	return true
}

func (g *Guard) write(ctx context.Context, name string, log ports.LookupLog, records []record) error {
	text, err := binary.Append(nil, binary.LittleEndian, records)
	if err == nil {
		err = log.Append(ctx, g.cfg.Seal(text))
	}
	if err != nil {
		g.cfg.Failed(name, err)
	}
	return err
}

// receive merges what other replicas shared.
func (g *Guard) receive(ctx context.Context) {
	g.mu.Lock()
	position := g.position
	g.mu.Unlock()
	if position, err := g.read(ctx, "shared", g.cfg.Shared, position); err == nil {
		g.mu.Lock()
		g.position = position
		g.mu.Unlock()
	}
}

// read merges all records after a position, and returns the last position.
func (g *Guard) read(ctx context.Context, name string, log ports.LookupLog, position string) (string, error) {
	for {
		page, last, err := log.Read(ctx, position)
		if err != nil {
			g.cfg.Failed(name, err)
			return position, err
		}
		g.mergeAll(page)
		if position = last; len(page) < ports.LookupPage {
			return position, nil
		}
	}
}

// mergeAll merges sealed records. Records sealed with another secret do not count.
func (g *Guard) mergeAll(page [][]byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.cfg.Clock()
	for _, sealed := range page {
		text := g.cfg.Open(sealed)
		records := make([]record, len(text)/recordSize)
		if _, err := binary.Decode(text, binary.LittleEndian, records); err != nil {
			continue
		}
		for _, r := range records {
			if g.merge(r, now) {
				g.merged++
			}
		}
	}
	g.evict(1, now)
}

// merge merges one record. A record that was merged before changes nothing.
func (g *Guard) merge(r record, now time.Time) (news bool) {
	s := g.state(r.State, now)
	if until := time.Unix(0, r.Until); until.After(s.until) && int(r.Reason) < len(reasons) {
		s.until, s.reason, s.refused, s.strikes = until, reasons[r.Reason], r.Refused, int(r.Strikes)
		s.results, s.settled = 0, 0
		g.keep(s)
		news = true
	}
	if age := s.hour - int64(r.Hour); r.Units == 0 || age > memory || age < -1 {
		return news
	}
	if r.Member > 0 {
		s.addMember(r.Member-1, now)
	}
	before := len(s.numbers)
	changed := s.merge(number{
		place: r.Place, bank: r.Bank, claims: r.Claims, hour: low8(min(s.hour, int64(r.Hour))), units: r.Units,
		result: r.Result, exempt: r.Exempt,
	})
	g.numbers += len(s.numbers) - before
	return changed || news
}

// Restore merges what earlier processes saved. Run repeats it until it succeeds.
func (g *Guard) Restore(ctx context.Context) {
	if g.cfg.Settings.Mode == Off || g.cfg.Saved == nil {
		return
	}
	_, err := g.read(ctx, "saved", g.cfg.Saved, "")
	g.mu.Lock()
	defer g.mu.Unlock()
	g.restored = err == nil
}

// Run exchanges and saves what is remembered until ctx ends, so that a process knows callers of
// other replicas before it sees them, and what they did before an outage.
func (g *Guard) Run(ctx context.Context) {
	if g.cfg.Settings.Mode == Off || g.cfg.Shared == nil && g.cfg.Saved == nil {
		return
	}
	core.Repeat(ctx, func() time.Duration {
		g.flush(ctx)
		return flushEvery
	})
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlush)
	defer cancel()
	g.flush(last)
}

func (g *Guard) flush(ctx context.Context) {
	g.mu.Lock()
	restored := g.restored
	g.mu.Unlock()
	if !restored {
		g.Restore(ctx)
	}
	if g.cfg.Shared != nil {
		g.drain(ctx, "shared", g.cfg.Shared, &g.unshared)
		g.receive(ctx)
	}
	if g.cfg.Saved != nil {
		g.drain(ctx, "saved", g.cfg.Saved, &g.unsaved)
	}
}

// drain writes the records that wait for a log, until it fails.
func (g *Guard) drain(ctx context.Context, name string, log ports.LookupLog, waiting *[]record) {
	for {
		g.mu.Lock()
		n := min(batch, len(*waiting))
		records := slices.Clone((*waiting)[:n])
		*waiting = (*waiting)[n:]
		g.mu.Unlock()
		if n == 0 {
			return
		}
		if g.write(ctx, name, log, records) != nil {
			g.mu.Lock()
			defer g.mu.Unlock()
			*waiting = appendBounded(records, *waiting...)
			return
		}
	}
}
