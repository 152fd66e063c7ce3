package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"causeway/config"
)

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "causeway.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	t.Parallel()
	t.Run("without any source is the default sandbox", func(t *testing.T) {
		t.Parallel()
		cfg, err := config.Load(config.Sources{})
		if err != nil || cfg.Mode != config.Sandbox || cfg.Listen != ":8080" || cfg.OperatorListen != "127.0.0.1:9099" || cfg.ResolutionNeedsKey() {
			t.Fatalf("got %+v, %v", cfg, err)
		}
	})
	t.Run("lets the environment override the file, and a flag the environment", func(t *testing.T) {
		t.Parallel()
		cfg, err := config.Load(config.Sources{
			File:  file(t, "listen: :1\noperator_listen: :2\nlog: {level: debug}\n"),
			Env:   []string{"CAUSEWAY_LISTEN=:3", "CAUSEWAY_OPERATOR_LISTEN=:4", "HOME=/root", "CAUSEWAY_MODE="},
			Flags: map[string]string{"operator_listen": ":5"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Log.Level != "debug" || cfg.Listen != ":3" || cfg.OperatorListen != ":5" {
			t.Fatalf("got %s %s %s, want debug :3 :5", cfg.Log.Level, cfg.Listen, cfg.OperatorListen)
		}
	})
	t.Run("finds the file that the environment names", func(t *testing.T) {
		t.Parallel()
		cfg, err := config.Load(config.Sources{Env: []string{"CAUSEWAY_CONFIG=" + file(t, "drain: {delay: 7s}")}})
		if err != nil || cfg.Drain.Delay != 7*time.Second {
			t.Fatalf("got %s, %v", cfg.Drain.Delay, err)
		}
	})
	t.Run("reads nested keys, lists and maps from the environment", func(t *testing.T) {
		t.Parallel()
		cfg, err := config.Load(config.Sources{Env: []string{
			"CAUSEWAY_PAYSTACK__KEYS__NG=sk_live_1", "CAUSEWAY_AUTH__KEYS=a,b", "CAUSEWAY_API__CORS_ORIGINS=https://a.example",
		}})
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Paystack.Keys["NG"].Reveal() != "sk_live_1" || len(cfg.Auth.Keys) != 2 || cfg.API.CORSOrigins[0] != "https://a.example" {
			t.Fatalf("got %d keys, %d auth keys, %v", len(cfg.Paystack.Keys), len(cfg.Auth.Keys), cfg.API.CORSOrigins)
		}
	})
	t.Run("names every fault at once, with its place", func(t *testing.T) {
		t.Parallel()
		_, err := config.Load(config.Sources{
			File:  file(t, "lisen: :1\nlog: {level: loud}\ndrain: {delay: soon}\nauth: {resolution: maybe}\n"),
			Env:   []string{"CAUSEWAY_LOG__FORMATT=text", "CAUSEWAY_OPERATOR_LISTEN=9099", "CAUSEWAY_API__CORS_ORIGINS=example.com"},
			Flags: map[string]string{"mode": "live"},
		})
		if err == nil {
			t.Fatal("accepted")
		}
		for _, want := range []string{
			`unknown key "lisen"; did you mean "listen" (CAUSEWAY_LISTEN)?`, "causeway.yaml",
			`environment: unknown key "log.formatt"; did you mean "log.format"`,
			`log.level is "loud"; accepted: debug, info, warn, error`, `mode is "live"; accepted: sandbox, production`,
			`drain.delay is "soon"`, `auth.resolution is "maybe"`, `operator_listen is "9099"`, `api.cors_origins has "example.com"`,
		} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("the error lacks %q:\n%v", want, err)
			}
		}
	})
	t.Run("refuses what would be read as something else", func(t *testing.T) {
		t.Parallel()
		for text, want := range map[string]string{
			"drain: {delay: 5}":                                  "a duration needs its unit",
			"upstream: {timeout: 3.5}":                           "a duration needs its unit",
			"upstream: {max_body: 2048.5}":                       "accepted: a whole number",
			"mode: sandbox\n---\nnonsense: 1":                    "more than one document",
			"log: loud":                                          `"log": it is a section; its keys are log.level, log.format`,
			"paystack: {keys: abc}":                              "one key per name: paystack.keys.<name>",
			"simulator: {edge_chaos: often}":                     `simulator.edge_chaos is "often"; accepted: a decimal from 0 to 1`,
			"paystack: {keys: {XX: sk}}":                         `paystack.keys has a key for "XX"; accepted: NG, GH, KE, ZA, CI`,
			"listen: ':99999'":                                   `listen is ":99999"; accepted: host:port`,
			"operator_listen: 'localhost:nope'":                  `operator_listen is "localhost:nope"; accepted: host:port`,
			"kraken: {base_url: nope}":                           "kraken.base_url is not a base URL",
			"binance: {base_url: 'ftp://x.test'}":                "binance.base_url is not a base URL",
			"paystack: {base_url: 'https://u:s3cr3t@x.test'}":    "paystack.base_url is not a base URL",
			"paystack: {base_url: 'http://127.0.0.1:99999'}":     "paystack.base_url is not a base URL",
			"open_exchange_rates: {base_url: 'https://x.t?a=1'}": "open_exchange_rates.base_url is not a base URL",
		} {
			_, err := config.Load(config.Sources{File: file(t, text)})
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
		}
	})
	t.Run("ignores what Kubernetes injects, and nothing else", func(t *testing.T) {
		t.Parallel()
		_, err := config.Load(config.Sources{Env: []string{
			"CAUSEWAY_SERVICE_HOST=10.0.0.1", "CAUSEWAY_SERVICE_PORT=8080", "CAUSEWAY_SERVICE_PORT_HTTP=8080", "CAUSEWAY_PORT=tcp://10.0.0.1:8080",
			"CAUSEWAY_PORT_8080_TCP=tcp://10.0.0.1:8080", "CAUSEWAY_PORT_8080_TCP_ADDR=10.0.0.1",
		}})
		if err != nil {
			t.Error(err)
		}
		if _, err := config.Load(config.Sources{Env: []string{"CAUSEWAY_PORT=9000"}}); err == nil {
			t.Error("CAUSEWAY_PORT=9000 was ignored")
		}
	})
	t.Run("says what is wrong with an unreadable or malformed file", func(t *testing.T) {
		t.Parallel()
		if _, err := config.Load(config.Sources{File: "/nowhere/causeway.yaml"}); err == nil || !strings.Contains(err.Error(), "/nowhere/causeway.yaml: no such file") {
			t.Errorf("got %v", err)
		}
		if _, err := config.Load(config.Sources{File: file(t, "mode: [")}); err == nil || !strings.Contains(err.Error(), "is not YAML") {
			t.Errorf("got %v", err)
		}
	})
}

func TestProductionSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := config.Load(config.Sources{Flags: map[string]string{"mode": "production"}})
	if err == nil {
		t.Fatal("production without providers was accepted")
	}
	for _, want := range []string{"CAUSEWAY_PAYSTACK__KEYS__NG", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID", "CAUSEWAY_AUTH__KEYS"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %s:\n%v", want, err)
		}
	}
	_, err = config.Load(config.Sources{Env: []string{
		"CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__KE=sk", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=id", "CAUSEWAY_AUTH__KEYS=k",
	}})
	if err == nil || !strings.Contains(err.Error(), "CAUSEWAY_PAYSTACK__KEYS__GH") {
		t.Errorf("a key of a country where nobody is named: %v", err)
	}
	cfg, err := config.Load(config.Sources{Env: []string{
		"CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=sk", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=id", "CAUSEWAY_AUTH__KEYS=k",
	}})
	if err != nil || !cfg.ResolutionNeedsKey() {
		t.Fatalf("a complete production configuration: %v", err)
	}
	_, err = config.Load(config.Sources{Env: []string{
		"CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=sk", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=id", "CAUSEWAY_AUTH__KEYS=k", "CAUSEWAY_SIMULATOR__EDGE_CHAOS=0.01",
	}})
	if err == nil || !strings.Contains(err.Error(), "simulator.edge_chaos is set in production mode") {
		t.Errorf("chaos in production: %v", err)
	}
}

