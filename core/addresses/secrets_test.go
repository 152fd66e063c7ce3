package addresses_test

import (
	"errors"
	"strings"
	"testing"

	"causeway/core"
	"causeway/core/addresses"
)

// Published test vectors only.
const (
	bitcoinKey = "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617"
	rippleSeed = "sn259rEFXrQrWyx3Q7XneWcwV6dfL"
	hexKey     = "e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35"
	phrase     = "legal winner thank year wave sausage worth useful legal winner thank yellow"
)

// TestPhrasesAmongOtherWords: one stray word does not make a recovery phrase harmless.
func TestPhrasesAmongOtherWords(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a number after it":       phrase + " 7",
		"a short word before it":  "my " + phrase,
		"a stray in the middle":   strings.Replace(phrase, "sausage", "sausage #1", 1),
		"a sentence before it":    "my seed is: " + phrase,
		"numbered":                "1. legal 2. winner 3. thank 4. year 5. wave 6. sausage 7. worth 8. useful 9. legal 10. winner 11. thank 12. yellow",
		"numbered without spaces": "1.legal 2.winner 3.thank 4.year 5.wave 6.sausage 7.worth 8.useful 9.legal 10.winner 11.thank 12.yellow",
		"in quotes":               `"` + phrase + `"`,
	} {
		v := ask(t, only(t, "BTC"), text)
		if v.Reason != addresses.SecretKey || v.Address != "****" || strings.Contains(v.Message, "winner") {
			t.Errorf("%s: got %q, %q %q; want it masked", name, v.Address.Reveal(), v.Reason, v.Message)
		}
	}
	for _, prose := range []string{
		"Please send it to my wallet at the usual address, I am in a bit of a hurry as you know",
		"legal winner thank year wave",
	} {
		if v := ask(t, only(t, "BTC"), prose); v.Reason != addresses.Whitespace || v.Address.Reveal() != prose {
			t.Errorf("%q: got %q, %q", prose, v.Address.Reveal(), v.Reason)
		}
	}
}

func TestSecretsInMemosAreMasked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, network, memo string
		masked              bool
	}{
		{"a phrase", "XRP", phrase, true},
		{"a phrase where memos are text", "TON", phrase, true},
		{"a phrase where memos are ignored", "BTC", phrase, true},
		{"a phrase with a stray", "XLM", phrase + " 1", true},
		{"a phrase with dashes", "TON", strings.ReplaceAll(phrase, " ", "-"), true},
		{"a key twice in a row", "TON", bitcoinKey + bitcoinKey, true},
		{"a key in full width", "TON", wide(bitcoinKey), true},
		{"a seed", "XRP", rippleSeed, true},
		{"a key", "BTC", bitcoinKey, true},
		{"a key in words", "TON", "the key: " + bitcoinKey, true},
		{"a key in hexadecimal digits", "ETH", hexKey, true},
		{"a key with 0x", "BTC", "0x" + hexKey, true},
		{"a key with 0x where memos are digits", "XLM", "0x" + hexKey, true},
		{"a key where addresses are digits", "APT", "0x" + hexKey, true},
		{"digits where memos are such", "XLM", hexKey, false},
		{"a tag", "XRP", "12345", false},
		{"prose", "TON", "Payment for school fees second term", false},
		{"an empty one", "TON", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := only(t, c.network)
			v, err := s.Validate(core.AddressQuery{Currency: "COIN", Address: core.Private(example(t, c.network)), Memo: &c.memo})
			if err != nil || v.Memo == nil {
				t.Fatalf("got %+v, %v", v, err)
			}
			if want := map[bool]string{true: "****", false: c.memo}[c.masked]; *v.Memo != want {
				t.Errorf("the memo is shown as %q, want %q", *v.Memo, want)
			}
			if c.masked && strings.Contains(v.Message, c.memo) {
				t.Errorf("the message shows it: %q", v.Message)
			}
		})
	}
}

// example is an address of a network.
func example(t *testing.T, network string) string {
	t.Helper()
	for _, row := range addresses.Registry() {
		if row.Code == network {
			return row.Formats[0].Example
		}
	}
	t.Fatalf("there is no network %s", network)
	return ""
}

// TestSecretsInCodesAreNotQuoted: what is pasted into the wrong field is in no error.
func TestSecretsInCodesAreNotQuoted(t *testing.T) {
	t.Parallel()
	s := only(t, "BTC")
	for _, secret := range []string{bitcoinKey, rippleSeed, phrase, hexKey, "0x" + hexKey} {
		if !addresses.Secret(secret) {
			t.Errorf("%q is not known for a secret", secret)
		}
		for field, q := range map[string]core.AddressQuery{
			"currency":  {Currency: secret, Address: segwitAddress},
			"network":   {Currency: "COIN", Network: secret, Address: segwitAddress},
			"memo_type": {Currency: "COIN", MemoType: secret, Address: segwitAddress},
		} {
			_, err := s.Validate(q)
			e, ok := errors.AsType[*core.Error](err)
			if !ok || len(e.Fields) != 1 || e.Fields[0].Field != field || !strings.Contains(e.Message, "looks like a private key") || strings.Contains(e.Message, secret[:8]) {
				t.Errorf("%s is %q: got %v", field, secret, err)
			}
		}
	}
	for _, code := range []string{"", "BTC", "DOGECOIN", "Binance Smart Chain", "avalanche c-chain mainnet", "SOMETHINGELSEENTIRELY"} {
		if addresses.Secret(code) {
			t.Errorf("%q is taken for a secret", code)
		}
	}
	_, err := s.Validate(core.AddressQuery{Currency: "0123456789", Address: segwitAddress})
	if e, ok := errors.AsType[*core.Error](err); !ok || strings.Contains(e.Message, "0123456789") {
		t.Errorf("an account number is quoted: %v", err)
	}
}
