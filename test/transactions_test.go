package test_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/adapters/storage/storagetest"
	"causeway/adapters/telemetry/telemetrytest"
	"causeway/test/driver"
)

// evmKey is the account key of BIP 44 whose addresses receive in these tests.
const evmKey = "CAUSEWAY_DEPOSITS__WALLETS__EVM=" +
	"xpub6BosfCnifzxcFwrSzQiqu2DBVTshkCXacvNsWGYJVVhhawA7d4R5WSWGFNbi8Aw6ZRc1brxMyWMzG3DSSSSoekkudhUd9yLb6qx39T9nMdj"

// confirmed is how many confirmations complete a payment on BSC.
const confirmed = 15

// payer sends payments on BSC and shows what the API says about them.
type payer struct {
	t      *testing.T
	api    string   // URL of the process that reads
	chains string   // URL of the world's control API
	header []string // of requests for a user
}

// transaction is what the API says about a payment.
type transaction struct {
	ID, Status, Reason, Amount string
	Revision                   int
	Meta                       struct {
		Source struct {
			Address, Hash string
			Confirmations int
		}
	}
}

// payment is a transfer of GET …/chains.
type payment struct {
	Hash, To, Currency, Amount, Contract string
	BlockHash                            string `json:"block_hash"`
	Failed                               bool
	Height, Confirmations                int64
}

