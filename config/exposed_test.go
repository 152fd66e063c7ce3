package config_test

import (
	"slices"
	"testing"

	"causeway/config"
)

func TestProvidersThatAreAskedWithoutTLS(t *testing.T) {
	t.Parallel()
	production := []string{
		"CAUSEWAY_MODE=production", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=x", "CAUSEWAY_PAYSTACK__KEYS__NG=sk", "CAUSEWAY_AUTH__RESOLUTION=open",
	}
	for _, c := range []struct {
		env  []string
		want []string
	}{
		{production, nil},
		{append(slices.Clone(production), "CAUSEWAY_PAYSTACK__BASE_URL=http://proxy.internal/paystack", "CAUSEWAY_KRAKEN__SOCKET_URL=ws://10.0.0.7"), []string{"kraken.socket_url", "paystack.base_url"}},
		{append(slices.Clone(production), "CAUSEWAY_PAYSTACK__BASE_URL=http://127.0.0.1:9000", "CAUSEWAY_OKX__BASE_URL=http://[::1]:9", "CAUSEWAY_BUSHA__BASE_URL=http://localhost", "CAUSEWAY_BYBIT__BASE_URL=https://bybit.test"), nil},
		{[]string{"CAUSEWAY_PAYSTACK__BASE_URL=http://proxy.internal"}, nil}, // a sandbox asks nobody
	} {
		cfg, err := config.Load(config.Sources{Env: c.env})
		if err != nil {
			t.Fatal(err)
		}
		got := cfg.PlainProviders()
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.env, got, c.want)
		}
	}
}
