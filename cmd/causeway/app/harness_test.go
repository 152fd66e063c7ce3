package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"causeway/config"
	"causeway/simulator/catalog"
	"causeway/simulator/control"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// settings loads the configuration of an environment.
func settings(t testing.TB, env ...string) config.Config {
	t.Helper()
	cfg, err := config.Load(config.Sources{Env: append([]string{
		"CAUSEWAY_LISTEN=127.0.0.1:0", "CAUSEWAY_OPERATOR_LISTEN=127.0.0.1:0", "CAUSEWAY_DRAIN__DELAY=0s",
	}, env...)})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// productionEnv is the least that a production process needs.
func productionEnv(more ...string) []string {
	return append([]string{
		"CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=sk_live_x", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=x",
		"CAUSEWAY_AUTH__KEYS=0123456789abcdef",
	}, more...)
}

// noServing is the missing last argument of Serve.
var noServing = fx.Supply((func(public, operator net.Addr))(nil))

// newTestApp builds an App without background work. The options decorate its parts.
func newTestApp(t testing.TB, cfg config.Config, log *zap.Logger, options ...fx.Option) *App {
	t.Helper()
	var a *App
	if err := fx.New(Module(cfg, "test", log), fx.Populate(&a), fx.Options(options...)).Err(); err != nil {
		t.Fatal(dig.RootCause(err))
	}
	return a
}

// background runs f until the returned function is called, which waits for it.
func background(ctx context.Context, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { f(ctx) })
	return func() {
		cancel()
		work.Wait()
	}
}

// withEnvironment changes the environment of the default world.
func withEnvironment(change func(*Environment)) fx.Option {
	return fx.Decorate(func(env Environment) Environment {
		change(&env)
		return env
	})
}

// withCurrencies removes the pairs of other currencies from the catalog. None keeps all pairs.
func withCurrencies(t testing.TB, currencies ...string) fx.Option {
	t.Helper()
	return fx.Replace(onlyCurrencies(loadCatalog(t), currencies))
}

// TestModule checks that every part can be built in every mode, without building any.
func TestModule(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]config.Config{
		"sandbox":    settings(t),
		"production": settings(t, productionEnv()...),
		"replica": settings(t, productionEnv("CAUSEWAY_REDIS__URL=redis://127.0.0.1:1", "CAUSEWAY_STATE__DIR="+t.TempDir(),
			"CAUSEWAY_PRIVACY__HASH_KEY=0123456789abcdef0123456789abcdef")...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := fx.ValidateApp(Module(cfg, "test", zap.NewNop()), process, noServing); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// reading returns the value of a counter or gauge; label is the value of its only label, if it has one.
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

// sandboxFixture is a sandbox without listeners and background work.
type sandboxFixture struct {
	*App

	t testing.TB
}

// newSandboxEnv builds a sandbox with settings of the environment and few pairs.
func newSandboxEnv(t testing.TB, env ...string) *sandboxFixture {
	t.Helper()
	few := withCurrencies(t, "BTC", "USDT", "USD", "NGN")
	return &sandboxFixture{newTestApp(t, settings(t, env...), zap.NewNop(), few), t}
}

// newSandboxFixture builds a sandbox with first prices and bank lists. Given currencies restrict the
// catalog to them, which makes worlds cheap.
func newSandboxFixture(t testing.TB, currencies ...string) *sandboxFixture {
	t.Helper()
	s := &sandboxFixture{newTestApp(t, settings(t), zap.NewNop(), withCurrencies(t, currencies...)), t}
	s.RefreshPrices(t.Context())
	s.RefreshBanks(t.Context())
	return s
}

// serve sends a request to a handler; headers are names and values in turn.
func serve(t testing.TB, handler http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, r)
	return rec
}

// ask sends a request to the public API.
func (s *sandboxFixture) ask(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	return serve(s.t, s.Handler, method, path, body, headers...)
}

// send sends a request of the simulator's catalog to the handler that it is for. The status is 0 if a
// fault breaks the connection.
func (s *sandboxFixture) send(r catalog.Request) (rec *httptest.ResponseRecorder) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	sent := httptest.NewRequestWithContext(ctx, r.Method, r.Path, strings.NewReader(r.Body))
	for name, value := range r.Headers {
		sent.Header.Set(name, value)
	}
	rec = httptest.NewRecorder()
	rec.Code = 0
	defer func() {
		fault := recover()
		if err, _ := fault.(error); fault != nil && !errors.Is(err, http.ErrAbortHandler) {
			panic(fault)
		}
	}()
	handler := s.Handler
	if strings.HasPrefix(r.Path, control.Prefix) {
		handler = s.Operator
	}
	handler.ServeHTTP(rec, sent)
	return rec
}

// control sends a request to the control API that must succeed.
func (s *sandboxFixture) control(method, path, body string) {
	s.t.Helper()
	rec := s.send(catalog.Request{Method: method, Path: control.Prefix + path, Body: body})
	if rec.Code >= http.StatusBadRequest {
		s.t.Errorf("%s %s %s: %d %s", method, path, body, rec.Code, rec.Body)
	}
}

// inWorld puts the ID of a world into a request.
func inWorld(world string, r catalog.Request) catalog.Request {
	const placeholder = "{world}"
	r.Path = strings.ReplaceAll(r.Path, placeholder, url.PathEscape(world))
	r.Body = strings.ReplaceAll(r.Body, placeholder, world)
	headers := map[string]string{}
	for name, value := range r.Headers {
		headers[name] = strings.ReplaceAll(value, placeholder, world)
	}
	r.Headers = headers
	return r
}
