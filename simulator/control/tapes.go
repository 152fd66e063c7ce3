package control

import (
	"net/http"

	"causeway/simulator"
)

func aboutTapes() []operation {
	const tag = "Market"
	return []operation{
		{
			id: "play-tape", method: http.MethodPost, path: "/worlds/{id}/tapes", tag: tag, summary: "Let providers answer from a tape", said: "Tape begun", status: http.StatusCreated,
			takes: exampleTape(), most: tapeBody, gives: examplePlayback(), records: true,
			doc: "A tape is what providers of prices answered, to be answered again from the world's now on: an entry is given from its time on to every question that it fits, until the next entry " +
				"that fits, or the end. A question that no entry fits, a time before the first one, and whatever comes after the end are the market's. Of several tapes the newest one that fits decides. Faults befall " +
				"what tapes say, too. While a provider is on a tape it has no WebSockets. What may be on a tape are answers about prices alone, with a few headers: keys and accounts have no place there, and " +
				"are refused.",
			handle: func(c *call) (any, error) {
				t, err := read[simulator.Tape](c.body)
				if err != nil {
					return nil, err
				}
				return c.world.Tapes().Play(t, c.world.Now())
			},
		},
		{
			id: "list-tapes", method: http.MethodGet, path: "/worlds/{id}/tapes", tag: tag, summary: "List the tapes, with how many questions they answered", said: "Tapes",
			doc: "In the order in which they were begun; one that has ended is there until the next one begins.", gives: []simulator.Playback{examplePlayback()},
			handle: func(c *call) (any, error) { return c.world.Tapes().List(), nil },
		},
		{
			id: "remove-tape", method: http.MethodDelete, path: "/worlds/{id}/tapes/{tape}", tag: tag, summary: "End a tape", said: "Tape ended", records: true,
			doc: "The list that comes back is of those that are left.", gives: []simulator.Playback{examplePlayback()},
			handle: func(c *call) (any, error) {
				if err := c.world.Tapes().Remove(c.r.PathValue("tape")); err != nil {
					return nil, err
				}
				return c.world.Tapes().List(), nil
			},
		},
	}
}
