package holder_test

import (
	"errors"
	"testing"

	"causeway/adapters/upstream"
	"causeway/adapters/upstream/holder"
)

func TestOf(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	for name, c := range map[string]struct {
		number, name *string
		want         string // empty: cannot tell
	}{
		"found":              {text("0123456789"), text("  DOE   JANE "), "DOE JANE"},
		"another account":    {text("0123456780"), text("DOE JANE"), ""},
		"no account":         {nil, text("DOE JANE"), ""},
		"no name":            {text("0123456789"), nil, ""},
		"an empty name":      {text("0123456789"), text(" "), ""},
		"neither":            {nil, nil, ""},
		"zeros are digits":   {text("123456789"), text("DOE JANE"), ""},
		"a name of no sense": {text("0123456789"), text("n/a"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := holder.Of(c.number, c.name, "0123456789")
			failure, open := errors.AsType[*upstream.Failure](err)
			if got.Reveal() != c.want || (err == nil) != (c.want != "") || err != nil && (!open || failure.Outcome != upstream.Undecided) {
				t.Errorf("got %q, %v; want %q", got.Reveal(), err, c.want)
			}
		})
	}
}
