package cli

import "testing"

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