// inSandbox returns a payer in a world of its own.
func inSandbox(t *testing.T) payer {
	t.Helper()
	sandbox, name := defaultSandbox.get(t), strings.ReplaceAll(t.Name(), "/", "-")
	worlds := sandbox.Operator + "/_sim/v1/worlds"
	if r := driver.Do(t, http.MethodPost, worlds, `{"id":"`+name+`"}`); r.Status != http.StatusCreated {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	t.Cleanup(func() { driver.Do(t, http.MethodDelete, worlds+"/"+name, "") })
	return payer{t: t, api: sandbox.API, chains: worlds + "/" + name, header: []string{"Sim-World", name}}
}

// withBlocks returns the environment of a process in production mode that reads the simulated BSC, with
// the wallet confirmed.
func withBlocks(t *testing.T, providers upstreamInstance, more ...string) []string {
	t.Helper()
	env := slices.Concat(providers.env, more, []string{
		"CAUSEWAY_DRAIN__DELAY=0s", "CAUSEWAY_AUTH__KEYS=" + bearer, sealKey, evmKey, "CAUSEWAY_LIMITS__DEFAULT=none",
	})
	for provider, base := range baseURLs { // as in upstreams
		if !slices.Contains(accountProviders, provider) {
			env = append(env, "CAUSEWAY_PROVIDERS__BASE_URLS__"+base.key+"="+nowhere)
		}
	}
	env = slices.DeleteFunc(env, func(v string) bool {
		return strings.HasPrefix(v, "CAUSEWAY_DEPOSITS__CHAINS__") && !strings.HasPrefix(v, "CAUSEWAY_DEPOSITS__CHAINS__BSC=")
	})
	if out, err := deposits(t, env, "confirm", "EVM"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return env
}

// inProduction returns a payer whose user is one of a process in production mode that reads the first block.
func inProduction(t *testing.T, providers upstreamInstance, c *driver.Instance) payer {
	t.Helper()
	wait(t, "the first block is read", func() bool { return readHeight(t, c) > 0 })
	return payer{
		t: t, api: c.API, chains: providers.Operator + "/_sim/v1/worlds/default",
		header: []string{"Authorization", "Bearer " + bearer},
	}
}

func (p payer) get(user, path string, into any) {
	p.t.Helper()
	r := driver.Get(p.t, p.api+path, append(p.header, "X-BU-PROFILE-ID", user)...)
	if err := json.Unmarshal(r.Body, into); err != nil || r.Status != http.StatusOK {
		p.t.Fatalf("%s: %d %s", path, r.Status, r.Body)
	}
}

// address returns the deposit address of a user.
func (p payer) address(user string) string {
	p.t.Helper()
	var got struct{ Data []struct{ Address string } }
	p.get(user, "/v1/addresses/USDT?network=BSC", &got)
	return got.Data[0].Address
}

// transactions returns all transactions of a user, oldest first.
func (p payer) transactions(user string) (all []transaction) {
	p.t.Helper()
	for cursor := "&"; cursor != ""; { // an empty parameter begins
		var got struct {
			Data       []transaction
			Pagination struct {
				Next string `json:"next_cursor"`
			}
		}
		p.get(user, "/v1/transactions?sort=asc&limit=100"+cursor, &got)
		all = append(all, got.Data...)
		if cursor = ""; got.Pagination.Next != "" {
			cursor = "&cursor=" + url.QueryEscape(got.Pagination.Next)
		}
	}
	return all
}

// balance returns the pending and the available USDT of a user.
func (p payer) balance(user string) (pending, available string) {
	p.t.Helper()
	var got struct {
		Data struct{ Pending, Available struct{ Amount string } }
	}
	p.get(user, "/v1/balances/USDT", &got)
	return got.Data.Pending.Amount, got.Data.Available.Amount
}

// control changes the chain: transfers, mine or reorganize.
func (p payer) control(change, body string) {
	p.t.Helper()
	r := driver.Do(p.t, http.MethodPost, p.chains+"/chains/BSC/"+change, body)
	if r.Status/100 != 2 {
		p.t.Fatalf("%s %s: %d %s", change, body, r.Status, r.Body)
	}
}

// pay sends USDT to an address in the next block. more are further members of the transfer.
func (p payer) pay(to, amount, more string) {
	p.t.Helper()
	p.control("transfers", `{"to":"`+to+`","currency":"USDT","amount":"`+amount+`"`+more+`}`)
}

func (p payer) mine(blocks int) {
	p.t.Helper()
	p.control("mine", fmt.Sprintf(`{"blocks":%d}`, blocks))
}

func (p payer) reorganize(depth int, drop bool) {
	p.t.Helper()
	p.control("reorganize", fmt.Sprintf(`{"depth":%d,"drop":%t}`, depth, drop))
}

// chain returns the height of BSC and its payments.
func (p payer) chain() (height int64, payments []payment) {
	p.t.Helper()
	var got struct {
		Data []struct {
			Network   string
			Height    int64
			Transfers []payment
		}
	}
	if err := json.Unmarshal(driver.Get(p.t, p.chains+"/chains").Body, &got); err != nil {
		p.t.Fatal(err)
	}
	for _, c := range got.Data {
		if c.Network == "BSC" {
			return c.Height, c.Transfers
		}
	}
	p.t.Fatal("there is no BSC")
	return 0, nil
}

// right returns what the balance of an address must be: the payments in USDT that are in a block. Those with
// enough confirmations are available.
func right(payments []payment, address string) (pending, available string) {
	sums := map[bool]decimal.Decimal{}
	for _, t := range payments {
		if strings.EqualFold(t.To, address) && t.Currency == "USDT" && t.Contract == "" && !t.Failed && t.Height > 0 {
			done := t.Confirmations >= confirmed
			sums[done] = sums[done].Add(decimal.RequireFromString(t.Amount))
		}
	}
	return sums[false].String(), sums[true].String()
}

// settle mines until every payment is completed or dropped for good, waits until c has read everything, and
// compares what users have with what the chain has: one credit for each payment that is in a block.
func (p payer) settle(c *driver.Instance, users []string) {
	p.t.Helper()
	p.mine(2*confirmed + 2)
	height, payments := p.chain()
	wait(p.t, "everything is read", func() bool {
		return readHeight(p.t, c) == height && strings.Contains(
			string(driver.Get(p.t, c.Operator+"/metrics").Body), `causeway_transactions_unverified_blocks{network="BSC"} 0`)
	})
	for _, user := range users {
		to, want, got := p.address(user), map[string]int{}, map[string]int{}
		for _, sent := range payments {
			if sent.To == to && sent.Height > 0 {
				want[sent.Hash]++
			}
		}
		for _, seen := range p.transactions(user) {
			if seen.Status != "failed" {
				got[seen.Meta.Source.Hash]++
			}
		}
		if !maps.Equal(got, want) {
			p.t.Errorf("%s has the transactions %v, want %v", user, got, want)
		}
		wantPending, wantAvailable := right(payments, to)
		if pending, available := p.balance(user); pending != wantPending || available != wantAvailable || pending != "0" {
			p.t.Errorf("the balance of %s is %s and %s, want %s and %s", user, pending, available, wantPending, wantAvailable)
		}
	}
}

// readHeight returns the height of the newest block of BSC that any process has read.
func readHeight(t *testing.T, c *driver.Instance) int64 {
	t.Helper()
	return int64(counted(t, c, `causeway_transactions_read_height{network="BSC"} `))
}

// reading is a process in production mode that reads the blocks of causeway upstream, with endpoints that accept no
// webhook.
type reading struct {
	*driver.Instance

	env       []string
	providers upstreamInstance
	traces    *telemetrytest.Collector
}

// startReading starts a process that logs everything.
func startReading(t *testing.T, database string) (payer, *reading) {
	t.Helper()
	r := &reading{providers: startUpstream(t), traces: telemetrytest.New(t)}
	env := []string{database, "CAUSEWAY_LOG__LEVEL=debug", "OTEL_EXPORTER_OTLP_ENDPOINT=" + r.traces.URL}
	for name, url := range map[string]string{"PARROT": newParrot(t).URL, "LOST": "http://127.0.0.1:1"} {
		env = append(env, endpointEnv(name, url+"/"+endpointPath, plantedSecret)...)
		env = append(env, "CAUSEWAY_WEBHOOKS__"+name+"__PREVIOUS_SECRET="+previousSecret)
	}
	r.env = withBlocks(t, r.providers, env...)
	r.Instance = driver.Start(t, binary, r.env...)
	return inProduction(t, r.providers, r.Instance), r
}

// TestTransactions pays USDT, with 18 decimals, completes the payment, lets the network drop it, and
// lets it come again at another place. There is one transaction and one credit in the end, and the process
// that reads does not reveal who received what.
func TestTransactions(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T) (payer, *reading){
		"sandbox": func(t *testing.T) (payer, *reading) { t.Helper(); return inSandbox(t), nil },
		"production with SQLite": func(t *testing.T) (payer, *reading) {
			t.Helper()
			return startReading(t, "CAUSEWAY_STATE__DIR="+t.TempDir())
		},
		"production with PostgreSQL": func(t *testing.T) (payer, *reading) {
			t.Helper()
			return startReading(t, "CAUSEWAY_STORAGE__URL="+storagetest.Database(t).Reveal())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, r := start(t)
			testLifeOfPayment(t, p, r)
			if r != nil {
				testPrivacyOfPayment(t, p, r)
			}
		})
	}
}

