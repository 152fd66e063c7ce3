package simulator

import "time"

// Exponential is e^x in 2^-60, for x in 2^-40.
func Exponential(x int64) uint64 { return exponential(x) }

// Codes are all assets of the table.
func Codes() []string {
	var out []string
	for _, a := range assets {
		out = append(out, a.code)
	}
	return out
}

// ThereAndBack is the time of the instant of a time.
func ThereAndBack(at time.Time) time.Time { return timeOf(instantOf(at)) }

// MostEnded is how many ends a registry remembers.
const MostEnded = mostEnded

// Bury lets an id be one that ended.
func (ws *Worlds) Bury(id string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.bury(id)
}

// Remembered are the ends that are remembered.
func (ws *Worlds) Remembered() int { return len(ws.ended) }

// Restore sets the settings of a market that has none.
func (m *Market) Restore(settings []SettingState) error { return m.restore(settings) }
