package main

import (
	"net/http"
	"testing"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"causeway/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func settings(t *testing.T, env ...string) config.Config {
	t.Helper()
	cfg, err := config.Load(config.Sources{Env: append(env, "CAUSEWAY_LISTEN=127.0.0.1:0", "CAUSEWAY_OPERATOR_LISTEN=127.0.0.1:0", "CAUSEWAY_DRAIN__DELAY=0s")})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestGraph checks that every part of the graph can be had in every mode, without making any.
func TestGraph(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]config.Config{
		"sandbox": settings(t),
		"production": settings(t, "CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=sk_live_x",
			"CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=x", "CAUSEWAY_AUTH__KEYS=0123456789abcdef"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := fx.ValidateApp(graph(cfg, zap.NewNop(), make(failures, 2))); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestStart runs the whole sandbox on free ports and leaves nothing behind (goleak, above).
// atLeisure lets an app take its time to start and to stop.
func atLeisure() fx.Option { return fx.Options(fx.StartTimeout(patience), fx.StopTimeout(patience)) }

func TestStart(t *testing.T) {
	t.Parallel()
	var p *process
	app := fxtest.New(t, graph(settings(t), zap.NewNop(), make(failures, 2)), atLeisure(), fx.Populate(&p))
	app.RequireStart()
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	for _, url := range []string{
		"http://" + p.public.bound.String() + "/v1/pairs", "http://" + p.public.bound.String() + "/v1/banks",
		"http://" + p.operator.bound.String() + "/readyz", "http://" + p.operator.bound.String() + "/metrics",
	} {
		resp, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", url, resp.StatusCode)
		}
		_ = resp.Body.Close()
	}
	app.RequireStop()
}
