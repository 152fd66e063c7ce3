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

// A recovery phrase with one other word is still a secret.
func TestSecrets_PhraseInText(t *testing.T) {
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
		v := validate(t, only(t, "BTC"), text)
		if v.Reason != addresses.SecretKey || v.Address != "****" || strings.Contains(v.Message, "winner") {
			t.Errorf("%s: got %q, %q %q; want it masked", name, v.Address.Reveal(), v.Reason, v.Message)
		}
	}
	for _, prose := range []string{
		"Please send it to my wallet at the usual address, I am in a bit of a hurry as you know",
		"legal winner thank year wave",
	} {
		if v := validate(t, only(t, "BTC"), prose); v.Reason != addresses.Whitespace || v.Address.Reveal() != prose {
			t.Errorf("%q: got %q, %q", prose, v.Address.Reveal(), v.Reason)
		}
	}
}

// A memo that is certainly a secret is invalid, one that may be a secret is masked, and a hash stays.
func TestSecrets_Memo(t *testing.T) {
	t.Parallel()
	const (
		asSent = iota
		masked
		refused // and masked
	)
	for _, c := range []struct {
		name, network, memo string
		want                int
	}{
		{"a phrase", "XRP", phrase, refused},
		{"a phrase where memos are text", "TON", phrase, refused},
		{"a phrase for the hub", "ATOM", phrase, refused},
		{"a phrase for a name", "EOS", phrase, refused},
		{"a phrase for an account", "HBAR", phrase, refused},
		{"a phrase where memos are ignored", "BTC", phrase, refused},
		{"a phrase with a stray", "XLM", phrase + " 1", masked},
		{"a phrase with dashes", "TON", strings.ReplaceAll(phrase, " ", "-"), refused},
		{"a numbered phrase", "TON", "1. legal 2. winner 3. thank 4. year 5. wave 6. sausage 7. worth 8. useful 9. legal 10. winner 11. thank 12. yellow", refused},
		{"a longer phrase", "ATOM", phrase + " " + phrase, refused},
		{"a key twice in a row", "TON", bitcoinKey + bitcoinKey, refused},
		{"a key in full width", "TON", wide(bitcoinKey), refused},
		{"a seed", "XRP", rippleSeed, refused},
		{"a seed of Stellar", "XLM", "SAV76USXIJOBMEQXPANUOQM6F5LIOTLPDIDVRJBFFE2MDJXG24TAPUU7", refused},
		{"a key", "BTC", bitcoinKey, refused},
		{"a key for the hub", "ATOM", bitcoinKey, refused},
		{"a key in words", "TON", "the key: " + bitcoinKey, refused},
		{"an extended key", "ATOM", "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi", refused},
		{"digits where memos are ignored", "ETH", hexKey, masked},
		{"digits with 0x where memos are ignored", "BTC", "0x" + hexKey, masked},
		{"digits where addresses are such", "APT", "0x" + hexKey, masked},
		{"a hash", "ATOM", hexKey, asSent},
		{"a hash with 0x", "TON", "0x" + hexKey, asSent},
		{"a hash where memos are such", "XLM", hexKey, asSent},
		{"what THORChain writes", "RUNE", "OUT:" + strings.ToUpper(hexKey), asSent},
		{"a hash in a long comment", "TON", strings.Repeat("- ", 400) + hexKey, asSent},
		{"twice as many digits", "ATOM", hexKey + strings.Repeat("0", 64), masked},
		{"a signature of Solana", "ATOM", "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW", masked},
		{"a tag", "XRP", "12345", asSent},
		{"prose", "TON", "Payment for school fees second term", asSent},
		{"prose as long as a phrase", "TON", "Please credit this payment towards the outstanding tuition invoice for Adaeze Okafor thanks", masked},
		{"an empty one", "TON", "", asSent},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := only(t, c.network)
			v, err := s.Validate(core.AddressQuery{Currency: "COIN", Address: core.Private(example(t, c.network)), Memo: &c.memo})
			if err != nil || v.Memo == nil {
				t.Fatalf("got %+v, %v", v, err)
			}
			if want := map[bool]string{true: "****", false: c.memo}[c.want != asSent]; *v.Memo != want {
				t.Errorf("got memo %q, want %q", *v.Memo, want)
			}
			if got := v.Reason == addresses.SecretKey && !v.Valid; got != (c.want == refused) {
				t.Errorf("got %v %q %q, want it refused: %v", v.Valid, v.Reason, v.Message, c.want == refused)
			}
			if c.want == refused && !strings.Contains(v.Message, "memo") || c.want != asSent && strings.Contains(v.Message, c.memo) {
				t.Errorf("got message %q, want one about the memo that does not contain it", v.Message)
			}
		})
	}
}

// example returns an address of a network.
func example(t *testing.T, network string) string {
	t.Helper()
	for _, row := range addresses.Registry() {
		if row.Code == network {
			return row.Formats[0].Example
		}
	}
	t.Fatalf("unknown network %s", network)
	return ""
}

// A secret in the wrong field does not appear in the error.
func TestSecrets_NotQuotedInErrors(t *testing.T) {
	t.Parallel()
	s := only(t, "BTC")
	for _, secret := range []string{bitcoinKey, rippleSeed, phrase, hexKey, "0x" + hexKey} {
		if !addresses.Secret(secret) {
			t.Errorf("%q: got no secret, want one", secret)
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
			t.Errorf("%q: got a secret, want none", code)
		}
	}
	_, err := s.Validate(core.AddressQuery{Currency: "0123456789", Address: segwitAddress})
	if e, ok := errors.AsType[*core.Error](err); !ok || strings.Contains(e.Message, "0123456789") {
		t.Errorf("error contains the account number: %v", err)
	}
}
