package control_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"causeway/simulator/control"
)

// clock is a world's clock as these tests read it.
type clock struct {
	Now       time.Time
	Frozen    bool
	Rate      int
	NextEvent *time.Time `json:"next_event"`
}

func TestAClockIsSetAndMoved(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a",`+frozen+`}`)
	w, err := l.worlds.Find("a")
	if err != nil {
		t.Fatal(err)
	}
	worked := time.Time{}
	w.OnAdvance(func(_ context.Context, now time.Time) error { worked = now; return nil })
	began := noon.Add(-time.Hour)
	for _, c := range []struct {
		method, below, body string
		at                  time.Duration // after the beginning
		frozen              bool
		rate                int
	}{
		{http.MethodPost, "/advance", `{"by":"37s"}`, 37 * time.Second, true, 1},
		{http.MethodPost, "/advance", `{"to":"2026-11-16T11:10:00.5Z"}`, 10*time.Minute + 500*time.Millisecond, true, 1},
		{http.MethodPost, "/advance", `{"to":"2026-11-16T12:20:00+01:00"}`, 20 * time.Minute, true, 1},
		{http.MethodPut, "", `{"now":"2026-11-16T11:30:00Z","frozen":true}`, 30 * time.Minute, true, 1},
		{http.MethodPut, "", `{"rate":60}`, 30 * time.Minute, false, 60},
		{http.MethodPut, "", `{"frozen":true}`, 30 * time.Minute, true, 60},
		{http.MethodPut, "", `{"frozen":false}`, 30 * time.Minute, false, 60},
		{http.MethodPut, "", `{"now":"2026-11-16T11:40:00Z","frozen":true,"rate":null}`, 40 * time.Minute, true, 60},
	} {
		got := decode[clock](t, l.do(c.method, "/worlds/a/clock"+c.below, c.body))
		if !got.Now.Equal(began.Add(c.at)) || got.Frozen != c.frozen || got.Rate != c.rate {
			t.Errorf("%s %s: %+v", c.below, c.body, got)
		}
		if now := decode[clock](t, l.do(http.MethodGet, "/worlds/a/clock", "")); now != got {
			t.Errorf("it was %+v, and is %+v", got, now)
		}
		if c.body[2] != 'r' && c.body[2] != 'f' && !worked.Equal(got.Now) { // the clock was moved
			t.Errorf("%s: work was done as of %s", c.body, worked)
		}
	}
}

func TestTheNextEventIsWhatComesNext(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a",`+frozen+`}`)
	l.refused(http.MethodPost, "/worlds/a/clock/advance", `{"to":"next-event"}`, http.StatusBadRequest, "request_validation", "nothing is known to come")
	l.do(http.MethodPost, "/worlds/a/faults", `{"match":{"provider":"okx"},"effect":{"kind":"refuse"},"when":{"ttl":"90s"}}`)
	ends := noon.Add(-time.Hour + 90*time.Second)
	if c := decode[clock](t, l.do(http.MethodGet, "/worlds/a/clock", "")); c.NextEvent == nil || !c.NextEvent.Equal(ends) {
		t.Errorf("%+v", c)
	}
	if c := decode[clock](t, l.do(http.MethodPost, "/worlds/a/clock/advance", `{"to":"next-event"}`)); !c.Now.Equal(ends) || c.NextEvent != nil {
		t.Errorf("%+v", c)
	}
}

func TestClocksThatCannotBeSet(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a",`+frozen+`}`)
	before := string(l.do(http.MethodGet, "/worlds/a", ""))
	for body, word := range map[string]string{
		`{"now":"2026-11-16T10:59:59Z"}`: "a clock is not set back", `{"now":"2300-01-01T00:00:00Z"}`: "2200-01-01", `{"rate":0}`: "1 to 3600", `{"rate":3601}`: "1 to 3600", `{"rate":"60"}`: "a whole number",
		`{}`: "now, frozen, rate", `{"rate":2,"frozen":true}`: "none where the clock is frozen", `{"time":"2026-11-16T12:00:00Z"}`: "now, frozen, rate", `{"frozen":1}`: "true or false",
	} {
		l.refused(http.MethodPut, "/worlds/a/clock", body, http.StatusBadRequest, "request_validation", "accepted", word)
	}
	for body, word := range map[string]string{
		`{"by":"-1s"}`: "more than 0s", `{"by":"0s"}`: "more than 0s", `{"by":"37"}`: "such as 30s", `{"by":37}`: "a duration in quotes", `{}`: "one of them is needed", `{"by":"1s","to":"next-event"}`: "one of them is needed", `{"by":"2000000h"}`: "2200-01-01",
		`{"to":"2026-11-16T10:00:00Z"}`: "a clock is not set back", `{"to":"noon"}`: "next-event", `{"to":"2300-01-01T00:00:00Z"}`: "2200-01-01", `{"for":"1s"}`: "by, to",
	} {
		l.refused(http.MethodPost, "/worlds/a/clock/advance", body, http.StatusBadRequest, "request_validation", "accepted", word)
	}
	if after := string(l.do(http.MethodGet, "/worlds/a/clock", "")); !strings.Contains(before, after) {
		t.Errorf("it was moved: %s", after)
	}
}

func TestWorkThatFailsOrIsCutOffIsTold(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a",`+frozen+`}`)
	w, err := l.worlds.Find("a")
	if err != nil {
		t.Fatal(err)
	}
	remove := w.OnAdvance(func(context.Context, time.Time) error { return errors.New("dial tcp 10.0.0.1: refused") })
	l.refused(http.MethodPost, "/worlds/a/clock/advance", `{"by":"1m"}`, http.StatusInternalServerError, "internal_server_error", "Internal error")
	if l.log.FilterMessage("control call failed").Len() != 1 {
		t.Error("nobody is told why")
	}
	remove()
	ctx, cancel := context.WithCancel(t.Context())
	w.OnAdvance(func(context.Context, time.Time) error { cancel(); return nil })
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, control.Prefix+"/worlds/a/clock/advance", strings.NewReader(`{"by":"1h"}`))
	rec := httptest.NewRecorder()
	l.handler.ServeHTTP(rec, r)
	if rec.Code != http.StatusServiceUnavailable || rec.Header().Get("Retry-After") == "" || !strings.Contains(rec.Body.String(), `"service_unavailable"`) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if now := w.Now(); now.After(noon.Add(-50 * time.Minute)) {
		t.Errorf("nobody waits, and it is %s", now)
	}
}
