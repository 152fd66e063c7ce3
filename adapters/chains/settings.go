package chains

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"causeway/adapters/chains/backend"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

// Settings are the part of the section "deposits" that says how blocks are read.
type Settings struct {
	Chains        map[string][]core.Secret `json:"chains" doc:"Back ends that show the blocks of a network, by network code, each an adapter and its URL such as evm:https://node.example/KEY. The first one that responds is read, and all of them verify. A network without back ends detects no deposits. See docs/deposits.md."`
	Confirmations map[string]int64         `json:"confirmations" doc:"Blocks that complete a deposit, the block of the transaction included, by network code, in place of the catalog's. 0, for networks that say which blocks are final: only finality completes a deposit."`
}

// maxConfirmations is more than any network needs, and few enough to keep their blocks.
const maxConfirmations = 10_000

// Check reports what is wrong with the settings, without repeating URLs.
func (s Settings) Check() error {
	var faults []error
	var readable []string
	for _, d := range Descriptors {
		readable = append(readable, d.Networks...)
	}
	slices.Sort(readable)
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.Chains)) {
		key, network := "deposits.chains."+name, strings.ToUpper(name)
		switch {
		case !slices.Contains(readable, network):
			faults = append(faults, fmt.Errorf("%s is for no network whose blocks can be read; accepted: %s", key,
				strings.Join(slices.Compact(readable), ", ")))
			continue
		case seen[network]:
			faults = append(faults, fmt.Errorf("%s is set twice, in different case", key))
		case len(s.Chains[name]) == 0:
			faults = append(faults, fmt.Errorf("%s is empty; accepted: one or more back ends such as %s:https://node.example",
				key, Descriptors[0].Name))
		}
		seen[network] = true
		for i, text := range s.Chains[name] {
			if _, _, err := parse(network, text.Reveal()); err != nil {
				faults = append(faults, fmt.Errorf("%s %w", key, err))
			} else if slices.Contains(s.Chains[name][:i], text) {
				faults = append(faults, fmt.Errorf("%s has the same back end twice", key))
			}
		}
	}
	return errors.Join(faults...)
}

// Apply replaces the confirmations of chains, and reports which networks of the settings are not among
// the chains.
func (s Settings) Apply(all []core.Chain) error {
	var faults []error
	byNetwork := map[string]*core.Chain{}
	for i := range all {
		byNetwork[all[i].Network] = &all[i]
	}
	accepted := strings.Join(slices.Sorted(maps.Keys(byNetwork)), ", ")
	for _, name := range slices.Sorted(maps.Keys(s.Chains)) {
		if byNetwork[strings.ToUpper(name)] == nil {
			faults = append(faults, fmt.Errorf("deposits.chains.%s is for no network of chains.yaml; accepted: %s",
				name, accepted))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Confirmations)) {
		chain, n := byNetwork[strings.ToUpper(name)], s.Confirmations[name]
		switch {
		case chain == nil:
			faults = append(faults, fmt.Errorf("deposits.confirmations.%s is for no network of chains.yaml; accepted: %s",
				name, accepted))
		case n < 0 || n > maxConfirmations || n == 0 && !chain.Finality:
			least := 1
			if chain.Finality {
				least = 0
			}
			faults = append(faults, fmt.Errorf("deposits.confirmations.%s is %d; accepted: %d to %d",
				name, n, least, maxConfirmations))
		default:
			chain.Confirmations = n
		}
	}
	return errors.Join(faults...)
}

// Connect connects the configured back ends. It returns them by network, and sends no request.
func (s Settings) Connect(factory *upstream.Factory, all []core.Chain) (map[string][]ports.Chain, error) {
	out := map[string][]ports.Chain{}
	for name, texts := range s.Chains {
		network := strings.ToUpper(name)
		i := slices.IndexFunc(all, func(c core.Chain) bool { return c.Network == network })
		if i < 0 {
			return nil, fmt.Errorf("deposits.chains.%s is for no network of chains.yaml", name)
		}
		for n, text := range texts {
			c, err := New(factory, all[i], n+1, text.Reveal())
			if err != nil {
				return nil, fmt.Errorf("deposits.chains.%s %w", name, err)
			}
			out[network] = append(out[network], c)
		}
	}
	return out, nil
}

// Undetected returns the networks of deposit wallets that have no back end, sorted.
func (s Settings) Undetected(wallets []string) []string {
	missing := map[string]bool{}
	for _, wallet := range wallets {
		networks := []string{wallet}
		if i := slices.IndexFunc(Descriptors, func(d backend.Descriptor) bool { return d.Wallet == wallet }); i >= 0 {
			networks = Descriptors[i].Networks
		}
		for _, network := range networks {
			missing[network] = true
		}
	}
	for name := range s.Chains {
		delete(missing, strings.ToUpper(name))
	}
	return slices.Sorted(maps.Keys(missing))
}

// URLs returns the URLs of the back ends by the name of the network in the settings.
func (s Settings) URLs() map[string][]string {
	out := map[string][]string{}
	for name, texts := range s.Chains {
		for _, text := range texts {
			_, address, _ := strings.Cut(strings.TrimSpace(text.Reveal()), ":")
			out[name] = append(out[name], address)
		}
	}
	return out
}
