package upstream_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"pgregory.net/rapid"

	"causeway/adapters/upstream"
)

// library is a provider of pages, each with a version. It answers 304 to whoever has the present one.
type library struct {
	*world
	client    *upstream.Client
	versions  map[string]int
	size      int // of a page, at least
	unchanged int // answers 304 so far
	validator func(page string, version int) (header, value string)
}

func byTag(page string, version int) (header, value string) {
	return "ETag", fmt.Sprintf(`W/"%s-%d"`, page, version)
}

func byDate(_ string, version int) (header, value string) {
	return "Last-Modified", noon.Add(time.Duration(version) * time.Second).Format(http.TimeFormat)
}

func openLibrary(t *testing.T, validator func(page string, version int) (header, value string)) *library {
	t.Helper()
	l := &library{world: open(t, never), versions: map[string]int{}, validator: validator}
	asks := map[string]string{"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
	l.transport.RegisterResponder(http.MethodGet, "=~^"+base, func(r *http.Request) (*http.Response, error) {
		page := r.URL.RequestURI()
		header, value := l.validator(page, l.versions[page])
		if known := r.Header.Get(asks[header]); known != "" && known == value {
			l.unchanged++
			return httpmock.NewStringResponse(http.StatusNotModified, ""), nil
		}
		response := httpmock.NewStringResponse(http.StatusOK, l.body(page))
		response.Header.Set(header, value)
		return response, nil
	})
	l.client = l.world.client(t, false)
	return l
}

func (l *library) body(page string) string {
	return fmt.Sprintf("%s %d %s", page, l.versions[page], strings.Repeat(".", l.size))
}

// get asks for a page and checks that the present one comes.
func (l *library) get(t interface{ Fatalf(string, ...any) }, t2 *testing.T, number int) {
	q := upstream.Question{Op: "page", Path: "/page", Query: url.Values{"n": {strconv.Itoa(number)}}, Conditional: true}
	err := l.client.Do(t2.Context(), q, func(a upstream.Answer) error {
		if want := l.body("/v1/page?n=" + strconv.Itoa(number)); a.Status != http.StatusOK || string(a.Body) != want || !a.At.Equal(time.Unix(0, l.now.Load())) {
			t.Fatalf("got %d %.40q at %s, want %.40q", a.Status, a.Body, a.At, want)
		}
		return a.Fault()
	})
	if err != nil {
		t.Fatalf("got %v", err)
	}
}

func (l *library) change(number int) { l.versions["/v1/page?n="+strconv.Itoa(number)]++ }

func (l *library) wants(t *testing.T, unchanged int) {
	t.Helper()
	if l.unchanged != unchanged {
		t.Errorf("%d answers were unchanged, want %d", l.unchanged, unchanged)
	}
}

func TestConditional(t *testing.T) {
	t.Parallel()
	for name, validator := range map[string]func(string, int) (string, string){"a tag": byTag, "a date": byDate} {
		t.Run("asks whether a page is unchanged, by "+name, func(t *testing.T) {
			t.Parallel()
			l := openLibrary(t, validator)
			l.get(t, t, 1)
			l.wants(t, 0)
			l.advance(time.Hour)
			l.get(t, t, 1)
			l.get(t, t, 1)
			l.wants(t, 2)
			l.change(1)
			l.get(t, t, 1)
			l.wants(t, 2)
			l.get(t, t, 1)
			l.wants(t, 3)
			if got := l.metric(t, "causeway_upstream_requests_total", "op=page", "outcome=ok"); got != 5 {
				t.Errorf("counted %v answers, want 5", got)
			}
		})
	}
	t.Run("tells pages apart by their query", func(t *testing.T) {
		t.Parallel()
		l := openLibrary(t, byDate) // all of one date
		l.get(t, t, 1)
		l.get(t, t, 2)
		l.wants(t, 0)
		l.get(t, t, 1)
		l.wants(t, 1)
	})
	t.Run("keeps nothing that has nothing to compare by, or too much", func(t *testing.T) {
		t.Parallel()
		for header, value := range map[string]string{"X-Version": "1", "ETag": strings.Repeat("x", 2000)} {
			l := openLibrary(t, func(string, int) (string, string) { return header, value })
			l.get(t, t, 1)
			l.get(t, t, 1)
			l.wants(t, 0)
		}
	})
	t.Run("keeps sixty-four pages, and forgets the one that was of no use for longest", func(t *testing.T) {
		t.Parallel()
		l := openLibrary(t, byTag)
		for n := range 64 {
			l.get(t, t, n)
		}
		l.get(t, t, 0)
		l.wants(t, 1)
		l.get(t, t, 64)
		l.get(t, t, 0)
		l.wants(t, 2)
		l.get(t, t, 1)
		l.wants(t, 2)
	})
	t.Run("keeps 8 MiB, and nothing that is larger", func(t *testing.T) {
		t.Parallel()
		l := openLibrary(t, byTag)
		l.size = 3 << 20
		for n := range 3 {
			l.get(t, t, n)
		}
		l.get(t, t, 2)
		l.get(t, t, 1)
		l.wants(t, 2)
		l.get(t, t, 0)
		l.wants(t, 2)
	})
}

// TestConditionalQuestions goes through what is asked and read in two questions, the provider having answered the first with a tag.
func TestConditionalQuestions(t *testing.T) {
	t.Parallel()
	q := upstream.Question{Op: "op", Path: "/thing", Conditional: true}
	plain, post := q, q
	plain.Conditional = false
	post.Method = http.MethodPost
	odd := func(upstream.Answer) error { return upstream.Fail(upstream.Malformed, "odd") }
	for name, c := range map[string]struct {
		first, second upstream.Question
		read          func(upstream.Answer) error // of the first
		status        int                         // of the first
		asks          bool                        // the second
	}{
		"as it should be":             {q, q, upstream.Answer.Fault, 200, true},
		"a question that does not":    {q, plain, upstream.Answer.Fault, 200, false},
		"after one that did not":      {plain, q, upstream.Answer.Fault, 200, false},
		"no GET":                      {post, post, upstream.Answer.Fault, 200, false},
		"an answer that was refused":  {q, q, odd, 200, false},
		"a failure":                   {q, q, upstream.Answer.Fault, 500, false},
		"a failure that was accepted": {q, q, func(upstream.Answer) error { return nil }, 500, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, never)
			var asked []bool
			answer := func(r *http.Request) (*http.Response, error) {
				asked = append(asked, r.Header.Get("If-None-Match") != "")
				return httpmock.NewStringResponder(c.status, "<html>").HeaderSet(http.Header{"Etag": {`"1"`}})(r)
			}
			w.transport.RegisterResponder(http.MethodGet, base+"/thing", answer)
			w.transport.RegisterResponder(http.MethodPost, base+"/thing", answer)
			client := w.client(t, false)
			_ = client.Do(t.Context(), c.first, c.read)
			_ = client.Do(t.Context(), c.second, upstream.Answer.Fault)
			if len(asked) != 2 || asked[0] || asked[1] != c.asks {
				t.Errorf("asked on condition: %v, want the second: %v", asked, c.asks)
			}
		})
	}
	t.Run("a 304 that nobody asked for is an outage", func(t *testing.T) {
		t.Parallel()
		w := open(t, never)
		w.says(http.StatusNotModified, "")
		unavailable(t, w.client(t, false).Do(t.Context(), q, upstream.Answer.Fault))
		w.outcome(t, upstream.Unavailable)
	})
	t.Run("an outage in between forgets nothing", func(t *testing.T) {
		t.Parallel()
		l := openLibrary(t, byTag)
		l.get(t, t, 1)
		l.says(http.StatusServiceUnavailable, "")
		unavailable(t, l.client.Do(t.Context(), upstream.Question{Op: "op", Path: "/page", Query: url.Values{"n": {"1"}}, Conditional: true}, upstream.Answer.Fault))
		l.says(http.StatusNotModified, "")
		l.get(t, t, 1)
	})
	t.Run("what is refused although it is unchanged is asked for anew", func(t *testing.T) {
		t.Parallel()
		l := openLibrary(t, byTag)
		l.get(t, t, 1)
		err := l.client.Do(t.Context(), upstream.Question{Op: "op", Path: "/page", Query: url.Values{"n": {"1"}}, Conditional: true}, odd)
		if unavailable(t, err); !errors.As(err, new(*upstream.Failure)) {
			t.Errorf("got %v", err)
		}
		l.wants(t, 1)
		l.get(t, t, 1)
		l.wants(t, 1)
	})
}

// TestConditionalProperty changes and reads more pages than are kept, in any order: what is read is always the present page.
func TestConditionalProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		l := openLibrary(t, byTag)
		for range rapid.IntRange(1, 150).Draw(rt, "steps") {
			number := rapid.IntRange(0, 80).Draw(rt, "page")
			if rapid.Bool().Draw(rt, "changes") {
				l.change(number)
			}
			l.get(rt, t, number)
		}
	})
}
