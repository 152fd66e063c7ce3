package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"causeway/adapters/httpapi"
)

// whilePacking asks while something else is being compressed, which the answer must not wait for.
func whilePacking(t *testing.T, w *world, target string) *httptest.ResponseRecorder {
	t.Helper()
	release := httpapi.HoldPacker(w.handler)
	defer release()
	answer := make(chan *httptest.ResponseRecorder, 1)
	go func() { answer <- w.get(target, "Accept-Encoding: gzip") }()
	select {
	case rec := <-answer:
		return rec
	case <-time.After(patience):
		t.Fatalf("%s waits for the packer", target)
		return nil
	}
}

// TestUnusualQuestionsAreCompressedOnce and, when there are too many of them in one publication, not at all.
func TestUnusualQuestionsAreCompressedOnce(t *testing.T) {
	t.Parallel()
	const banks, pairs = "/v1/banks?country=NG&q=", "/v1/pairs?counter=NGN&sort_by=current_price&sort=desc&currency="
	for question, other := range map[string]func(int) string{
		banks + "b":   func(i int) string { return banks + strings.Repeat("x", i/10) + strconv.Itoa(i) },
		pairs + "NGN": func(i int) string { return pairs + "X" + strconv.Itoa(i) },
	} {
		w := newWorld(t)
		first := w.get(question, "Accept-Encoding: gzip")
		again := whilePacking(t, w, question)
		if first.Header().Get("Content-Encoding") != "gzip" || again.Body.String() != first.Body.String() || again.Header().Get("Etag") != first.Header().Get("Etag") {
			t.Errorf("%s: got %v, then %v", question, first.Header(), again.Header())
		}
		if strings.HasPrefix(question, banks) { // pairs know without looking that nothing matches
			for i := range httpapi.ShelfRoom + 10 {
				w.get(other(i))
			}
			late := whilePacking(t, w, "/v1/banks?country=NG&currency=NGN")
			if late.Code != http.StatusOK || late.Header().Get("Content-Encoding") != "" || len(ids(t, late.Body.Bytes())) != 2 || late.Header().Get("Etag") == "" {
				t.Errorf("without room: got %d %v %s", late.Code, late.Header(), late.Body)
			}
		}
	}
}

// TestAPublicationHasRoomForNewQuestions: what was kept of an older one does not count.
func TestAPublicationHasRoomForNewQuestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const question = "/v1/pairs?counter=NGN&sort_by=market_cap&sort="
	before := w.get(question+"asc", "Accept-Encoding: gzip")
	next := snapshot()
	next.Quotes = next.Quotes[:3]
	w.pairs.publish(next)
	after := w.get(question+"asc", "Accept-Encoding: gzip")
	if before.Header().Get("Etag") == after.Header().Get("Etag") || after.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("got %v, then %v", before.Header(), after.Header())
	}
}

// TestBanksOfANumberAreForTheOneWhoAsked: what an account number selects is kept by nobody, here or on the way.
func TestBanksOfANumberAreForTheOneWhoAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, target := range []string{"/v1/banks?account_number=0123456785", "/v1/banks?country=NG&account_number=0123-456-785&q=bank"} {
		rec := whilePacking(t, w, target)
		if rec.Code != http.StatusOK || rec.Header().Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: got %d %v", target, rec.Code, rec.Header())
		}
	}
	if rec := w.get("/v1/banks?account_number=&country=NG"); !strings.HasPrefix(rec.Header().Get("Cache-Control"), "public, max-age=3600") {
		t.Errorf("without a number: got %v", rec.Header())
	}
}
