package inject_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"causeway/simulator/faults"
	"causeway/simulator/faults/inject"
)

// responding returns an injector whose responses have a text.
func responding(text string) inject.Injector {
	return inject.Injector{Next: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-One", "1")
		w.Header().Set("X-Two", "2")
		_, _ = io.WriteString(w, text)
	})}
}

func newRequest(t *testing.T) *http.Request {
	t.Helper()
	return httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
}

func hit(kind faults.Kind, ms int64) faults.Hit {
	return faults.Hit{Effect: faults.Effect{Kind: kind, MS: ms}}
}

func TestInjector_SlowHeaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start, rec := time.Now(), httptest.NewRecorder()
		responding("all of it").Serve(rec, newRequest(t), hit(faults.SlowHeaders, 4000))
		if time.Since(start) != 4*time.Second || rec.Body.String() != "all of it" || rec.Header().Get("X-One") != "1" {
			t.Errorf("after %s: %q of %v", time.Since(start), rec.Body, rec.Header())
		}
	})
}

// pieces remembers when which part of a body came.
type pieces struct {
	*httptest.ResponseRecorder
	start time.Time
	came  []string
}

func (p *pieces) Write(b []byte) (int, error) {
	p.came = append(p.came, fmt.Sprintf("%s %s", time.Since(p.start), b))
	return len(b), nil
}

func TestInjector_Dribble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pieces{ResponseRecorder: httptest.NewRecorder(), start: time.Now()}
		text := strings.Repeat("ab", 20)
		responding(text).Serve(p, newRequest(t), hit(faults.Dribble, 20_000))
		var want []string
		for i := range 20 {
			want = append(want, fmt.Sprintf("%ds ab", i+1))
		}
		if !slices.Equal(p.came, want) {
			t.Errorf("got %q", p.came)
		}
	})
}

func TestInjector_FailureUnchanged(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNotFound, http.StatusNoContent, http.StatusNotModified} {
		injector := inject.Injector{Next: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })}
		for _, kind := range []faults.Kind{faults.Truncate, faults.HugeBody, faults.Malformed, faults.UnknownFields} {
			rec := httptest.NewRecorder()
			injector.Serve(rec, newRequest(t), hit(kind, 0))
			if rec.Code != status || rec.Body.Len() > 0 {
				t.Errorf("%s of %d: %d %q", kind, status, rec.Code, rec.Body)
			}
		}
	}
}

// TestInjector_SuccessAltered checks successful responses that are not 200, such as 201 for a holder who was found.
func TestInjector_SuccessAltered(t *testing.T) {
	t.Parallel()
	const plain = `{"name":"ADA"}`
	for _, status := range []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusPartialContent} {
		injector := inject.Injector{Next: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, plain)
		})}
		for _, kind := range []faults.Kind{faults.Truncate, faults.HugeBody, faults.Malformed, faults.Duplicate, faults.UnknownFields} {
			rec := httptest.NewRecorder()
			injector.Serve(rec, newRequest(t), hit(kind, 0))
			if rec.Code != status || rec.Body.String() == plain {
				t.Errorf("%s of %d: %d %q", kind, status, rec.Code, rec.Body)
			}
		}
	}
}

func TestInjector_NotJSON(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	responding("<html>").Serve(rec, newRequest(t), hit(faults.UnknownFields, 0))
	if rec.Body.String() != "<html>" {
		t.Errorf("got %q", rec.Body)
	}
	rec = httptest.NewRecorder()
	responding("").Serve(rec, newRequest(t), hit(faults.Malformed, 0))
	if rec.Body.Len() > 0 {
		t.Errorf("got %q", rec.Body)
	}
}

// TestInjector_PauseCanceled cancels a request whose response is late.
func TestInjector_PauseCanceled(t *testing.T) {
	t.Parallel()
	for _, kind := range []faults.Kind{faults.Latency, faults.SlowHeaders, faults.Dribble, faults.Hang} {
		for _, phase := range []faults.Phase{faults.Before, faults.After} {
			synctest.Test(t, func(t *testing.T) {
				h := hit(kind, 600_000)
				h.Phase = phase
				r := newRequest(t)
				ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
				defer cancel()
				start, rec := time.Now(), httptest.NewRecorder()
				fault := panicked(func() { responding("all of it").Serve(rec, r.WithContext(ctx), h) })
				if took := time.Since(start); !errors.Is(fault, http.ErrAbortHandler) || took != time.Minute || rec.Body.Len() > 0 {
					t.Errorf("%s %s: after %s: %v, %q", kind, phase, took, fault, rec.Body)
				}
			})
		}
	}
}

func panicked(f func()) (fault error) {
	defer func() { fault, _ = recover().(error) }()
	f()
	return nil
}

func TestReplace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		place string
		to    any
		want  string // the values that were there
		after string
	}{
		{"data.*.code", "9", `[1 2]`, `{"data":[{"code":"9"},{"code":"9"}],"name":"<&>","none":null,"number":3.50}`},
		{"data.0.code", nil, `[1]`, `{"data":[{},{"code":"2"}],"name":"<&>","none":null,"number":3.50}`},
		{"data.1", nil, `[map[code:2]]`, `{"data":[{"code":"1"},null],"name":"<&>","none":null,"number":3.50}`},
		{"name", []any{"x"}, `[name=<&>]`, `{"data":[{"code":"1"},{"code":"2"}],"name":["x"],"none":null,"number":3.50}`},
		{"*", 1, `[data=[map[code:1] map[code:2]] name=<&> number=3.50]`, `{"data":1,"name":1,"none":null,"number":1}`},
		{"data.7.code", "9", `[]`, `{"data":[{"code":"1"},{"code":"2"}],"name":"<&>","none":null,"number":3.50}`},
		{"name.deeper", "9", `[]`, `{"data":[{"code":"1"},{"code":"2"}],"name":"<&>","none":null,"number":3.50}`},
	} {
		values := []string{}
		const before = `{"data":[{"code":"1"},{"code":"2"}],"name":"<&>","none":null,"number":3.50}`
		got := inject.Edit([]byte(before), func(document any) {
			inject.Replace(document, c.place, func(name string, value any) any {
				text := fmt.Sprint(value)
				if name != "" && name != "code" {
					text = name + "=" + text
				}
				values = append(values, text)
				return c.to
			})
		})
		if string(got) != c.after || fmt.Sprint(values) != c.want {
			t.Errorf("%s: got %s and %s, want %s and %s", c.place, values, got, c.want, c.after)
		}
	}
}

// FuzzInjector checks that a valid document stays valid with undocumented members, and is invalid if it is malformed.
func FuzzInjector(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `[{"a":1}]`, `{"a":{"b":[1e400,"\u0000"]}}`, `null`, `7`, `"x"`, ``, `{`, "\xff", `{"a":1}{"b":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		play := func(kind faults.Kind) []byte {
			rec := httptest.NewRecorder()
			responding(string(body)).Serve(rec, newRequest(t), hit(kind, 0))
			return rec.Body.Bytes()
		}
		whole := json.Valid(body)
		if got := play(faults.UnknownFields); whole && !json.Valid(got) {
			t.Errorf("%q became %q", body, got)
		}
		if got := play(faults.Malformed); whole && strings.ContainsAny(strings.TrimSpace(string(body))[:1], "{[") && json.Valid(got) {
			t.Errorf("%q is JSON still: %q", body, got)
		}
		play(faults.Truncate)
	})
}
