package cli

import (
	"bytes"
	"strings"
	"testing"
)

func TestTable_Fit(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 200} {
		table := Table{Head: []string{"WORLD", "DESCRIPTION", "RESPONSE"}}
		table.Row("TestCheckout", strings.Repeat("é", 100), "404 not_found")
		table.fit(width)
		var out bytes.Buffer
		if err := table.Write(&out); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(strings.TrimRight(line, " \n"))); n > width {
				t.Errorf("%d columns at width %d: %s", n, width, line)
			}
		}
		if cut := strings.Contains(out.String(), "…"); cut != (width < 200) || !strings.Contains(out.String(), "WORLD") {
			t.Errorf("width %d: %s", width, out.String())
		}
	}
}
