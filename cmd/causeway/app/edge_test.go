package app

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/zap"

	"causeway/adapters/wallets"
	"causeway/core"
	"causeway/simulator/chain"
	"causeway/simulator/faults"
	"causeway/simulator/faults/inject"
	"causeway/simulator/world"
)

// visits returns method, path and body of a request for every operation.
func visits() map[string][3]string {
	const address = `{"type":"address","currency":"BTC","network":"BTC",` +
		`"address":"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"}`
	return map[string][3]string{
		"explain-price": {http.MethodGet, "/v1/pairs/BTCUSDT/price"}, "get-currency": {http.MethodGet, "/v1/currencies/NGN"},
		"get-addresses":      {http.MethodGet, "/v1/addresses/BTC"},
		"get-address-qr":     {http.MethodGet, "/v1/addresses/BTC/qr"},
		"list-addresses":     {http.MethodGet, "/v1/addresses"},
		"find-address-owner": {http.MethodGet, "/v1/addresses/owner?network=BTC&address=" + firstAddress("a")},
		"list-transactions":  {http.MethodGet, "/v1/transactions"},
		"get-transaction":    {http.MethodGet, "/v1/transactions/tx_0"},
		"list-balances":      {http.MethodGet, "/v1/balances?currency=BTC"},
		"list-events":        {http.MethodGet, "/v1/events"},
		"get-balance":        {http.MethodGet, "/v1/balances/BTC"},
		"regenerate-address": {http.MethodPost, "/v1/addresses/regenerate", `{"currency":"BTC"}`},
		"get-pair":           {http.MethodGet, "/v1/pairs/BTCUSDT"},
		"get-price-history":  {http.MethodGet, "/v1/pairs/BTCUSDT/history?period=1d"},
		"list-banks":         {http.MethodGet, "/v1/banks?country=NG"}, "list-countries": {http.MethodGet, "/v1/countries"},
		"list-currencies": {http.MethodGet, "/v1/currencies"}, "list-pairs": {http.MethodGet, "/v1/pairs"},
		"resolve-account":    {http.MethodPost, resolvePath, resolveBody},
		"stream-pairs":       {http.MethodGet, "/v1/pairs/stream"},
		"validate-address":   {http.MethodPost, "/v1/validate", address},
		"validate-addresses": {http.MethodPost, "/v1/validate/batch", `{"items":[` + address + `]}`},
	}
}

// firstAddress returns the first Bitcoin address of a world.
func firstAddress(seed string) string {
	first, err := wallets.Sandbox(seed, false)["BTC"].Address(0, "")
	if err != nil {
		panic(err)
	}
	return first.Address.Reveal()
}

// gate serves a sandbox on a socket.
func gate(t *testing.T, env ...string) (*App, *httptest.Server) {
	t.Helper()
	p := newTestApp(t, settings(t, env...), zap.NewNop(), withCurrencies(t, "BTC", "USDT", "USD", "NGN"))
	p.RefreshPrices(t.Context())
	p.RefreshBanks(t.Context())
	server := httptest.NewServer(p.Handler)
	t.Cleanup(func() {
		p.CloseStreams()
		server.CloseClientConnections()
		server.Close()
	})
	return p, server
}

// strike replaces the edge faults of a world.
func strike(t *testing.T, w *world.World, operation string, e faults.Effect, phase faults.Phase) {
	t.Helper()
	w.Faults().Reset()
	if _, err := w.Faults().Add(faults.Rule{
		Match:  faults.Match{Plane: faults.Edge, Operation: operation},
		Effect: e, Phase: phase,
	}, w.Now()); err != nil {
		t.Fatal(err)
	}
}

// got is a response as far as it was received; status 0: none.
type got struct {
	status int
	header http.Header
	body   []byte
	err    error
}

// visit sends a request to world a. It does not read streams.
func visit(t *testing.T, server *httptest.Server, about [3]string, header ...string) got {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), about[0], server.URL+about[1], strings.NewReader(about[2]))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sim-World", "a")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := (&http.Transport{DisableKeepAlives: true, DisableCompression: true}).RoundTrip(r)
	if err != nil {
		return got{err: err, header: http.Header{}}
	}
	defer func() { _ = resp.Body.Close() }()
	out := got{status: resp.StatusCode, header: resp.Header}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		out.body, out.err = io.ReadAll(resp.Body)
	}
	return out
}

// TestEdgeFaults_Member damages the most important member of every response, cached and compressed
// ones included.
func TestEdgeFaults_Member(t *testing.T) {
	t.Parallel()
	p, server := gate(t)
	w, err := p.Worlds.Use("a")
	if err != nil {
		t.Fatal(err)
	}
	all := visits()
	visit(t, server, all["get-addresses"]) // assigns the address
	all["get-transaction"] = [3]string{http.MethodGet, "/v1/transactions/" + receive(t, server, w)}
	for _, op := range core.Operations() {
		operation, member := op.ID, op.Member
		if member == "" {
			continue
		}
		w.Faults().Reset()
		plain := visit(t, server, all[operation])
		if plain.err != nil || plain.status != http.StatusOK {
			t.Fatalf("%s: %v %s", operation, plain.err, plain.body)
		}
		for _, kind := range []faults.Kind{faults.MissingField, faults.ChangedType} {
			strike(t, w, operation, faults.Effect{Kind: kind}, "")
			r := visit(t, server, all[operation], "Accept-Encoding", "gzip, zstd", "If-None-Match",
				plain.header.Get("Etag"))
			if r.err != nil || r.status != http.StatusOK || r.header.Get("Content-Encoding") != "" {
				t.Errorf("%s %s: %d %v %v", operation, kind, r.status, r.header, r.err)
				continue
			}
			was, is := valuesAt(plain.body, member), valuesAt(r.body, member)
			lists := 0
			for _, value := range is {
				if list, ok := value.([]any); ok && len(list) == 1 {
					lists++
				}
			}
			if len(was) == 0 || kind == faults.MissingField && len(is) > 0 || kind == faults.ChangedType &&
				lists != len(was) {
				t.Errorf("%s %s: %s is there %d times, and %d times after: %.300s", operation, kind, member, len(was), len(is),
					r.body)
			}
		}
	}
}

// receive pays to the user of the visits and returns the ID of the transaction.
func receive(t *testing.T, server *httptest.Server, w *world.World) string {
	t.Helper()
	first := func(path, member string) string {
		r := visit(t, server, [3]string{http.MethodGet, path})
		found := valuesAt(r.body, "data.*."+member)
		if len(found) == 0 {
			t.Fatalf("%s: %d %s", path, r.status, r.body)
		}
		return fmt.Sprint(found[0])
	}
	bsc, err := w.Chains().Find("BSC")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bsc.Pay(chain.Payment{Currency: "USDT", Payees: []chain.Payee{
		{To: first("/v1/addresses/USDT?network=BSC", "address"), Amount: "5"},
	}}, w.Now()); err != nil {
		t.Fatal(err)
	}
	visit(t, server, visits()["list-transactions"]) // reads the newest block
	if err := bsc.Mine(1, w.Now()); err != nil {
		t.Fatal(err)
	}
	return first("/v1/transactions", "id")
}

func valuesAt(body []byte, place string) (out []any) {
	inject.Edit(body, func(document any) {
		inject.Replace(document, place, func(_ string, value any) any {
			out = append(out, value)
			return value
		})
	})
	return out
}
