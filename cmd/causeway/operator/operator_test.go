package operator_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"causeway/cmd/causeway/app"
	"causeway/cmd/causeway/operator"
	"causeway/config"
	"causeway/core"
	"causeway/core/banks"
	"causeway/core/pairs"
	"causeway/ports"
	"causeway/simulator/market"
	"causeway/simulator/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newSandbox builds a sandbox without background work.
func newSandbox(t *testing.T) (*app.App, *observer.ObservedLogs) {
	t.Helper()
	core, logs := observer.New(zap.InfoLevel)
	a, err := app.New(config.Default(), "test", zap.New(core))
	if err != nil {
		t.Fatal(err)
	}
	return a, logs
}

// do sends a request; headers are names and values in turn.
func do(t *testing.T, handler http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, r)
	return rec
}

// contains checks that a response has a status and contains all texts.
func contains(t *testing.T, rec *httptest.ResponseRecorder, status int, texts ...string) {
	t.Helper()
	if rec.Code != status {
		t.Errorf("got %d %s, want %d", rec.Code, rec.Body, status)
	}
	for _, text := range texts {
		if !strings.Contains(rec.Body.String(), text) {
			t.Errorf("no %q in %s", text, rec.Body)
		}
	}
}

func TestHandler_Paths(t *testing.T) {
	t.Parallel()
	a, _ := newSandbox(t)
	contains(t, do(t, a.Operator, http.MethodGet, "/livez", ""), http.StatusOK, `"status":"live"`)
	contains(t, do(t, a.Operator, http.MethodGet, "/nothing", ""), http.StatusNotFound, "/metrics", "/debug/banks",
		"/console", "/_sim/v1/")
	contains(t, do(t, a.Operator, http.MethodGet, "/debug/assets/base.css", ""), http.StatusOK, "color-scheme")
	contains(t, do(t, a.Operator, http.MethodPost, "/debug/prices", ""), http.StatusNotFound)
}

func TestHandler_Prices(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, _ := newSandbox(t)
		contains(t, do(t, a.Operator, http.MethodGet, "/debug/prices", ""), http.StatusOK, "No prices are published yet.")
		a.RefreshPrices(t.Context())
		page := do(t, a.Operator, http.MethodGet, "/debug/prices", "")
		contains(t, page, http.StatusOK, "▸ BTCNGN</a>", `id="USDTNGN"`, `<th scope="row">coingecko</th>`)
		if policy := page.Header().Get("Content-Security-Policy"); strings.Contains(page.Body.String(), "<script>") ||
			!strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("inline scripts could run: %s", policy)
		}
		if long := regexp.MustCompile(`<td class="n">[0-9.]{13,}<`).FindString(page.Body.String()); long != "" {
			t.Errorf("a price is not rounded: %s", long)
		}
		open := do(t, a.Operator, http.MethodGet, "/debug/prices?open=BTCNGN&sort=-pair", "")
		contains(t, open, http.StatusOK, "▾ BTCNGN</a>", "<strong>quidax</strong>", "quorum 2",
			"BTC/NGN 3 of 2; or BTC/USDT 4 of 2, USDT/NGN 3 of 2")
		contains(t, do(t, a.Operator, http.MethodGet, "/debug/prices?open=ADAUSD", ""), http.StatusOK, "not used: last_resort")
		if body := open.Body.String(); strings.Index(body, `id="USDTNGN"`) > strings.Index(body, `id="BTCNGN"`) {
			t.Error("the rows are not sorted")
		}
		one := do(t, a.Operator, http.MethodGet, "/debug/prices?id=BTCNGN", "")
		contains(t, one, http.StatusOK, "▾ BTCNGN</a>")
		if strings.Contains(one.Body.String(), "ETHNGN") {
			t.Error("the page of one pair shows another one")
		}
		data := do(t, a.Operator, http.MethodGet, "/debug/prices?id=BTCNGN", "", "Accept", "application/json")
		contains(t, data, http.StatusOK, `"pairs":[{"id":"BTCNGN","status":"fresh"`, `"sources":[`)
		contains(t, do(t, a.Operator, http.MethodGet, "/debug/prices?id=%3Cb%3E", ""), http.StatusOK,
			"No pair &lt;b&gt; has a price")
		contains(t, do(t, a.Operator, http.MethodGet, "/metrics", ""), http.StatusOK,
			`causeway_pairs{class="fiat",status="fresh"} `,
			`causeway_source_excluded_markets{reason="last_resort",source="coingecko"} `)
	})
}

