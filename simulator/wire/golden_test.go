package wire_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/chain"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

var update = flag.Bool("update", false, "rewrite the responses in testdata")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 250_000_000, time.UTC)

// newWorld returns a world with a few institutions of every kind, at noon.
func newWorld(t testing.TB) *world.World {
	t.Helper()
	return newWorldAt(t, noon)
}

func newWorldAt(t testing.TB, at time.Time) *world.World {
	t.Helper()
	sim, err := world.New(world.RegistryConfig{
		Clock: func() time.Time { return at }, Banks: institutions(), Chains: []core.Chain{bsc, btc, trx, xrp}, Providers: wire.Offers(),
		Default: world.Options{Seed: "causeway"},
	})
	if err != nil {
		t.Fatal(err)
	}
	payAll(t, sim)
	return sim
}

// bsc is a network with finality, two tokens and a coin.
var bsc = core.Chain{
	Network: "BSC", ID: "56", Confirmations: 15, Finality: true, Assets: []core.Asset{
		{Currency: "BNB", Decimals: 18},
		{Currency: "USDT", Contract: "0x55d398326f99059fF775485246999027B3197955", Decimals: 18},
		{Currency: "USDC", Contract: "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", Decimals: 18},
	},
}

// btc has blocks without failed transactions.
var btc = core.Chain{
	Network: "BTC", ID: "00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148", Confirmations: 3,
	Assets: []core.Asset{{Currency: "BTC", Decimals: 8}},
}

