package pairs_test

import (
	"cmp"
	"context"
	"flag"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/adapters/storage"
	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

// TestMain makes property tests short. The flag -rapid.checks overrides it.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
	m.Run()
}

// tb is what testing and rapid have in common.
type tb interface {
	rapid.TB
	Context() context.Context
}

// noon is a Monday.
var noon = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

// pair reads "BTC/USD".
func pair(s string) core.Pair {
	for i := range s {
		if s[i] == '/' {
			return core.Pair{Base: s[:i], Counter: s[i+1:]}
		}
	}
	panic(s)
}

// manualClock is a clock that a test moves.
type manualClock struct {
	mu  sync.Mutex
	now time.Time
}

func (h *manualClock) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *manualClock) advance(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// book is one side-by-side price.
type book struct{ bid, ask string }

// venue is a source whose prices a test sets. It stamps its answers with the clock's now less its
// lag.
type venue struct {
	name  string
	clock core.Clock

	mu      sync.Mutex
	books   map[core.Pair]book
	lag     time.Duration
	err     error
	polls   []time.Time
	markets []core.Pair
	observe func(context.Context, []core.Pair) ([]core.Observation, error) // in place of all that
}

func newVenue(name string, clock core.Clock) *venue {
	return &venue{name: name, clock: clock, books: map[core.Pair]book{}}
}

func (v *venue) Name() string { return v.name }

func (v *venue) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	v.mu.Lock()
	v.polls = append(v.polls, v.clock())
	v.markets = markets
	observe := v.observe
	v.mu.Unlock()
	if observe != nil {
		return observe(ctx, markets)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err != nil {
		return nil, v.err
	}
	var out []core.Observation
	for _, m := range markets {
		if b, ok := v.books[m]; ok {
			out = append(out, core.Observation{Pair: m, Bid: dec(b.bid), Ask: dec(b.ask), At: v.clock().Add(-v.lag), Source: v.name})
		}
	}
	return out, nil
}

// set quotes a market from now on; one number is both sides.
func (v *venue) set(market, bid string, ask ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	b := book{bid: bid, ask: bid}
	if len(ask) > 0 {
		b.ask = ask[0]
	}
	v.books[pair(market)] = b
}

func (v *venue) silence(market string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.books, pair(market))
}

func (v *venue) fail(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.err = err
}

func (v *venue) polled() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.polls)
}

// fixture is an engine with a clock that a test moves and venues whose prices it sets.
type fixture struct {
	*pairs.Service
	clock  *manualClock
	venues map[string]*venue

	market, id string // that play says prices of, and expects a quote of
}

// config is a small but complete world: three books, one official source, one treaty.
func config() pairs.Config {
	return pairs.Config{
		PriceCatalog: core.PriceCatalog{
			Currencies: []core.Currency{
				{Code: "BTC", Name: "Bitcoin", Type: core.Crypto, Decimals: 8, Rank: 1},
				{Code: "SHIB", Name: "Shiba Inu", Type: core.Crypto, Decimals: 0, Rank: 20},
				{Code: "USDT", Name: "Tether", Type: core.Stablecoin, Decimals: 6, Rank: 3},
				{Code: "USD", Name: "US Dollar", Type: core.Fiat, Decimals: 2},
				{Code: "EUR", Name: "Euro", Type: core.Fiat, Decimals: 2},
				{Code: "NGN", Name: "Nigerian Naira", Type: core.Fiat, Decimals: 2},
				{Code: "XOF", Name: "West African CFA Franc", Type: core.Fiat, Decimals: 0},
			},
			Sources: []core.Source{
				{Name: "alpha", Family: "alpha", Kind: core.BookSource, Interval: 2 * time.Second},
				{Name: "beta", Family: "beta", Kind: core.BookSource, Interval: 2 * time.Second},
				{Name: "gamma", Family: "gamma", Kind: core.BookSource, Interval: 2 * time.Second},
				{Name: "bank", Family: "bank", Kind: core.OfficialSource, Interval: time.Hour},
			},
			Rules: core.PriceRules{
				ReadmitSamples: 3, StallMove: dec("0.001"), DegradedFor: time.Minute, DegradedMargin: 3,
				JumpWithin: time.Minute, JumpHold: 30 * time.Second, JumpFamilies: 3, JumpConfidence: dec("0.01"),
				Wide: dec("0.02"),
			},
			MarketClasses: []core.MarketClass{
				{Name: "major", MaxAge: 30 * time.Second, MaxSpread: dec("0.01"), Quorum: 1, Band: dec("0.01"), Jump: dec("0.05"), Stall: 40 * time.Second},
				{Name: "street", MaxAge: 120 * time.Second, MaxSpread: dec("0.03"), Quorum: 1, Band: dec("0.03"), Jump: dec("0.15"), Stall: 40 * time.Second},
				{Name: "official", MaxAge: 36 * time.Hour, MaxSpread: dec("0.01"), Quorum: 1, Band: dec("0.03"), Jump: dec("0.15")},
				{
					Name: "stablecoin", MaxAge: 30 * time.Second, MaxSpread: dec("0.01"), Quorum: 1, Band: dec("0.005"),
					Jump: dec("0.01"), Stall: 40 * time.Second, Depeg: dec("0.05"),
				},
				{Name: "peg"},
			},
			Markets: []core.Market{
				{Pair: pair("BTC/USD"), Class: "major", Sources: []string{"alpha", "beta", "gamma"}},
				{Pair: pair("USDT/USD"), Class: "major", Sources: []string{"alpha"}},
				{Pair: pair("USDT/NGN"), Class: "street", Sources: []string{"beta"}},
				{Pair: pair("SHIB/USD"), Class: "major", Sources: []string{"alpha"}},
				{Pair: pair("USD/NGN"), Class: "official", Sources: []string{"bank"}},
				{Pair: pair("USD/EUR"), Class: "official", Sources: []string{"bank"}},
				{Pair: pair("EUR/XOF"), Class: "peg", Fixed: dec("655.957")},
			},
			ListingClasses: []core.ListingClass{
				{Name: "crypto", MarginBPS: 150, MinUSD: dec("5"), MaxUSD: dec("10000"), Fresh: 10 * time.Second, Stale: 60 * time.Second},
				{Name: "tail", MarginBPS: 250, MinUSD: dec("5"), MaxUSD: dec("2000"), Fresh: 60 * time.Second, Stale: 120 * time.Second},
				{Name: "fiat", MarginBPS: 100, MinUSD: dec("1"), MaxUSD: dec("5000"), Fresh: 60 * time.Second, Stale: 120 * time.Second},
			},
			Listings: []core.Listing{
				{Pair: pair("BTC/USD"), Class: "crypto"},
				{Pair: pair("SHIB/USD"), Class: "crypto"},
				{Pair: pair("USDT/NGN"), Class: "tail"},
				{Pair: pair("BTC/EUR"), Via: "USD", Class: "crypto"},
				{Pair: pair("EUR/USD"), Class: "fiat"},
				{Pair: pair("EUR/XOF"), Class: "fiat"},
				{Pair: pair("USD/XOF"), Via: "EUR", Class: "fiat"},
			},
		},
		Entropy: func() uint64 { return 0 },
	}
}

