// Package providertest tests providers with fixtures and expectations as data.
//
// A Spec has a recorded response, what it means, and rows for the quirks of the provider. The
// runner adds what is the same for all: the contract of the port while the provider works, over
// recorded and over simulated responses; and, over recorded responses alone, malformed input of every
// kind, rejected credentials, throttling, time-outs, and that no word of a provider reaches an error, a
// log or a metric.
package providertest

import (
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream/upstreamtest"
)

// attemptTimeout is the default of upstream.timeout.
const attemptTimeout = 4 * time.Second

// planted is in every bad response and must not leave the adapter.
const planted = "planted words"

// Response is what a provider responds: a file of testdata, or a body.
type Response struct {
	Status int // 0: 200
	File   string
	Body   string
	Edit   [2]string // a part that is in it once, and its replacement
	Header []string  // names and values in turn
	Err    error     // of the transport, instead of a response
	Never  bool      // no response
}

// File returns the response of a file.
func File(status int, name string) Response { return Response{Status: status, File: name} }

// Body returns the response with a body.
func Body(status int, body string, header ...string) Response {
	return Response{Status: status, Body: body, Header: header}
}

// Edited returns the response of a file in which one part is replaced.
func Edited(name, part, by string) Response { return Response{File: name, Edit: [2]string{part, by}} }

// fixtures returns the responses of testdata, which are the seeds of fuzzing.
func fixtures(f *testing.F) (bodies [][]byte) {
	f.Helper()
	files, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		if !file.IsDir() && !strings.HasSuffix(file.Name(), ".yaml") {
			bodies = append(bodies, []byte(upstreamtest.Read(f, file.Name())))
		}
	}
	return bodies
}

func (r Response) body(t testing.TB) string {
	t.Helper()
	body := r.Body
	if r.File != "" {
		body = upstreamtest.Read(t, r.File)
	}
	if r.Edit != [2]string{} {
		if strings.Count(body, r.Edit[0]) != 1 {
			t.Fatalf("%q is not in %s%s exactly once", r.Edit[0], r.File, r.Body)
		}
		body = strings.Replace(body, r.Edit[0], r.Edit[1], 1)
	}
	return body
}

func (r Response) responder(t testing.TB) httpmock.Responder {
	t.Helper()
	return r.replaced(t, "", "")
}

// replaced returns the response in which a text of the body is replaced.
func (r Response) replaced(t testing.TB, text, by string) httpmock.Responder {
	t.Helper()
	status := r.Status
	if status == 0 {
		status = http.StatusOK
	}
	switch {
	case r.Err != nil:
		return httpmock.NewErrorResponder(r.Err)
	case r.Never:
		return upstreamtest.Text(status, "").Delay(time.Hour)
	default:
		body := r.body(t)
		if text != "" {
			body = strings.ReplaceAll(body, text, by)
		}
		return upstreamtest.Text(status, body, r.Header...)
	}
}

// badInput returns responses that decide nothing, whatever the provider. The body of a good
// response is cut, wrapped and padded.
func badInput(t testing.TB, good Response) map[string]Response {
	t.Helper()
	body := good.body(t)
	const limit = 4 << 20 // bytes that the client reads
	return map[string]Response{
		"bad input: empty body":              Body(200, ""),
		"bad input: page with 200":           Body(200, "<html>"+planted+"</html>", "Content-Type", "text/html"),
		"bad input: page with 500":           Body(500, "<html>"+planted+"</html>", "Content-Type", "text/html"),
		"bad input: plain text with 200":     Body(200, planted),
		"bad input: truncated":               Body(200, body[:len(body)*2/3]),
		"bad input: number":                  Body(200, "17"),
		"bad input: null":                    Body(200, "null"),
		"bad input: empty list":              Body(200, "[]"),
		"bad input: string":                  Body(200, `"`+planted+`"`),
		"bad input: text after the document": Body(200, body+planted),
		"bad input: object of another shape": Body(200, `{"`+planted+`":[1]}`),
		"bad input: oversized":               Body(200, body+strings.Repeat(" ", limit)),
		"bad input: two documents":           Body(200, body+body),
		"bad input: redirect":                Body(302, planted, "Location", "https://elsewhere.test/"+planted),
		"bad input: bad request":             Body(400, planted),
		"bad input: not found":               Body(404, planted),
		"bad input: 429 without a time":      Body(429, planted),
		"bad input: 500":                     Body(500, planted),
		"bad input: 502":                     Body(502, body),
		"bad input: 503":                     Body(503, ""),
		"bad input: 522 of a proxy":          Body(522, planted),
		"bad input: lost connection":         {Err: http.ErrServerClosed},
	}
}

// malformed returns bad input and rejected credentials.
func malformed(t testing.TB, good Response) map[string]Response {
	t.Helper()
	all := badInput(t, good)
	maps.Copy(all, rejected())
	return all
}

// rejected are responses to credentials, or to an address, that the provider does not accept.
func rejected() map[string]Response {
	return map[string]Response{
		"rejected with 401": Body(401, planted),
		"rejected with 403": Body(403, planted),
		"rejected with 451": Body(451, planted),
	}
}

// Connect returns the clients of a provider.
func Connect(t testing.TB, settings provider.Settings, world *upstreamtest.World) provider.Clients {
	t.Helper()
	clients, err := settings.Connect(world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return clients
}
