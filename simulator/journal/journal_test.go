package journal_test

import (
	"crypto/sha256"
	"strings"
	"sync"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/journal"
)

func TestAnEntryIsATree(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	story(j)
	golden(t, "entries.json", []byte(asJSON(t, append(find(t, j, journal.Match{}), find(t, j, journal.Match{Control: true})...))))
}

func TestAnswersAreNumberedAndFingerprintedInTheOrderInWhichTheyEnd(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	first, second := j.Begin("a", request("GET", "/v1/banks")), j.Begin("b", request("GET", "/v1/pairs"))
	if s := j.State(); s.Entries != 0 || s.Last != 0 || s.Fingerprint != (journal.Sum{}) {
		t.Errorf("before the first answer: %+v", s)
	}
	second.End("req_b", answer(200, "two"))
	first.End("req_a", answer(404, "one"))
	list := find(t, j, journal.Match{})
	if len(list) != 2 || list[0].ID != "req_b" || list[0].Seq != 1 || list[1].ID != "req_a" || list[1].Seq != 2 {
		t.Fatalf("got %+v", list)
	}
	two, one := sha256.Sum256([]byte("two")), sha256.Sum256([]byte("one"))
	by := func(so journal.Sum, status [2]byte, body [32]byte) journal.Sum {
		return sha256.Sum256(append(append(so[:], status[:]...), body[:]...))
	}
	want := by(by(journal.Sum{}, [2]byte{0, 200}, two), [2]byte{1, 148}, one)
	if got := j.Fingerprint(); got != want {
		t.Errorf("the fingerprint is %s, want %s", got, want)
	}
}

func TestStreamsAndControlCallsAreInNoFingerprint(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.BeginControl("advance", request("POST", "/_sim/v1/worlds/x/clock/advance")).End("", answer(200, "a"))
	streamed := answer(200, "b")
	streamed.Streamed = true
	j.Begin("stream-pairs", request("GET", "/v1/pairs/stream")).End("", streamed)
	if s := j.State(); s.Fingerprint != (journal.Sum{}) || s.Entries != 1 || s.Controls != 1 {
		t.Errorf("got %+v", s)
	}
}

func TestASumIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	want := journal.Sum(sha256.Sum256([]byte("x")))
	var got journal.Sum
	if err := got.UnmarshalText([]byte(want.String())); err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
	for _, wrong := range []string{"", "00", want.String() + "00", strings.Repeat("g", 64)} {
		if err := got.UnmarshalText([]byte(wrong)); err == nil || !strings.Contains(err.Error(), "64 hexadecimal digits") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func TestWhatIsNotedAfterTheEndIsLateAndLost(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	o := j.Begin("a", request("GET", "/v1/banks"))
	o.End("req_a", answer(200, ""))
	before := asJSON(t, find(t, j, journal.Match{}))
	o.Operation("b")
	o.Applied("c")
	o.Cache(journal.Hit)
	o.Body([]byte("{}"))
	o.Attempt(journal.Attempt{Provider: "p"})
	o.Votes(journal.Vote{Source: "s"})
	o.End("req_b", answer(500, ""))
	if after := asJSON(t, find(t, j, journal.Match{})); after != before {
		t.Errorf("the entry changed:\n%s", after)
	}
	if s := j.State(); s.Late != 7 || s.Entries != 1 {
		t.Errorf("got %+v", s)
	}
}

func TestNothingIsRecordedByNil(t *testing.T) {
	t.Parallel()
	var o *journal.Open
	o.Operation("a")
	o.Applied("b")
	o.Cache(journal.Hit)
	o.Body(nil)
	o.Attempt(journal.Attempt{})
	o.Votes(journal.Vote{})
	o.End("", journal.Answer{})
}

func TestAClosedJournalIsReadAndNotWritten(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	record(j, "a", request("GET", "/v1/banks"), "", 200)
	o := j.Begin("b", request("GET", "/v1/banks"))
	fingerprint := j.Fingerprint()
	j.Close()
	j.Close()
	o.End("", answer(200, ""))
	if s := j.State(); s.Entries != 1 || s.Late != 1 || s.Fingerprint != fingerprint || len(find(t, j, journal.Match{})) != 1 {
		t.Errorf("got %+v", s)
	}
}

func TestManyGoroutinesNoteInOneRequest(t *testing.T) {
	t.Parallel()
	for range 20 {
		j := newJournal(t)
		o := j.Begin("resolve-account", request("POST", resolvePath))
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for n := range 10 {
					o.Attempt(journal.Attempt{Provider: "p", Attempt: n, Hedged: true})
				}
			})
		}
		all.Go(func() { o.End("req_1", answer(200, "")) })
		all.Wait()
		e := find(t, j, journal.Match{})[0]
		if got := len(e.Attempts) + e.LeftOut + int(j.State().Late); got != 80 || len(e.Attempts) > 48 {
			t.Fatalf("%d attempts, %d left out, %d late: want 80 in all", len(e.Attempts), e.LeftOut, j.State().Late)
		}
	}
}

