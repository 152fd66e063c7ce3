package frankfurter_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/frankfurter"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
)

const base = "https://api.frankfurter.dev/v2/rates"

var (
	usdngn = core.Pair{Base: "USD", Counter: "NGN"}
	usdkes = core.Pair{Base: "USD", Counter: "KES"}
	usdugx = core.Pair{Base: "USD", Counter: "UGX"}
	usdstn = core.Pair{Base: "USD", Counter: "STN"}
	usdghs = core.Pair{Base: "USD", Counter: "GHS"}
	usdzzz = core.Pair{Base: "USD", Counter: "ZZZ"}
	usdkpw = core.Pair{Base: "USD", Counter: "KPW"}

	markets = []core.Pair{usdngn, usdkes, usdugx, usdstn}
	friday  = time.Date(2026, time.November, 20, 16, 0, 0, 0, time.UTC)
)

// open makes the source over a Frankfurter.
func open(t testing.TB, transport http.RoundTripper) (*frankfurter.Source, *upstreamtest.World) {
	t.Helper()
	return openAt(t, transport, upstreamtest.Noon())
}

func openAt(t testing.TB, transport http.RoundTripper, at time.Time) (*frankfurter.Source, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.OpenAt(t, transport, func() time.Time { return at })
	source, err := frankfurter.New(frankfurter.Config{}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return source, world
}

func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	return upstreamtest.Saying(t, base, answer)
}

// TestDates goes through what a date can mean for an answer that came on Saturday at noon.
func TestDates(t *testing.T) {
	t.Parallel()
	noon := upstreamtest.Noon()
	for name, c := range map[string]struct {
		date string
		want time.Time
	}{
		"of yesterday, as of its publication":                         {"2026-11-20", friday},
		"of last week, for a bank that is silent":                     {"2026-11-13", friday.AddDate(0, 0, -7)},
		"of today, and not from the future":                           {"2026-11-21", noon},
		"of tomorrow, fixed ahead":                                    {"2026-11-22", noon},
		"of the day after, which nobody fixes: as it claims":          {"2026-11-23", friday.AddDate(0, 0, 3)},
		"of another year: as it claims, to be refused for its future": {"2027-11-21", friday.AddDate(1, 0, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row := `[{"date":"` + c.date + `","base":"USD","quote":"NGN","rate":1370.53}]`
			source, _ := open(t, saying(t, upstreamtest.Text(200, row)))
			got, err := source.Observe(t.Context(), []core.Pair{usdngn})
			if err != nil || len(got) != 1 || !got[0].At.Equal(c.want) {
				t.Errorf("got %v, %v; want one of %s", got, err, c.want)
			}
		})
	}
	t.Run("of today, after its publication", func(t *testing.T) {
		t.Parallel()
		source, _ := openAt(t, saying(t, upstreamtest.File(t, "rates.json")), friday.Add(5*time.Hour))
		got, err := source.Observe(t.Context(), []core.Pair{usdngn})
		if err != nil || len(got) != 1 || !got[0].At.Equal(friday) {
			t.Errorf("got %v, %v; want one of %s", got, err, friday)
		}
	})
	t.Run("each row has its own", func(t *testing.T) {
		t.Parallel()
		source, _ := open(t, saying(t, upstreamtest.File(t, "rates.json")))
		got, err := source.Observe(t.Context(), []core.Pair{usdghs, usdngn})
		if err != nil || len(got) != 2 || !got[0].At.Equal(friday.AddDate(0, 0, -2)) || !got[1].At.Equal(friday) {
			t.Errorf("got %v, %v", got, err)
		}
	})
}
