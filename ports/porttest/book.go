package porttest

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Shared says how to open a ports.PriceBook.
type Shared struct {
	// Open opens an empty book, and returns how to open it once more, as another process would, and how to make it forget everything. It
	// stands in real time: leads last for seconds.
	Open func(t *testing.T) (open func() ports.PriceBook, forget func())
}

// bookPatience is longer than anything in a book takes.
const bookPatience = 10 * time.Second

// PriceBook checks the contract of ports.PriceBook.
func PriceBook(t *testing.T, s Shared) {
	t.Helper()
	need(t, s.Open != nil, "Open")
	for what, check := range map[string]func(*testing.T, func() ports.PriceBook, func()){
		"one of many leads":                                       bookOneLeads,
		"editions are read and told, byte for byte":               bookEditions,
		"what is not above the newest edition is not written":     bookRises,
		"a book that forgets ends the lead, and its marks rise":   bookForgets,
		"words reach the leader, whoever that is by then":         bookWords,
		"it returns promptly when its context is done":            bookPrompt,
		"of many who ask at once one leads, and only that writes": bookCrowd,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			open, forget := s.Open(t)
			check(t, open, forget)
		})
	}
}

func bookOneLeads(t *testing.T, open func() ports.PriceBook, _ func()) {
	t.Helper()
	one, two := open(), open()
	first := leads(t, one)
	if first.Term() == 0 || first.Term() >= 1<<53 || first.Newest() != 0 {
		t.Errorf("term %d after number %d of an empty book", first.Term(), first.Newest())
	}
	ledElsewhere(t, two)
	ledElsewhere(t, one)
	wantCode(t, first.Publish(t.Context(), 7, []byte("seven")), "")
	keep := time.NewTimer(3 * time.Second) // longer than a lead lasts that is not kept
	defer keep.Stop()
	select {
	case <-first.ctx.Done():
		t.Error("the lead is lost although the book is there")
	case <-keep.C:
	}
	ledElsewhere(t, two)
	first.end()
	second := leads(t, two)
	if second.Term() <= first.Term() || second.Newest() != 7 {
		t.Errorf("term %d after %d, above number %d", second.Term(), first.Term(), second.Newest())
	}
	ledElsewhere(t, one)
	wantCode(t, first.Publish(t.Context(), 9, []byte("nine")), core.Conflict)
	reads(t, one, ports.Mark{}, ports.Edition{Mark: ports.Mark{Term: first.Term(), Number: 7}, Body: []byte("seven")})
}

func bookEditions(t *testing.T, open func() ports.PriceBook, _ func()) {
	t.Helper()
	one, two := open(), open()
	heard := listens(t, two)
	reads(t, two, ports.Mark{}, ports.Edition{})
	lead := leads(t, one)
	newest := ports.Edition{Body: []byte{0, 1, 0xff, '\n', ' ', '"'}}
	newest.Term = lead.Term()
	told := ports.Edition{}
	for told.Body == nil { // a follower that has only just begun may miss some
		newest.Number++
		wantCode(t, lead.Publish(t.Context(), newest.Number, newest.Body), "")
		reads(t, two, ports.Mark{}, newest)
		reads(t, one, ports.Mark{Term: newest.Term, Number: newest.Number - 1}, newest)
		reads(t, one, newest.Mark, ports.Edition{})
		reads(t, one, ports.Mark{Term: newest.Term + 1}, ports.Edition{})
		told = hears(t, heard, 50*time.Millisecond)
	}
	if told.Term != newest.Term || told.Number == 0 || !bytes.Equal(told.Body, newest.Body) {
		t.Errorf("told %v %q", told.Mark, told.Body)
	}
	large := bytes.Repeat([]byte("large"), 100_000)
	wantCode(t, lead.Publish(t.Context(), newest.Number+1, large), "")
	reads(t, two, newest.Mark, ports.Edition{Mark: ports.Mark{Term: newest.Term, Number: newest.Number + 1}, Body: large})
	for told.Number != newest.Number+1 {
		told = hears(t, heard, bookPatience)
	}
	lead.end()
	if last := hears(t, heard, bookPatience); len(last.Body) != 0 || last.Mark != (ports.Mark{}) {
		t.Errorf("when the lead is free, told %v %q", last.Mark, last.Body)
	}
}

