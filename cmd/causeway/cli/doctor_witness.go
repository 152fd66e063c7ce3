package cli

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"causeway/core"
)

// skewWarns and skewBreaks are by how much the machine's clock may be wrong: quotes from more than two seconds ahead are not used, and replicas whose clocks
// differ by more do not believe each other's book of prices.
const (
	skewWarns  = time.Second
	skewBreaks = 2 * time.Second
)

// witness stands in the one way to the providers, and compares their clocks with ours.
type witness struct {
	next  http.RoundTripper
	clock core.Clock

	mu   sync.Mutex
	seen map[string]sight // by host: the most precise one
}

// sight is by how much our clock is ahead of a provider's, and how far off that may be.
type sight struct{ ahead, within time.Duration }

// wrap returns a transport that compares clocks.
func (w *witness) wrap(next http.RoundTripper) http.RoundTripper {
	w.next = next
	return w
}

// RoundTrip passes a question on, and reads the time of its answer. Dates have whole seconds; one from a cache says nothing.
func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := w.clock()
	response, err := w.next.RoundTrip(r)
	if err != nil {
		return response, err
	}
	received := w.clock()
	date, err := http.ParseTime(response.Header.Get("Date"))
	if age := response.Header.Get("Age"); err != nil || age != "" && age != "0" {
		return response, nil
	}
	half := received.Sub(sent) / 2
	one := sight{ahead: sent.Add(half).Sub(date.Add(time.Second / 2)), within: half + time.Second/2}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen == nil {
		w.seen = map[string]sight{}
	}
	if before, ok := w.seen[r.URL.Host]; !ok || one.within < before.within {
		w.seen[r.URL.Host] = one
	}
	return response, nil
}

// skew judges our clock by the median of the others.
func (w *witness) skew() Finding {
	const check = "clock"
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.seen) == 0 {
		return Finding{check, Skipped, "no provider told the time", ""}
	}
	var all []sight
	for _, s := range w.seen {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b sight) int { return cmp.Compare(a.ahead, b.ahead) })
	median := all[len(all)/2]
	off, side := median.ahead, "ahead of"
	if off < 0 {
		off, side = -off, "behind"
	}
	sure := off - median.within // at the least
	hosts := fmt.Sprintf("providers (%d)", len(all))
	out := Finding{check, Fine, fmt.Sprintf("within %s of the time that %s tell", (off + median.within).Round(100*time.Millisecond), hosts), ""}
	if sure > skewWarns {
		out.State, out.Found = Worrying, fmt.Sprintf("it is %s %s the time that %s tell", off.Round(100*time.Millisecond), side, hosts)
		out.Do = "let chrony or systemd-timesyncd set it: from 2 s on fresh quotes are taken for old ones, or for ones from the future, and replicas do not share their prices"
	}
	if sure > skewBreaks {
		out.State = Broken
	}
	return out
}
