package addresses_test

import (
	stdbase32 "encoding/base32"
	"strings"
	"testing"

	library "github.com/btcsuite/btcd/btcutil/base58"

	"causeway/core/addresses"
	"causeway/core/addresses/base32"
	"causeway/core/addresses/base58"
	"causeway/core/addresses/bech32"
	"causeway/core/addresses/cashaddr"
	"causeway/core/addresses/f4jumble"
)

// FuzzCodecs decodes any text with every shared decoder: none may panic, and a decoded text must encode
// to itself.
func FuzzCodecs(f *testing.F) {
	for _, c := range cases(f) {
		if c.Valid {
			f.Add(c.Address)
		}
	}
	f.Add("82d818582183581c9c708538a763ff27169987a489e35057ef3cd3778c05e96f7ba9450ea0001a")
	f.Fuzz(func(t *testing.T, text string) {
		var buffer [512]byte
		var long [base58.MaxText]byte
		if data, reason := base58.Decode(&long, &base58.Bitcoin, text); reason == "" && library.Encode(data) != text {
			t.Errorf("base58 %q decodes to what encodes to %q", text, library.Encode(data))
		}
		data, reason := cashaddr.Decode(buffer[:], "ecash", text, &bech32.Values)
		if reason == "" && cashaddr.Encode("ecash", data) != "ecash:"+strings.ToLower(text) {
			t.Errorf("cashaddr %q decodes to what encodes to %q", text, cashaddr.Encode("ecash", data))
		}
		short := text[:min(len(text), 200)]
		data, reason = base32.Decode(buffer[:], short)
		if reason == "" && stdbase32.StdEncoding.WithPadding(stdbase32.NoPadding).EncodeToString(data) != short {
			t.Errorf("base32 %q is not the one spelling", text)
		}
		new(bech32.Text).Decode(text)
		addresses.Byron([]byte(text))
		if len(text) >= 2 {
			f4jumble.Invert([]byte(text[:min(len(text), 300)]))
		}
	})
}
