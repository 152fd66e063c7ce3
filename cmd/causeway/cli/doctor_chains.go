package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"causeway/adapters/upstream"
	"causeway/cmd/causeway/app"
	"causeway/config"
	"causeway/core"
	"causeway/ports"
)

// chains checks every configured back end of a network.
func (d *doctor) chains(ctx context.Context) []result {
	const check = "back ends"
	switch {
	case len(d.cfg.Deposits.Chains) == 0:
		return []result{skip("none is configured: no deposits are detected").of(check)}
	case d.cfg.Mode != config.Production:
		return []result{skip("a sandbox simulates them; run with --mode production to check the real ones").of(check)}
	case d.offline:
		return []result{skip("not called").of(check)}
	}
	catalog, err := d.cfg.LoadCatalog()
	var backends map[string][]ports.Chain
	if err == nil {
		backends, err = app.ConnectChains(d.cfg, catalog, d.env)
	}
	switch {
	case err != nil && d.faults != nil:
		return []result{skip("not called: the configuration has faults").of(check)}
	case err != nil:
		return configurationFaults(err)
	}
	var work sync.WaitGroup
	all := make([][]result, len(catalog.Chains))
	for i, chain := range catalog.Chains {
		all[i] = make([]result, len(backends[chain.Network]))
		for j, b := range backends[chain.Network] {
			work.Go(func() { all[i][j] = d.judgeBackend(ctx, chain, b).of("back end " + b.Name()) })
		}
	}
	work.Wait()
	return slices.Concat(all...)
}

// judgeBackend reports whether a back end responds, serves the right network, and shows new and whole
// blocks.
func (d *doctor) judgeBackend(ctx context.Context, chain core.Chain, b ports.Chain) result {
	const blocks, least, before = 10, time.Minute, 3
	key := config.Variable("deposits.chains." + chain.Network)
	err := b.Check(ctx)
	if errors.Is(err, ports.ErrOtherNetwork) {
		return fail("it serves another network than "+chain.Network, "correct its URL in "+key)
	}
	var tip core.Tip
	if err == nil {
		tip, err = b.Tip(ctx)
	}
	if err == nil {
		_, err = b.Block(ctx, max(1, tip.Height-before))
	}
	if err != nil {
		return fail(explainBackend(err, key))
	}
	age := d.env.Clock().Sub(tip.Time).Round(time.Second)
	found := fmt.Sprintf("it shows %s up to block %d, %s old",
		chain.Network, tip.Height, config.FormatDuration(max(0, age)))
	if age > max(least, blocks*chain.BlockTime) {
		return warn(found, "the node is behind or stands still: deposits arrive late; see its log or status page")
	}
	return pass(found)
}

// explainBackend returns what happened to a failed request, without anything of the URL or the response,
// and what to do.
func explainBackend(err error, key string) (found, do string) {
	failure, ok := errors.AsType[*upstream.Failure](err)
	switch {
	case errors.Is(err, ports.ErrNoBlock), errors.Is(err, ports.ErrIncomplete):
		return "it does not show a whole block", "use a node that shows blocks with all receipts, also while it is busy"
	case !ok:
		return "the response is not the documented one", "another server responds in its place: check the URL in " + key
	}
	found, do = failure.Error(), "it is down: see its log or status page; run doctor again"
	switch {
	case failure.Outcome == upstream.Refused:
		do = "correct the key or password in the URL in " + key
	case failure.Outcome == upstream.Throttled || failure.Outcome == upstream.Quota:
		do = "wait; if it stays, another program uses the same key or address, or the plan is too small"
	case failure.Outcome == upstream.Malformed:
		do = "another server responds in its place, or it lacks a method: check the URL in " + key
	case failure.Status == 0:
		do = "check DNS, the firewall, HTTPS_PROXY, and the authorities that this machine trusts"
	}
	return found, do
}
