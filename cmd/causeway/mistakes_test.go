package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"

	"causeway/cmd/causeway/app"
	"causeway/cmd/causeway/cli"
	"causeway/config"
)

// lab runs command lines in process against a sandbox.
type lab struct {
	api, operator string // URLs
	config        string // file with wallets and a network
}

func newLab(t *testing.T) lab {
	t.Helper()
	a, err := app.New(config.Default(), "test", zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	a.RefreshPrices(t.Context())
	a.RefreshBanks(t.Context())
	api, operator := httptest.NewServer(a.Handler), httptest.NewServer(a.Operator)
	t.Cleanup(api.Close)
	t.Cleanup(operator.Close)
	file := filepath.Join(t.TempDir(), "causeway.yaml")
	settings := fmt.Sprintf(`state: {dir: %q}
privacy: {hash_key: test-of-32-characters-or-more-0123}
deposits:
  wallets:
    EVM: xpub6BosfCnifzxcFwrSzQiqu2DBVTshkCXacvNsWGYJVVhhawA7d4R5WSWGFNbi8Aw6ZRc1brxMyWMzG3DSSSSoekkudhUd9yLb6qx39T9nMdj
    SOL: pool
  chains: {BSC: "evm:http://127.0.0.1:1"}
webhooks:
  shop: {url: "https://shop.example.com/hooks", account: shop, secret: whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz}
`, t.TempDir())
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return lab{api.URL, operator.URL, file}
}

// run runs a command line with its output and errors in one place, and returns the exit code.
func (l lab) run(t *testing.T, line string, out io.Writer) int {
	t.Helper()
	root, args := command(), strings.Fields(line)
	if cmd, _, err := root.Find(args); err == nil {
		for flag, value := range map[string]string{"server": l.api, "operator": l.operator, "config": l.config} {
			if cmd.Flag(flag) != nil && !strings.Contains(line, "--"+flag) {
				args = append(args, "--"+flag, value)
			}
		}
	}
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(out)
	err := cli.Execute(t.Context(), root)
	if err != nil {
		_, _ = fmt.Fprintln(out, err)
	}
	return cli.ExitCode(err)
}

// TestMistakes checks that likely mistakes are understood, or answered with what to write instead.
func TestMistakes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	port := l.api[strings.LastIndex(l.api, ":"):]
	operatorPort := l.operator[strings.LastIndex(l.operator, ":"):]
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"bank --country NG", 2, `unknown command "bank" for "causeway"; did you mean banks?`},
		{"banks acept --directory paystack", 2, `unknown command "acept" for "causeway banks"; did you mean accept?`},
		{"banks --contry NG", 2, "unknown flag: --contry; did you mean --country?"},
		{"serve --port 9000", 2, "unknown flag: --port; did you mean --listen?"},
		{"banks -country NG", 2, "did you mean --country?"},
		{"banks --country Nigeria --name zenith", 0, "000015"},
		{"banks --country nigera", 2, `--country "nigera" is no country; did you mean NG?`},
		{"banks --country Atlantis", 2, "--country "},
		{"banks --country ZZ", 0, `"ZZ" is not a supported country`},
		{"resolve --bank 058 --account 0123456789", 2, "--country is required: a two-letter country code;"},
		{
			"resolve --country Nigeria --currency NGN --bank 58 --account 0123456789", 2,
			`--bank "58" is not a bank of NG; did you mean "058" (Guaranty Trust Bank)? See causeway banks --country NG`,
		},
		{"price BTC/NGN", 0, "BTCNGN"},
		{"price NGNBTC", 1, "did you mean BTCNGN? See causeway pairs"},
		{"price", 2, "Usage: causeway price PAIR"},
		{"watch BTC/NGN --events 1", 0, "BTCNGN"},
		{"watch BTC/NGNN --events 1", 0, "No pair with a price passes the filters yet. causeway pairs lists all."},
		{"pairs BTCNGN", 2, `causeway pairs takes flags only, not "BTCNGN"`},
		{"validate tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx BTC", 2, "the order is CURRENCY ADDRESS"},
		{"pairs --world no~world", 2, `--world "no~world" is not`},
		{"pairs --server localhost" + port, 0, "BTCNGN"},
		{"pairs --server localhost", 2, "accepted: a URL, or host and port, such as http://localhost:8080"},
		{"pairs --server localhost" + operatorPort, 1, "check --server, which is not the operator listener"},
		{"pairs --server 127.0.0.1:1", 1, "start a server with causeway serve, or give its URL with --server"},
		{"sim world list --operator http://localhost" + operatorPort, 0, "default"},
		{"sim world list --operator localhost" + port, 1, "give the operator_listen of a running process with --operator"},
		{"sim clock advance 5", 2, `"5" has no unit; give 5s, 5m or 5h for seconds, minutes or hours`},
		{"sim clock advance tomorrow", 2, `"tomorrow" is neither a duration such as 37s or 5m, nor a time such as `},
		{"sim fault add kind=status status=503", 2, "kind is not a known field; did you mean effect.kind?"},
		{"sim fault add effect.knd=status", 2, "effect.knd is not a known field; did you mean effect.kind?"},
		{"sim fault add status", 2, `"status" is not name=value`},
		{"sim journal assert operation=resolve", 2, `operation is "resolve"; did you mean resolve-account? Accepted: `},
		{"sim deposit --currency BTC --amount 1,5 --profile x", 2, `--amount is "1,5"; accepted: `},
		{"sim deposit --currency BTC --amount 1", 2, "--profile or --to is required"},
		{"sim deposit --currency USDT --network Binance --amount 1 --profile x", 2, "no chain of this sandbox has USDT on Binance;"},
		{"sim play luna", 2, "did you mean luna-2022?"},
		{"sim fault add preset=provider_down:paystak", 2, "did you mean paystack?"},
		{"sim wrld list", 2, `unknown command "wrld" for "causeway sim"; did you mean world?`},
	} {
		t.Run(c.line, func(t *testing.T) {
			var out bytes.Buffer
			if code := l.run(t, c.line, &out); code != c.code || !strings.Contains(out.String(), c.want) {
				t.Errorf("exit code %d, want %d with %q:\n%s", code, c.code, c.want, out.String())
			}
			for _, wrong := range []string{"country_id", "currency_id", "GET /v1"} {
				if strings.Contains(out.String(), wrong) {
					t.Errorf("%q in\n%s", wrong, out.String())
				}
			}
		})
	}
}
