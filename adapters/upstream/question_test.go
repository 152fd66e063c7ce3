package upstream_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/upstream"
	"causeway/core"
)

// resolve asks for an account by its number.
func resolve() upstream.Question {
	return upstream.Question{Op: "resolve", Method: http.MethodPost, Path: "/resolve", Body: []byte(`{"account_number":"0123456789"}`)}
}

func TestDo(t *testing.T) {
	t.Parallel()
	t.Run("sends a body as JSON, and again where it asks again", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := open(t)
			calls := 0
			w.transport.RegisterResponder(http.MethodPost, base+"/resolve", func(r *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(r.Body)
				if err != nil || string(body) != `{"account_number":"0123456789"}` || r.ContentLength != int64(len(body)) {
					t.Errorf("call %d: got the body %q of %d bytes, %v", calls, body, r.ContentLength, err)
				}
				if got := r.Header.Values("Content-Type"); len(got) != 1 || got[0] != "application/json" {
					t.Errorf("got the content type %q", got)
				}
				if got := r.Header.Get("Authorization"); got != "Bearer key" {
					t.Errorf("got the key %q", got)
				}
				if calls++; calls == 1 {
					return nil, errors.New("lost")
				}
				return httpmock.NewStringResponse(http.StatusOK, "{}"), nil
			})
			if err := w.client(t, false).Do(t.Context(), resolve(), upstream.Answer.Fault); err != nil || calls != 2 {
				t.Errorf("got %v after %d calls", err, calls)
			}
			w.outcome(t, upstream.OK)
		})
	})
	t.Run("sends no body and no content type with a question that has none", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		w.follows(func(r *http.Request) (*http.Response, error) {
			if r.Method != http.MethodGet || r.ContentLength != 0 || r.Header.Get("Content-Type") != "" {
				t.Errorf("got %s with %d bytes of %q", r.Method, r.ContentLength, r.Header.Get("Content-Type"))
			}
			return httpmock.NewStringResponse(http.StatusOK, "{}"), nil
		})
		if err := w.client(t, false).Do(t.Context(), upstream.Question{Op: "op", Path: "/thing"}, upstream.Answer.Fault); err != nil {
			t.Error(err)
		}
	})
	t.Run("lets a question replace headers for itself alone", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		var got []http.Header
		w.follows(func(r *http.Request) (*http.Response, error) {
			got = append(got, r.Header)
			return httpmock.NewStringResponse(http.StatusOK, "{}"), nil
		})
		c := w.client(t, false)
		const lower = "authorization"
		q := upstream.Question{Op: "op", Path: "/thing", Header: http.Header{lower: {"Basic YTpi"}, "X-Country": {"UG"}}}
		for _, question := range []upstream.Question{q, {Op: "op", Path: "/thing"}} {
			if err := c.Do(t.Context(), question, upstream.Answer.Fault); err != nil {
				t.Error(err)
			}
		}
		if len(got) != 2 || len(got[0]["Authorization"]) != 1 || got[0].Get("Authorization") != "Basic YTpi" || got[0].Get("X-Country") != "UG" {
			t.Fatalf("got %v", got)
		}
		if got[1].Get("Authorization") != "Bearer key" || got[1].Get("X-Country") != "" || got[1].Get("User-Agent") != "causeway" {
			t.Errorf("the next question had %v", got[1])
		}
	})
	t.Run("shows nothing of the question when it fails", func(t *testing.T) {
		t.Parallel()
		w := open(t, never)
		w.transport.RegisterResponder(http.MethodPost, "=~^"+base, failing(errors.New(`Post "https://provider.test/v1/resolve": 0123456789`)))
		err := w.client(t, false).Do(t.Context(), resolve(), upstream.Answer.Fault)
		unavailable(t, err)
		for _, private := range []string{"0123456789", "account_number", "/resolve", "POST", "Post", "provider.test", "key"} {
			if strings.Contains(err.Error(), private) {
				t.Errorf("%q is in the error: %v", private, err)
			}
		}
	})
	t.Run("a method that is none is a defect of ours, and is not shown", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		err := w.client(t, false).Do(t.Context(), upstream.Question{Op: "op", Method: "POST 0123456789", Path: "/thing"}, upstream.Answer.Fault)
		if core.CodeOf(err) != core.Internal || strings.Contains(err.Error(), "0123456789") {
			t.Errorf("got %v", err)
		}
		w.asked(t, 0)
	})
}
