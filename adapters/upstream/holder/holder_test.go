package holder_test

import (
	"errors"
	"testing"

	"causeway/adapters/upstream"
	"causeway/adapters/upstream/holder"
	"causeway/core"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	const asked = "0123456789"
	number, name := asked, "  DOE   JANE "
	text := func(s string) *string { return &s }
	table := []holder.Text{
		{Text: "no such account", Statuses: []int{200, 400}, Meaning: holder.NoAccount},
		{Text: "closed", Statuses: []int{400}, Meaning: holder.Closed},
		{Text: "no more today", Statuses: []int{429}, Meaning: holder.QuotaReached},
	}
	for what, c := range map[string]struct {
		status  int
		said    holder.Response
		want    string           // the name
		code    core.Code        // of a conclusion
		outcome upstream.Outcome // of a doubt
	}{
		"found":                            {200, holder.Response{Number: &number, Name: &name}, "DOE JANE", "", ""},
		"found, with 201":                  {201, holder.Response{Number: &number, Name: &name}, "DOE JANE", "", ""},
		"found, with 500":                  {500, holder.Response{Number: &number, Name: &name}, "", "", upstream.Unavailable},
		"another account":                  {200, holder.Response{Number: text("0123456780"), Name: &name}, "", "", upstream.Undecided},
		"an account without its zero":      {200, holder.Response{Number: text("123456789"), Name: &name}, "", "", upstream.Undecided},
		"no account":                       {200, holder.Response{Name: &name}, "", "", upstream.Undecided},
		"no name":                          {200, holder.Response{Number: &number}, "", "", upstream.Undecided},
		"an empty name":                    {200, holder.Response{Number: &number, Name: text(" ")}, "", "", upstream.Undecided},
		"no such account":                  {400, holder.Response{Refused: true, Message: "No such  account."}, "", core.NotFound, ""},
		"no such account, with 200":        {200, holder.Response{Refused: true, Message: "No such account"}, "", core.NotFound, ""},
		"no such account, with 503":        {503, holder.Response{Refused: true, Message: "No such account"}, "", "", upstream.Unavailable},
		"closed, but with 200":             {200, holder.Response{Refused: true, Message: "Closed"}, "", "", upstream.Undecided},
		"closed":                           {400, holder.Response{Refused: true, Message: "Closed"}, "", core.NotFound, ""},
		"unknown text":                     {400, holder.Response{Refused: true, Message: "Switch inoperative"}, "", "", upstream.Undecided},
		"a known text, not as a refusal":   {400, holder.Response{Message: "No such account"}, "", "", upstream.Undecided},
		"a known text in a broken body":    {400, holder.Response{Broken: upstream.Fail(upstream.Malformed, ""), Refused: true, Message: "No such account"}, "", "", upstream.Undecided},
		"a broken body":                    {200, holder.Response{Broken: upstream.Fail(upstream.Malformed, ""), Number: &number, Name: &name}, "", "", upstream.Malformed},
		"a cap":                            {429, holder.Response{Refused: true, Message: "No more today"}, "", "", upstream.Refused},
		"throttled":                        {429, holder.Response{Refused: true, Message: "Slow down"}, "", "", upstream.Throttled},
		"a refused key with a known text":  {401, holder.Response{Refused: true, Message: "No such account"}, "", "", upstream.Refused},
		"a refusal that names the account": {200, holder.Response{Refused: true, Message: "?", Number: &number, Name: &name}, "", "", upstream.Undecided},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			got, err := holder.Judge(upstream.Response{Status: c.status}, c.said, table, asked)
			var outcome upstream.Outcome
			if failure, ok := errors.AsType[*upstream.Failure](err); ok {
				outcome = failure.Outcome
			}
			if got.Reveal() != c.want || outcome != c.outcome || c.outcome == "" && core.CodeOf(err) != c.code {
				t.Errorf("got %q, %v; want %q, %s%s", got.Reveal(), err, c.want, c.code, c.outcome)
			}
		})
	}
}

// TestAbsences checks the absence of each meaning; the others are not "not found".
func TestAbsences(t *testing.T) {
	t.Parallel()
	for meaning, want := range map[holder.Meaning]core.Absence{
		holder.NoAccount: "", holder.ProbablyNone: core.DoubtfulNone, holder.SharedNone: core.SharedNone, holder.Closed: core.ClosedAccount,
	} {
		if e, ok := errors.AsType[*core.Error](meaning.Err()); !ok || e.Code != core.NotFound || e.Absence != want {
			t.Errorf("%d: got %+v, want the absence %q", meaning, e, want)
		}
	}
	for _, meaning := range []holder.Meaning{holder.Nothing, holder.QuotaReached} {
		if err := meaning.Err(); core.CodeOf(err) == core.NotFound {
			t.Errorf("%d: got %v", meaning, err)
		}
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	table := holder.ClosedTexts([]int{400})
	for said, want := range map[string]holder.Meaning{
		"Account is closed.": holder.Closed, "Dormant  Account": holder.Closed, "account closed for maintenance": holder.Nothing, "": holder.Nothing,
	} {
		if got := holder.Classify(table, 400, said); got != want {
			t.Errorf("%q: got %v, want %v", said, got, want)
		}
		if got := holder.Classify(table, 500, said); got != holder.Nothing {
			t.Errorf("%q with 500: got %v", said, got)
		}
	}
}