// trx has a token, and finality.
var trx = core.Chain{
	Network: "TRX", ID: "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc", Confirmations: 20, Finality: true,
	Assets: []core.Asset{
		{Currency: "TRX", Decimals: 6}, {Currency: "USDT", Contract: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", Decimals: 6},
	},
}

// xrp has tags and partial payments.
var xrp = core.Chain{Network: "XRP", ID: "0", Confirmations: 1, Assets: []core.Asset{{Currency: "XRP", Decimals: 6}}}

// payments are the payments of every kind on a network, in their order.
var payments = map[string][]chain.Payment{
	"BSC": {
		{Currency: "BNB", Payees: []chain.Payee{evmPayee}},
		{Currency: "USDT", Payees: []chain.Payee{evmPayee, evmPayee}},
		{Currency: "USDT", Fake: true, Payees: []chain.Payee{evmPayee}},
		{Currency: "USDC", Failed: true, Payees: []chain.Payee{evmPayee}},
	},
	"BTC": {
		{Currency: "BTC", Payees: []chain.Payee{{To: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", Amount: "0.00000546"}}},
		{Currency: "BTC", Payees: []chain.Payee{
			{To: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", Amount: "1.5"},
			{To: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", Amount: "20999999.9769"},
		}},
	},
	"TRX": {
		{Currency: "TRX", Payees: []chain.Payee{tronPayee}},
		{Currency: "USDT", Payees: []chain.Payee{tronPayee, tronPayee}},
		{Currency: "USDT", Fake: true, Payees: []chain.Payee{tronPayee}},
		{Currency: "TRX", Failed: true, Payees: []chain.Payee{tronPayee}},
		{Currency: "USDT", Failed: true, Payees: []chain.Payee{tronPayee}},
	},
	"XRP": {
		{Currency: "XRP", Payees: []chain.Payee{{To: xrpPayee, Amount: "1.5", Memo: "0"}}},
		{Currency: "XRP", Payees: []chain.Payee{{To: xrpPayee, Amount: "100000000000"}}},
		{Currency: "XRP", Payees: []chain.Payee{{To: xrpPayee, Amount: "9000", Delivered: "0.000003", Memo: "4294967295"}}},
		{Currency: "XRP", Failed: true, Payees: []chain.Payee{{To: xrpPayee, Amount: "7", Memo: "7"}}},
	},
}

const xrpPayee = "rEzdn46Gjxh8YJNAZrmMUsFh1QDfT8uuTs"

var tronPayee = chain.Payee{To: "TDpBe64DqirkKWj6HWuR1pWgmnhw2wDacE", Amount: "10.5"}

var evmPayee = chain.Payee{To: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", Amount: "10.5"}

// payAll mines a block with payments of every kind on each network.
func payAll(t testing.TB, sim *world.World) {
	t.Helper()
	for _, c := range sim.Chains().All() {
		for _, p := range payments[c.Network] {
			if _, err := c.Pay(p, sim.Now()); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Mine(1, sim.Now()); err != nil {
			t.Fatal(err)
		}
	}
}

func institutions() []core.Bank {
	bank := func(country, currency, code, name string, codes map[string]string) core.Bank {
		return core.Bank{
			Country: country, Currency: currency, Code: code, Name: name, Type: core.CommercialBank, Codes: codes,
			Channels: []core.Channel{core.BankTransfer},
		}
	}
	wallet := func(country, currency, code, name string, codes map[string]string) core.Bank {
		b := bank(country, currency, code, name, codes)
		b.Type, b.Channels = core.MobileMoneyBank, []core.Channel{core.MobileMoney}
		return b
	}
	till := bank("KE", "KES", "MPTILL", "M-PESA Till", nil)
	till.Type, till.Channels = core.OtherBank, []core.Channel{core.Till}
	microfinance := bank("NG", "NGN", "090100", "Alekun Microfinance Bank", nil)
	microfinance.Type = core.MicrofinanceBank
	return append([]core.Bank{
		bank("NG", "NGN", "000013", "Guaranty Trust Bank", map[string]string{"cbn": "058", "swift": "GTBINGLA"}),
		wallet("NG", "NGN", "100004", "OPay", map[string]string{"cbn": "999992"}),
		microfinance,
		bank("NG", "NGN", "303", "Lotus Bank", map[string]string{"cbn": "303"}),
		bank("GH", "GHS", "090100", "Société Générale Ghana", nil),
		wallet("GH", "GHS", "MTN", "MTN Mobile Money", nil),
		bank("KE", "KES", "01", "KCB Bank", nil),
		wallet("KE", "KES", "MPESA", "M-PESA", nil),
		till,
		bank("ZA", "ZAR", "632005", "Absa", nil),
		bank("CI", "XOF", "CI008", "Société Générale Côte d'Ivoire", nil),
		wallet("CI", "XOF", "WAVE_CI", "Wave", map[string]string{"paystack": "WAVE"}),
		bank("UG", "UGX", "02", "A bank that Paystack does not know", nil),
	}, accounts.MagicBanks([]core.Country{
		{Code: "NG", Currencies: []string{"NGN"}},
		{Code: "GH", Currencies: []string{"GHS"}, Channels: []core.ChannelRule{{Channel: core.MobileMoney}}},
		{Code: "ZA", Currencies: []string{"ZAR"}},
	})...)
}

// backEnds has one back end of each folder: the others are the same for other networks.
var backEnds = map[string]string{"evm": "evm-bsc", "blockbook": "blockbook-btc", "tron": "tron-trx", "xrpl": "xrpl-xrp"}

// exchange is a request to a provider with its response: a file <name>.txt in the testdata of the
// provider. The file has the method, the target and the body in one line, the headers of the
// request, an empty line, and the response.
type exchange struct {
	provider, folder     string // which differ for back ends of chains
	name                 string
	method, target, body string
	header               http.Header

	// documented is the header Documented of the file, which is not sent: a fixture of the adapter,
	// written from the documentation, with a response of the same shape, its status, and the places
	// whose members are interchangeable.
	documented []string

	head, response []byte
}

// exchanges returns the exchanges of all providers.
func exchanges(t testing.TB) []exchange {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("*", "testdata", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got files %v, %v", files, err)
	}
	out := make([]exchange, len(files))
	for i, file := range files {
		out[i] = parse(t, file)
	}
	return out
}

func parse(t testing.TB, file string) exchange {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, response, ok := bytes.Cut(text, []byte("\n\n"))
	line, header, _ := strings.Cut(string(head), "\n")
	fields := strings.SplitN(line, " ", 3)
	if !ok || len(fields) < 2 {
		t.Fatalf("%s is malformed", file)
	}
	e := exchange{
		provider: filepath.Dir(filepath.Dir(file)), folder: filepath.Dir(filepath.Dir(file)), name: strings.TrimSuffix(filepath.Base(file), ".txt"),
		method: fields[0], target: fields[1], body: strings.Join(fields[2:], ""), head: head, response: response,
	}
	read, err := textproto.NewReader(bufio.NewReader(strings.NewReader(header + "\n\n"))).ReadMIMEHeader()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if name := backEnds[e.folder]; name != "" {
		e.provider = name
	}
	e.header = http.Header(read)
	e.documented = strings.Fields(e.header.Get("Documented"))
	e.header.Del("Documented")
	return e
}

// golden returns one exchange.
func golden(t testing.TB, provider, name string) exchange {
	t.Helper()
	return parse(t, filepath.Join(provider, "testdata", name+".txt"))
}

// usual are exchanges that succeed, one for each provider.
func usual(t testing.TB) []exchange {
	t.Helper()
	names := map[string]string{
		"kraken": "ticker", "binance": "book_ticker_many", "coinbase": "ticker", "okx": "tickers", "bybit": "tickers",
		"bitstamp": "tickers", "gemini": "ticker", "luno": "tickers", "quidax": "tickers", "openexchangerates": "latest",
		"frankfurter": "rates", "exchangerateapi": "latest", "valr": "marketsummary", "paycrest": "rates", "coingecko": "simple_price", "airtel": "resolve", "mtnmomo": "resolve",
	}
	var out []exchange
	for _, d := range wire.Descriptors {
		name := names[d.Name]
		if name == "" {
			name = "magic_found"
		}
		out = append(out, golden(t, d.Name, name))
	}
	return out
}

// with returns the exchange with another target.
func (e exchange) with(target string) exchange {
	e.target = target
	return e
}

// get returns a GET request to a provider as an exchange without a response.
func get(provider, target string) exchange {
	return exchange{
		provider: provider, method: http.MethodGet, target: target, header: http.Header{"User-Agent": {"test"}},
	}
}

// host returns the first host of a provider.
func host(provider string) string {
	for _, d := range slices.Concat(wire.Descriptors, wire.Chains) {
		if d.Name == provider {
			return d.Hosts[0]
		}
	}
	return ""
}

// request returns the request, to a base URL or to the host of the provider.
func (e exchange) request(t testing.TB, base string) *http.Request {
	t.Helper()
	if base == "" {
		base = "https://" + host(e.provider)
	}
	r, err := http.NewRequestWithContext(t.Context(), e.method, base+e.target, strings.NewReader(e.body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, e.header)
	return r
}

// result is a response that was read to its end.
type result struct {
	*http.Response

	body []byte
	err  error
}

// send sends a request and reads the response.
func send(transport http.RoundTripper, r *http.Request) result {
	response, err := transport.RoundTrip(r)
	if err != nil {
		return result{&http.Response{}, nil, err}
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	return result{response, body, err}
}

// dump returns a response as it is on the wire, with an indented body if it is JSON.
func dump(t testing.TB, r result) []byte {
	t.Helper()
	if r.err != nil || r.ContentLength != int64(len(r.body)) {
		t.Fatalf("got %v and %d of %d bytes", r.err, len(r.body), r.ContentLength)
	}
	r.Body = http.NoBody
	head, err := httputil.DumpResponse(r.Response, false)
	if err != nil {
		t.Fatal(err)
	}
	body := r.body
	var pretty bytes.Buffer
	if json.Indent(&pretty, body, "", "  ") == nil {
		body = pretty.Bytes()
	}
	return append(bytes.ReplaceAll(head, []byte("\r\n"), []byte("\n")), body...)
}

// TestGolden compares the responses in process and over TCP with testdata.
func TestGolden(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	servers := map[string]string{}
	for _, provider := range w.Providers() {
		server := httptest.NewServer(w.Handler(provider))
		t.Cleanup(server.Close)
		servers[provider] = server.URL
	}
	tcp := &http.Transport{DisableCompression: true}
	t.Cleanup(tcp.CloseIdleConnections)
	for _, e := range exchanges(t) {
		t.Run(e.provider+"/"+e.name, func(t *testing.T) {
			t.Parallel()
			got := dump(t, send(w, e.request(t, "")))
			if *update {
				text := slices.Concat(e.head, []byte("\n\n"), got)
				if err := os.WriteFile(filepath.Join(e.folder, "testdata", e.name+".txt"), text, 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !bytes.Equal(got, e.response) {
				t.Errorf("got\n%s\nwant\n%s", got, e.response)
			}
			if over := dump(t, send(tcp, e.request(t, servers[e.provider]))); !bytes.Equal(over, got) {
				t.Errorf("over TCP\n%s\nin process\n%s", over, got)
			}
		})
	}
	if w.Handler("unknown") != nil {
		t.Error("there is a handler of an unknown provider")
	}
}

// TestWorlds_Shared sends everything to worlds of two seeds in two registries at the same time:
// worlds share what does not depend on the seed, and worlds of one seed respond alike.
func TestWorlds_Shared(t *testing.T) {
	t.Parallel()
	list := usual(t)
	responses := map[string]chan string{"a": make(chan string, 2), "b": make(chan string, 2)}
	for range 2 {
		worlds, err := world.NewRegistry(world.RegistryConfig{
			Clock: func() time.Time { return noon }, Banks: institutions(), Providers: wire.Offers(),
		})
		if err != nil {
			t.Fatal(err)
		}
		for seed, out := range responses {
			sim, err := worlds.Use(seed)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				w, text := wire.New(sim), ""
				for _, e := range list {
					text += string(send(w, e.request(t, "")).body)
				}
				out <- text
			}()
		}
	}
	a, b := <-responses["a"], <-responses["b"]
	if a != <-responses["a"] || b != <-responses["b"] || a == b {
		t.Error("worlds of one seed differ, or worlds of two seeds are alike")
	}
}

// breaking are the ends of magic account numbers that break a response.
var breaking = []string{"202", "206", "207", "500", "503", "504", "555"}

// FuzzRequests sends arbitrary queries and bodies to every operation. JSON responses must be JSON.
func FuzzRequests(f *testing.F) {
	w, operations := wire.New(newWorld(f)), map[string]exchange{}
	for _, e := range exchanges(f) {
		path, query, _ := strings.Cut(e.target, "?")
		if strings.HasPrefix(e.name, "magic") || strings.HasPrefix(e.name, "unknown_path") {
			continue
		}
		name := e.provider + " " + e.method + " " + path
		if _, again := operations[name]; again {
			continue
		}
		operations[name] = e.with(path)
		f.Add(query, e.body)
	}
	f.Add("symbols=[\"A\"][]&instType=SPOT&category=spot&pair=,,/,XBT/USD,", `[]`)
	f.Add("base=\xff\xfe&app_id=%00&next=YmFuazotMQ==&use_cursor=true&perPage=-1", "{\"account_number\":\"\\u0000\",\"account_bank\":\"\xff\"}")
	f.Fuzz(func(t *testing.T, query, body string) {
		if slices.ContainsFunc(breaking, func(end string) bool { return strings.Contains(query+body, end) }) {
			return
		}
		for name, e := range operations {
			r := httptest.NewRequestWithContext(t.Context(), e.method, e.target, strings.NewReader(body))
			r.URL.RawQuery = query
			maps.Copy(r.Header, e.header)
			rec := httptest.NewRecorder()
			w.Handler(e.provider).ServeHTTP(rec, r)
			isJSON := strings.HasPrefix(rec.Header().Get("Content-Type"), "application/json")
			if isJSON && !json.Valid(rec.Body.Bytes()) || rec.Code < 200 || rec.Code >= 500 && rec.Code != 503 {
				t.Errorf("%s with %q and %q: got %d %s", name, query, body, rec.Code, rec.Body)
			}
		}
	})
}
