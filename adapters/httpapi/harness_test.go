package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"
	"go.opentelemetry.io/otel/propagation"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"causeway/adapters/httpapi"
	"causeway/core"
	"causeway/core/banks"
	"causeway/core/pairs"
	"causeway/core/recipients"
)

// noon is the present in these tests.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// world is an API with its services faked, and what it wrote down.
type world struct {
	t          testing.TB
	api        *httpapi.API
	handler    http.Handler
	registry   *prometheus.Registry
	logs       *observer.ObservedLogs
	pairs      *pairBook
	banks      *banks.Service
	recipients *resolver
	addresses  *validator
	now        atomic.Pointer[time.Time]
	drawn      atomic.Uint64 // random numbers so far, each larger than the last
}

// newWorld makes a sandbox. Changes are made to its configuration and services before the API is made of them.
func newWorld(t testing.TB, changes ...func(*httpapi.Config, *httpapi.Services)) *world {
	t.Helper()
	w := &world{t: t, registry: prometheus.NewRegistry()}
	w.now.Store(&noon)
	seen, logs := observer.New(zapcore.DebugLevel)
	w.logs = logs
	w.banks = bankService(t)
	w.pairs, w.recipients, w.addresses = &pairBook{known: map[string]bool{"SOLNGN": true}}, newResolver(), newValidator()
	w.pairs.publish(snapshot())
	clock := func() time.Time { return *w.now.Load() }
	entropy := func() uint64 { return w.drawn.Add(1) }
	config := httpapi.Config{
		Version: "1.2.3", Sandbox: true, Now: clock, Entropy: entropy,
		Instance: httpapi.InstanceConfig{Clock: clock, Entropy: entropy},
	}
	services := httpapi.Services{
		Pairs: w.pairs, Banks: w.banks, Recipients: w.recipients, Addresses: w.addresses, Deposits: depositService(t), Currencies: currencies(), Countries: countries(),
	}
	for _, change := range changes {
		change(&config, &services)
	}
	w.api = httpapi.New(config, services, zap.New(seen), w.registry)
	w.handler = traced(w.api.Handler())
	return w
}

// traced continues the traces of clients, as the tracing middleware before the API does.
func traced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// production makes resolution need one of two keys.
func production(c *httpapi.Config, _ *httpapi.Services) {
	c.Sandbox = false
	c.Auth = httpapi.Auth{Operations: []string{"resolve-account"}, Keys: ring{
		"key-of-alice": {ID: "alice", Scopes: []string{"*"}}, "key-of-bob": {ID: "bob", Scopes: []string{"resolve-account"}},
		"key-of-carol": {ID: "carol", Scopes: []string{"list-pairs"}, Limit: core.RateLimit{Calls: 5, Per: time.Minute}},
	}}
}

// ring is a fake of the keys.
type ring map[core.Secret]core.Key

// Find returns the key behind a credential.
func (r ring) Find(_ context.Context, credential core.Secret) (core.Key, error) {
	if key, ok := r[credential]; ok {
		return key, nil
	}
	return core.Key{}, core.Errorf(core.Unauthorized, "no such key")
}

// request returns a request. header lines are "Name: value".
func (w *world) request(method, target, body string, header ...string) *http.Request {
	w.t.Helper()
	var reader io.Reader = http.NoBody
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequestWithContext(w.t.Context(), method, "/", reader)
	parsed, err := url.ParseRequestURI(target) // as a server reads a request line
	if err != nil {
		w.t.Fatalf("target %q: %v", target, err)
	}
	r.URL, r.RequestURI = parsed, target
	for _, line := range header {
		name, value, _ := strings.Cut(line, ":")
		r.Header.Add(name, strings.TrimSpace(value))
	}
	return r
}

// do sends a request.
func (w *world) do(method, target, body string, header ...string) *httptest.ResponseRecorder {
	w.t.Helper()
	return w.serve(w.request(method, target, body, header...))
}

// from sends a GET from an address.
func (w *world) from(address, target string, header ...string) *httptest.ResponseRecorder {
	w.t.Helper()
	r := w.request(http.MethodGet, target, "", header...)
	r.RemoteAddr = address
	return w.serve(r)
}

func (w *world) serve(r *http.Request) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	return rec
}

func (w *world) get(target string, header ...string) *httptest.ResponseRecorder {
	w.t.Helper()
	return w.do(http.MethodGet, target, "", header...)
}

func (w *world) post(target, body string, header ...string) *httptest.ResponseRecorder {
	w.t.Helper()
	return w.do(http.MethodPost, target, body, header...)
}

