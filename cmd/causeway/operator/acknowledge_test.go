package operator

import (
	"encoding/json"
	"strings"
	"testing"
)

func FuzzReadWord(f *testing.F) {
	for _, seed := range []string{`{"currency":"USDT"}`, `{"currency":""}`, `{}`, `null`, `[]`, `{"currency":1}`, `{"currency":"USDT"} `, "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		currency, err := readWord(strings.NewReader(body))
		if err == nil && (currency == "" || strings.ToUpper(currency) != currency || !json.Valid([]byte(body))) {
			t.Errorf("%q is read as %q", body, currency)
		}
	})
}
