package base58_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	library "github.com/btcsuite/btcd/btcutil/base58"
	"pgregory.net/rapid"

	"causeway/core/addresses/base58"
	_ "causeway/test/fixedseed"
)

func decode(text string) ([]byte, string) {
	var buffer [base58.MaxText]byte
	return base58.Decode(&buffer, &base58.Bitcoin, text)
}

// TestDecode uses the vectors of Bitcoin Core, src/test/data/base58_encode_decode.json.
func TestDecode(t *testing.T) {
	t.Parallel()
	for digits, text := range map[string]string{
		"61": "2g", "626262": "a3gV", "636363": "aPEr", "516b6fcd0f": "ABnLTmg", "572e4794": "3EFU7m", "10c8511e": "Rt5zm",
		"73696d706c792061206c6f6e6720737472696e67":           "2cFupjhnEsSn59qHXstmK2ffpLv2",
		"00eb15231dfceb60925886b67d065299925915aeb172c06647": "1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L",
		"00000000000000000000":                               "1111111111",
	} {
		want, _ := hex.DecodeString(digits)
		got, reason := decode(text)
		if reason != "" || !bytes.Equal(got, want) || library.Encode(want) != text {
			t.Errorf("%s: decoded %x, want %s; encoded %s", text, got, digits, library.Encode(want))
		}
	}
	for _, text := range []string{"0", "O", "I", "l", "3mJr0", "É", " 1", ""} {
		if _, reason := decode(text); reason == "" {
			t.Errorf("%q was decoded", text)
		}
	}
}

// TestDecode_Library compares with the library, which uses big numbers.
func TestDecode_Library(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 1, 120).Draw(t, "data")
		if got, reason := decode(library.Encode(data)); reason != "" || !bytes.Equal(got, data) {
			t.Fatalf("%x came back as %x", data, got)
		}
	})
}
