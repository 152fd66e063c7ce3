package core_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"causeway/core"
)

func TestCodeOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want core.Code
	}{
		{nil, ""},
		{errors.New("plain"), core.Internal},
		{core.Errorf(core.NotFound, "no"), core.NotFound},
		{fmt.Errorf("outer: %w", core.Errorf(core.Unavailable, "later").With(context.DeadlineExceeded)), core.Unavailable},
		{core.InvalidField("country_id", "is required"), core.Invalid},
	} {
		if got := core.CodeOf(c.err); got != c.want {
			t.Errorf("%v: got %s, want %s", c.err, got, c.want)
		}
	}
}

func TestError_With(t *testing.T) {
	t.Parallel()
	cause := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("10.0.0.7:443 refused")}
	plain := core.Errorf(core.Unavailable, "Temporarily unavailable")
	err := plain.With(cause).Retry(5 * time.Second)
	if err.Message != "Temporarily unavailable" || err.RetryAfter != 5*time.Second || !errors.Is(err, cause) {
		t.Errorf("got %+v, want the message, the cause and a retry after 5s", err)
	}
	if want := "unavailable: Temporarily unavailable: dial tcp: 10.0.0.7:443 refused"; err.Error() != want {
		t.Errorf("Error: got %q, want %q", err.Error(), want)
	}
	if because := plain.Because(core.ClosedAccount); because.Absence != core.ClosedAccount || because.Message != plain.Message {
		t.Errorf("Because: got %+v", because)
	}
	if plain.Unwrap() != nil || plain.RetryAfter != 0 || plain.Absence != "" {
		t.Errorf("With, Because or Retry changed the receiver: %+v", plain)
	}
}

func TestInvalidFields(t *testing.T) {
	t.Parallel()
	err := core.InvalidFields(core.FieldError{Field: "channel", Reason: "is required"}, core.FieldError{Field: "bank_code", Reason: `"58" is unknown`})
	if err.Code != core.Invalid || len(err.Fields) != 2 || err.Message != "channel is required" {
		t.Errorf("got %+v, want 2 fields and the message of the first", err)
	}
}
