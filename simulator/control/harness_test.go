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
	"causeway/simulator/accounts"
	"causeway/simulator/control"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// noon is the machine's time in these tests.
var noon = time.Date(2026, time.November, 16, 12, 0, 0, 0, time.UTC)

// lab is a control API with its worlds.
type lab struct {
	t       *testing.T
	worlds  *world.Registry
	handler http.Handler
	now     atomic.Int64 // of the machine, in ns since noon
	watched atomic.Int64
	entropy atomic.Uint64
	log     *observer.ObservedLogs
	doc     *openapi3.T // every answer is held against it
}

func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{t: t}
	catalog, err := loadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	l.worlds, err = world.NewRegistry(world.Shared{
		Clock: l.machine, Banks: slices.Concat(catalog.Banks, accounts.MagicBanks(catalog.Countries)), Offers: wire.Offers(), Most: 20, KeepRequests: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	var core zapcore.Core
	core, l.log = observer.New(zapcore.InfoLevel)
	l.handler, err = control.New(l.worlds, control.Config{
		Version: "1.2.3", Entropy: func() uint64 { return l.entropy.Add(1) << 32 }, Public: "http://public.test", Watch: func() bool { return l.watched.Add(1) > 1 }, Log: zap.New(core),
	})
	if err != nil {
		t.Fatal(err)
	}
	reading.Do(func() {
		document, err = openapi3.NewLoader().LoadFromData(l.send(http.MethodGet, "/openapi.json", "").body)
	})
	if err != nil || document == nil {
		t.Fatal("the document cannot be read: ", err)
	}
	l.doc = document
	return l
}

// What all labs have in common takes long to be made.
var (
	loadCatalog = sync.OnceValues(config.LoadCatalog)
	reading     sync.Once
	document    *openapi3.T
)

func (l *lab) machine() time.Time { return noon.Add(time.Duration(l.now.Load())) }

// reply is an answer in either envelope.
type reply struct {
	t       *testing.T
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

// ask sends a request to a path below the prefix, and holds the answer against the document.
func (l *lab) ask(method, path, body string, headers ...string) *reply {
	l.t.Helper()
	r := l.send(method, path, body, headers...)
	l.described(method, path, r)
	return r
}

// described reports whether the document knows an answer. What is at no path of it, it cannot know.
func (l *lab) described(method, path string, r *reply) {
	l.t.Helper()
	bare, _, _ := strings.Cut(control.Prefix+path, "?")
	for pattern, item := range l.doc.Paths.Map() {
		op := item.GetOperation(method)
		if op == nil || !fits(pattern, bare) {
			continue
		}
		answer := op.Responses.Value(strconv.Itoa(r.status))
		if answer == nil {
			l.t.Errorf("%s: %d %s is in no document", op.OperationID, r.status, r.body)
			return
		}
		kind, _, _ := strings.Cut(r.header.Get("Content-Type"), ";")
		content := answer.Value.Content[kind]
		if content == nil {
			l.t.Errorf("%s: %d is %s, which is in no document", op.OperationID, r.status, kind)
			return
		}
		var value any = string(r.body)
		if kind == "application/json" {
			if err := json.Unmarshal(r.body, &value); err != nil {
				l.t.Fatal(err)
			}
		}
		if err := content.Schema.Value.VisitJSON(value, openapi3.EnableJSONSchema2020()); err != nil {
			l.t.Errorf("%s: %d is not as described: %v\n%s", op.OperationID, r.status, err, r.body)
		}
		if r.status >= http.StatusBadRequest && content.Examples[r.Error.Name] == nil {
			l.t.Errorf("%s: %s is not documented", op.OperationID, r.Error.Name)
		}
		return
	}
}

// fits reports whether a path is one of a pattern's.
func fits(pattern, path string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool { return strings.HasPrefix(w, "{") || w == g })
}

// send sends a request to a path below the prefix.
func (l *lab) send(method, path, body string, headers ...string) *reply {
	l.t.Helper()
	var content io.Reader = http.NoBody
	if body != "" {
		content = strings.NewReader(body)
	}
	r := httptest.NewRequestWithContext(l.t.Context(), method, "http://operator.test"+control.Prefix+path, content)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	l.handler.ServeHTTP(w, r)
	out := &reply{t: l.t, status: w.Code, header: w.Header(), body: w.Body.Bytes()}
	if w.Header().Get("Content-Type") == "application/json" && method != http.MethodHead {
		if err := json.Unmarshal(out.body, out); err != nil {
			l.t.Fatalf("%s %s: %v in %s", method, path, err, out.body)
		}
	}
	return out
}

// do sends a request that must succeed, and returns its data.
func (l *lab) do(method, path, body string) json.RawMessage {
	l.t.Helper()
	r := l.ask(method, path, body)
	if r.status >= http.StatusBadRequest || r.Status != "success" || r.Message == "" || len(r.Data) == 0 || string(r.Data) == "null" {
		l.t.Fatalf("%s %s: %d %s", method, path, r.status, r.body)
	}
	return r.Data
}

// refused sends a request that must be refused, with an error of a name whose text contains some words.
func (l *lab) refused(method, path, body string, status int, name string, words ...string) {
	l.t.Helper()
	r := l.ask(method, path, body)
	if r.status != status || r.Error.Name != name || !strings.HasPrefix(r.ID, "req_") || r.header.Get("X-Request-Id") != r.ID {
		l.t.Errorf("%s %s %s: %d %s", method, path, body, r.status, r.body)
		return
	}
	for _, word := range words {
		if !strings.Contains(string(r.body), word) {
			l.t.Errorf("%s %s %s: nothing of %q in %s", method, path, body, word, r.body)
		}
	}
}

// decode reads data.
func decode[T any](t *testing.T, data json.RawMessage) T {
	t.Helper()
	var out T
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return out
}
