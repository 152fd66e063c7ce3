package addresses_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"causeway/core/addresses"
)

// One wrong character in an address with a checksum does not make it a possible address of a network
// without checksums.
func TestMistypedAddress_OtherNetworks(t *testing.T) {
	t.Parallel()
	registry := addresses.Registry()
	bare := map[string]bool{}
	for _, n := range registry {
		bare[n.Code] = !n.Checksum
	}
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range registry {
		if n.Retired != "" || !n.Checksum {
			continue
		}
		s := only(t, n.Code)
		for _, f := range n.Formats {
			for at := range len(f.Example) {
				for range 2 {
					wrong := f.Example[:at] + string(alphabet[random.IntN(len(alphabet))]) + f.Example[at+1:]
					if strings.HasPrefix(wrong, "cx") || strings.HasPrefix(wrong, "hx") {
						continue // c or h for the 0 of 0x makes ICON's own form
					}
					v := validate(t, s, wrong)
					if v.Reason == addresses.WrongNetwork && len(v.PossibleNetworks) > 0 && bare[v.PossibleNetworks[0]] {
						t.Errorf("%s: %q for %q: got possible networks %v, want none", n.Code, wrong, f.Example, v.PossibleNetworks)
					}
				}
			}
		}
	}
}

// The reason of a mistyped address names the mistake, even if the letters fit another format.
func TestMistypedAddress_Reason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ network, text, reason string }{
		{"LTC", "ltc1qhkfq3zahaqkkzx5mjnamwjsfpq2jk7z0tamvs8", addresses.BadChecksum},
		{"LTC", "LTC1QHKFQ3ZAHAQKKZX5MJNAMWJSFPQ2JK7Z0TAMVS8", addresses.BadChecksum},
		{"LTC", "ltc1qhkfq3zahaqkkzx5mjnamwjsfpq2jk7z0tamvsb", addresses.BadCharacter},
		{"RUNE", "thor1w508d6qejxtdg4y5r3zarvary0c5xw7ku6wp69", addresses.BadChecksum},
		{"ATOM", "osmo1w508d6qejxtdg4y5r3zarvary0c5xw7kjxy2e3", addresses.BadChecksum},
		{"BCH", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6c", addresses.BadChecksum},
		{"XDC", "xdc5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", addresses.BadChecksum},
		{"XDC", "xdc5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg", addresses.BadCharacter},
		{"ICP", "6c5066261553064a8d4fa8f30fa9d587d9887bce69601cdb5b6cac8780fc8898", addresses.BadChecksum},
	} {
		if v := validate(t, only(t, c.network), c.text); v.Reason != c.reason || len(v.PossibleNetworks) > 0 {
			t.Errorf("%s %q: got %q, networks %v, want %q", c.network, c.text, v.Reason, v.PossibleNetworks, c.reason)
		}
	}
	for _, text := range []string{"Kt2y2fZPwiZIYmVE-iQmWHES59PdUkUCvCaYRKBwrEI", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", strings.Repeat("1", 32)} {
		if v := validate(t, only(t, "BTC"), text); v.Reason != addresses.WrongNetwork {
			t.Errorf("%q: got %q, want wrong_network", text, v.Reason)
		}
	}
}
