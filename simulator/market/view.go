package market

import (
	"maps"
	"slices"
	"time"

	"causeway/core"
)

// PairView describes the market of a pair at an instant.
type PairView struct {
	Pair      string      `json:"pair" doc:"The pair" example:"USDT/NGN"`
	ID        string      `json:"id" doc:"ID of the pair in the public API" example:"USDTNGN"`
	Reference string      `json:"reference" doc:"Price before venues differ, a decimal" example:"1400.5"`
	Setting   *Setting    `json:"setting,omitempty" doc:"The setting; absent: none"`
	Venues    []VenueView `json:"venues" doc:"The venues that list the pair"`
}

// VenueView describes the market of a pair at one venue.
type VenueView struct {
	Venue string `json:"venue" doc:"Name of the venue" example:"quidax"`
	State State  `json:"state" enum:"up,down,paused,absent" doc:"How the venue treats the pair" example:"up"`
	Bid   string `json:"bid" doc:"Best bid, a decimal" example:"1378.09"`
	Ask   string `json:"ask" doc:"Best ask, a decimal" example:"1380.9"`
}

// View returns the market of a pair at an instant.
func (m *Market) View(pair core.Pair, at time.Time) PairView {
	out := PairView{Pair: pair.String(), ID: pair.ID(), Venues: []VenueView{}}
	if price, known := m.Reference(pair, at); known {
		out.Reference = price.String()
	}
	if s := m.timeline.Load().at(pair, at); s != nil {
		out.Setting = new(s.clone())
	}
	for _, venue := range slices.Sorted(maps.Keys(m.books)) {
		if book, listed := m.Book(venue, pair, at); listed {
			out.Venues = append(out.Venues, VenueView{venue, m.State(venue, pair, at), Padded(book.Bid, 0), Padded(book.Ask, 0)})
		}
	}
	return out
}

// Of returns the setting of a venue; the zero value if there is none.
func (v PairView) Of(venue string) (s VenueSetting) {
	if v.Setting != nil {
		s = v.Setting.Venues[venue]
	}
	return s
}
