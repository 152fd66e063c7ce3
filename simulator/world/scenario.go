package world

import (
	"slices"
	"time"

	"causeway/simulator/incidents"
	"causeway/simulator/input"
	"causeway/simulator/market"
)

// Playing is a scenario in progress.
type Playing struct {
	Scenario string    `json:"scenario" doc:"Name of the scenario" example:"dai-2020"`
	Title    string    `json:"title" doc:"What it is about" example:"A stablecoin above its peg"`
	From     time.Time `json:"from" doc:"When it started, by the clock of the world" example:"2026-11-16T12:00:00Z"`
	Until    time.Time `json:"until" doc:"When it ends, by the clock of the world" example:"2026-11-16T13:00:00Z"`
}

// Play plays a scenario from a time on. It replaces the settings of its pairs. If it cannot be played, nothing
// changes.
func (w *World) Play(s incidents.Scenario, at time.Time) (Playing, error) {
	end := at.Add(time.Duration(s.Lasts))
	var changes []market.Change
	for _, step := range s.Market {
		for _, name := range step.Pairs {
			pair, err := w.market.Pair(name)
			if err != nil {
				return Playing{}, err
			}
			changes = append(changes, market.Change{
				Pair: pair, Setting: step.Setting, From: at.Add(time.Duration(step.At)), Until: end,
			})
		}
	}
	var added []string
	err := func() error {
		for _, step := range s.Faults {
			rule, from := step.Rule, at.Add(time.Duration(step.At))
			if left := input.Duration(end.Sub(from)); rule.When.TTL == 0 || rule.When.TTL > left {
				rule.When.TTL = left
			}
			id, err := w.faults.Add(rule, from)
			if err != nil {
				return err
			}
			added = append(added, id)
		}
		return w.market.Apply(changes)
	}()
	if err != nil {
		for _, id := range added {
			_ = w.faults.Remove(id) // it exists
		}
		return Playing{}, err
	}
	playing := Playing{Scenario: s.Name, Title: s.Title, From: at, Until: end}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.playing = append(w.playingAt(at), playing)
	return playing, nil
}

// Playing returns the scenarios in progress.
func (w *World) Playing() []Playing {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.playingAt(w.Now())
}

// playingAt returns the scenarios in progress at a time. The caller holds the lock.
func (w *World) playingAt(now time.Time) []Playing {
	return slices.DeleteFunc(slices.Clone(w.playing), func(p Playing) bool { return !p.Until.After(now) })
}

// Stop ends all faults, market settings and scenarios and clears the queue. The clock, the accounts and the journal
// stay as they are.
func (w *World) Stop() {
	w.faults.Reset()
	w.queue.Clear("")
	now := w.Now()
	for _, pair := range w.market.Changed(now) {
		_ = w.market.Lift(pair, now) // another call may have lifted it
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.playing = nil
}
