package control_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"causeway/config"
	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/control"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// noon is the time of the machine.
var noon = time.Date(2026, time.November, 16, 12, 0, 0, 0, time.UTC)

// bsc is a network with a coin and a token.
var bsc = core.Chain{Network: "BSC", ID: "56", Confirmations: 3, Finality: true, Assets: []core.Asset{
	{Currency: "BNB", Decimals: 18}, {Currency: "USDT", Contract: "0x55d398326f99059fF775485246999027B3197955", Decimals: 18},
}}

// fixture is a control API with its worlds.
type fixture struct {
	t        *testing.T
	worlds   *world.Registry
	handler  http.Handler
	elapsed  atomic.Int64 // of the machine, in ns since noon
	entropy  atomic.Uint64
	log      *observer.ObservedLogs
	document *openapi3.T
}

var (
	loadDocument sync.Once
	document     *openapi3.T
)

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t}
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	f.worlds, err = world.NewRegistry(world.RegistryConfig{
		Clock: f.machine, Banks: slices.Concat(catalog.Banks, accounts.MagicBanks(catalog.Countries)), Providers: wire.Offers(),
		Chains: []core.Chain{bsc}, MaxWorlds: 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	var log zapcore.Core
	log, f.log = observer.New(zapcore.InfoLevel)
	f.start(control.Config{Log: zap.New(log)})
	loadDocument.Do(func() {
		document, err = openapi3.NewLoader().LoadFromData(f.send(http.MethodGet, "/openapi.json", "").body)
	})
	if err != nil || document == nil {
		t.Fatal("the document cannot be read: ", err)
	}
	f.document = document
	return f
}

// start starts the API with a configuration.
func (f *fixture) start(cfg control.Config) {
	f.t.Helper()
	cfg.Version, cfg.Entropy = "1.2.3", func() uint64 { return f.entropy.Add(1) << 32 }
	f.handler = control.New(f.worlds, cfg)
}

func (f *fixture) machine() time.Time { return noon.Add(time.Duration(f.elapsed.Load())) }

// reply is a response in either envelope.
type reply struct {
	status  int
	header  http.Header
	body    []byte
	Status  string
	Message string
	Data    json.RawMessage
	Error   struct{ Name, Message string }
	Fields  map[string][]struct{ Reason string }
	ID      string `json:"request_id"`
}

// send sends a request to a path below the prefix.
func (f *fixture) send(method, path, body string, headers ...string) *reply {
	f.t.Helper()
	var content io.Reader = http.NoBody
	if body != "" {
		content = strings.NewReader(body)
	}
	r := httptest.NewRequestWithContext(f.t.Context(), method, "http://operator.test"+control.Prefix+path, content)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	out := &reply{status: w.Code, header: w.Header(), body: w.Body.Bytes()}
	if w.Header().Get("Content-Type") == "application/json" && method != http.MethodHead {
		if err := json.Unmarshal(out.body, out); err != nil {
			f.t.Fatalf("%s %s: %v in %s", method, path, err, out.body)
		}
	}
	return out
}

// ask is send, and compares the response with the document.
func (f *fixture) ask(method, path, body string, headers ...string) *reply {
	f.t.Helper()
	r := f.send(method, path, body, headers...)
	given, _, _ := strings.Cut(control.Prefix+path, "?")
	for pattern, item := range f.document.Paths.Map() {
		op := item.GetOperation(method)
		if op == nil || !slices.EqualFunc(strings.Split(pattern, "/"), strings.Split(given, "/"),
			func(want, got string) bool { return want == got || strings.HasPrefix(want, "{") }) {
			continue
		}
		var value any
		if err := json.Unmarshal(r.body, &value); err != nil {
			f.t.Fatal(err)
		}
		if response := op.Responses.Value(strconv.Itoa(r.status)); response == nil {
			f.t.Errorf("%s: %d %s is not documented", op.OperationID, r.status, r.body)
		} else if err := response.Value.Content["application/json"].Schema.Value.VisitJSON(value, openapi3.EnableJSONSchema2020()); err != nil {
			f.t.Errorf("%s: %d does not match the schema: %v\n%s", op.OperationID, r.status, err, r.body)
		}
	}
	return r
}

// do sends a request that must succeed and returns its data.
func (f *fixture) do(method, path, body string) json.RawMessage {
	f.t.Helper()
	r := f.ask(method, path, body)
	if r.status >= http.StatusBadRequest || r.Status != "success" || r.Message == "" || len(r.Data) == 0 || string(r.Data) == "null" {
		f.t.Fatalf("%s %s: %d %s", method, path, r.status, r.body)
	}
	return r.Data
}

// rejected sends a request that must be rejected, with an error of a name whose text contains some words.
func (f *fixture) rejected(method, path, body string, status int, name string, words ...string) {
	f.t.Helper()
	r := f.ask(method, path, body)
	if r.status != status || r.Error.Name != name || !strings.HasPrefix(r.ID, "req_") || r.header.Get("X-Request-Id") != r.ID {
		f.t.Errorf("%s %s %.200s: %d %s", method, path, body, r.status, r.body)
		return
	}
	for _, word := range words {
		if !strings.Contains(string(r.body), word) {
			f.t.Errorf("%s %s %.200s: no %q in %s", method, path, body, word, r.body)
		}
	}
}

// frozenWorld creates a world whose clock stands still an hour before noon.
func (f *fixture) frozenWorld(id string) *world.World {
	f.t.Helper()
	f.do(http.MethodPost, "/worlds", `{"id":"`+id+`",`+frozen+`}`)
	w, err := f.worlds.Find(id)
	if err != nil {
		f.t.Fatal(err)
	}
	return w
}

const frozen = `"clock":{"now":"2026-11-16T11:00:00Z","frozen":true}`

// decode decodes data.
func decode[T any](t *testing.T, data json.RawMessage) T {
	t.Helper()
	var out T
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return out
}
