package main

import (
	"net/http"
	"slices"
	"time"

	"causeway/adapters/gcra"
	"causeway/adapters/httpapi"
	"causeway/config"
	"causeway/simulator"
)

// seamsOf are what the API takes from a world.
func seamsOf(w *simulator.World) httpapi.Seams {
	seams := httpapi.Seams{
		Clock: w.Now, Entropy: w.Entropy, Object: objection,
		Apart:    func(r *http.Request) string { return simulator.CallOf(r.Context()).Apart() },
		Enforced: func() bool { return w.Options().EnforceLimits },
	}
	if w.Options().EnforceLimits {
		seams.Limiter = gcra.New(w.Now)
	}
	return seams
}

// objection is the error that a request asked for.
func objection(r *http.Request, _ string) error {
	outcome, asked := simulator.CallOf(r.Context()).Fail()
	if !asked {
		return nil
	}
	const again = 5 * time.Second
	wait := time.Duration(0)
	if outcome.Status == http.StatusTooManyRequests || outcome.Status == http.StatusServiceUnavailable {
		wait = again
	}
	if outcome.RetryAfter > 0 {
		wait = outcome.RetryAfter
	}
	if err, known := httpapi.Refusal(outcome.Error, "The sandbox made this answer on purpose: "+outcome.Name, wait); known {
		return err
	}
	return nil
}

// magical is the catalog of a world: with the magic pairs, where it has them.
func magical(c config.Catalog, w *simulator.World) config.Catalog {
	if !w.Options().MagicPairs {
		return c
	}
	more := simulator.MagicListings()
	c.Currencies = slices.Concat(c.Currencies, more.Currencies)
	c.MarketClasses = slices.Concat(c.MarketClasses, more.MarketClasses)
	c.Markets = slices.Concat(c.Markets, more.Markets)
	c.ListingClasses = slices.Concat(c.ListingClasses, more.ListingClasses)
	c.Listings = slices.Concat(c.Listings, more.Listings)
	return c
}
