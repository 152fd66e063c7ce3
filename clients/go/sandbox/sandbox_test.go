package sandbox_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	causeway "causeway/clients/go"
	"causeway/clients/go/api"
	"causeway/clients/go/sandbox"
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run builds the binary that worlds start, and runs the tests.
func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "causeway")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary := filepath.Join(dir, "causeway")
	build := exec.Command("go", "build", "-o", binary, "./cmd/causeway")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, out)
	}
	if err := os.Setenv("CAUSEWAY_BINARY", binary); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// TestReadme runs the program of the README.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(readme), "```go\n")
	program, _, _ = strings.Cut(program, "```")
	program = strings.Replace(program, "http://localhost:8080", sandbox.NewWorld(t).Server, 1)
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", file).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "USDTNGN ") || !strings.HasSuffix(string(out), "TEST BELLO 6746\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPayout is a test of an integration: an account, an outage, an unknown account, and the requests.
func TestPayout(t *testing.T) {
	t.Parallel()
	world := sandbox.NewWorld(t, causeway.WithRetries(0))
	recipient := api.ResolveRequest{
		CountryID: "NG", CurrencyID: "NGN", Channel: "bank_transfer", BankCode: "000013", AccountNumber: "0123456789",
	}

	world.SetAccount("000013", "0123456789", map[string]string{"account_name": "TEST ADA OKAFOR"})
	if account, err := world.ResolveAccount(t.Context(), recipient); err != nil || account.AccountName != "TEST ADA OKAFOR" {
		t.Errorf("got %+v, %v", account, err)
	}

	world.Next("resolve-account", "all_down")
	_, err := world.ResolveAccount(t.Context(), recipient)
	var e *causeway.Error
	if !errors.As(err, &e) || e.Name != "service_unavailable" {
		t.Errorf("during the outage: %v", err)
	}

	_, err = world.Scenario("unknown").ResolveAccount(t.Context(), recipient)
	if !errors.As(err, &e) || e.Name != "not_found" {
		t.Errorf("unknown account: %v", err)
	}

	world.Assert(map[string]any{"operation": "resolve-account"}, 3)
	world.Assert(map[string]any{"status": 503, "applied": "next:all_down"}, 1)
}

