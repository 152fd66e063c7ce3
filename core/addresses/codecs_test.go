package addresses_test

import (
	"bytes"
	"encoding/base32"
	"encoding/hex"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"causeway/core/addresses"
)

// TestBase58 uses the vectors of Bitcoin Core, src/test/data/base58_encode_decode.json.
func TestBase58(t *testing.T) {
	t.Parallel()
	for digits, text := range map[string]string{
		"61": "2g", "626262": "a3gV", "636363": "aPEr", "516b6fcd0f": "ABnLTmg", "572e4794": "3EFU7m", "10c8511e": "Rt5zm",
		"73696d706c792061206c6f6e6720737472696e67":           "2cFupjhnEsSn59qHXstmK2ffpLv2",
		"00eb15231dfceb60925886b67d065299925915aeb172c06647": "1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L",
		"00000000000000000000":                               "1111111111",
	} {
		want, _ := hex.DecodeString(digits)
		got, ok := addresses.Base58(text)
		if !ok || !bytes.Equal(got, want) || addresses.EncodeBase58(want) != text {
			t.Errorf("%s: decoded %x, want %s; encoded %s", text, got, digits, addresses.EncodeBase58(want))
		}
	}
	for _, text := range []string{"0", "O", "I", "l", "3mJr0", "É", " 1", ""} {
		if _, ok := addresses.Base58(text); ok {
			t.Errorf("%q was decoded", text)
		}
	}
}

// TestBase58AgainstBigNumbers compares with the textbook algorithm.
func TestBase58AgainstBigNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 1, 120).Draw(t, "data")
		text := addresses.EncodeBase58(data)
		n, zeros := new(big.Int), len(data)-len(bytes.TrimLeft(data, "\x00"))
		for i := range len(text) {
			n.Mul(n, big.NewInt(58))
			n.Add(n, big.NewInt(int64(strings.IndexByte("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", text[i]))))
		}
		if want := append(make([]byte, zeros), n.Bytes()...); !bytes.Equal(want, data) {
			t.Fatalf("%x was encoded as %s", data, text)
		}
		if got, ok := addresses.Base58(text); !ok || !bytes.Equal(got, data) {
			t.Fatalf("%x came back as %x", data, got)
		}
	})
}

// TestBech32 uses the vectors of BIP-173 and BIP-350 that are no addresses.
func TestBech32(t *testing.T) {
	t.Parallel()
	const plain, modified = 1, 0x2bc830a3
	for text, want := range map[string]uint32{
		"A12UEL5L": plain, "a12uel5l": plain, "?1ezyfcl": plain,
		"an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs": plain,
		"abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw":                                              plain,
		"split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w":                               plain,
		"A1LQFN3A": modified, "a1lqfn3a": modified, "?1v759aa": modified,
		"an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11sg7hg6": modified,
		"abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx":                                              modified,
		"split1checkupstagehandshakeupstreamerranterredcaperredlc445v":                               modified,
	} {
		if got, ok := addresses.Bech32(text); !ok || got != want {
			t.Errorf("%s: got variant %x, %v, want %x", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v", "li1dgmt3", "A1G7SGD8", "10a06t8", "1qzzfhee", "", "1",
		"y1b0jsk6g", "lt1igcx5c0", "in1muywd", "mm1crxm3i", "au1s5cgom", "M1VUXWEZ", "16plkw9", "1p2gdwpf",
	} {
		if _, ok := addresses.Bech32(text); ok {
			t.Errorf("%q was decoded", text)
		}
	}
}

func TestCashaddrRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 1, 65).Draw(t, "data")
		prefix := rapid.SampledFrom([]string{"bitcoincash", "ecash", "kaspa"}).Draw(t, "prefix")
		text := addresses.EncodeCash(prefix, data)
		if got, ok := addresses.Cash(prefix, text[len(prefix)+1:]); !ok || !bytes.Equal(got, data) {
			t.Fatalf("%s came back as %x, want %x", text, got, data)
		}
	})
}

// TestBase32 compares with the standard library where that is strict: one spelling for every text.
func TestBase32(t *testing.T) {
	t.Parallel()
	encoding := base32.StdEncoding.WithPadding(base32.NoPadding)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")), 1, 60, -1).Draw(t, "text")
		want, err := encoding.DecodeString(text)
		canonical := err == nil && encoding.EncodeToString(want) == text
		got, ok := addresses.Base32(text)
		if ok != canonical || ok && !bytes.Equal(got, want) {
			t.Fatalf("%s: got %x, %v, want %x, %v", text, got, ok, want, canonical)
		}
	})
}

// TestCRC16 uses the catalogue of CRCs.
func TestCRC16(t *testing.T) {
	t.Parallel()
	if got := addresses.CRC16([]byte("123456789")); got != 0x31c3 {
		t.Errorf("got %x, want 31c3", got)
	}
}

// FuzzCodecs gives any bytes to every decoder that networks share: none may panic, and what decodes
// encodes to the same text.
func FuzzCodecs(f *testing.F) {
	for _, c := range cases(f) {
		if c.Valid {
			f.Add(c.Address)
		}
	}
	f.Add("82d818582183581c9c708538a763ff27169987a489e35057ef3cd3778c05e96f7ba9450ea0001a")
	f.Fuzz(func(t *testing.T, text string) {
		if data, ok := addresses.Base58(text); ok && addresses.EncodeBase58(data) != text {
			t.Errorf("base58 %q decodes to what encodes to %q", text, addresses.EncodeBase58(data))
		}
		if data, ok := addresses.Cash("ecash", text); ok && addresses.EncodeCash("ecash", data) != "ecash:"+strings.ToLower(text) {
			t.Errorf("cashaddr %q decodes to what encodes to %q", text, addresses.EncodeCash("ecash", data))
		}
		if data, ok := addresses.Base32(text[:min(len(text), 200)]); ok && base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(data) != text[:min(len(text), 200)] {
			t.Errorf("base32 %q is not the one spelling", text)
		}
		addresses.Bech32(text)
		addresses.Byron([]byte(text))
		if len(text) >= 2 {
			addresses.Unjumble([]byte(text[:min(len(text), 300)]))
		}
	})
}
