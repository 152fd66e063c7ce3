package console

import (
	"fmt"

	g "maragu.dev/gomponents"
)

func (l look) clock() []item {
	s := l.World.ClockState()
	next, _ := l.World.Next() // zero: nothing is known to come
	coming, going, turn := "Nothing is known to come.", fmt.Sprintf("running ×%d", s.Rate), does("Freeze", "PUT", l.Base+"/clock", members{"frozen": true})
	if !next.IsZero() {
		coming = "Next event at " + instant(next) + "."
	}
	if s.Frozen {
		going, turn = "frozen", does("Run", "PUT", l.Base+"/clock", members{"frozen": false})
	}
	return []item{{"clock", el("div", attr("class", "clock"), attr("data-key", "clock"), attr("data-frozen", either(s.Frozen, "true", "false")),
		el("p", attr("class", "now"), spaced(el("time", attr("datetime", instant(s.Now)), g.Text(instant(s.Now))), badge(either(s.Frozen, "halted", "fresh"), going))),
		noteLine(coming),
		buttons(
			turn,
			does("×1", "PUT", l.Base+"/clock", members{"rate": 1}),
			does("×60", "PUT", l.Base+"/clock", members{"rate": 60}),
			does("+1 m", "POST", l.Base+"/clock/advance", members{"by": "1m"}),
			does("+1 h", "POST", l.Base+"/clock/advance", members{"by": "1h"}),
			does("Next event", "POST", l.Base+"/clock/advance", members{"to": "next-event"}, g.If(next.IsZero(), attr("disabled"))),
		),
	)}}
}

func (s sheet) clockSection() g.Node {
	return section("clock", "Clock", live("div", "clock", s.panels["clock"]))
}
