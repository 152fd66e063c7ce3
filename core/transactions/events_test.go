package transactions_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/core/transactions"
)

// list returns the events of the world's account after a cursor as texts.
func (w *world) list(t *testing.T, q transactions.EventQuery) (texts []string, page transactions.EventPage) {
	t.Helper()
	page, err := w.Events(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Items {
		texts = append(texts, fmt.Sprintf("%d %s %d/%d", e.Number, e.Type, e.Item.Confirmations, e.Transaction.Revision))
	}
	return texts, page
}

func TestEvents(t *testing.T) {
	w := newWorld(t, 1)
	w.sync(t)
	_, none := w.list(t, transactions.EventQuery{Account: "account", Limit: 1})
	_, other := w.list(t, transactions.EventQuery{Account: "another", Limit: 1})
	w.ledger.mine(pays("a", 0, alice, 1))
	w.mine(t, 0)
	w.now = w.now.Add(time.Minute)
	w.mine(t, 3)
	q := transactions.EventQuery{Account: "account", Limit: 10}
	got, page := w.list(t, q)
	want := []string{"1 transaction.pending 1/1", "2 transaction.completed 3/2"} // number, type, confirmations and revision
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	first := page.Items[0]

	t.Run("cursor", func(t *testing.T) {
		later := q
		later.After = page.Next
		if got, next := w.list(t, later); len(got) > 0 || next.Next != page.Next || next.More {
			t.Errorf("got %v and the cursor %s after the last event, want none and %s", got, next.Next, page.Next)
		}
		w.ledger.mine(pays("b", 0, bob, 1))
		w.sync(t)
		if got, _ := w.list(t, later); len(got) != 1 || got[0] != "3 transaction.pending 1/1" {
			t.Errorf("got %v, want the third event", got)
		}
	})
	t.Run("pages", func(t *testing.T) {
		var got []string
		page, more := transactions.EventPage{}, true
		for more {
			var texts []string
			texts, page = w.list(t, transactions.EventQuery{Account: "account", Limit: 1, After: page.Next})
			got, more = append(got, texts...), page.More
		}
		if want := append(want, "3 transaction.pending 1/1"); !cmp.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("type", func(t *testing.T) {
		of := q
		of.Type = core.TransactionFailed
		if got, page := w.list(t, of); len(got) > 0 || page.Next == "" {
			t.Errorf("got %v and the cursor %q, want no event and a cursor", got, page.Next)
		}
	})
	t.Run("after the ID of an event", func(t *testing.T) {
		after := q
		after.After = first.ID
		if got, _ := w.list(t, after); len(got) != 2 || got[0] != want[1] {
			t.Errorf("got %v, want the second and the third event", got)
		}
	})
	for name, after := range map[string]string{
		"of another account": other.Next, "garbage": "???", "a number": "2", "unknown event": "evt_00",
	} {
		t.Run(name, func(t *testing.T) {
			wrong := q
			wrong.After = after
			if _, err := w.Events(t.Context(), wrong); core.CodeOf(err) != core.Invalid {
				t.Errorf("got %v, want an error of the field after", err)
			}
		})
	}
	t.Run("expired", func(t *testing.T) {
		if _, err := w.store.Events().Prune(t.Context(), first.Transaction.Updated.Add(time.Microsecond)); err != nil {
			t.Fatal(err)
		}
		old := q
		old.After = none.Next
		if _, err := w.Events(t.Context(), old); core.CodeOf(err) != core.CursorExpired {
			t.Errorf("got %v, want %s", err, core.CursorExpired)
		}
		if got, _ := w.list(t, q); len(got) == 0 {
			t.Error("the list without a cursor is empty, want the events that are kept")
		}
	})
}