// TestOperations calls every operation, so that types that differ from the server's show.
func TestOperations(t *testing.T) {
	t.Parallel()
	world, ctx := sandbox.NewWorld(t), t.Context()
	const address = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	for name, call := range map[string]func() (bool, error){
		"banks": func() (bool, error) {
			v, err := world.ListBanks(ctx, api.ListBanksParams{Country: "GH", Channel: "mobile_money"})
			return len(v) > 0 && v[0].Country == "GH", err
		},
		"countries":  func() (bool, error) { v, err := world.ListCountries(ctx); return len(v) > 0, err },
		"currencies": func() (bool, error) { v, err := world.ListCurrencies(ctx); return len(v) > 0, err },
		"currency": func() (bool, error) {
			v, err := world.GetCurrency(ctx, "USDT")
			return v.Code == "USDT" && len(v.Networks) > 0, err
		},
		"validate": func() (bool, error) {
			v, err := world.ValidateAddress(ctx, api.ValidateRequest{Currency: "USDT", Network: "TRC20", Address: address})
			return v.Valid && v.Network == "TRX", err
		},
		"batch": func() (bool, error) {
			v, err := world.ValidateAddresses(ctx, []api.ValidateRequest{
				{Currency: "USDT", Network: "TRX", Address: address}, {Currency: "NONE", Address: address},
			})
			return len(v) == 2 && v[0].Valid && v[0].Error == nil && v[1].Error != nil && v[1].Fields["currency"] != nil, err
		},
		"pairs": func() (bool, error) {
			v, err := world.ListPairs(ctx, api.ListPairsParams{Type: "stablecoins", SortBy: "current_price"})
			return len(v) > 0 && v[0].Type == "stablecoins" && v[0].BuyPrice.Amount != "", err
		},
		"pair":  func() (bool, error) { v, err := world.GetPair(ctx, "BTCNGN"); return v.ID == "BTCNGN", err },
		"price": func() (bool, error) { v, err := world.ExplainPrice(ctx, "BTCNGN"); return len(v.Route) > 0, err },
		"history": func() (bool, error) {
			v, err := world.GetPriceHistory(ctx, "BTCNGN", api.GetPriceHistoryParams{Period: "7d"})
			return v.ID == "BTCNGN" && v.Period == "7d", err
		},
		"stream": func() (bool, error) {
			for event, err := range world.StreamPairs(ctx, api.StreamPairsParams{Currency: "GHS"}) {
				return event.Event == causeway.EventSnapshot && len(event.Pairs) > 0 && event.ID != "", err
			}
			return false, nil
		},
		"deposits": func() (bool, error) {
			v, err := world.GetAddresses(ctx, "BTC", api.GetAddressesParams{User: "u1"})
			if err != nil || len(v) != 1 || v[0].Currency != "BTC" {
				return false, err
			}
			v, err = world.ListAddresses(ctx, api.ListAddressesParams{User: "u1"})
			return len(v) == 1, err
		},
		"regenerate": func() (bool, error) {
			_, err := world.GetAddresses(ctx, "BTC", api.GetAddressesParams{User: "u2"})
			if err != nil {
				return false, err
			}
			v, err := world.RegenerateAddress(ctx, api.RegenerateAddressParams{User: "u2"}, api.RegenerateInput{Currency: "BTC"})
			if err != nil {
				return false, err
			}
			owner, err := world.FindAddressOwner(ctx, api.FindAddressOwnerParams{Network: "BTC", Address: v.Address})
			return owner.ProfileID == "u2" && owner.Current, err
		},
		"transactions": func() (bool, error) {
			hash := world.Deposit("u3", "USDT", "BSC", "10.5")
			world.Mine("BSC", 16)
			page, err := world.ListTransactions(ctx, api.ListTransactionsParams{User: "u3", Status: "completed"})
			if err != nil || len(page.Data) != 1 || page.Pagination.CurrentEntriesSize != 1 {
				return false, err
			}
			v, err := world.GetTransaction(ctx, page.Data[0].ID, api.GetTransactionParams{User: "u3"})
			if err != nil || v.ID != page.Data[0].ID || hash == "" {
				return false, err
			}
			events, err := world.ListEvents(ctx, api.ListEventsParams{Type: "transaction.completed"})
			return len(events.Data) == 1 && events.Data[0].Data.ID == v.ID && events.Pagination.NextCursor != "", err
		},
		"balances": func() (bool, error) {
			all, err := world.ListBalances(ctx, api.ListBalancesParams{User: "u4"})
			if err != nil || len(all.Data) == 0 {
				return false, err
			}
			v, err := world.GetBalance(ctx, "USDT", api.GetBalanceParams{User: "u4", Fiat: "NGN"})
			return v.Total.Amount == "0" && v.Total.Fiat.Currency == "NGN", err
		},
	} {
		if ok, err := call(); err != nil || !ok {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
}

// TestWorld_Chains checks the calls of the helpers for deposits.
func TestWorld_Chains(t *testing.T) {
	var calls []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, path, found := strings.Cut(r.URL.Path, "/chains/")
		if !found {
			return
		}
		calls = append(calls, path+" "+string(body))
		data := `{"height":12,"read_height":11,"problem":"slow"}`
		if strings.HasSuffix(path, "transfers") {
			data = `[{"hash":"0x1"}]`
		}
		_, _ = io.WriteString(w, `{"data":`+data+`}`)
	}))
	t.Cleanup(server.Close)
	t.Setenv("CAUSEWAY_SERVER", server.URL)
	t.Setenv("CAUSEWAY_SIM_OPERATOR", server.URL)
	world := sandbox.NewWorld(t)
	if hash := world.Deposit("user-1", "USDT", "BSC", "10.5"); hash != "0x1" {
		t.Errorf("sent %s", hash)
	}
	want := sandbox.ChainHeight{Height: 12, ReadHeight: 11, Problem: "slow"}
	if mined, reorganized := world.Mine("BSC", 15), world.Reorganize("BSC", 2, true); mined != want || reorganized != want {
		t.Errorf("got %+v and %+v", mined, reorganized)
	}
	if got := strings.Join(calls, "\n"); got != `BSC/transfers {"amount":"10.5","currency":"USDT","profile_id":"user-1"}
BSC/mine {"blocks":15}
BSC/reorganize {"depth":2,"drop":true}` {
		t.Errorf("called\n%s", got)
	}
}

func TestWorld_Control(t *testing.T) {
	t.Parallel()
	world := sandbox.NewWorld(t, causeway.WithRetries(0))
	world.Next("list-banks", "error:too_many_requests")
	_, err := world.ListBanks(t.Context(), api.ListBanksParams{})
	var e *causeway.Error
	if !errors.As(err, &e) || e.Name != "too_many_requests" || e.RetryAfter == 0 {
		t.Errorf("got %v", err)
	}
	if !strings.HasPrefix(world.Name, "TestWorld_Control-") {
		t.Errorf("world %s", world.Name)
	}
}