func TestWhatReplicasShareNeedsASecret(t *testing.T) {
	t.Parallel()
	const url, key = "CAUSEWAY_REDIS__URL=redis://:hush@10.0.0.5:6379", "CAUSEWAY_RESOLUTION__KEY=0123456789abcdef0123456789abcdef"
	for want, env := range map[string][]string{
		"redis.url is set and resolution.key (CAUSEWAY_RESOLUTION__KEY) is empty": {url},
		"redis.url is not a URL of Redis":                                         {"CAUSEWAY_REDIS__URL=http://:hush@10.0.0.5", key},
		"redis.timeout is 1h0m0s":                                                 {url, key, "CAUSEWAY_REDIS__TIMEOUT=1h"},
		"":                                                                        {url, key},
	} {
		_, err := config.Load(config.Sources{Env: env})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush")) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestPrintRedactsSecretsAndRoundTrips(t *testing.T) {
	t.Parallel()
	const secret = "sk_live_d41d8cd98f00"
	cfg, err := config.Load(config.Sources{Env: []string{
		"CAUSEWAY_PAYSTACK__KEYS__NG=" + secret, "CAUSEWAY_AUTH__KEYS=" + secret, "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=" + secret,
		"CAUSEWAY_COINGECKO__API_KEY=" + secret,
	}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := cfg.Print()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "# secret keys by country") || strings.Contains(string(text), "kraken: # secret") {
		t.Errorf("the comment of the keys is not beside them:\n%s", text)
	}
	if strings.Contains(string(text), secret) || strings.Count(string(text), "[redacted]") != 4 {
		t.Errorf("want four redacted secrets, got:\n%s", text)
	}
	plain, err := config.Default().Print()
	if err != nil {
		t.Fatal(err)
	}
	again, err := config.Load(config.Sources{File: file(t, string(plain))})
	if err != nil {
		t.Fatalf("what is printed cannot be read: %v\n%s", err, plain)
	}
	if reprinted, err := again.Print(); err != nil || string(reprinted) != string(plain) {
		t.Errorf("printing is not stable: %v\n%s\n%s", err, plain, reprinted)
	}
}

func TestTheLimitsOfTheServer(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{
		"SERVER__HEADER_TIMEOUT=0s":                  "server.header_timeout is 0s; accepted: 100ms to 1m0s",
		"SERVER__BODY_TIMEOUT=1h":                    "server.body_timeout is 1h0m0s; accepted: 100ms to 5m0s",
		"SERVER__WRITE_TIMEOUT=5s":                   "server.write_timeout is 5s; accepted: 10s to 10m0s",
		"SERVER__IDLE_TIMEOUT=-1s":                   "server.idle_timeout is -1s; accepted: 100ms to 1h0m0s",
		"SERVER__MAX_HEADER_BYTES=1":                 "server.max_header_bytes is 1; accepted: 4096 to 1048576",
		"SERVER__MAX_CONNECTIONS=-1":                 "server.max_connections is -1; accepted: 0 to 1048576",
		"SERVER__MAX_IN_FLIGHT=2000000":              "server.max_in_flight is 2000000; accepted: 0 to 1048576",
		"SERVER__MAX_IN_FLIGHT_PER_ADDRESS=-1":       "server.max_in_flight_per_address is -1",
		"API__TRUSTED_PROXIES=0.0.0.0/0":             `api.trusted_proxies has "0.0.0.0/0", which is everybody`,
		"API__TRUSTED_PROXIES=::/0":                  `api.trusted_proxies has "::/0", which is everybody`,
		"OPERATOR_LISTEN=" + config.Default().Listen: "listen and operator_listen are both",
		"SERVER__MAX_STREAMS=-5":                     "server.max_streams is -5",
		"SERVER__MAX_STREAMS_PER_CALLER=-5":          "server.max_streams_per_caller is -5",
		"SERVER__MAX_STREAMS_PER_CALLER=plenty":      "server.max_streams_per_caller",
		"TLS__CERT_FILE=/etc/tls.crt":                "tls.cert_file and tls.key_file belong together",
		"UPSTREAM__MAX_CONCURRENT=0":                 "upstream.max_concurrent is 0; accepted: 1 to 100000",
	} {
		if _, err := config.Load(config.Sources{Env: []string{"CAUSEWAY_" + variable}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", variable, err, want)
		}
	}
}

func TestALeavingProcessWaitsForLoadBalancersInProduction(t *testing.T) {
	t.Parallel()
	production := []string{"CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=k", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=k", "CAUSEWAY_AUTH__KEYS=k"}
	for said, want := range map[string]time.Duration{"": 5 * time.Second, "250ms": 250 * time.Millisecond, "0s": 0} {
		cfg, err := config.Load(config.Sources{Env: append(production, "CAUSEWAY_DRAIN__DELAY="+said)})
		if err != nil || cfg.Drain.Delay != want {
			t.Errorf("%q: got %s, %v", said, cfg.Drain.Delay, err)
		}
	}
	if delay := config.Default().Drain.Delay; delay >= time.Second {
		t.Errorf("a sandbox: %s", delay)
	}
}

func TestEveryVariableIsInTheReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range config.Keys() {
		if key.Doc == "" {
			t.Errorf("%s has no description", key.Name)
		}
		value := "`" + key.Default + "`"
		if key.Default == "" {
			value = ""
		}
		if row := fmt.Sprintf("| `%s` | %s | %s |\n", key.Env, value, key.Doc); !strings.Contains(string(readme), row) {
			t.Errorf("README.md lacks the row\n%s", row)
		}
	}
}

func TestSecretsFromFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key := file("key", "sk_live_hush\r\n")
	t.Run("a variable that ends in _FILE names the file of a secret", func(t *testing.T) {
		t.Parallel()
		cfg, err := config.Load(config.Sources{Env: []string{"CAUSEWAY_PAYSTACK__KEYS__NG_FILE=" + key, "CAUSEWAY_LOG__LEVEL=warn"}})
		if err != nil || cfg.Paystack.Keys["NG"].Reveal() != "sk_live_hush" || cfg.Log.Level != "warn" {
			t.Errorf("got %q, %v", cfg.Paystack.Keys["NG"].Reveal(), err)
		}
	})
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"both at once":         {[]string{"CAUSEWAY_PAYSTACK__KEYS__NG_FILE=" + key, "CAUSEWAY_PAYSTACK__KEYS__NG=sk_live_hush"}, "both set"},
		"no such file":         {[]string{"CAUSEWAY_PAYSTACK__KEYS__NG_FILE=" + dir + "/none"}, "no such file"},
		"an empty file":        {[]string{"CAUSEWAY_PAYSTACK__KEYS__NG_FILE=" + file("empty", "\n")}, "no secret in it"},
		"what is no secret":    {[]string{"CAUSEWAY_LISTEN_FILE=" + key}, "unknown key"},
		"a key that is no key": {[]string{"CAUSEWAY_NOTHING_FILE=" + key}, "unknown key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Load(config.Sources{Env: c.env})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hush") {
				t.Errorf("got %v, want it to say %q", err, c.want)
			}
		})
	}
}

// A default and a variable are two keys of one map, which has no order: the variable wins, every time.
func TestALimitThatIsSetOverridesItsDefault(t *testing.T) {
	t.Parallel()
	for range 50 {
		cfg, err := config.Load(config.Sources{Env: []string{"CAUSEWAY_LIMITS__OPERATIONS__RESOLVE_ACCOUNT=none", "CAUSEWAY_LIMITS__OPERATIONS__STREAM_PAIRS=7/s"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.Limits.Operations; !got["resolve-account"].None() || got["stream-pairs"].String() != "7/s" || got["resolve_account"].String() != got["nothing"].String() {
			t.Fatalf("the limits are %v", got)
		}
	}
}
