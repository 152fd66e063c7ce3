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

// TestTable_Narrow checks what a narrow terminal shows of tables about money: whole addresses, amounts and hashes.
func TestTable_Narrow(t *testing.T) {
	t.Parallel()
	const (
		address = "addr_test1vrjwdldsz6psthy4nku6g0xrwzv7tkd0a82gkmdrrxxfens43uy02"
		hash    = "0x7f6b3258777d32fd573699ec71d1f2c7476d642abc057988c115839deb683c88"
		amount  = "123456789.123456789012345678"
	)
	table := Table{Head: []string{"CODE", "NAME", "TYPE", "ALIASES"}, Optional: []string{"ALIASES", "TYPE"}}
	for range 2 {
		table.Row("000013", "Guaranty Trust Bank of Lagos", "commercial_bank_of_a_country", "058, GTBINGLA, 058152052")
	}
	one := Table{Head: table.Head, Rows: table.Rows[:1], Optional: table.Optional}
	transfers, err := unassignedView([]byte(`[{"seen_at":"2026-11-16T12:00:00Z","network":"ADA","currency":"USDT","amount":"` +
		amount + `","reason":"shared_address","address":"` + address + `","memo":"12","hash":"` + hash + `"}]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		table Table
		width int
		want  string
	}{
		{"wide", table, 100, "CODE    NAME                          TYPE                          ALIASES\n000013"},
		{"last column broken", table, 88, "ALIASES\n000013  Guaranty Trust Bank of Lagos  commercial_bank_of_a_country  058, GTBINGLA,\n "},
		{"a column left out", table, 80, "NAME                          TYPE\n"},
		{"two columns left out", table, 40, "CODE    NAME\n000013  Guaranty Trust Bank of Lagos\n"},
		{"a single row", one, 60, "CODE     000013\nNAME     Guaranty Trust Bank of Lagos\nTYPE     commercial_bank_of_a_country\n"},
		{"too narrow", table, 20, "\n\nCODE     000013\nNAME     Guaranty\n         Trust Bank\n         of Lagos\n"},
		{"address", transfers, 80, "ADDRESS   " + address + "\n"},
		{"hash", transfers, 60, "HASH      " + hash + "\n"},
		{"amount", transfers, 60, "AMOUNT    " + amount + "\n"},
		{"empty", Table{Head: []string{"WORLD", "DESCRIPTION"}}, 10, "none\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			fitted, ok := c.table.fit(c.width)
			err := fitted.Write(&out)
			if !ok {
				out.Reset()
				err = c.table.writeFields(&out, c.width)
			}
			if err != nil || !strings.Contains(out.String(), c.want) || strings.Contains(out.String(), "…") {
				t.Errorf("%v, want %s in\n%s", err, c.want, out.String())
			}
		})
	}
}
