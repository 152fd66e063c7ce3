package banks_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"

	"causeway/core"
)

// FuzzFind checks that a bank that Find returns has the code, and that errors name one field and are
// short.
func FuzzFind(f *testing.F) {
	list := append(catalog(), bank("NG", "000030", "Parallex Bank", "cbn", "104"), bank("NG", "090999", "Parallel MFB", "paystack", "104"))
	for _, b := range list {
		f.Add(b.Country, b.Code)
		for _, code := range b.Codes {
			f.Add(strings.ToLower(b.Country), " "+strings.ToLower(code))
		}
	}
	for _, code := range []string{"", "58", "GTBINGLAXXX", "gtbi ng la xxx", "950515", "mpsa", "\u0660\u0665\u0668", "０５８", "0\u00a05\u20098", "\x00", "\xff058", strings.Repeat("0", 300)} {
		f.Add("NG", code)
	}
	s := service(f, list).List()
	f.Fuzz(func(t *testing.T, country, code string) {
		got, err := s.Find(country, code)
		if err != nil {
			e, ok := errors.AsType[*core.Error](err)
			if !ok || e.Code != core.Invalid || len(e.Fields) != 1 || len(e.Message) > 600 {
				t.Fatalf("%q %q: %v", country, code, err)
			}
			return
		}
		plain := strings.ToUpper(strings.Join(strings.FieldsFunc(code, unicode.IsSpace), ""))
		known := slices.ContainsFunc(append(got.Aliases(), got.Code), func(c string) bool { return c == plain || c+"XXX" == plain })
		if !known || !strings.EqualFold(got.Country, strings.TrimSpace(country)) {
			t.Fatalf("%q %q: got %+v", country, code, got)
		}
		if again, err := s.Find(got.Country, got.Code); err != nil || again.Code != got.Code {
			t.Fatalf("own code %s: got %s, %v", got.Code, again.Code, err)
		}
	})
}
