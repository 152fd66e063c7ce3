package console

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/simulator/faults"
	"causeway/simulator/journal"
)

// errorCount is how often requests ended with an error.
type errorCount struct {
	Name       string
	Count      int
	Operations []string
	Last       entryRow
}

// overviewData is the state of a world at a glance.
type overviewData struct {
	Prices   map[string]int // by status
	Pairs    int
	Movers   []Price // the prices that changed most
	Problem  string  // why there are no prices
	State    journal.State
	Requests int
	Classes  map[string]int // without Troubled
	Troubled int            // succeeded after failures or with a fault
	Activity activity
	Errors   []errorCount
	Rows     []entryRow // the latest
	Lights   []lightRow
	Example  string
}

const (
	maxMovers = 3
	maxLatest = 8
)

func (c *Console) overview(f *frame, r *http.Request) (any, error) {
	d := overviewData{Prices: map[string]int{}, Classes: map[string]int{}, State: f.World.Journal().State()}
	prices, err := c.worldPrices(r.Context(), f.World)
	if err != nil {
		d.Problem = message(err)
	}
	for _, p := range prices {
		d.Pairs++
		d.Prices[p.Status]++
	}
	d.Movers = movers(prices)
	j := f.World.Journal()
	entries, err := j.Find(journal.Match{}, 0)
	if err != nil {
		return nil, err
	}
	var rows []entryRow
	for _, e := range slices.Backward(entries) {
		row := newEntryRow(j, e)
		rows = append(rows, row)
		d.Requests++
		if row.Trouble() != "" {
			d.Troubled++
		} else {
			d.Classes[row.Class()]++
		}
		d.count(row)
	}
	d.Rows = slices.Clone(rows[:min(len(rows), maxLatest)])
	slices.Reverse(rows)
	d.Activity = newActivity(rows, f.World.Now())
	slices.SortStableFunc(d.Errors, func(a, b errorCount) int { return b.Count - a.Count })
	d.Lights = c.lights(f, r, prices, entries)
	for _, a := range f.Catalog().Accounts {
		if a.Suffix == "500" {
			d.Example = f.Curl(a.Try.Request)
		}
	}
	return d, nil
}

// movers returns the prices that changed most, one of each base currency.
func movers(prices []Price) (out []Price) {
	byChange := func(a, b Price) int { return b.Change.Abs().Cmp(a.Change.Abs()) }
	all := slices.SortedStableFunc(slices.Values(prices), byChange)
	for _, p := range all {
		known := slices.ContainsFunc(out, func(o Price) bool { return o.Pair.Base == p.Pair.Base })
		if !known && !p.Change.IsZero() && len(out) < maxMovers {
			out = append(out, p)
		}
	}
	return out
}

// count counts a request that ended with an error. Newer ones come first.
func (d *overviewData) count(row entryRow) {
	if s := row.Answer.Status; s >= 100 && s < 400 {
		return
	}
	name := cmp.Or(row.Answer.Error, "status "+row.StatusText())
	i := slices.IndexFunc(d.Errors, func(c errorCount) bool { return c.Name == name })
	if i < 0 {
		i = len(d.Errors)
		d.Errors = append(d.Errors, errorCount{Name: name, Last: row})
	}
	d.Errors[i].Count++
	if operation := cmp.Or(row.Operation, "none"); !slices.Contains(d.Errors[i].Operations, operation) {
		d.Errors[i].Operations = append(d.Errors[i].Operations, operation)
	}
}

// Share returns the part of the prices with a status as a place on a bar of 100, after the statuses before it.
func (d overviewData) Share(status string) (s span) {
	for _, name := range []string{"fresh", "stale", "halted"} {
		s.Width = 100 * float64(d.Prices[name]) / float64(max(1, d.Pairs))
		if name == status {
			break
		}
		s.Start += s.Width
	}
	return s
}

