package journal_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"causeway/simulator/journal"
)

func TestEntry_Golden(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	story(j)
	golden(t, "entries.json", []byte(asJSON(t, append(find(t, j, journal.Match{}), find(t, j, journal.Match{Control: true})...))))
}

// TestJournal_Order checks that entries and the fingerprint are in the order in which responses ended.
func TestJournal_Order(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	first, second := j.Begin("a", request("GET", "/v1/banks")), j.Begin("b", request("GET", "/v1/pairs"))
	if s := j.State(); s != (journal.State{}) {
		t.Errorf("before the first response: %+v", s)
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

func TestJournal_FingerprintExcludes(t *testing.T) {
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

func TestSum_Text(t *testing.T) {
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

func TestJournal_Closed(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	record(j, "a", request("GET", "/v1/banks"), "", 200)
	before := j.State()
	j.Close()
	j.Close()
	record(j, "b", request("GET", "/v1/banks"), "", 200)
	if s := j.State(); s != before || len(find(t, j, journal.Match{})) != 1 {
		t.Errorf("got %+v", s)
	}
}

func TestJournal_Exchange(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	record(j, "resolve-account", request("POST", resolvePath, "Authorization", "Bearer x"), resolveBody, 200,
		func(o *journal.Open) { o.Response("{}") })
	sent, response, ok := j.Exchange(1)
	if !ok || sent.Path != resolvePath || sent.Body != resolveBody || len(sent.Headers) > 0 || response != "{}" {
		t.Errorf("got %+v, %q, %t", sent, response, ok)
	}
	if _, _, ok := j.Exchange(2); ok {
		t.Error("an entry that does not exist is kept")
	}
}

// TestJournal_Limits records entries of random sizes, concurrently: the limits hold, and numbers have no gaps.
func TestJournal_Limits(t *testing.T) {
	t.Parallel()
	const writers, each = 4, 500
	for most, want := range map[int]int{1: journal.MaxEntries, 8 << 10: 50} {
		j := newJournal(t)
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				draw := rand.New(rand.NewPCG(1, uint64(w)))
				for range each {
					body := fmt.Sprintf(`{"a":%q}`, strings.Repeat("b", draw.IntN(most)))
					record(j, "a", request("POST", "/v1/validate", "Accept", strings.Repeat("x", draw.IntN(60))), body, 200)
					if s := j.State(); s.Entries > journal.MaxEntries || s.Bytes > journal.MaxBytes || s.Last != s.Dropped+uint64(s.Entries) {
						t.Errorf("over the limits: %+v", s)
					}
				}
			})
		}
		all.Wait()
		if s := j.State(); s.Last != writers*each || s.Entries < want {
			t.Errorf("%d: %+v", most, s)
		}
	}
}

// TestJournal_TooLarge checks that large requests are neither kept nor shown, and are missing in a bundle.
func TestJournal_TooLarge(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	long := strings.Repeat("a", 300<<10)
	record(j, "validate-addresses", request("POST", "/v1/validate/batch"), `["`+long+`"]`, 200)
	record(j, "list-banks", request("GET", "/v1/banks?q="+long), "", 400)
	record(j, "list-banks", request("GET", "/v1/banks", "Accept", long), "", 400)
	if b := j.Bundle(origin); b.Complete || b.LeftOut != 3 || j.State().Bytes > 10<<10 {
		t.Errorf("%d left out; %+v", b.LeftOut, j.State())
	}
	for _, e := range find(t, j, journal.Match{}) {
		if !e.Withheld || e.Request.Body != nil || len(e.Request.Query)+len(e.Request.Headers) > 0 {
			t.Errorf("got %+v", e)
		}
	}
}