// quoted gives every venue the usual prices of config; each venue is polled for its own markets only.
func quoted(venues map[string]*venue) {
	for _, v := range venues {
		v.set("BTC/USD", "99990", "100010")
		v.set("USDT/USD", "0.9998", "1.0002")
		v.set("SHIB/USD", "0.00001234", "0.00001236")
		v.set("USDT/NGN", "1498", "1502")
		v.set("USD/NGN", "1490")
		v.set("USD/EUR", "0.8")
	}
}

// venuesOf makes a venue of every source that the markets name.
func venuesOf(cfg pairs.Config, clock core.Clock) (map[string]*venue, []ports.RateSource) {
	venues, sources := map[string]*venue{}, []ports.RateSource{}
	for _, m := range cfg.Markets {
		for _, name := range m.Sources {
			if venues[name] == nil {
				venues[name] = newVenue(name, clock)
				sources = append(sources, venues[name])
			}
		}
	}
	return venues, sources
}

// tabled adds what is known of the sources that the markets name and the table does not: books with
// a family of their own.
func tabled(cfg pairs.Config) pairs.Config {
	for _, m := range cfg.Markets {
		for _, name := range m.Sources {
			if !slices.ContainsFunc(cfg.Sources, func(s core.Source) bool { return s.Name == name }) {
				cfg.Sources = append(cfg.Sources, core.Source{Name: name, Family: name, Kind: core.BookSource, Interval: 2 * time.Second})
			}
		}
	}
	return cfg
}