// The chart of the activity, in its own units.
const (
	activityBars   = 60
	activityHeight = 100
)

// activityBar is a part of the activity: a stack of requests by class, and their durations.
type activityBar struct {
	X            int
	Stack        []block
	Median, Slow block
	Title        string

	from  string
	took  []float64
	count map[string]int
}

// block is a part of a bar. Y is its upper edge.
type block struct {
	Class     string
	Y, Height float64
}

// activity is the requests of a world and their durations over time.
type activity struct {
	Bars     []*activityBar
	Most     int     // requests in a bar
	Slowest  float64 // in milliseconds
	From, To string
	Ordered  bool // the clock stands still: requests in their order
}

// steps are the times that a bar may cover.
var steps = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute,
	5 * time.Minute,
	10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// newActivity puts requests, oldest first, into bars until now. If all of them were sent at the same time, because the
// clock stands still, they are shown in their order.
func newActivity(rows []entryRow, now time.Time) (a activity) {
	if len(rows) == 0 {
		return a
	}
	first, last := rows[0].At, rows[len(rows)-1].At
	each := (len(rows) + activityBars - 1) / activityBars
	a.Ordered = last.Sub(first) < time.Second && now.Sub(first) < time.Second
	step := 7 * 24 * time.Hour
	for _, s := range slices.Backward(steps) {
		if now.Sub(first) < s*(activityBars-1) {
			step = s
		}
	}
	end := now.Truncate(step).Add(step)
	bars := make([]*activityBar, activityBars)
	for i := range bars {
		from := end.Add(step * time.Duration(i-activityBars)).UTC().Format("15:04:05")
		bars[i] = &activityBar{X: i, count: map[string]int{}, from: from}
	}
	for i, row := range rows {
		at := activityBars - 1 - int(max(0, end.Add(-1).Sub(row.At))/step)
		if a.Ordered {
			at = activityBars - 1 - (len(rows)-1-i)/each
			bars[at].from = "request " + strconv.FormatUint(row.Seq, 10)
		}
		bar := bars[max(0, at)]
		bar.count[row.Class()]++
		bar.took = append(bar.took, row.Took)
		a.Most, a.Slowest = max(a.Most, len(bar.took)), max(a.Slowest, row.Took)
	}
	for _, bar := range bars {
		if len(bar.took) > 0 {
			bar.draw(a.Most, a.Slowest)
			a.Bars = append(a.Bars, bar)
		}
	}
	a.From, a.To = bars[0].from, "now"
	if a.Ordered {
		a.From, a.To = "oldest", "newest"
	}
	return a
}

// draw makes the blocks of a bar, given the largest number of requests and the longest duration of any bar. Durations
// are logarithmic, because a single time-out would hide all others.
func (b *activityBar) draw(most int, slowest float64) {
	y := float64(activityHeight)
	for _, class := range []string{"good", "warn", "bad"} {
		height := activityHeight * float64(b.count[class]) / float64(most)
		if y -= height; height > 0 {
			b.Stack = append(b.Stack, block{class, y, height})
		}
	}
	slices.Sort(b.took)
	bar := func(ms float64) block {
		height := max(2, activityHeight*math.Log1p(ms)/max(math.Log1p(slowest), 0.001))
		return block{Y: activityHeight - height, Height: height}
	}
	median, longest := b.took[len(b.took)/2], b.took[len(b.took)-1]
	b.Median, b.Slow = bar(median), bar(longest)
	b.Title = fmt.Sprintf("%s: %s", b.from, plural(len(b.took), "request"))
	for class, name := range map[string]string{"warn": "with trouble", "bad": "failed"} {
		if n := b.count[class]; n > 0 {
			b.Title += fmt.Sprintf(", %d %s", n, name)
		}
	}
	b.Title += fmt.Sprintf("; typically %s, at most %s", milliseconds(median), milliseconds(longest))
}

// light is the state of a provider.
type light struct{ Name, Class, State string }

