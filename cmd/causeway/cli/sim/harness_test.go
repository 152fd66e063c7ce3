package sim

import (
	"testing"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"causeway/cmd/causeway/app"
	"causeway/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	nameOf      = "/v1/recipients/resolve-bank-account"
	resolveBody = `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`
)

// newSandbox builds a sandbox with first prices and bank lists, without listeners.
func newSandbox(t *testing.T) *app.App {
	t.Helper()
	a, err := app.New(config.Default(), "test", zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	a.RefreshPrices(t.Context())
	a.RefreshBanks(t.Context())
	return a
}