const (
	payee  = "planted-payee-66ff"
	amount = "10.000000000000000001"
)

func testLifeOfPayment(t *testing.T, p payer, r *reading) {
	t.Helper()
	to := p.address(payee)
	p.mine(3)
	p.pay(to, amount, "")
	p.pay(to, "7", `,"contract":"fake"`)
	p.pay(to, "8", `,"failed":true`)
	p.mine(1)
	first, last := transaction{}, transaction{}
	see := func(what string, want transaction, pending, available string) {
		t.Helper()
		wait(t, what, func() bool {
			all := p.transactions(payee)
			if len(all) > 1 {
				t.Fatalf("%s: got %+v, want one transaction", what, all)
			}
			if len(all) == 0 || all[0].Status != want.Status || all[0].Reason != want.Reason {
				return false
			}
			last = all[0]
			return true
		})
		first.ID = cmp.Or(first.ID, last.ID)
		if last.ID != first.ID || last.Amount != amount || last.Revision != want.Revision || last.Meta.Source.Address != to {
			t.Errorf("%s: got %+v after %+v, want %+v of %s to %s", what, last, first, want, amount, to)
		}
		if gotPending, gotAvailable := p.balance(payee); gotPending != pending || gotAvailable != available {
			t.Errorf("%s: the balance is %s and %s, want %s and %s", what, gotPending, gotAvailable, pending, available)
		}
	}
	place := func() (height int64, block, index string) {
		_, payments := p.chain()
		if r != nil {
			index = logIndex(t, r.providers.API, payments[0])
		}
		return payments[0].Height, payments[0].BlockHash, index
	}
	see("in a block", transaction{Status: "pending", Revision: 1}, amount, "0")
	height, block, index := place()
	p.mine(confirmed - 1)
	see("confirmed", transaction{Status: "completed", Revision: 2}, "0", amount)
	p.reorganize(confirmed+1, true)
	see("dropped", transaction{Status: "pending", Reason: "reorganized", Revision: 3}, amount, "0")
	p.reorganize(1, false)
	see("in a block again", transaction{Status: "pending", Revision: 4}, amount, "0")
	if h, b, i := place(); h == height || b == block || r != nil && i == index {
		t.Errorf("it is again in block %d, %s with the logIndex %s", h, b, i)
	}
	p.mine(confirmed - 1)
	see("confirmed again", transaction{Status: "completed", Revision: 5}, "0", amount)
	_, payments := p.chain()
	if pending, available := right(payments, to); pending != "0" || available != amount {
		t.Errorf("the chain has %s and %s, want 0 and %s", pending, available, amount)
	}
}

