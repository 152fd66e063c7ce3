package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"causeway/cmd/causeway/app"
	"causeway/config"
	"causeway/core"
	"causeway/core/deposits"
	"causeway/core/transactions"
	"causeway/simulator/chain"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

const evmKey = "xpub6BosfCnifzxcFwrSzQiqu2DBVTshkCXacvNsWGYJVVhhawA7d4R5WSWGFNbi8Aw6ZRc1brxMyWMzG3DSSSSoekkudhUd9yLb6qx39T9nMdj"

// newChainWorld returns a simulated world with the blockchains of the catalog.
func newChainWorld(t *testing.T) (*world.Registry, *world.World) {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	worlds, err := world.NewRegistry(world.RegistryConfig{
		Clock: time.Now, Chains: catalog.Chains, Providers: wire.Offers(), Default: world.Options{Seed: "chains"},
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := worlds.Find(world.Default)
	if err != nil {
		t.Fatal(err)
	}
	return worlds, w
}

// The commands show what is read, find what was missed, and resume a stopped network, while the
// processes of the installation need not run.
func TestDepositsCommand_Chains(t *testing.T) {
	t.Parallel()
	_, sim := newChainWorld(t)
	node := httptest.NewServer(wire.New(sim).Handler("evm-bsc"))
	t.Cleanup(node.Close)
	cfg := config.Default()
	cfg.State.Dir = t.TempDir()
	v := newVault(t, cfg)
	v.Deposits.Wallets = map[string]core.Secret{"EVM": evmKey}
	v.Deposits.Chains = map[string][]core.Secret{"BSC": {core.Secret("evm:" + node.URL)}}
	owners := v.process(t)
	if _, err := owners.Confirm(t.Context(), "EVM"); err != nil {
		t.Fatal(err)
	}
	to, err := owners.Get(t.Context(), deposits.Query{
		User: core.DepositUser{Account: "a", Profile: "u"}, Currency: "USDT", Network: "BSC",
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{
		"state":   map[string]string{"dir": cfg.State.Dir},
		"privacy": map[string]string{"hash_key": hashKey.Reveal()},
		"deposits": map[string]any{
			"wallets": map[string]string{"EVM": evmKey}, "chains": map[string][]string{"BSC": {"evm:" + node.URL}},
		},
	})
	settings := filepath.Join(cfg.State.Dir, "causeway.yaml")
	if err := errors.Join(err, os.WriteFile(settings, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	command := func(want string, args ...string) {
		t.Helper()
		out, err := run(t, "", append([]string{"deposits", "--config", settings}, args...)...)
		if got := out + fmt.Sprint(err); !strings.Contains(got, want) || strings.Contains(got, node.URL) {
			t.Errorf("%q: got %s, want %s", args, got, want)
		}
	}
	command("no process has read it yet", "chains")
	command("was read yet", "rescan", "bsc", "--from", "1")

	// The payment is in a block before the first one that is read.
	bsc, err := sim.Chains().Find("BSC")
	if err != nil {
		t.Fatal(err)
	}
	payment := chain.Payment{
		Currency: "USDT", Payees: []chain.Payee{{To: to.Items[0].Address.Reveal(), Amount: "12.5"}},
	}
	if _, err := bsc.Pay(payment, sim.Now()); err != nil {
		t.Fatal(err)
	}
	paid := bsc.Height(sim.Now()) + 1
	if err := bsc.Mine(3, sim.Now()); err != nil {
		t.Fatal(err)
	}
	reader := v.reader(t, owners)
	if err := reader.Sync(t.Context(), "BSC"); err != nil {
		t.Fatal(err)
	}
	command(fmt.Sprintf(`"read_block": %d`, paid+2), "chains", "-o", "json")
	command("a process", "chains")
	command("1 transactions were added", "rescan", "BSC", "--from", fmt.Sprint(paid))
	command("0 transactions were added", "rescan", "BSC", "--from", fmt.Sprint(paid))
	if all, err := reader.Balances(t.Context(), core.DepositUser{Account: "a", Profile: "u"}); err != nil ||
		len(all) != 1 || all[0].Pending.String() != "12.5" {
		t.Errorf("after the rescan: got %+v, %v; want 12.5 USDT pending", all, err)
	}

	command("[]", "unassigned", "-o", "json")
	for i := range 2 {
		v.exec(t, `INSERT INTO unassigned_transfers VALUES ('BSC', $1, 1, '0xc', '0xshared', 'no. 7', 'USDT', '1500000', 6, 9,
			'0xb', 'unknown_memo', $2)`, fmt.Sprint("0xhash", i), int64(i)*1e6)
	}
	command("1970-01-01T00:00:01Z  BSC      1.5     USDT      unknown_memo  0xshared  no. 7  9      0xhash1\n<nil>",
		"unassigned", "--limit", "1")
	command("0xhash0", "unassigned", "--network", "bsc")
	command("accepted: 1 to 1000", "unassigned", "--limit", "0")

	command("is not stopped", "resume-chain", "BSC")
	command("are not read here", "rescan", "ETH", "--from", "1")
	v.exec(t, `UPDATE chains SET stopped = 'it replaced block 5'`)
	command("stopped: it replaced block 5", "chains")
	command(fmt.Sprintf("run causeway deposits rescan BSC --from %d", paid+2), "resume-chain", "bsc")
	if err := v.reader(t, owners).Sync(t.Context(), "BSC"); err != nil {
		t.Errorf("resumed: got %v", err)
	}
}

// reader returns a process that reads the networks of the installation.
func (v *vault) reader(t *testing.T, owners *deposits.Service) *transactions.Service {
	t.Helper()
	catalog, err := v.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	backends, err := app.ConnectChains(v.Config, catalog, app.NewEnvironment(nil))
	if err != nil {
		t.Fatal(err)
	}
	reader, err := transactions.New(transactions.Config{
		Chains: catalog.Chains, Backends: backends, Store: v.open(t).Transactions(), Owners: owners, Clock: time.Now,
		Holder: "a process",
	})
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

// Doctor names the back end and says what is wrong with it, and never its URL.
func TestDoctor_Chains(t *testing.T) {
	t.Parallel()
	worlds, sim := newChainWorld(t)
	served := httptest.NewServer(upstreamHandler{worlds})
	t.Cleanup(served.Close)
	status := func(code int) roundTripper {
		return func(*http.Request) (*http.Response, error) {
			rec := httptest.NewRecorder()
			rec.WriteHeader(code)
			return rec.Result(), nil
		}
	}
	simulated := roundTripper(wire.New(sim).RoundTrip)
	began := sim.Now() // time stands still, as no block follows the newest one
	for name, c := range map[string]struct {
		backends  []string
		transport http.RoundTripper
		check     string
		state     state
		found, do string
	}{
		"healthy":       {[]string{"evm-bsc.chains.example"}, simulated, "back end evm-bsc", passed, "it shows BSC up to block ", ""},
		"second":        {[]string{"nowhere.example", "evm-bsc.chains.example"}, simulated, "back end evm-bsc-2", passed, "up to block", ""},
		"other network": {[]string{"evm-eth.chains.example"}, simulated, "back end evm-bsc", failed, "another network than BSC", "CAUSEWAY_DEPOSITS__CHAINS__BSC"},
		"down":          {[]string{"node.planted/key"}, status(502), "back end evm-bsc", failed, "status 502", "status page"},
		"refused":       {[]string{"node.planted/key"}, status(401), "back end evm-bsc", failed, "status 401", "key or password"},
		"unreachable":   {[]string{"node.planted/key"}, roundTripper(unplugged), "back end evm-bsc", failed, "connection failed", "firewall"},
		"web page":      {[]string{"node.planted/key"}, status(200), "back end evm-bsc", failed, "malformed", "check the URL"},
		"over TCP": {
			[]string{strings.TrimPrefix(served.URL, "http://") + "/evm-bsc"},
			http.DefaultTransport, "back end evm-bsc", passed, "up to block", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newTestDoctor(t, c.transport.RoundTrip, "CAUSEWAY_STATE__DIR="+t.TempDir(),
				"CAUSEWAY_PRIVACY__HASH_KEY="+hashKey.Reveal(), "CAUSEWAY_DEPOSITS__WALLETS__EVM="+evmKey)
			d.env.Clock = func() time.Time { return began }
			d.cfg.Deposits.Chains = map[string][]core.Secret{}
			for _, b := range c.backends {
				scheme := "https://"
				if name == "over TCP" {
					scheme = "http://"
				}
				d.cfg.Deposits.Chains["BSC"] = append(d.cfg.Deposits.Chains["BSC"], core.Secret("evm:"+scheme+b))
			}
			results := d.chains(t.Context())
			r := find(t, results, c.check)
			if r.State != c.state || !strings.Contains(r.Found, c.found) || !strings.Contains(r.Do, c.do) {
				t.Errorf("got %+v, want %s: %s; %s", r, c.state, c.found, c.do)
			}
			if text := fmt.Sprint(results); strings.Contains(text, "planted") || strings.Contains(text, "example") {
				t.Errorf("the URL shows: %s", text)
			}
		})
	}
	d := newTestDoctor(t, unplugged)
	if r := find(t, d.chains(context.Background()), "back ends"); r.State != skipped {
		t.Errorf("none is configured: got %+v", r)
	}
}

// A back end whose newest block is old is a warning.
func TestDoctor_ChainBehind(t *testing.T) {
	t.Parallel()
	_, sim := newChainWorld(t)
	d := newTestDoctor(t, wire.New(sim).RoundTrip)
	d.cfg.Deposits.Chains = map[string][]core.Secret{"BSC": {"evm:https://evm-bsc.chains.example"}}
	d.env.Clock = func() time.Time { return time.Now().Add(time.Hour) }
	if r := find(t, d.chains(t.Context()), "back end evm-bsc"); r.State != warning || !strings.Contains(r.Found, "1h") {
		t.Errorf("got %+v, want a warning", r)
	}
}
