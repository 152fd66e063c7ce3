package simulator

import (
	"slices"
	"strings"

	"causeway/core"
)

// Preset returns the rules that go by a name, ready for Faults.Add: "slow_tail" for all providers, "slow_tail:kraken" for one. The error names
// what there is; whether there is such a provider only a world knows.
func Preset(name string) ([]Rule, error) {
	name, provider, narrowed := strings.Cut(name, ":")
	i := slices.IndexFunc(presets, func(p preset) bool { return p.name == name })
	switch {
	case i < 0:
		return nil, core.InvalidField("preset", "%s; accepted: %s, each for one provider too, as in slow_tail:kraken", shown(name), strings.Join(presetNames(), ", "))
	case narrowed && provider == "", presets[i].narrow && !narrowed:
		return nil, core.InvalidField("preset", "%s says no provider; accepted: such as %s:kraken", name, name)
	}
	var rules []Rule
	for _, r := range presets[i].rules {
		r = r.clone()
		r.Match.Provider = provider
		rules = append(rules, r)
	}
	return rules, nil
}

func presetNames() []string {
	var out []string
	for _, p := range presets {
		name := p.name
		if p.narrow {
			name += ":<provider>"
		}
		out = append(out, name)
	}
	return out
}
