package cli

import (
	"bytes"
	"strings"
	"testing"
)

func TestUseColor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		terminal      bool
		term, noColor string
		want          bool
	}{
		{true, "xterm", "", true},
		{false, "xterm", "", false},
		{true, "xterm", "1", false},
		{true, "dumb", "", false},
		{true, "", "", false},
	} {
		env := map[string]string{"TERM": c.term, "NO_COLOR": c.noColor}
		if got := useColor(c.terminal, func(name string) string { return env[name] }); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if paint("halted") == paint("fresh") || len(paint("x")) != len("x")+len(paint("")) {
		t.Errorf("%q, %q, %q", paint("halted"), paint("fresh"), paint("x"))
	}
}

func TestTable_ControlCharacters(t *testing.T) {
	t.Parallel()
	table := Table{Head: []string{"NAME", "CODE"}}
	table.Row("a\x1b[31mb\nc\td", "1")
	var out bytes.Buffer
	if err := table.Write(&out); err != nil || out.String() != "NAME         CODE\na [31mb c d  1\n" {
		t.Errorf("%v, %q", err, out.String())
	}
}

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
