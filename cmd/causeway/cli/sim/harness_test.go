package sim

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"causeway/cmd/causeway/app"
	"causeway/config"
)

const (
	nameOf      = "/v1/recipients/resolve-bank-account"
	resolveBody = `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`
)

// The sandbox that all tests share. Each test has worlds of its own.
var (
	public  http.Handler
	address string // host and port of the operator listener
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run starts the sandbox with first prices and bank lists, runs the tests, and looks for goroutines
// that do not end.
func run(m *testing.M) (int, error) {
	a, err := app.New(config.Default(), "test", zap.NewNop())
	if err != nil {
		return 1, err
	}
	a.RefreshPrices(context.Background())
	a.RefreshBanks(context.Background())
	server := httptest.NewServer(a.Operator)
	public, address = a.Handler, strings.TrimPrefix(server.URL, "http://")
	code := m.Run()
	server.Close()
	return code, goleak.Find()
}