func bookRises(t *testing.T, open func() ports.PriceBook, _ func()) {
	t.Helper()
	book := open()
	first := leads(t, book)
	wantCode(t, first.Publish(t.Context(), 10, []byte("ten")), "")
	for _, number := range []uint64{10, 9, 1, 0} {
		wantCode(t, first.Publish(t.Context(), number, []byte("again")), core.Conflict)
	}
	first.end()
	second := leads(t, book)
	wantCode(t, second.Publish(t.Context(), 10, []byte("again")), core.Conflict) // in another term, too
	reads(t, book, ports.Mark{}, ports.Edition{Mark: ports.Mark{Term: first.Term(), Number: 10}, Body: []byte("ten")})
	wantCode(t, second.Publish(t.Context(), 11, []byte("eleven")), "")
	reads(t, book, ports.Mark{Term: first.Term(), Number: 1 << 40}, ports.Edition{Mark: ports.Mark{Term: second.Term(), Number: 11}, Body: []byte("eleven")})
}

func bookForgets(t *testing.T, open func() ports.PriceBook, forget func()) {
	t.Helper()
	one, two := open(), open()
	lead := leads(t, one)
	wantCode(t, lead.Publish(t.Context(), 10, []byte("ten")), "")
	forget()
	reads(t, two, ports.Mark{}, ports.Edition{})
	other := leads(t, two) // at once, while the first one does not know yet
	if other.Term() <= lead.Term() || other.Newest() != 0 {
		t.Errorf("term %d after %d, above number %d", other.Term(), lead.Term(), other.Newest())
	}
	wantCode(t, lead.Publish(t.Context(), 11, []byte("eleven")), core.Conflict)
	patience := time.NewTimer(bookPatience)
	defer patience.Stop()
	select {
	case <-lead.ctx.Done():
	case <-patience.C:
		t.Error("the lead is lost, and does not end")
	}
	wantCode(t, other.Publish(t.Context(), 1, []byte("one")), "")
	lead.end()
	ledElsewhere(t, one) // giving up a lost lead takes nothing from the one who has it
}

func bookWords(t *testing.T, open func() ports.PriceBook, _ func()) {
	t.Helper()
	one, two := open(), open()
	words := func(lead reign, want ...string) {
		t.Helper()
		got, err := lead.Words(t.Context())
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("words %q, %v; want %q", got, err, want)
		}
	}
	first := leads(t, one)
	words(first)
	for _, word := range []string{"USDT", "USDC", "USDT"} {
		wantCode(t, two.Say(t.Context(), word), "")
	}
	words(first, "USDC", "USDT")
	words(first, "USDC", "USDT")
	first.end()
	words(leads(t, two), "USDC", "USDT")
}

func bookPrompt(t *testing.T, open func() ports.PriceBook, _ func()) {
	t.Helper()
	book := open()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := book.Lead(ctx, func(ctx context.Context, _ ports.Lead) { <-ctx.Done() }); core.CodeOf(err) == core.Conflict {
		t.Errorf("lead: %v", err)
	}
	if _, err := book.Read(ctx, ports.Mark{}); err == nil || core.CodeOf(err) == core.NotFound {
		t.Errorf("read: %v", err)
	}
	if err := book.Say(ctx, "USDT"); err == nil {
		t.Error("it was said after the end")
	}
	book.Follow(ctx, func(ports.Edition) {}) // returns
}

func bookCrowd(t *testing.T, open func() ports.PriceBook, _ func()) {
	t.Helper()
	var mu sync.Mutex
	terms, leading := map[uint64]bool{}, 0
	together(func() {
		book := open()
		for range 20 {
			_ = book.Lead(t.Context(), func(ctx context.Context, lead ports.Lead) {
				mu.Lock()
				defer func() { mu.Unlock() }()
				if leading++; leading > 1 || terms[lead.Term()] {
					t.Errorf("%d lead, under term %d", leading, lead.Term())
				}
				terms[lead.Term()] = true
				mu.Unlock()
				err := lead.Publish(ctx, lead.Newest()+1, []byte("x"))
				mu.Lock()
				leading--
				if err != nil {
					t.Errorf("who leads cannot write: %v", err)
				}
			}) // or Conflict
		}
	})
	if len(terms) == 0 {
		t.Error("nobody led")
	}
}
