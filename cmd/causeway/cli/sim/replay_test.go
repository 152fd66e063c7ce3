package sim

import (
	"strings"
	"testing"
)

func TestBeginning(t *testing.T) {
	t.Parallel()
	if got := beginning([]byte(strings.Repeat("x", 1000))); len(got) > 500 || !strings.HasSuffix(got, "(1000 bytes)") {
		t.Errorf("got %s", got)
	}
}
