package operator

import (
	"errors"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/banks"
	"causeway/core/pairs"
)

// foreign are the pages of an operator when every text that can come from elsewhere is the same.
func foreign(text string) []string {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	in := []banks.Institution{{Code: text, Name: text}}
	desk := &bankDesk{clock: clock}
	lists := httptest.NewRecorder()
	servePage(lists, "", "Bank lists", desk.lists([]banks.State{{
		Outcome:   banks.Outcome{Directory: text, Country: text, Gone: in, LeftOut: []banks.LeftOut{{Institution: in[0], Reason: banks.Reason(text)}}},
		LastError: errors.New(text), HeldBack: &banks.HeldBack{At: now, Missing: in, Of: 2},
	}}, []CountryCount{{Country: text}}))

	one := decimal.NewFromInt(1)
	pair := core.Pair{Base: text, Counter: text}
	rate := &pairs.Rate{
		Pair: pair, Mid: one, Quorum: 1, Reason: pairs.Reason(text), Used: []*pairs.Vote{{Source: text, Family: text}},
		Excluded: []pairs.Exclusion{{Source: text, Reason: pairs.Reason(text)}},
	}
	prices := httptest.NewRecorder()
	servePage(prices, "", "Prices", (&priceBook{clock: clock}).prices(priceView{
		Asked: text, Depegged: []pairs.Depeg{{Market: pair}, {Market: pair, Acknowledged: true}},
		Quotes:  []*pairs.Quote{{ID: text, Class: text, Status: pairs.Status(text), Reason: pairs.Reason(text), Legs: []pairs.Leg{{Rate: rate}}}},
		Sources: []pairs.SourceState{{Name: text, Family: text, LastError: core.Code(text), Rejected: map[pairs.Reason]uint64{pairs.Reason(text): 1}}},
	}))
	none := httptest.NewRecorder()
	servePage(none, "", "Prices", (&priceBook{clock: clock}).prices(priceView{Asked: text}))
	return []string{lists.Body.String(), prices.Body.String(), none.Body.String()}
}

func TestOnThePagesForeignTextIsText(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(` (?:href|src|action)="([^"]*)"`)
	plain := foreign("x")
	holds := func(t interface{ Errorf(string, ...any) }, text string) {
		for i, page := range foreign(text) {
			for _, mark := range []string{"<", ">", `"`} {
				if got, want := strings.Count(page, mark), strings.Count(plain[i], mark); got != want {
					t.Errorf("%q on page %d makes %d times %s, want %d", text, i, got, mark, want)
				}
			}
			if !utf8.ValidString(page) || strings.ContainsAny(page, "\x00'") {
				t.Errorf("%q on page %d comes out with bytes that it should not have", text, i)
			}
			for _, to := range link.FindAllStringSubmatch(page, -1) {
				if !strings.HasPrefix(to[1], "/debug/") && !strings.HasPrefix(to[1], "?") {
					t.Errorf("%q on page %d makes a link to %s", text, i, to[1])
				}
			}
		}
	}
	for _, text := range []string{
		`"><script>alert('x')</script>`, `' onclick='alert(1)`, "javascript:alert(1)", "//elsewhere.test", "a\x00b", "cut off \xe2\x80", "\xff\"", `</title><script>`, "&#60;b&#62;",
	} {
		holds(t, text)
	}
	rapid.Check(t, func(r *rapid.T) { holds(r, string(rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(r, "text"))) })
}

func TestThePagesHaveNothingInline(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	servePage(w, "; script-src 'self'", "Prices")
	policy := w.Header().Get("Content-Security-Policy")
	if want := "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'self'"; policy != want {
		t.Errorf("the policy is %s, want %s", policy, want)
	}
	for _, page := range foreign("x") {
		if strings.Contains(page, "<style") || strings.Contains(page, "style=") || strings.Contains(page, "<script>") || !strings.Contains(page, `<link rel="stylesheet" href="/debug/page.css">`) {
			t.Errorf("a page has its style or a script inline: %s", page)
		}
	}
	style := httptest.NewRecorder()
	servePageStyle(style, nil)
	if kind := style.Header().Get("Content-Type"); kind != "text/css; charset=utf-8" || !strings.Contains(style.Body.String(), "color-scheme: light dark") {
		t.Errorf("the style comes as %s: %s", kind, style.Body)
	}
}