// open sets the fixture for a configuration, with the clock at noon and config's prices where it is
// config.
func open(t tb, cfg pairs.Config) *fixture {
	t.Helper()
	s := &fixture{clock: &manualClock{now: noon}}
	var sources []ports.RateSource
	s.venues, sources = venuesOf(cfg, s.clock.Now)
	if cfg.History == nil {
		cfg.History = storage.NewHistory(nil, nil, nil, nil)
	}
	service, err := pairs.New(tabled(cfg), sources, s.clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	s.Service = service
	return s
}

// openQuoted opens a configuration with the usual prices.
func openQuoted(t tb, cfg pairs.Config) *fixture {
	t.Helper()
	s := open(t, cfg)
	quoted(s.venues)
	return s
}

// start opens a configuration with the usual prices and ticks once.
func start(t tb, cfg pairs.Config) *fixture {
	t.Helper()
	s := openQuoted(t, cfg)
	s.Tick(t.Context())
	return s
}

// step moves the clock and ticks.
func (s *fixture) step(t tb, d time.Duration) *pairs.Snapshot {
	t.Helper()
	s.clock.advance(d)
	s.Tick(t.Context())
	return s.Snapshot()
}

// quote returns a quote that must be there.
func (s *fixture) quote(t tb, id string) *pairs.Quote {
	t.Helper()
	snapshot := s.Snapshot()
	if snapshot == nil {
		t.Fatal("nothing is published")
	}
	q := snapshot.Quote(id)
	if q == nil {
		t.Fatalf("%s is not in the snapshot", id)
	}
	return q
}

// same fails unless the number is the one written.
func same(t tb, what string, got decimal.Decimal, want string) {
	t.Helper()
	if !got.Equal(dec(want)) {
		t.Errorf("%s: got %s, want %s", what, got, want)
	}
}

// panel opens one market with so many books of a class, a quorum of two, and a listing of it. The
// venues a, b, c, … quote 100.
func panel(t tb, market, class string, n int) *fixture {
	t.Helper()
	return openPanel(t, panelConfig(market, class, n))
}

// openPanel opens a configuration that panelConfig made.
func openPanel(t tb, cfg pairs.Config) *fixture {
	t.Helper()
	s := open(t, cfg)
	s.market, s.id = cfg.Markets[0].Pair.String(), cfg.Markets[0].Pair.ID()
	for _, name := range cfg.Markets[0].Sources {
		s.venues[name].set(s.market, "100")
	}
	return s
}

func venueName(i int) string { return string(rune('a' + i)) }

func panelConfig(market, class string, n int) pairs.Config {
	cfg := config()
	of := pair(market)
	for _, code := range []string{of.Base, of.Counter} {
		if !slices.ContainsFunc(cfg.Currencies, func(c core.Currency) bool { return c.Code == code }) {
			cfg.Currencies = append(cfg.Currencies, core.Currency{Code: code, Name: code, Type: core.Crypto, Decimals: 8})
		}
	}
	m := core.Market{Pair: of, Class: class, Quorum: min(n, 2)}
	for i := range n {
		m.Sources = append(m.Sources, venueName(i))
	}
	cfg.Markets = []core.Market{m}
	cfg.Listings = []core.Listing{{Pair: of, Class: "crypto"}}
	return cfg
}

// say sets what every venue quotes, in the order of their names; an empty text leaves one as it is.
func (s *fixture) say(market string, prices ...string) {
	for i, p := range prices {
		if p != "" {
			s.venues[venueName(i)].set(market, p)
		}
	}
}

// step is a step of a scenario: what the venues do, and what becomes of the price.
type step struct {
	say   string        // of the venues a, b, …: a price, bid/ask, "-" (as before), "down" or "up"
	wait  time.Duration // until the next tick; zero: 2 s
	times int           // so many ticks; zero: one
	want  string        // after each: "fresh", "stale aging", or with the mid "stale aging 100"; empty: no price
	out   string        // sources without a vote at the end: "c outlier d stalled", or "none"; empty: any
}

// play runs a scenario.
func (s *fixture) play(t tb, steps []step) {
	t.Helper()
	for _, x := range steps {
		for i, word := range strings.Fields(x.say) {
			switch v := s.venues[venueName(i)]; word {
			case "-":
			case "down":
				v.fail(outage)
			case "up":
				v.fail(nil)
			default:
				bid, ask, _ := strings.Cut(word, "/")
				v.set(s.market, bid, cmp.Or(ask, bid))
			}
		}
		for i := range max(x.times, 1) {
			s.step(t, cmp.Or(x.wait, 2*time.Second))
			s.expect(t, step{want: x.want, out: map[bool]string{true: x.out}[i == max(x.times, 1)-1]})
		}
	}
}

// expect checks the price of the pair.
func (s *fixture) expect(t tb, x step) {
	t.Helper()
	at := s.clock.Now().Sub(noon)
	var q *pairs.Quote
	if snapshot := s.Snapshot(); snapshot != nil {
		q = snapshot.Quote(s.id)
	}
	if q == nil || x.want == "" {
		if q != nil || x.want != "" {
			t.Fatalf("%s: got %v, want %q", at, q, x.want)
		}
		return
	}
	got := strings.TrimSpace(string(q.Status) + " " + string(q.Reason))
	if words := strings.Fields(x.want); strings.Trim(words[len(words)-1], "0123456789.") == "" {
		got += " " + q.Mid.String()
	}
	if got != x.want {
		t.Errorf("%s: got %q, want %q", at, got, x.want)
	}
	var out []string
	for _, e := range q.Legs[0].Rate.Excluded {
		out = append(out, e.Source+" "+string(e.Reason))
	}
	if got := cmp.Or(strings.Join(out, " "), "none"); x.out != "" && got != x.out {
		t.Errorf("%s: excluded %q, want %q", at, got, x.out)
	}
}

// want checks the status of a pair.
func (s *fixture) want(t tb, id string, status pairs.Status, reason pairs.Reason) *pairs.Quote {
	t.Helper()
	q := s.quote(t, id)
	if q.Status != status || q.Reason != reason {
		t.Errorf("%s: %s is %s %q, want %s %q", s.clock.Now().Sub(noon), id, q.Status, q.Reason, status, reason)
	}
	return q
}

var outage = core.Errorf(core.Unavailable, "it is unavailable")

// hush makes every book fail; the official rates go on.
func (s *fixture) hush() {
	for _, name := range []string{"alpha", "beta", "gamma"} {
		s.venues[name].fail(outage)
	}
}
