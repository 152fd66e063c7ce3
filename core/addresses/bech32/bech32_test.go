package bech32_test

import (
	"testing"

	"causeway/core/addresses/bech32"
)

func decode(text string) *bech32.Text {
	var t bech32.Text
	t.Decode(text)
	return &t
}

// TestDecode uses the vectors of BIP-173 and BIP-350 that are no addresses.
func TestDecode(t *testing.T) {
	t.Parallel()
	const plain, modified = bech32.Plain, bech32.Modified
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
		if got := decode(text); got.Reason != "" || got.Variant != want {
			t.Errorf("%s: got variant %x (%s), want %x", text, got.Variant, got.Reason, want)
		}
	}
	for _, text := range []string{
		"pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v", "li1dgmt3", "A1G7SGD8", "10a06t8", "1qzzfhee", "", "1",
		"y1b0jsk6g", "lt1igcx5c0", "in1muywd", "mm1crxm3i", "au1s5cgom", "M1VUXWEZ", "16plkw9", "1p2gdwpf",
	} {
		if decode(text).Reason == "" {
			t.Errorf("%q was decoded", text)
		}
	}
}