func TestWhatIsTooMuchForAnEntryIsCounted(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	target := "/v1/banks?" + strings.Repeat("country=NG&", 40)
	record(j, strings.Repeat("o", 1000), request("GET", target), "", 200, func(o *journal.Open) {
		for range 50 {
			o.Attempt(journal.Attempt{Provider: strings.Repeat("ä", 1000)})
			o.Votes(journal.Vote{Source: "a"}, journal.Vote{Source: "b"})
		}
	})
	e := find(t, j, journal.Match{})[0]
	if len(e.Request.Query) != 32 || len(e.Attempts) != 48 || len(e.Votes) != 64 || e.LeftOut != 8+2+36 {
		t.Errorf("got %d parameters, %d attempts, %d votes, %d left out", len(e.Request.Query), len(e.Attempts), len(e.Votes), e.LeftOut)
	}
	if len(e.Operation) > 210 || len(e.Attempts[0].Provider) > 70 || !strings.HasSuffix(e.Attempts[0].Provider, "ä…") {
		t.Errorf("texts are not cut: %q, %q", e.Operation, e.Attempts[0].Provider)
	}
}

func TestTheOperationMayBeKnownLater(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	record(j, "", request("GET", "/v1/banks"), "", 200, func(o *journal.Open) { o.Operation("list-banks") })
	if got := find(t, j, journal.Match{Operation: "list-banks"}); len(got) != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestTheBodyIsTheLastOneNoted(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	record(j, "a", request("POST", "/v1/validate"), `{"currency":"BTC"}`, 200, func(o *journal.Open) { o.Body([]byte("no JSON")) })
	if q := find(t, j, journal.Match{})[0].Request; q.Body != nil || q.BodyBytes != 7 {
		t.Errorf("got %+v", q)
	}
}

func TestAJournalIsMadeOfSoundParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		cfg  journal.Config
		want string
	}{
		{"no clock", journal.Config{Stopwatch: noon}, "a clock is missing"},
		{"no stopwatch", journal.Config{Clock: noon}, "a clock is missing"},
		{"no entries", journal.Config{Clock: noon, Stopwatch: noon, Limits: journal.Limits{Bytes: 1 << 20}}, "entries is 0; accepted: 1 to 100000"},
		{"too few bytes", journal.Config{Clock: noon, Stopwatch: noon, Limits: journal.Limits{Entries: 1, Bytes: 1}}, "bytes is 1; accepted: 262144 to 1073741824"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := journal.New(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if err := (journal.Limits{}).Check(); core.CodeOf(err) != core.Invalid {
		t.Errorf("got %v", err)
	}
}

func TestMillisKeepsMicroseconds(t *testing.T) {
	t.Parallel()
	if got := journal.Millis(1_234_567 * time.Nanosecond); got != 1.234 {
		t.Errorf("got %v", got)
	}
}
