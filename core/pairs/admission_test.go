package pairs_test

import (
	"context"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/pairs"
)

func TestAdmission(t *testing.T) {
	t.Parallel()
	good := core.Observation{Pair: pair("BTC/USD"), Bid: dec("99990"), Ask: dec("100010"), At: noon, Source: "alpha"}
	for name, test := range map[string]struct {
		change func(*core.Observation)
		want   pairs.Reason
	}{
		"as it should be":           {func(*core.Observation) {}, ""},
		"a middle price only":       {func(o *core.Observation) { o.Ask = o.Bid }, ""},
		"exactly the widest spread": {func(o *core.Observation) { o.Bid, o.Ask = dec("99500"), dec("100500") }, ""},
		"exactly the largest age":   {func(o *core.Observation) { o.At = noon.Add(-30 * time.Second) }, ""},
		"exactly the largest skew":  {func(o *core.Observation) { o.At = noon.Add(2 * time.Second) }, ""},
		"zero":                      {func(o *core.Observation) { o.Bid = decimal.Zero }, pairs.NotPositive},
		"negative":                  {func(o *core.Observation) { o.Bid, o.Ask = dec("-2"), dec("-1") }, pairs.NotPositive},
		"bid above ask":             {func(o *core.Observation) { o.Bid, o.Ask = o.Ask, o.Bid }, pairs.Inverted},
		"too wide":                  {func(o *core.Observation) { o.Bid, o.Ask = dec("99499"), dec("100500") }, pairs.Wide},
		"too old":                   {func(o *core.Observation) { o.At = noon.Add(-30*time.Second - 1) }, pairs.Old},
		"no time at all":            {func(o *core.Observation) { o.At = time.Time{} }, pairs.Old},
		"seconds for milliseconds":  {func(o *core.Observation) { o.At = time.UnixMilli(noon.Unix()) }, pairs.Old},
		"milliseconds for seconds":  {func(o *core.Observation) { o.At = time.Unix(noon.UnixMilli(), 0) }, pairs.Future},
		"from the future":           {func(o *core.Observation) { o.At = noon.Add(2*time.Second + 1) }, pairs.Future},
		"another pair":              {func(o *core.Observation) { o.Pair = pair("BTC/EUR") }, pairs.WrongPair},
		"the pair the wrong way":    {func(o *core.Observation) { o.Pair = o.Pair.Inverse() }, pairs.WrongPair},
		"far too large":             {func(o *core.Observation) { o.Bid, o.Ask = decimal.New(1, 2_000_000_000), decimal.New(1, 2_000_000_000) }, pairs.OutOfRange},
		"far too small":             {func(o *core.Observation) { o.Bid = decimal.New(1, -2_000_000_000) }, pairs.OutOfRange},
		"too many digits":           {func(o *core.Observation) { o.Bid = o.Bid.Add(decimal.New(1, -50)) }, pairs.OutOfRange},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, config())
			o := good
			test.change(&o)
			s.venues["alpha"].observe = func(context.Context, []core.Pair) ([]core.Observation, error) { return []core.Observation{o}, nil }
			s.Tick(t.Context())
			state := s.Sources()[0]
			if test.want == "" {
				if state.Admitted != 1 || s.Snapshot().Quote("BTCUSD") == nil {
					t.Errorf("it was not admitted: %v", state.Rejected)
				}
				return
			}
			if state.Admitted != 0 || state.Rejected[test.want] != 1 {
				t.Errorf("got %d admitted and %v, want one of %s", state.Admitted, state.Rejected, test.want)
			}
			if snapshot := s.Snapshot(); snapshot != nil && snapshot.Quote("BTCUSD") != nil {
				t.Error("it made a price")
			}
		})
	}
}

func TestAdmission_Superseded(t *testing.T) {
	t.Parallel()
	s := start(t, config())
	s.venues["alpha"].lag = 5 * time.Second
	s.venues["alpha"].set("SHIB/USD", "0.00009")
	s.step(t, 2*time.Second)
	same(t, "mid", s.quote(t, "SHIBUSD").Mid, "0.00001235")
	if got := s.Sources()[0].Rejected[pairs.Superseded]; got != 3 {
		t.Errorf("got %d superseded, want 3", got)
	}
	s.step(t, 4*time.Second)
	same(t, "mid later", s.quote(t, "SHIBUSD").Mid, "0.00009")
}
