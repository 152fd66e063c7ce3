package acme_test

import (
	"testing"
	"time"

	"causeway/adapters/providers/acme"
	"causeway/adapters/providers/providertest"
)

// TestRates fails until the adapter reads this response. Replace it with a recorded or documented one in testdata, name
// its source in testdata/evidence.yaml, and set Simulated.
func TestRates(t *testing.T) {
	const second = `"ETHUSDT":{"bid":"3010.1","ask":"3010.5","at":1795262398}}`
	providertest.Rates{
		Settings: acme.Descriptor.Settings(),
		URL:      acme.BaseURL + "/tickers",
		Good:     providertest.Body(200, `{"BTCUSDT":{"bid":"64010.1","ask":"64010.2","at":1795262398},`+second),
		Listed: providertest.Quotes(
			"BTC/USDT 64010.1 64010.2",
			"ETH/USDT 3010.1 3010.5",
		),
		At: time.Unix(1795262398, 0), Requests: []string{""},
		Price:      [2]string{`"bid":`, `"64010.1"`},
		Unreadable: map[string]providertest.Response{"no ticker": providertest.Body(200, `{"BTCUSDT":{},`+second)},
	}.Run(t)
}
