package httpapi

import (
	"strconv"
	"testing"

	"causeway/core/pairs"
)

func TestPairPage_EmptyEventsAreNotKept(t *testing.T) {
	t.Parallel()
	page := &pairPage{snapshot: &pairs.Snapshot{ID: 1}}
	page.events = newPairEvents(page, nil)
	for i := range 10 * maxCached {
		event := page.event(PairFilters{ID: strconv.Itoa(i)}, 0)
		if want := "id: 1\nevent: snapshot\ndata: []\n\n"; string(event) != want {
			t.Fatalf("got %q, want %q", event, want)
		}
	}
	if n := page.events.encoded.kept.EstimatedSize(); n > 0 {
		t.Errorf("%d empty events are kept", n)
	}
}
