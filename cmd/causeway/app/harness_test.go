package app

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"causeway/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for something that happens soon on an idle machine.
const patience = 2 * time.Minute

// settings loads the configuration of an environment.
func settings(t *testing.T, env ...string) config.Config {
	t.Helper()
	cfg, err := config.Load(config.Sources{Env: append(env, "CAUSEWAY_LISTEN=127.0.0.1:0", "CAUSEWAY_OPERATOR_LISTEN=127.0.0.1:0", "CAUSEWAY_DRAIN__DELAY=0s")})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// productionEnv is the least that a production process needs.
func productionEnv(more ...string) []string {
	return append([]string{
		"CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=sk_live_x", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=x", "CAUSEWAY_AUTH__KEYS=0123456789abcdef",
	}, more...)
}

// newTestApp builds an App without background work. The options decorate its parts.
func newTestApp(t *testing.T, cfg config.Config, log *zap.Logger, options ...fx.Option) *App {
	t.Helper()
	var a *App
	if err := fx.New(Module(cfg, "test", log), fx.Populate(&a), fx.Options(options...)).Err(); err != nil {
		t.Fatal(dig.RootCause(err))
	}
	return a
}

// withEnvironment changes the environment of the default world.
func withEnvironment(change func(*Environment)) fx.Option {
	return fx.Decorate(func(env Environment) Environment {
		change(&env)
		return env
	})
}

// withCurrencies removes the pairs of other currencies from the catalog.
func withCurrencies(currencies []string) fx.Option {
	return fx.Decorate(func(catalog config.Catalog) config.Catalog { return onlyCurrencies(catalog, currencies) })
}

// running starts the background work of an App and serves it on two sockets until the test ends.
func running(t *testing.T, a *App) (public, operator *httptest.Server) {
	t.Helper()
	stop := a.Start(t.Context())
	public, operator = httptest.NewServer(a.Handler), httptest.NewServer(a.Operator)
	t.Cleanup(func() {
		a.CloseStreams()
		a.Operator.Close()
		public.Close()
		operator.Close()
		stop()
	})
	return public, operator
}

// operated sends a request to the operator's handler.
func operated(t *testing.T, a *App, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	rec := httptest.NewRecorder()
	a.Operator.ServeHTTP(rec, r)
	return rec
}

// TestModule checks that every part can be built in every mode, without building any.
func TestModule(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]config.Config{"sandbox": settings(t), "production": settings(t, productionEnv()...)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := fx.ValidateApp(Module(cfg, "test", zap.NewNop()), fx.Invoke(func(*App) {})); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestApp_Start(t *testing.T) {
	t.Parallel()
	public, operator := running(t, newTestApp(t, settings(t), zap.NewNop()))
	for _, url := range []string{public.URL + "/v1/pairs", public.URL + "/v1/banks", operator.URL + "/livez", operator.URL + "/metrics"} {
		resp, err := public.Client().Get(url)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", url, resp.StatusCode)
		}
		_ = resp.Body.Close()
	}
}

// reading returns the value of a counter or gauge; label is that of its one label, if it has one.
func reading(t *testing.T, reg *prometheus.Registry, name, label string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && (label == "" || m.GetLabel()[0].GetValue() == label) {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	t.Fatalf("there is no %s %s", name, label)
	return 0
}
