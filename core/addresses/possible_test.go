package addresses_test

import (
	"slices"
	"testing"

	"causeway/core/addresses"
)

// TestPossibleNetworks: the networks named for a text that belongs elsewhere are those that accept it, in the order of the
// registry and those with a checksum first, and no shortcut misses one.
func TestPossibleNetworks(t *testing.T) {
	t.Parallel()
	texts, services := valid(t)
	registry := addresses.Registry()
	for _, list := range texts {
		for _, text := range list {
			var sure, perhaps []string
			asked := map[string]string{}
			for _, n := range registry {
				if n.Retired != "" {
					continue
				}
				v := ask(t, services[n.Code], text)
				asked[n.Code] = v.Reason
				switch {
				case !v.Valid || addresses.Vague(n.Code, text):
				case v.Checksum:
					sure = append(sure, n.Code)
				default:
					perhaps = append(perhaps, n.Code)
				}
			}
			want := slices.Concat(sure, perhaps)
			want = want[:min(8, len(want))]
			for code, reason := range asked {
				if reason != addresses.WrongNetwork {
					continue
				}
				if got := ask(t, services[code], text).PossibleNetworks; len(got) > 0 && !slices.Equal(got, want) {
					t.Fatalf("%q on %s: possible networks %v, want %v", text, code, got, want)
				}
			}
		}
	}
}
