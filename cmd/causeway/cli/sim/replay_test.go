package sim

import (
	"strings"
	"testing"
)

func TestShorten(t *testing.T) {
	t.Parallel()
	if got := shorten([]byte(strings.Repeat("x", 1000))); len(got) > 500 || !strings.HasSuffix(got, "(1000 bytes)") {
		t.Errorf("got %s", got)
	}
}