// resolver is a fake of core/recipients.
type resolver struct {
	calls   atomic.Int64
	request recipients.Request
	resolve func(context.Context, recipients.Request) (core.Account, error)
}

// newResolver refuses what lacks a field and finds everything else.
func newResolver() *resolver {
	return &resolver{resolve: func(_ context.Context, r recipients.Request) (core.Account, error) {
		var faults []core.FieldError
		for _, f := range []struct{ name, value string }{
			{"currency_id", r.Currency}, {"country_id", r.Country}, {"channel", r.Channel}, {"bank_code", r.BankCode}, {"account_number", r.AccountNumber.Reveal()},
		} {
			if f.value == "" {
				faults = append(faults, core.FieldError{Field: f.name, Reason: "is required"})
			}
		}
		if len(faults) > 0 {
			return core.Account{}, core.InvalidFields(faults...)
		}
		return core.Account{
			AccountQuery: core.AccountQuery{
				Country: strings.ToUpper(r.Country), Currency: strings.ToUpper(r.Currency), Channel: core.Channel(r.Channel),
				Bank: core.Bank{Code: "000013", Name: "Guaranty Trust Bank"}, Number: r.AccountNumber,
			},
			Holder: "ADAEZE OKAFOR",
		}, nil
	}}
}

func (r *resolver) Resolve(ctx context.Context, request recipients.Request) (core.Account, error) {
	r.request = request
	account, err := r.resolve(ctx, request)
	if core.CodeOf(err) != core.Invalid {
		r.calls.Add(1)
	}
	return account, err
}

func (r *resolver) CallerHash(id string) string { return "hash of " + id }

func (r *resolver) Covers(country string, channel core.Channel) bool {
	return country == "NG" && channel == core.BankTransfer
}

func (r *resolver) NeedsDocument(country string, _ core.Channel) bool { return country == "ZA" }

// validator is a fake of core/addresses.
type validator struct {
	validate func(core.AddressQuery) (core.Verdict, error)
}

// newValidator takes everything of BTC for good that starts with "bc1".
func newValidator() *validator {
	return &validator{validate: func(q core.AddressQuery) (core.Verdict, error) {
		switch q.Currency {
		case "BTC", "XRP":
		case "":
			return core.Verdict{}, core.InvalidField("currency", "is required; accepted: BTC, XRP. See GET /v1/currencies")
		default:
			return core.Verdict{}, core.InvalidField("currency", "%q is not supported; accepted: BTC, XRP. See GET /v1/currencies", q.Currency)
		}
		v := core.Verdict{Address: q.Address, Currency: q.Currency, Network: q.Currency, Memo: q.Memo}
		if !strings.HasPrefix(q.Address.Reveal(), "bc1") && !strings.HasPrefix(q.Address.Reveal(), "r") {
			v.Reason, v.Message, v.PossibleNetworks = "wrong_network", "This is an address of TRON.", []string{"TRX"}
			return v, nil
		}
		v.Valid, v.Format, v.Environment, v.Checksum, v.Normalized = true, "p2wpkh", core.Mainnet, true, q.Address.Reveal()
		if q.Memo != nil && q.Currency == "BTC" {
			v.Warnings = []string{"memo_ignored"}
		}
		return v, nil
	}}
}

func (v *validator) Validate(q core.AddressQuery) (core.Verdict, error) { return v.validate(q) }