// lightRow is the providers of one kind.
type lightRow struct {
	Title  string
	Lights []light
}

// lights returns the states of all providers: of price sources by the prices that use them, of others by the last
// attempt that the journal has.
func (c *Console) lights(f *frame, r *http.Request, prices []Price, entries []journal.Entry) []lightRow {
	names := lightRow{Title: "Account names"}
	sources := lightRow{Title: "Prices"}
	chains := lightRow{Title: "Blockchains"}
	used, reasons := votesBySource(prices)
	last := map[string]journal.Attempt{}
	for _, e := range entries {
		for _, a := range e.Attempts {
			last[a.Provider] = a
		}
	}
	all := f.World.Faults().Providers()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		provider := all[name]
		fault := f.faultAt(name)
		if slices.Contains(provider.Operations, "resolve") {
			l := light{name, "", "not asked yet"}
			if a, asked := last[name]; asked {
				o := outcomeOf(a)
				l.Class, l.State = o.Class, "last: "+o.Text
			}
			names.Lights = append(names.Lights, l.with(fault))
		}
		if len(provider.Prices) > 0 {
			l := light{name, "", "no price uses it"}
			switch {
			case f.World.Market().Down(name, f.World.Now()):
				l.Class, l.State = "bad", "down"
			case used[name] > 0:
				l.Class, l.State = "good", plural(used[name], "price")
			case reasons[name] == "last_resort":
				l.State = "a last resort, not needed"
			case reasons[name] != "":
				l.Class, l.State = "bad", "not used: "+reasons[name]
			}
			sources.Lights = append(sources.Lights, l.with(fault))
		}
	}
	received, err := c.cfg.Received(r.Context(), f.World)
	active := f.World.Chains().Active()
	for _, one := range f.World.Chains().All() {
		l := light{one.Network, "", "asleep"}
		switch problem := received.Problems[one.Network]; {
		case err != nil:
			l.Class, l.State = "bad", message(err)
		case problem != "":
			l.Class, l.State = "bad", problem
		case slices.Contains(active, one.Network):
			l.Class, l.State = "good", "height "+strconv.FormatInt(one.Height(f.World.Now()), 10)
		}
		chains.Lights = append(chains.Lights, l)
	}
	return []lightRow{names, sources, chains}
}

// with returns the light of a provider at which a fault is active; nil is none.
func (l light) with(fault *faults.Fault) light {
	if fault != nil {
		l.State = fmt.Sprintf("fault %s %s, %s", fault.ID, fault.Rule.Effect.Kind, l.State)
		if l.Class != "bad" {
			l.Class = "warn"
		}
	}
	return l
}

// faultAt returns the first active fault that names a provider.
func (f *frame) faultAt(provider string) *faults.Fault {
	for i, fault := range f.Active.Faults {
		m := fault.Rule.Match
		if cmp.Or(m.Plane, faults.Upstream) != faults.Upstream {
			continue
		}
		if m.Provider == provider || m.Provider == "" && fault.HitProvider[provider] > 0 {
			return &f.Active.Faults[i]
		}
	}
	return nil
}

// votesBySource returns how many prices use each source, and why one that no price uses is not used.
func votesBySource(prices []Price) (used map[string]int, reasons map[string]string) {
	used, reasons = map[string]int{}, map[string]string{}
	for _, p := range prices {
		for _, v := range p.Votes {
			if v.Used {
				used[v.Source]++
			} else {
				reasons[v.Source] = v.Reason
			}
		}
	}
	return used, reasons
}

// number returns a decimal with thousands separators.
func number(d decimal.Decimal) string {
	whole, fraction, found := strings.Cut(d.String(), ".")
	sign := ""
	if rest, negative := strings.CutPrefix(whole, "-"); negative {
		sign, whole = "-", rest
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		fraction = "." + fraction
	}
	return sign + whole + fraction
}