// testPrivacyOfPayment pays once more while the back end lies and fails, and searches for the deposits in the log, the
// metrics and the traces.
func testPrivacyOfPayment(t *testing.T, p payer, r *reading) {
	t.Helper()
	metrics := func() string { return string(driver.Get(t, r.Operator+"/metrics").Body) }
	wait(t, "tries of both endpoints", func() bool {
		return strings.Contains(metrics(), `causeway_webhooks_tries_total{endpoint="parrot",outcome="failed"}`) &&
			strings.Contains(metrics(), `causeway_webhooks_tries_total{endpoint="lost",outcome="failed"}`)
	})
	to := p.address(payee)
	p.pay(to, "6", "")
	p.mine(1)
	wait(t, "the second payment", func() bool { return len(p.transactions(payee)) == 2 })
	for _, effect := range []string{"incomplete", "malformed"} {
		driver.Do(t, http.MethodPost, p.chains+"/faults", `{"match":{"provider":"evm-bsc"},"effect":{"kind":"`+effect+`"}}`)
		p.mine(confirmed - 1)
		wait(t, effect, func() bool {
			return strings.Contains(r.Log(), map[string]string{"incomplete": "does not show a block", "malformed": "back end failed"}[effect])
		})
		driver.Do(t, http.MethodDelete, p.chains+"/faults", "")
	}
	private := append(r.secretsOfEndpoints(), payee, to[2:], strings.ToLower(to[2:]))
	r.testPrivacyOfCommands(t, private)
	for _, one := range p.transactions(payee) {
		driver.Get(t, p.api+"/v1/transactions/"+one.ID, p.header...)
		driver.Get(t, p.api+"/v1/transactions?cursor="+one.ID, p.header...)
		private = append(private, one.ID, one.Meta.Source.Hash[2:])
	}
	driver.Get(t, p.api+"/v1/addresses/owner?network=BSC&address="+to, p.header...)
	last := metrics()
	if err := r.Stop(); err != nil { // the last lines of the log are written
		t.Error(err)
	}
	if !strings.Contains(r.Log(), `"credits_taken_back":1`) || !bytes.Contains(r.traces.Raw(), []byte("get-transaction")) ||
		!strings.Contains(r.Log(), "answered 500") || !strings.Contains(r.Log(), "connection refused") {
		t.Fatal("the log or the traces do not contain the deposits and the webhooks")
	}
	for _, value := range private {
		if strings.Contains(r.Log(), value) || strings.Contains(last, value) || bytes.Contains(r.traces.Raw(), []byte(value)) {
			t.Errorf("%q is in the log, metrics or traces", value)
		}
	}
}

// logIndex returns the position of a payment among the logs of its block, as the node of BSC shows it.
func logIndex(t *testing.T, node string, sent payment) string {
	t.Helper()
	var receipts struct {
		Result []struct {
			Logs []struct{ TransactionHash, LogIndex string }
		}
	}
	r := driver.Do(t, http.MethodPost, node+"/evm-bsc",
		fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"eth_getBlockReceipts","params":["%#x"]}`, sent.Height))
	if err := json.Unmarshal(r.Body, &receipts); err != nil {
		t.Fatalf("%v\n%s", err, r.Body)
	}
	for _, r := range receipts.Result {
		for _, l := range r.Logs {
			if l.TransactionHash == sent.Hash {
				return l.LogIndex
			}
		}
	}
	t.Fatalf("block %d does not have %s: %s", sent.Height, sent.Hash, r.Body)
	return ""
}
