package pairs_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/pairs"
)

// TestMeant_ConfirmsJump sets a market of two venues to twice its price, while the clock stands still.
func TestMeant_ConfirmsJump(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meant  string // empty: nothing
		status pairs.Status
		reason pairs.Reason
		mid    string
	}{
		"nobody meant it":            {"", pairs.Halted, pairs.OffBounds, "1500"},
		"somebody meant it":          {"3000", pairs.Fresh, "", "3000"},
		"somebody meant another one": {"300", pairs.Halted, pairs.OffBounds, "1500"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, meant := config(), ""
			cfg.Markets[2].Bound, cfg.MarketClasses[1].Bound = "USD", dec("0.2")
			cfg.Meant = func(p core.Pair) (decimal.Decimal, bool) {
				if p != pair("USDT/NGN") || meant == "" {
					return decimal.Decimal{}, false
				}
				return dec(meant), true
			}
			s := open(t, cfg)
			quoted(s.venues)
			s.Tick(t.Context())
			same(t, "mid", s.want(t, "USDTNGN", pairs.Fresh, "").Mid, "1500")
			for _, v := range s.venues {
				v.set("USDT/NGN", "3000")
			}
			meant = c.meant
			s.Tick(t.Context())
			same(t, "mid before the sources are asked", s.want(t, "USDTNGN", pairs.Fresh, "").Mid, "1500")
			s.Renew()
			s.Tick(t.Context())
			same(t, "mid", s.want(t, "USDTNGN", c.status, c.reason).Mid, c.mid)
		})
	}
}

// TestRenew_PollsOnce has a source fail, which is then to be asked once before its back-off is over.
func TestRenew_PollsOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	v := s.venues["alpha"]
	v.fail(outage.Retry(time.Hour))
	s.step(t, 2*time.Second)
	n := v.polled()
	s.Tick(t.Context())
	s.Renew()
	s.Tick(t.Context())
	s.Tick(t.Context())
	if got := v.polled(); got != n+1 {
		t.Errorf("it was asked %d times more, want once", got-n)
	}
}
