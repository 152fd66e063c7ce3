package format_test

import (
	"encoding/json"
	"testing"
	"time"

	"causeway/simulator/faults"
	"causeway/simulator/faults/inject"
	"causeway/simulator/input"
	"causeway/simulator/wire/format"
)

func TestDescriptor_Rewrite(t *testing.T) {
	t.Parallel()
	points := format.Descriptor{
		Prices: []string{"data.*.ask", "data.*.bid"},
		Times: []format.TimeField{
			{Place: "s", Unit: format.Seconds},
			{Place: "ms", Unit: format.Milliseconds},
			{Place: "clock", Unit: format.ClockTime},
			{Place: "date", Unit: format.Date},
		},
	}
	const plain = `{"clock":"2026-11-21T12:00:00.000000Z","data":[{"ask":"1.25","bid":4},{"ask":"8","bid":"2"}],` +
		`"date":"2026-11-21","ms":"1795262400250","s":1795262400}`
	hours := input.Duration(50 * time.Hour)
	const prices = `"data":[{"ask":"1.25","bid":4},{"ask":"8","bid":"2"}]`
	const times = `"date":"2026-11-21","ms":"1795262400250","s":1795262400}`
	const head = `{"clock":"2026-11-21T12:00:00.000000Z","data":[{"ask":`
	for _, c := range []struct {
		effect faults.Effect
		want   string
	}{
		{faults.Effect{Kind: faults.Times, Factor: 10}, head + `"12.5","bid":40},{"ask":"80","bid":"20"}],` + times},
		{faults.Effect{Kind: faults.Times, Factor: 1000}, head + `"1250","bid":4000},{"ask":"8000","bid":"2000"}],` + times},
		{faults.Effect{Kind: faults.Inverted}, head + `"0.8","bid":0.25},{"ask":"0.125","bid":"0.5"}],` + times},
		{faults.Effect{Kind: faults.Zero}, head + `"0","bid":0},{"ask":"0","bid":"0"}],` + times},
		{faults.Effect{Kind: faults.Negative}, head + `"-1.25","bid":-4},{"ask":"-8","bid":"-2"}],` + times},
		{faults.Effect{Kind: faults.CommaDecimal}, head + `"1,25","bid":"4"},{"ask":"8","bid":"2"}],` + times},
		{faults.Effect{Kind: faults.SwappedPair}, head + `"8","bid":2},{"ask":"1.25","bid":"4"}],` + times},
		{faults.Effect{Kind: faults.ChangedType}, head + `["1.25"],"bid":[4]},{"ask":["8"],"bid":["2"]}],` + times},
		{
			faults.Effect{Kind: faults.MissingField},
			`{"clock":"2026-11-21T12:00:00.000000Z","data":[{"bid":4},{"bid":"2"}],` + times,
		},
		{
			faults.Effect{Kind: faults.StaleTimestamp},
			`{"clock":"2026-11-21T11:00:00.000000Z",` + prices + `,"date":"2026-11-20","ms":"1795258800250","s":1795258800}`,
		},
		{
			faults.Effect{Kind: faults.FutureTimestamp, By: hours},
			`{"clock":"2026-11-23T14:00:00.000000Z",` + prices + `,"date":"2026-11-24","ms":"1795442400250","s":1795442400}`,
		},
		{
			faults.Effect{Kind: faults.SecondsForMillis},
			`{"clock":"2026-11-21T12:00:00.000000Z",` + prices + `,"date":"2026-11-21","ms":"1795262400","s":1795262400000}`,
		},
	} {
		got := string(inject.Edit([]byte(plain), func(document any) { points.Rewrite(document, format.Operation{}, c.effect) }))
		if got != c.want || !json.Valid([]byte(got)) {
			t.Errorf("%s:\ngot  %s\nwant %s", c.effect.Kind, got, c.want)
		}
	}
}