func (v *validator) Networks() []core.Network {
	return []core.Network{
		{
			Code: "BTC", Name: "Bitcoin", OtherNames: []string{"BITCOIN"}, Checksum: true,
			Memo:    core.MemoRule{Rule: "This network has no memo; one that is sent is ignored."},
			Formats: []core.NetworkFormat{{Name: "p2wpkh", Example: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"}},
		},
		{
			Code: "XRP", Name: "XRP Ledger", Checksum: true,
			Memo:    core.MemoRule{Supported: true, Recommended: true, Kinds: []string{"id"}, Rule: "A destination tag."},
			Formats: []core.NetworkFormat{{Name: "classic", Example: "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"}},
		},
	}
}

// pairBook is a fake of core/pairs.
type pairBook struct {
	latest *pairs.Snapshot
	follow []func(*pairs.Snapshot)
	known  map[string]bool
}

func (b *pairBook) Subscribe(f func(*pairs.Snapshot)) {
	b.follow = append(b.follow, f)
	if b.latest != nil {
		f(b.latest)
	}
}

func (b *pairBook) Known(id string) bool {
	return b.known[id] || b.latest != nil && slices.ContainsFunc(b.latest.Quotes, func(q pairs.Quote) bool { return q.ID == id })
}

func (*pairBook) Missing(string) []pairs.Exclusion {
	return []pairs.Exclusion{{Source: "binance", Reason: pairs.Future}, {Source: "okx", Reason: pairs.Unreachable}}
}

func (*pairBook) History(ctx context.Context, id, period string) ([]core.PricePoint, error) {
	return hourly(ctx, id, period)
}

func (b *pairBook) publish(s *pairs.Snapshot) {
	b.latest = s
	for _, f := range b.follow {
		f(s)
	}
}

// noPrices makes a book without a publication.
func noPrices(_ *httpapi.Config, s *httpapi.Services) {
	s.Pairs = &pairBook{known: map[string]bool{"SOLNGN": true}}
}

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

func quote(base, counter, buy, sell string, changes ...func(*pairs.Quote)) pairs.Quote {
	names := map[string]string{"BTC": "Bitcoin", "USDT": "Tether", "NGN": "Nigerian Naira", "KES": "Kenyan Shilling", "USD": "US Dollar"}
	ranks := map[string]int{"BTC": 1, "USDT": 3}
	kinds := map[string]core.CurrencyType{"BTC": core.Crypto, "USDT": core.Stablecoin}
	q := pairs.Quote{
		ID: base + counter, Pair: core.Pair{Base: base, Counter: counter}, BaseName: names[base], CounterName: names[counter],
		Type: kinds[base], Rank: ranks[base], BaseDecimals: 8, CounterDecimals: 2,
		Buy: dec(buy), Sell: dec(sell),
		MinBuy: pairs.Limit{Base: dec("0.000005"), Counter: dec("467.51")}, MaxBuy: pairs.Limit{Base: dec("1.5"), Counter: dec("140252543.04")},
		MinSell: pairs.Limit{Base: dec("0.000005"), Counter: dec("444.6")}, MaxSell: pairs.Limit{Base: dec("1.5"), Counter: dec("133379703.48")},
		Change24h: dec("1.1"), Status: pairs.Fresh, UpdatedAt: noon.Add(250 * time.Millisecond), FreshUntil: noon.Add(10 * time.Second),
	}
	if q.Type == "" {
		q.Type, q.BaseDecimals = core.Fiat, 2
	}
	for _, change := range changes {
		change(&q)
	}
	return q
}

func snapshot() *pairs.Snapshot {
	return &pairs.Snapshot{
		ID: 7, At: noon.Add(250 * time.Millisecond), FreshUntil: noon.Add(9500 * time.Millisecond),
		Quotes: []pairs.Quote{
			quote("BTC", "KES", "12345678.9", "12000000", func(q *pairs.Quote) { q.Change24h = dec("-2.5") }),
			quote("BTC", "NGN", "93501695.36", "88919802.32", func(q *pairs.Quote) {
				q.Mid, q.BuyMargin, q.SellMargin, q.Confidence = dec("91210748.84"), dec("0.015"), dec("0.015"), dec("922785.287")
				q.Legs = []pairs.Leg{{Rate: bitcoin()}, {Rate: naira(), Inverted: true}}
			}),
			quote("USD", "NGN", "1605.1", "1585.25", func(q *pairs.Quote) {
				q.Change24h, q.Mid, q.Legs = decimal.Zero, dec("1595"), []pairs.Leg{{Rate: &pairs.Rate{Pair: core.Pair{Base: "USD", Counter: "NGN"}, Mid: dec("1595")}}}
			}),
			quote("USDT", "NGN", "1610.00", "1590.5", func(q *pairs.Quote) {
				q.Status, q.UpdatedAt = pairs.Halted, noon.Add(-time.Hour)
				q.Reason, q.Mid, q.BuyMargin, q.SellMargin, q.Confidence, q.Legs = pairs.Expired, dec("1600"), dec("0.006"), dec("0.006"), dec("0.5"), []pairs.Leg{{Rate: naira()}}
			}),
		},
	}
}

// hourly is a history of three points, an hour apart, for pairs with a price.
func hourly(_ context.Context, id, period string) ([]core.PricePoint, error) {
	begin := map[string]time.Time{"1d": noon.Add(-24 * time.Hour), "7d": noon.Add(-7 * 24 * time.Hour), "30d": noon.Add(-30 * 24 * time.Hour)}[period]
	var points []core.PricePoint
	for i := range 3 {
		if id != "SOLNGN" {
			points = append(points, core.PricePoint{At: begin.Add(time.Duration(i) * time.Hour), Mid: dec("1600.50").Add(decimal.NewFromInt(int64(i)))})
		}
	}
	return points, nil
}

// remembering replaces the history.
func remembering(history func(ctx context.Context, id, period string) ([]core.PricePoint, error)) func(*httpapi.Config, *httpapi.Services) {
	return func(_ *httpapi.Config, s *httpapi.Services) { s.Pairs = remembered{s.Pairs, history} }
}

type remembered struct {
	httpapi.PairBook
	history func(ctx context.Context, id, period string) ([]core.PricePoint, error)
}

func (r remembered) History(ctx context.Context, id, period string) ([]core.PricePoint, error) {
	return r.history(ctx, id, period)
}

// bitcoin and naira are rates of markets.
func bitcoin() *pairs.Rate {
	return &pairs.Rate{
		Pair: core.Pair{Base: "BTC", Counter: "USDT"}, Mid: dec("57000.50"), Confidence: dec("0.375"), Quorum: 2, AsOf: noon.Add(-time.Second),
		Used: []*pairs.Vote{
			{Source: "kraken", Family: "kraken", Bid: dec("57000"), Mid: dec("57000.5"), Ask: dec("57001"), At: noon.Add(-time.Second)},
			{Source: "okx", Family: "a family", Bid: dec("57000.50"), Mid: dec("57000.5"), Ask: dec("57000.5"), At: noon.Add(time.Second)},
		},
		Excluded: []pairs.Exclusion{{Source: "binance", Reason: pairs.Unreachable}},
	}
}

func naira() *pairs.Rate {
	return &pairs.Rate{
		Pair: core.Pair{Base: "NGN", Counter: "USDT"}, Mid: dec("0.000625"), Confidence: dec("0.000001"), Quorum: 1, AsOf: noon.Add(-time.Hour),
		Used: []*pairs.Vote{{Source: "quidax", Family: "quidax", Bid: dec("0.000624"), Mid: dec("0.000625"), Ask: dec("0.000626"), At: noon.Add(-time.Hour)}},
	}
}

// bankService returns a registry of four institutions. Nigeria's institutions are resolvable.
func bankService(t testing.TB) *banks.Service {
	t.Helper()
	catalog := []core.Bank{
		{Code: "000013", Name: "Guaranty Trust Bank", Country: "NG", Currency: "NGN", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"cbn": "058", "swift": "GTBINGLA"}},
		{Code: "000014", Name: "Access Bank", Country: "NG", Currency: "NGN", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"cbn": "044"}},
		{Code: "MTN", Name: "MTN Mobile Money", Country: "GH", Currency: "GHS", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney}},
		{Code: "CI008", Name: "Société Générale Côte d'Ivoire", Country: "CI", Currency: "XOF", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}},
	}
	service, err := banks.New(banks.Config{
		Countries: countries(), Catalog: catalog, Resolvable: func(b core.Bank) bool { return b.Country == "NG" },
		Clock: func() time.Time { return noon }, Entropy: func() uint64 { return 0 },
	})
	if err != nil {
		t.Fatalf("banks: %v", err)
	}
	return service
}

