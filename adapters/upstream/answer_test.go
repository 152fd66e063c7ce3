package upstream_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/adapters/upstream"
	_ "causeway/test/fixedseed"
)

func TestDecimal(t *testing.T) {
	t.Parallel()
	t.Run("keeps every digit", func(t *testing.T) {
		t.Parallel()
		for raw, want := range map[string]string{
			`"64000.10000"`:                 "64000.1",
			`64000.1`:                       "64000.1",
			`"0.00001234"`:                  "0.00001234",
			`1.6e-05`:                       "0.000016",
			`1E+3`:                          "1000",
			`-5`:                            "-5",
			`"0.00000000"`:                  "0",
			`0.1234567890123456789012345`:   "0.1234567890123456789012345",
			`"93501695.360000000000000001"`: "93501695.360000000000000001",
		} {
			if d, ok := upstream.Decimal(json.RawMessage(raw)); !ok || d.String() != want {
				t.Errorf("%s: got %s %v, want %s", raw, d, ok, want)
			}
		}
	})
	t.Run("refuses what is not a plain number", func(t *testing.T) {
		t.Parallel()
		for _, raw := range []string{
			"", `""`, `"`, `null`, `true`, `"NaN"`, `"Infinity"`, `"1,5"`, `"1.364,5"`, `"+1"`, `" 1"`, `"1 "`, `"0x10"`, `"1_000"`, `"01"`,
			`".5"`, `"5."`, `"1e"`, `"1e100"`, `1e-100`, `1e999`, `"1e99999"`, "\"\u22125\"", `"١٢"`, `[1]`, `{"a":1}`, `"1""`, `""1"`,
			`"` + strings.Repeat("9", 65) + `"`, strings.Repeat("1", 100_000),
		} {
			if d, ok := upstream.Decimal(json.RawMessage(raw)); ok {
				t.Errorf("%.80q: got %s", raw, d)
			}
		}
	})
	t.Run("reads what it prints", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			want := decimal.New(rapid.Int64().Draw(t, "digits"), rapid.Int32Range(-30, 30).Draw(t, "exponent"))
			for _, raw := range []string{want.String(), `"` + want.String() + `"`} {
				if got, ok := upstream.Decimal(json.RawMessage(raw)); !ok || !got.Equal(want) {
					t.Errorf("%s: got %s %v", raw, got, ok)
				}
			}
		})
	})
}

func FuzzDecimal(f *testing.F) {
	for _, seed := range []string{`"64000.1"`, `1.6e-05`, `"NaN"`, `"1,5"`, `1e41`, `""`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, ok := upstream.Decimal(raw)
		if !ok {
			return
		}
		if len(d.String()) > 200 {
			t.Errorf("%q expands to %d characters", raw, len(d.String()))
		}
		if back, again := upstream.Decimal(json.RawMessage(`"` + d.String() + `"`)); len(d.String()) <= 64 && (!again || !back.Equal(d)) {
			t.Errorf("%q: read as %s, and that as %s", raw, d, back)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"name":"x","list":[1]}`, `{"name":1}`, `{`, `<html>`, "{\"name\":\"\xff\"}", `{}{}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var out struct {
			Name string            `json:"name"`
			List []json.RawMessage `json:"list"`
		}
		err := upstream.Decode(raw, &out)
		if err == nil && !json.Valid(raw) {
			t.Errorf("took %q, which is not JSON", raw)
		}
		if err != nil && len(err.Error()) > 100 {
			t.Errorf("the error quotes the document: %v", err)
		}
	})
}
