package console

import (
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	g "maragu.dev/gomponents"

	"causeway/core"
	"causeway/simulator"
)

// period is how much of the past a chart shows.
type period struct {
	Name    string
	Title   string
	seconds int64
}

func (p period) duration() time.Duration { return time.Duration(p.seconds) * time.Second }

// periodOf finds a period by its name; an hour for an empty one.
func periodOf(name string) (period, bool) {
	if name == "" {
		name = "1h"
	}
	i := slices.IndexFunc(periods, func(p period) bool { return p.Name == name })
	if i < 0 {
		return period{}, false
	}
	return periods[i], true
}

// Size of a chart, in its own units, of which ten are a tick of its lines.
const (
	points = 160
	width  = 6400
	height = 1800
)

// drawing is a chart, ready to be written.
type drawing struct {
	Pair            string
	Period          string // in words
	Low, High, Last string // decimals
	From, To        time.Time
	Line, Area      string // coordinates
}

// draw draws the true price of a pair, around which venues quote, up to the world's now. It is false for a pair that has none.
func draw(w *simulator.World, pair core.Pair, p period) (drawing, bool) {
	to := w.Now()
	from := to.Add(-p.duration())
	amounts := make([]simulator.Amount, 0, points+1)
	for i := range points + 1 {
		a, known := w.Market().Reference(pair, from.Add(p.duration()*time.Duration(i)/points))
		if !known {
			return drawing{}, false
		}
		amounts = append(amounts, a)
	}
	units := level(amounts)
	low, high := 0, 0
	for i := range units {
		if units[i].Cmp(units[low]) < 0 {
			low = i
		}
		if units[i].Cmp(units[high]) > 0 {
			high = i
		}
	}
	var line strings.Builder
	for i, u := range units {
		if i > 0 {
			line.WriteByte(' ')
		}
		line.WriteString(strconv.Itoa(i * width / points))
		line.WriteByte(',')
		line.WriteString(strconv.FormatInt(elevation(u, units[low], units[high]), 10))
	}
	bottom := strconv.Itoa(height)
	return drawing{
		Pair: pair.String(), Period: p.Title, Low: amounts[low].Trimmed(), High: amounts[high].Trimmed(), Last: amounts[points].Trimmed(),
		From: from, To: to, Line: line.String(),
		Area: "0," + bottom + " " + line.String() + " " + strconv.Itoa(width) + "," + bottom,
	}, true
}

// plot is the chart as SVG, which is a document of its own, too.
func (d drawing) plot() g.Node {
	return el("svg",
		attr("xmlns", "http://www.w3.org/2000/svg"), attr("class", "plot"), attr("role", "img"), attr("preserveAspectRatio", "none"),
		attr("viewBox", "0 0 "+strconv.Itoa(width)+" "+strconv.Itoa(height)),
		attr("aria-label", d.Pair+", "+d.Period+" up to "+instant(d.To)+": from "+d.Low+" to "+d.High+", now "+d.Last),
		attr("data-low", d.Low), attr("data-high", d.High), attr("data-last", d.Last),
		el("polygon", attr("points", d.Area), attr("fill", "currentColor"), attr("fill-opacity", "0.12")),
		el("polyline", attr("points", d.Line), attr("fill", "none"), attr("stroke", "currentColor"), attr("stroke-width", "2"),
			attr("stroke-linejoin", "round"), attr("vector-effect", "non-scaling-stroke")),
	)
}

// level brings amounts to the same number of places.
func level(amounts []simulator.Amount) []*big.Int {
	places := 0
	for _, a := range amounts {
		places = max(places, a.Places)
	}
	out := make([]*big.Int, len(amounts))
	for i, a := range amounts {
		factor := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places-a.Places)), nil)
		out[i] = factor.Mul(factor, new(big.Int).SetUint64(a.Units))
	}
	return out
}

// elevation is how far below the top of the chart a value is. A margin is left above and below; a price that does not move is in the middle.
func elevation(value, low, high *big.Int) int64 {
	const margin = height / 12
	span := new(big.Int).Sub(high, low)
	if span.Sign() == 0 {
		return height / 2
	}
	up := new(big.Int).Sub(value, low)
	up.Mul(up, big.NewInt(height-2*margin)).Quo(up, span)
	return height - margin - up.Int64()
}

// pairOf reads a pair, as in BTC/NGN. What is none is a pair that nobody has.
func pairOf(text string) core.Pair {
	base, counter, _ := strings.Cut(text, "/")
	return core.Pair{Base: base, Counter: counter}
}

// chart answers with the chart of a pair.
func (c *Console) chart(w http.ResponseWriter, r *http.Request) {
	world := c.world(w, r)
	if world == nil {
		return
	}
	q := r.URL.Query()
	p, known := periodOf(q.Get("period"))
	if !known {
		var names []string
		for _, p := range periods {
			names = append(names, p.Name)
		}
		c.refuse(w, http.StatusBadRequest, "There is no such period; accepted: "+strings.Join(names, ", ")+".")
		return
	}
	d, known := draw(world, pairOf(q.Get("pair")), p)
	if !known {
		c.refuse(w, http.StatusNotFound, "The market has no such pair; accepted: one of the board, such as BTC/USDT.")
		return
	}
	c.render(w, http.StatusOK, "image/svg+xml", d.plot())
}