var refusedAcknowledgements = map[string]struct {
	method, body string
	headers      []string
	status       int
	want         string
}{
	"GET": {http.MethodGet, "", nil, http.StatusMethodNotAllowed, "takes POST"},
	"another site": {
		http.MethodPost, `{"currency":"USDT"}`,
		[]string{"Content-Type", "application/json", "Sec-Fetch-Site", "cross-site"},
		http.StatusForbidden, "another origin",
	},
	"another origin": {
		http.MethodPost, `{"currency":"USDT"}`,
		[]string{"Content-Type", "application/json", "Origin", "https://evil.example"},
		http.StatusForbidden,
		"another origin",
	},
	"no JSON": {
		http.MethodPost, "USDT",
		[]string{"Content-Type", "application/json"},
		http.StatusBadRequest,
		"the body is not",
	},
	"unknown member": {
		http.MethodPost, `{"coin":"USDT"}`,
		[]string{"Content-Type", "application/json"},
		http.StatusBadRequest,
		"unknown object member name",
	},
	"trailing data": {
		http.MethodPost, `{"currency":"USDT"}{}`,
		[]string{"Content-Type", "application/json"},
		http.StatusBadRequest, "after top-level value",
	},
	"too large": {
		http.MethodPost, `{"currency":"` + strings.Repeat("X", 2000) + `"}`,
		[]string{"Content-Type", "application/json"},
		http.StatusBadRequest, "too large",
	},
	"coin at its peg": {
		http.MethodPost, `{"currency":"USDC"}`,
		[]string{"Content-Type", "application/json"},
		http.StatusNotFound,
		"USDC is neither off its peg",
	},
	"rate without jump": {
		http.MethodPost, `{"currency":"USD/GHS"}`,
		[]string{"Content-Type", "application/json"},
		http.StatusNotFound, "nor held because of a jump",
	},
}

func TestHandler_Acknowledge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, logs := newSandbox(t)
		w, err := a.Worlds.Find(world.Default)
		if err != nil {
			t.Fatal(err)
		}
		usdt, err := w.Market().Pair("USDT/USD")
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Market().Set(usdt, market.Setting{Pin: "0.90"}, w.Now(), time.Time{}); err != nil {
			t.Fatal(err)
		}
		a.RefreshPrices(t.Context())
		contains(t, do(t, a.Operator, http.MethodGet, "/debug/prices?id=USDTUSD", ""), http.StatusOK,
			"Trade USDT off its peg", "pegged to 1", `<span class="badge halted">halted</span> depegged`)

		for name, c := range refusedAcknowledgements {
			if rec := do(t, a.Operator, c.method, operator.AcknowledgePath, c.body, c.headers...); rec.Code != c.status ||
				!strings.Contains(rec.Body.String(), c.want) {
				t.Errorf("%s: %d %s, want %d and %q", name, rec.Code, rec.Body, c.status, c.want)
			}
		}
		if n := logs.FilterMessage("depegged stablecoin released for trading by the operator").Len(); n != 0 {
			t.Fatalf("%d refused requests are acknowledged", n)
		}

		rec := do(t, a.Operator, http.MethodPost, operator.AcknowledgePath, `{"currency":" usdt "}`,
			"Content-Type", "application/json; charset=utf-8", "Sec-Fetch-Site", "same-origin")
		contains(t, rec, http.StatusOK, `"status":"acknowledged"`, "USDT is traded within a second")
		if all := logs.FilterMessage("depegged stablecoin released for trading by the operator").All(); len(all) != 1 ||
			all[0].ContextMap()["remote"] == "" {
			t.Errorf("the log has %v", all)
		}
		time.Sleep(time.Second)
		a.RefreshPrices(t.Context())
		contains(t, do(t, a.Operator, http.MethodGet, "/debug/prices?id=USDTUSD", ""), http.StatusOK,
			"acknowledged, traded.", `<span class="badge fresh">fresh</span>`)
	})
}

// directory is a provider's bank list whose rows and error the test sets.
type directory struct {
	rows []core.Bank
	err  error
}

func (*directory) Name() string        { return "korapay" }
func (*directory) Countries() []string { return []string{"NG"} }

func (d *directory) Banks(context.Context, string) ([]core.Bank, error) { return d.rows, d.err }

// newDirectory lists 40 banks of Nigeria, one of them under the name of another bank.
func newDirectory(catalog config.Catalog) *directory {
	bank := func(code, name string) core.Bank {
		return core.Bank{
			Code: code, Name: name, Country: "NG", Currency: "NGN", Type: core.CommercialBank,
			Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{"korapay": code},
		}
	}
	list := &directory{rows: []core.Bank{bank("058", "GTBank"), bank("044", "Zenith <b>Bank</b>"), bank("59999", "Newest Bank")}}
	for _, b := range catalog.Banks {
		if b.Country == "NG" && len(list.rows) < 40 && b.Code != "044" && b.Code != "058" {
			list.rows = append(list.rows, bank(b.Code, b.Name))
		}
	}
	return list
}

