package config_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/adapters/providers/openexchangerates"
	"causeway/adapters/providers/paystack"
	"causeway/adapters/webhooks"
	"causeway/config"
	"causeway/core"
)

var update = flag.Bool("update", false, "write the golden files")

// hashKey is a secret of the shortest length.
const hashKey = "CAUSEWAY_PRIVACY__HASH_KEY=0123456789abcdef0123456789abcdef"

const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

const (
	evmWallet = "CAUSEWAY_DEPOSITS__WALLETS__EVM=pool"
	stateDir  = "CAUSEWAY_STATE__DIR=/var/lib/causeway"
)

// file writes a configuration file.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "causeway.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// production is the environment of a production process that lacks nothing.
func production(more ...string) []string {
	base := []string{
		"CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=sk",
		"CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=id", "CAUSEWAY_AUTH__KEYS=0123456789abcdef",
	}
	for _, variable := range more {
		name, _, _ := strings.Cut(variable, "=")
		base = slices.DeleteFunc(base, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	}
	return append(base, more...)
}

func TestLoad(t *testing.T) {
	t.Parallel()
	secret := file(t, "sk_live_1\r\n")
	for name, c := range map[string]struct {
		sources config.Sources
		holds   func(config.Config) bool
	}{
		"nothing is set": {config.Sources{}, func(c config.Config) bool {
			return c.Mode == config.Sandbox && c.Listen == "127.0.0.1:8080" && !c.RecipientsNeedKey() && c.Drain.Delay < time.Second
		}},
		"flag over environment over file": {config.Sources{
			File:  file(t, "listen: :1\noperator_listen: :2\nlog: {level: debug}\n"),
			Flags: map[string]string{"operator_listen": ":5"},
			Env:   []string{"CAUSEWAY_LISTEN=:3", "CAUSEWAY_OPERATOR_LISTEN=:4", "HOME=/root", "CAUSEWAY_MODE="},
		}, func(c config.Config) bool {
			return c.Log.Level == "debug" && c.Listen == ":3" && c.OperatorListen == ":5"
		}},
		"file named by the environment": {
			config.Sources{Env: []string{"CAUSEWAY_CONFIG=" + file(t, "drain: {delay: 7s}")}},
			func(c config.Config) bool { return c.Drain.Delay == 7*time.Second && c.File() != "" },
		},
		"days": {
			config.Sources{File: file(t, "recipients: {cache: {found: 30d}}")},
			func(c config.Config) bool { return c.Recipients.Cache.Found == 30*24*time.Hour },
		},
		"base URLs": {config.Sources{
			File: file(t, "providers: {base_urls: {paystack: 'https://a.test', open_exchange_rates: 'https://b.test'}}"),
			Env:  []string{"CAUSEWAY_PROVIDERS__BASE_URLS__PAYSTACK=https://c.test"},
		}, func(c config.Config) bool {
			rates := c.Providers[openexchangerates.Name].(*openexchangerates.Config)
			return c.Providers[paystack.Name].(*paystack.Config).BaseURL == "https://c.test" && rates.BaseURL == "https://b.test"
		}},
		"lists and maps in the environment": {config.Sources{Env: []string{
			"CAUSEWAY_PAYSTACK__KEYS__NG=sk_live_1", "CAUSEWAY_AUTH__KEYS=a,b", "CAUSEWAY_API__CORS_ORIGINS=https://a.example",
		}}, func(c config.Config) bool {
			return c.Providers[paystack.Name].(*paystack.Config).Keys["NG"] == "sk_live_1" && len(c.Auth.Keys) == 2 && c.API.CORSOrigins[0] == "https://a.example"
		}},
		"secret in a file": {
			config.Sources{Env: []string{"CAUSEWAY_PAYSTACK__KEYS__NG_FILE=" + secret}},
			func(c config.Config) bool {
				return c.Providers[paystack.Name].(*paystack.Config).Keys["NG"] == "sk_live_1"
			},
		},
		"operation IDs with underscores": {config.Sources{
			File: file(t, "auth: {operations: [list_pairs, get-pair]}\n"+
				"limits: {operations: {list_banks: 7/m, list-pairs: 9/m}}\n"),
			Env: []string{"CAUSEWAY_LIMITS__OPERATIONS__RESOLVE_ACCOUNT=none"},
		}, func(c config.Config) bool {
			l := c.Limits.Operations
			return slices.Equal(c.Auth.Operations, []string{"list-pairs", "get-pair"}) &&
				l["list-banks"].Calls == 7 && l["list-pairs"].Calls == 9 && l["resolve-account"].None()
		}},
		"back ends": {config.Sources{
			File: file(t, "deposits: {chains: {ETH: [evm:https://a.test/planted]}, confirmations: {ETH: 0, BTC: 2}}"),
			Env: production("CAUSEWAY_DEPOSITS__CHAINS__BSC=evm:https://a.test/planted, evm:http://127.0.0.1:8545",
				"CAUSEWAY_DEPOSITS__CONFIRMATIONS__BSC=20", evmWallet, stateDir, hashKey),
		}, func(c config.Config) bool {
			catalog, err := c.LoadCatalog()
			confirmations := map[string]int64{}
			for _, chain := range catalog.Chains {
				confirmations[chain.Network] = chain.Confirmations
			}
			return err == nil && len(c.Deposits.Chains["bsc"]) == 2 && !strings.Contains(string(c.YAML()), "planted") &&
				confirmations["BSC"] == 20 && confirmations["ETH"] == 0 && confirmations["BTC"] == 2 && confirmations["LTC"] == 12
		}},
		"variables of others": {config.Sources{Env: []string{
			"CAUSEWAY_SERVICE_HOST=10.0.0.1", "CAUSEWAY_SIM_WORLD=TestCheckout", "CAUSEWAY_SERVER=http://c", "CAUSEWAY_KEY=k", "CAUSEWAY_SERVICE_PORT=8080", "CAUSEWAY_SERVICE_PORT_HTTP=8080",
			"CAUSEWAY_PORT=tcp://10.0.0.1:8080", "CAUSEWAY_PORT_8080_TCP=tcp://10.0.0.1:8080", "CAUSEWAY_PORT_8080_TCP_ADDR=10.0.0.1",
		}}, func(config.Config) bool { return true }},
		"production": {config.Sources{Env: production()}, func(c config.Config) bool {
			return c.RecipientsNeedKey() && c.Drain.Delay == 5*time.Second && c.RecipientSettings().Guard.Mode == "block" &&
				c.Listen == ":8080"
		}},
		"production without a drain delay": {
			config.Sources{Env: production("CAUSEWAY_DRAIN__DELAY=0s")},
			func(c config.Config) bool { return c.Drain.Delay == 0 },
		},
		"production with keys in PostgreSQL": {config.Sources{Env: production(
			"CAUSEWAY_AUTH__KEYS=", "CAUSEWAY_STORAGE__URL=postgres://db/causeway", hashKey,
		)}, func(c config.Config) bool { return len(c.RecipientSettings().Key) == 32 }},
		"template": {
			config.Sources{File: file(t, string(config.Template()))},
			func(c config.Config) bool { return string(c.YAML()) == string(config.Default().YAML()) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if cfg, err := config.Load(c.sources); err != nil || !c.holds(cfg) {
				t.Errorf("%v:\n%s", err, cfg.YAML())
			}
		})
	}
}

// TestLoad_Faults has one fault per row. No fault shows "planted".
func TestLoad_Faults(t *testing.T) {
	t.Parallel()
	key, empty := file(t, "planted\n"), file(t, "\n")
	env := func(variables ...string) config.Sources { return config.Sources{Env: variables} }
	in := func(text string) config.Sources { return config.Sources{File: file(t, text)} }
	for want, sources := range map[string]config.Sources{
		"/nowhere/causeway.yaml: no such file":                                                 {File: "/nowhere/causeway.yaml"},
		"is not YAML: yaml: line 3":                                                            in("mode: sandbox\nlog:\n  level: debug\n level: info\n"),
		"more than one document":                                                               in("mode: sandbox\n---\nnonsense: 1"),
		`line 1: unknown key "lisen"; did you mean "listen"`:                                   in("lisen: :1"),
		`unknown key "log": it is a section; its keys are log.level`:                           in("log: loud"),
		`unknown key "recipients.key"`:                                                         in("recipients: {key: planted}"),
		`unknown key "log.formatt"; did you mean "log.format" (CAUSEWAY_LOG`:                   env("CAUSEWAY_LOG__FORMATT=text"),
		`unknown key "port"`:                                                                   env("CAUSEWAY_PORT=9000"),
		`unknown key "listen_file"`:                                                            env("CAUSEWAY_LISTEN_FILE=" + key),
		"are both set":                                                                         env("CAUSEWAY_PAYSTACK__KEYS__NG_FILE="+key, "CAUSEWAY_PAYSTACK__KEYS__NG=planted"),
		"NG_FILE: open /nowhere":                                                               env("CAUSEWAY_PAYSTACK__KEYS__NG_FILE=/nowhere"),
		"has no secret in it":                                                                  env("CAUSEWAY_PAYSTACK__KEYS__NG_FILE=" + empty),
		"one key per name: paystack.keys.<name>":                                               in("paystack: {keys: planted}"),
		`paystack.keys has a key for "XX"`:                                                     in("paystack: {keys: {XX: planted}}"),
		"a duration needs its unit":                                                            in("drain: {delay: 5}"),
		`drain.delay is "soon": not a duration; accepted:`:                                     in("drain: {delay: soon}"),
		"drain.delay is -1s; accepted: 0s or more":                                             in("drain: {delay: -1s}"),
		"accepted: a whole number":                                                             in("open_exchange_rates: {monthly_quota: 1.5}"),
		`line 2: log.level is "loud"; accepted: debug, info, warn, error`:                      in("log:\n  level: loud"),
		`flag: mode is "live"; accepted: sandbox, production`:                                  {Flags: map[string]string{"mode": "live"}},
		`environment: auth.recipients is "maybe"; accepted: open, required`:                    env("CAUSEWAY_AUTH__RECIPIENTS=maybe"),
		"recipients.guard.mode is":                                                             env("CAUSEWAY_RECIPIENTS__GUARD__MODE=watch"),
		`listen is ":99999"; accepted: host:port`:                                              in("listen: ':99999'"),
		`operator_listen is "localhost:nope"`:                                                  in("operator_listen: 'localhost:nope'"),
		"listen and operator_listen are both":                                                  in("operator_listen: '127.0.0.1:8080'"),
		"tls.cert_file and tls.key_file belong together":                                       in("tls: {cert_file: /etc/tls.crt}"),
		"monnify.api_key and monnify.secret_key belong together":                               in("monnify: {api_key: planted}"),
		`api.cors_origins has "example.com"`:                                                   in("api: {cors_origins: [example.com]}"),
		`simulator.cors_origins has "*"`:                                                       in("simulator: {cors_origins: ['*']}"),
		`api.trusted_proxies has "0.0.0.0/0"`:                                                  in("api: {trusted_proxies: [0.0.0.0/0]}"),
		"providers.base_urls.paystack is not a base URL":                                       in("providers: {base_urls: {paystack: 'https://u:planted@x.test'}}"),
		"providers.base_urls.kraken is not a base URL":                                         in("providers: {base_urls: {kraken: 'http://127.0.0.1:99999'}}"),
		"providers.base_urls.open_exchange_rates is not":                                       in("providers: {base_urls: {open_exchange_rates: 'https://x.t?a=planted'}}"),
		"providers.base_urls.paystak is of no provider; accepted: paystack,":                   in("providers: {base_urls: {paystak: https://x.test}}"),
		`auth.operations has "list-pears"; accepted: addresses, balances`:                      in("auth: {operations: [list-pears]}"),
		"limits.operations.validate-batch is for no operation":                                 in("limits: {operations: {validate-batch: 5/m}}"),
		"is empty and redis.url is set":                                                        env("CAUSEWAY_REDIS__URL=redis://:planted@10.0.0.5:6379"),
		"redis.url is not a URL of Redis":                                                      env("CAUSEWAY_REDIS__URL=http://:planted@10.0.0.5", hashKey),
		"privacy.hash_key is too short":                                                        env("CAUSEWAY_PRIVACY__HASH_KEY=planted"),
		"auth.keys has a key that is too short; accepted in production: 16":                    env(production("CAUSEWAY_AUTH__KEYS=planted12345678")...),
		"set paystack.keys.ng, paystack.keys.gh, ":                                             env(production("CAUSEWAY_PAYSTACK__KEYS__NG=", "CAUSEWAY_PAYSTACK__KEYS__KE=planted")...),
		"production mode needs a source of fiat rates":                                         env(production("CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=")...),
		"account resolution needs API keys in production mode":                                 env(production("CAUSEWAY_AUTH__KEYS=")...),
		"deposits.chains.solana is for no network whose blocks can be read":                    env("CAUSEWAY_DEPOSITS__CHAINS__SOLANA=evm:https://planted"),
		"has a back end of an unknown kind; accepted: evm, blockbook":                          in("deposits: {chains: {BSC: 'https://planted'}}"),
		"deposits.chains.BSC has a back end whose URL cannot be used":                          in("deposits: {chains: {BSC: ['evm:wss://planted']}}"),
		"has a back end with a user and no password":                                           in("deposits: {chains: {BSC: ['evm:https://planted@a.test']}}"),
		"deposits.chains.BSC has the same back end twice":                                      in("deposits: {chains: {BSC: ['evm:https://planted', 'evm:https://planted']}}"),
		"deposits.chains.bsc is set twice, in different case":                                  in("deposits: {chains: {BSC: 'evm:https://planted', bsc: 'evm:https://b'}}"),
		"deposits.chains.BSC is empty; accepted: one or more back ends":                        in("deposits: {chains: {BSC: []}}"),
		"unknown key \"deposits.chains.BSC.url\"":                                              in("deposits: {chains: {BSC: {url: planted}}}"),
		"deposits.chains.bsc has a back end without TLS on another machine":                    env(production("CAUSEWAY_DEPOSITS__CHAINS__BSC=evm:http://a.test/planted", evmWallet, stateDir, hashKey)...),
		"webhooks has the wrong shape; accepted: one key per name: webhooks.<name>":            in("webhooks: [planted]"),
		`unknown key "webhooks.shop": it is a section; its keys are webhooks.<name>.account, `: in("webhooks: {shop: planted}"),
		`unknown key "webhooks.shop.urls"; did you mean "webhooks.<name>.url"`:                 in("webhooks: {shop: {urls: planted}}"),
		"webhooks.my-shop.secret is not whsec_ and base64":                                     env("CAUSEWAY_WEBHOOKS__MY_SHOP__SECRET=planted", "CAUSEWAY_WEBHOOKS__MY_SHOP__URL=https://a.test", "CAUSEWAY_WEBHOOKS__MY_SHOP__ACCOUNT=a"),
		"environment: webhooks.shop.url has credentials":                                       env("CAUSEWAY_WEBHOOKS__SHOP__URL=https://u:planted@a.test", "CAUSEWAY_WEBHOOKS__SHOP__SECRET="+webhookSecret, "CAUSEWAY_WEBHOOKS__SHOP__ACCOUNT=a"),
		"webhooks.SHOP is no name of an endpoint; accepted: up to 63 lower case letters,":      in("webhooks: {SHOP: {url: 'https://a.test', account: a, secret: " + webhookSecret + "}}"),
	} {
		_, err := config.Load(sources)
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n") {
			t.Errorf("got %v, want the one fault %q", err, want)
		} else if strings.Contains(err.Error(), "planted") {
			t.Errorf("a secret is in the error: %v", err)
		}
	}
	all := in("lisen: :1\nlog: {level: loud}\ndrain: {delay: soon}\nredis: {timeout: 1m}\ncatalog: {dir: /nowhere}\n")
	if _, err := config.Load(all); err == nil || strings.Count(err.Error(), "\n") != 4 {
		t.Errorf("five faults at once: %v", err)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for want, env := range map[string][]string{
		"": production("CAUSEWAY_PROVIDERS__BASE_URLS__PAYSTACK=http://127.0.0.1:9000", "CAUSEWAY_PROVIDERS__BASE_URLS__OKX=http://[::1]:9",
			"CAUSEWAY_PROVIDERS__BASE_URLS__BUSHA=http://localhost", "CAUSEWAY_REDIS__URL=rediss://redis.test", hashKey,
			"OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318", "CAUSEWAY_AUTH__RECIPIENTS=open", "CAUSEWAY_AUTH__OPERATIONS=pairs,list-banks,recipients"),
		"providers.base_urls.paystack":       production("CAUSEWAY_PROVIDERS__BASE_URLS__PAYSTACK=http://proxy.test"),
		"redis.url":                          production("CAUSEWAY_REDIS__URL=redis://:planted@10.0.0.5", hashKey),
		"OTEL_EXPORTER_OTLP_ENDPOINT":        production("OTEL_EXPORTER_OTLP_ENDPOINT=http://collector.test:4318"),
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": production("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://192.0.2.1:4318"),
		"auth.recipients":                    production("CAUSEWAY_AUTH__RECIPIENTS=open"),
		"deposits.chains":                    production(evmWallet, stateDir, hashKey, "CAUSEWAY_DEPOSITS__CHAINS__BSC=evm:https://a.test"),
		"auth.operations":                    production("CAUSEWAY_AUTH__OPERATIONS=list-pairs,stream-pairs,get-pair,get-price-history"),
	} {
		cfg, err := config.Load(config.Sources{Env: env})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range cfg.Warnings() {
			got = append(got, w.Key)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestWarnings_Undetected names the networks of wallets without a back end.
func TestWarnings_Undetected(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load(config.Sources{Env: production(evmWallet, "CAUSEWAY_DEPOSITS__WALLETS__SOL=pool", stateDir, hashKey,
		"CAUSEWAY_DEPOSITS__CHAINS__BSC=evm:https://a.test", "CAUSEWAY_DEPOSITS__CHAINS__ETH=evm:https://b.test")})
	if err != nil {
		t.Fatal(err)
	}
	const want = "deposits on ARBITRUM, AVAXC, BASE, MATIC, OPTIMISM, SOL are not detected: they have no back end"
	if all := cfg.Warnings(); len(all) != 1 || all[0].Problem != want {
		t.Errorf("got %+v, want %s", all, want)
	}
}

// TestWarnings_Unread names the networks without a wallet.
func TestWarnings_Unread(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load(config.Sources{Env: production("CAUSEWAY_DEPOSITS__WALLETS__SOL=pool", stateDir, hashKey,
		"CAUSEWAY_DEPOSITS__CHAINS__BSC=evm:https://a.test", "CAUSEWAY_DEPOSITS__CHAINS__btc=blockbook:https://b.test")})
	if err != nil {
		t.Fatal(err)
	}
	const want = "the blocks of BSC, BTC are not read: no wallet has addresses there"
	if all := cfg.Warnings(); len(all) != 2 || all[1].Problem != want {
		t.Errorf("got %+v, want %s", all, want)
	}
}

// TestWarnings_OpenOperations names the operations that show what others protect.
func TestWarnings_OpenOperations(t *testing.T) {
	t.Parallel()
	for keyed, want := range map[string]string{
		"list-pairs":       "keys protect list-pairs, but the same can be read without a key from explain-price, get-pair, get-price-history, stream-pairs",
		"validate_address": "keys protect validate-address, but the same can be read without a key from validate-addresses",
		"pairs,banks":      "",
		"":                 "",
		"list-countries":   "",
	} {
		cfg, err := config.Load(config.Sources{Env: production("CAUSEWAY_AUTH__OPERATIONS=" + keyed)})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, w := range cfg.Warnings() {
			got += w.Problem
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", keyed, got, want)
		}
	}
}

func TestKeyedOperations(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load(config.Sources{Env: production("CAUSEWAY_AUTH__OPERATIONS=pairs,get_pair,currencies,list-banks")})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"explain-price", "get-currency", "get-pair", "get-price-history", "list-banks", "list-currencies", "list-pairs",
		"resolve-account", "stream-pairs",
	}
	if got := cfg.KeyedOperations(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"30d": 720 * time.Hour, "1d12h": 36 * time.Hour, "0d": 0, "0s": 0, "-1h": -time.Hour,
		"1h30m": 90 * time.Minute, "250ms": 250 * time.Millisecond, "2m": 2 * time.Minute,
	} {
		d, err := config.ParseDuration(text)
		if err != nil || d != want {
			t.Errorf("%s: got %s, %v", text, d, err)
		}
		if again, err := config.ParseDuration(config.FormatDuration(want)); err != nil || again != want {
			t.Errorf("%s is written as %s", want, config.FormatDuration(want))
		}
	}
	for _, text := range []string{"", "5", "d", "-1d", "1.5d", "1d-1h", "99999d", "1d 1h", "1h1d"} {
		if d, err := config.ParseDuration(text); err == nil {
			t.Errorf("%q: got %s", text, d)
		}
	}
	if got := config.FormatDuration(48 * time.Hour); got != "2d" {
		t.Errorf("two days are %s", got)
	}
}

// TestLoad_Webhooks reads endpoints from a file and their secrets from the environment, and prints neither secrets nor
// URLs.
func TestLoad_Webhooks(t *testing.T) {
	t.Parallel()
	path := file(t, "webhooks:\n"+
		"  my-shop: {account: acc, url: 'https://a.test/planted', events: [transaction.completed], allow_private: true}\n"+
		"  other:\n    account: acc\n    url: https://b.test\n    secret: "+webhookSecret+"\n")
	cfg, err := config.Load(config.Sources{File: path, Env: []string{"CAUSEWAY_WEBHOOKS__MY_SHOP__SECRET=" + webhookSecret}})
	if err != nil {
		t.Fatal(err)
	}
	want := webhooks.Config{
		"my-shop": {
			Account: "acc", URL: "https://a.test/planted", Secret: webhookSecret,
			Events: []core.EventType{core.TransactionCompleted}, AllowPrivate: true,
		},
		"other": {Account: "acc", URL: "https://b.test", Secret: webhookSecret},
	}
	if !reflect.DeepEqual(cfg.Webhooks, want) {
		t.Errorf("got %#v, want %#v", cfg.Webhooks, want)
	}
	printed := string(cfg.YAML())
	if strings.Contains(printed, "planted") || strings.Contains(printed, webhookSecret) || !strings.Contains(printed, "my-shop: {") {
		t.Errorf("got:\n%s", printed)
	}
	if _, restart := cfg.Changed(config.Default()); !slices.Contains(restart, "webhooks") {
		t.Errorf("a restart takes over %v, which lacks webhooks", restart)
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	env := production("CAUSEWAY_COINGECKO__API_KEY=sk", "CAUSEWAY_LIMITS__OPERATIONS__LIST_BANKS=7/m")
	cfg, err := config.Load(config.Sources{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	text, err := cfg.JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{string(cfg.YAML()), string(text)} {
		secret := strings.Contains(shown, `"sk"`) || strings.Contains(shown, ": sk\n")
		if secret || strings.Count(shown, "[redacted]") != 4 || !strings.Contains(shown, "list-banks") {
			t.Errorf("want four redacted secrets, got:\n%s", shown)
		}
	}
	again, err := config.Load(config.Sources{File: file(t, string(config.Default().YAML()))})
	if err != nil || string(again.YAML()) != string(config.Default().YAML()) {
		t.Errorf("the printed configuration is not readable: %v", err)
	}
}

// TestSchema checks that the schema has every setting.
func TestSchema(t *testing.T) {
	t.Parallel()
	text, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	type schema struct {
		Ref         string            `json:"$ref"`
		Properties  map[string]schema `json:"properties"`
		Entries     json.RawMessage   `json:"additionalProperties"` // false, or a schema
		Defs        map[string]schema `json:"$defs"`
		Description string            `json:"description"`
		Required    []string          `json:"required"`
	}
	var root schema
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	for _, variable := range config.Variables() {
		at := root
		for name := range strings.SplitSeq(strings.ToLower(strings.TrimPrefix(variable, "CAUSEWAY_")), "__") {
			if at.Ref != "" {
				at = root.Defs[strings.TrimPrefix(at.Ref, "#/$defs/")]
			}
			var entry schema
			if name != "<name>" {
				at = at.Properties[name]
			} else if err := json.Unmarshal(at.Entries, &entry); err == nil && entry.Properties != nil {
				at = entry
			}
		}
		if at.Description == "" || at.Required != nil {
			t.Errorf("%s is missing, or required", variable)
		}
	}
}

// TestDocs keeps the table in docs/configuration.md equal to the struct: go test ./config -run TestDocs -update.
func TestDocs(t *testing.T) {
	t.Parallel()
	const path, mark = "../docs/configuration.md", "<!-- Generated by go test ./config -run TestDocs -update. -->\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, found := strings.Cut(string(text), mark)
	want := head + mark + "\n" + string(config.Table())
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !found || string(text) != want {
		t.Errorf("%s is not up to date; run this test with -update", path)
	}
}
