package causeway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"causeway/clients/go/api"
)

func TestWebhookReceiver(t *testing.T) {
	t.Parallel()
	const secret, previous = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_cHJldmlvdXNwcmV2aW91c3ByZXZpb3Vz"
	type message struct {
		event    string
		revision int
		secret   string // empty: secret
		age      time.Duration
		changed  bool // after it was signed
		status   int  // of the response
	}
	for name, c := range map[string]struct {
		messages []message
		fails    int // the first calls of Handle
		want     []string
	}{
		"in order":        {[]message{{event: "a", revision: 1}, {event: "b", revision: 2}}, 0, []string{"a", "b"}},
		"repeated":        {[]message{{event: "a", revision: 1}, {event: "a", revision: 1}}, 0, []string{"a"}},
		"reordered":       {[]message{{event: "b", revision: 2}, {event: "a", revision: 1}}, 0, []string{"b"}},
		"previous secret": {[]message{{event: "a", revision: 1, secret: previous}}, 0, []string{"a"}},
		"other secret":    {[]message{{event: "a", revision: 1, secret: "whsec_b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcg==", status: 401}}, 0, nil},
		"changed":         {[]message{{event: "a", revision: 1, changed: true, status: 401}}, 0, nil},
		"old":             {[]message{{event: "a", revision: 1, age: 6 * time.Minute, status: 401}}, 0, nil},
		"test":            {[]message{{event: "a"}}, 0, nil},
		"failed and sent again": {
			[]message{{event: "a", revision: 1, status: 500}, {event: "a", revision: 1}}, 1, []string{"a", "a"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			r, err := NewWebhookReceiver(func(_ context.Context, e api.Event) error {
				if got = append(got, e.ID); len(got) <= c.fails {
					return errors.New("the database is down")
				}
				return nil
			}, secret, previous)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range c.messages {
				body := fmt.Sprintf(`{"id":%q,"type":"transaction.pending","timestamp":"2026-11-21T12:00:00Z","data":{"id":"tx","revision":%d}}`, m.event, m.revision)
				if m.revision == 0 {
					body = fmt.Sprintf(`{"id":%q,"type":"webhook.test","data":{}}`, m.event)
				}
				if m.secret == "" {
					m.secret = secret
				}
				w, err := standardwebhooks.NewWebhook(m.secret)
				if err != nil {
					t.Fatal(err)
				}
				at := time.Now().Add(-m.age)
				signature, err := w.Sign(m.event, at, []byte(body))
				if err != nil {
					t.Fatal(err)
				}
				if m.changed {
					body = strings.Replace(body, "tx", "ty", 1)
				}
				request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
				request.Header.Set("webhook-id", m.event)
				request.Header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
				request.Header.Set("webhook-signature", "v1,AAAA "+signature)
				rec := httptest.NewRecorder()
				r.ServeHTTP(rec, request)
				if want := max(m.status, http.StatusNoContent); rec.Code != want {
					t.Errorf("%s: status %d, want %d", m.event, rec.Code, want)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	for _, secrets := range [][]string{nil, {"planted secret!"}} {
		if _, err := NewWebhookReceiver(nil, secrets...); err == nil || strings.Contains(err.Error(), "planted") {
			t.Errorf("%v: got %v, want an error without the secret", secrets, err)
		}
	}
}
