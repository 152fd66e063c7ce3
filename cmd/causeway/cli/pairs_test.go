package cli

import (
	"strings"
	"testing"
)

func TestPricesList(t *testing.T) {
	t.Parallel()
	out, err := run(t, "", "prices", "list")
	if lines := strings.Count(out, "\n"); err != nil || lines < 80 {
		t.Fatalf("%d lines, %v", lines, err)
	}
	if want := "BTC/NGN 3 of 2; or BTC/USDT 4 of 2, USDT/NGN 3 of 2\n"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
}