func countries() []core.Country {
	nuban := core.AccountRule{Rule: "exactly 10 digits (NUBAN)", Pattern: regexp.MustCompile(`^[0-9]{10}$`), Example: "0123456789"}
	phone := core.AccountRule{Rule: "a phone number", Pattern: regexp.MustCompile(`^\+233[0-9]{9}$`), Example: "+233241234567", Phone: true}
	return []core.Country{
		{Code: "NG", Name: "Nigeria", Currencies: []string{"NGN"}, Channels: []core.ChannelRule{{Channel: core.BankTransfer, Currencies: []string{"NGN"}, Account: nuban, NeedsBankCode: true}}},
		{Code: "GH", Name: "Ghana", Currencies: []string{"GHS"}, Channels: []core.ChannelRule{{Channel: core.MobileMoney, Currencies: []string{"GHS"}, Account: phone}}},
		{Code: "CI", Name: "Côte d'Ivoire", Currencies: []string{"XOF"}, Channels: []core.ChannelRule{{Channel: core.BankTransfer, Currencies: []string{"XOF"}, Account: nuban, NeedsBankCode: true}}},
	}
}

func currencies() []core.Currency {
	return []core.Currency{
		{Code: "NGN", Name: "Nigerian Naira", Type: core.Fiat, Decimals: 2},
		{Code: "BTC", Name: "Bitcoin", Type: core.Crypto, Decimals: 8, Rank: 1, DefaultNetwork: "BTC", Networks: []string{"BTC"}},
		{Code: "XRP", Name: "XRP", Type: core.Crypto, Decimals: 6, Rank: 4, DefaultNetwork: "XRP", Networks: []string{"XRP"}},
	}
}
