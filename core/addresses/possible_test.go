package addresses_test

import (
	"slices"
	"testing"

	"causeway/core"
	"causeway/core/addresses"
)

// The possible networks of a text are all other networks that accept it, in the order of the registry:
// those with a checksum if there are any, else those without one, else test networks.
func TestPossibleNetworks(t *testing.T) {
	t.Parallel()
	texts, services := valid(t)
	registry := addresses.Registry()
	for _, list := range texts {
		for _, text := range list[:min(2, len(list))] {
			var by [3][]string
			named := map[string][]string{} // by the network that rejects the text
			for _, n := range registry {
				if n.Retired != "" {
					continue
				}
				v := validate(t, services[n.Code], text)
				if v.Reason == addresses.WrongNetwork && len(v.PossibleNetworks) > 0 {
					named[n.Code] = v.PossibleNetworks
				}
				switch {
				case !v.Valid || addresses.Vague(n.Code, text):
				case v.Environment == core.Testnet:
					by[2] = append(by[2], n.Code)
				case v.Checksum:
					by[0] = append(by[0], n.Code)
				default:
					by[1] = append(by[1], n.Code)
				}
			}
			want := by[0]
			for _, weaker := range by[1:] {
				if len(want) == 0 {
					want = weaker
				}
			}
			want = want[:min(8, len(want))]
			for code, got := range named {
				if !slices.Equal(got, want) {
					t.Fatalf("%q on %s: possible networks %v, want %v", text, code, got, want)
				}
			}
		}
	}
}