func TestHandler_Banks(t *testing.T) {
	t.Parallel()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	list := newDirectory(catalog)
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	service, err := banks.New(banks.Config{
		Countries: catalog.Countries, Catalog: catalog.Banks, Directories: []ports.BankDirectory{list},
		Resolvable: func(b core.Bank) bool { return b.Codes["korapay"] != "" }, Clock: clock, Entropy: func() uint64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	logged, logs := observer.New(zap.InfoLevel)
	handler := operator.New(operator.Config{
		Registry: prometheus.NewRegistry(), Pairs: func() *pairs.Service { return nil }, Banks: service, Clock: clock,
		Log: zap.New(logged),
	})
	refresh := func() {
		now = now.Add(24 * time.Hour)
		service.Tick(t.Context())
	}
	accept := func(body string) *httptest.ResponseRecorder {
		return do(t, handler, http.MethodPost, operator.AcceptPath, body, "Content-Type", "application/json")
	}

	list.err = core.Errorf(core.Unavailable, "NG is <i>down</i>")
	refresh()
	contains(t, do(t, handler, http.MethodGet, operator.BanksPath, ""), http.StatusOK, "never</a>",
		"NG is &lt;i&gt;down&lt;/i&gt;")
	contains(t, do(t, handler, http.MethodGet, operator.BanksPath, "", "Accept", "application/json"), http.StatusOK,
		`"directories":["korapay"]`, "down")
	list.err = nil
	refresh()
	page := do(t, handler, http.MethodGet, operator.BanksPath, "")
	contains(t, page, http.StatusOK, "2026-11-20T", "Unjoined: listed, but not matched",
		"<li>044 Zenith &lt;b&gt;Bank&lt;/b&gt;: different_name</li>", "New: not in the catalog.", "<li>59999 Newest Bank</li>",
		"institutions cannot be resolved by any configured provider.", "<li>000015 Zenith Bank</li>")
	contains(t, accept(`{"directory":"korapay","country":"NG"}`), http.StatusNotFound,
		"No list of NG from korapay is held back")
	contains(t, accept(`{"directory":"<b>","country":"NG"}`), http.StatusBadRequest,
		"is not a directory of banks; accepted: korapay")
	contains(t, accept(`{"directory":"korapay","country":"SN"}`), http.StatusBadRequest, "does not list the banks of")

	list.rows = list.rows[:20]
	refresh()
	contains(t, do(t, handler, http.MethodGet, operator.BanksPath, ""), http.StatusOK,
		"Held back 0s ago: ", "causeway banks accept --directory korapay --country NG")
	contains(t, accept(`{"directory":"Korapay","country":"ng"}`), http.StatusOK, `"status":"accepted"`,
		"the list of NG from korapay is in use")
	if logs.FilterMessage("bank list with missing institutions accepted by the operator").Len() != 1 {
		t.Errorf("the log has %v", logs.All())
	}
	contains(t, do(t, handler, http.MethodGet, operator.BanksPath, ""), http.StatusOK,
		"Vanished: korapay is not used for these institutions.")
}

func TestHandler_Deposits(t *testing.T) {
	t.Parallel()
	a, _ := newSandbox(t)
	contains(t, do(t, a.Operator, http.MethodGet, operator.DepositsPath, ""), http.StatusOK,
		`<th scope="row">BSC</th>`, "not read yet", "evm-bsc unused", "Every transfer to an address has a user.")
	w, err := a.Worlds.Find(world.Default)
	if err != nil {
		t.Fatal(err)
	}
	bsc, err := w.Chains().Find("BSC")
	if err != nil {
		t.Fatal(err)
	}
	if err := bsc.Mine(1, w.Now()); err != nil {
		t.Fatal(err)
	}
	contains(t, do(t, a.Operator, http.MethodGet, operator.DepositsPath, ""), http.StatusOK, "in time", "evm-bsc up")
	contains(t, do(t, a.Operator, http.MethodGet, operator.DepositsPath, "", "Accept", "application/json"), http.StatusOK,
		`"back_ends":[{"name":"evm-bsc","state":"up"}]`, `"unassigned":0`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rec := httptest.NewRecorder()
	a.Operator.ServeHTTP(rec, httptest.NewRequestWithContext(ctx, http.MethodGet, operator.DepositsPath, nil))
	contains(t, rec, http.StatusServiceUnavailable, "see the log")
}
