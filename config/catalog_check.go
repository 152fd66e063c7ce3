package config

import "causeway/core"

// How many pairs are offered: fewer are no product, more are more than one answer should carry.
const (
	minListings = 80
	maxListings = 100
)

const usd = "USD" // in which limits are set

func (l *loader) takeMarkets(t pairTable, c *Catalog) {
	l.markets = make(map[core.Pair]bool, len(t.Markets))
	fixed := map[string]string{} // currency to another one of the same treaty
	for i, row := range t.Markets {
		at := place{pairsFile, "markets", i, row.Pair}
		market := l.market(at, row, c)
		if row.Fixed != "" {
			market.Fixed = l.decimal(at, "fixed", row.Fixed)
			l.want(market.Fixed.IsPositive(), at, "fixed is %q; accepted: a rate above zero", row.Fixed)
			a, b := origin(fixed, market.Pair.Base), origin(fixed, market.Pair.Counter)
			l.want(a != b, at, "closes a cycle of fixed rates, which could contradict each other")
			if a != b {
				fixed[a] = b
			}
		}
		if inverse := market.Pair.Inverse(); row.StandIn {
			l.want(l.markets[inverse], at, "stand_in; accepted behind the market %s, which it stands in for", inverse)
			l.want(!l.markets[market.Pair], at, "is there twice")
		} else {
			l.want(!l.quoted(market.Pair.Base, market.Pair.Counter), at, "is there twice, in this orientation or the other")
		}
		l.checkMarket(at, market, row.Fixed != "", c)
		l.markets[market.Pair] = true
		c.Markets = append(c.Markets, market)
	}
	for i, row := range t.Markets {
		if row.Bound != "" {
			at := place{pairsFile, "markets", i, row.Pair}
			l.checkRoute(at, core.Listing{Pair: c.Markets[i].Pair, Via: row.Bound})
		}
	}
}

// checkMarket checks that a market has sources or a fixed rate, and a class that fits.
func (l *loader) checkMarket(at place, market core.Market, fixed bool, c *Catalog) {
	if class := marketClass(c, market.Class); class >= 0 && fixed != (c.MarketClasses[class].MaxAge == 0) {
		l.fault(at, "class %q: fixed rates have a class without max_age, all others one with it", market.Class)
	}
	l.want(fixed == (len(market.Sources) == 0), at, "sources %v, fixed %t; accepted: one or more sources, or a fixed rate", market.Sources, fixed)
}

// origin follows the links from a currency to the one that stands for all that it is tied to.
func origin(links map[string]string, currency string) string {
	for next, linked := links[currency]; linked; next, linked = links[currency] {
		currency = next
	}
	return currency
}

// quoted reports whether a market quotes the pair, in either orientation.
func (l *loader) quoted(base, counter string) bool {
	pair := core.Pair{Base: base, Counter: counter}
	return l.markets[pair] || l.markets[pair.Inverse()]
}

func (l *loader) takeListings(t pairTable, c *Catalog) {
	ids := make(map[string]core.Pair, len(t.Listings))
	for i, row := range t.Listings {
		at := place{pairsFile, "listings", i, row.Pair}
		listing := core.Listing{Pair: l.pair(at, row.Pair), Class: row.Class, Via: row.Via, Else: row.Else, Direct: row.Direct}
		id, base, counter := listing.Pair.ID(), listing.Pair.Base, listing.Pair.Counter
		other, twice := ids[id]
		l.want(!twice, at, "its id %s is already that of %s", id, other)
		ids[id] = listing.Pair
		l.want(listingClass(c, row.Class) >= 0, at, "class %q is not one of listing_classes", row.Class)
		l.want(l.currencies[base] != core.Fiat || l.currencies[counter] == core.Fiat, at, "a fiat currency is the base only where the counter is fiat too")
		l.checkRoute(at, listing)
		if row.Else != "" {
			l.want(row.Via != "" && row.Via != row.Else, at, "else %s; accepted beside another via", row.Else)
			l.checkRoute(at, core.Listing{Pair: listing.Pair, Via: row.Else})
		}
		l.want(!row.Direct || row.Via != "" && l.quoted(base, counter), at, "direct; accepted beside via, where the pair has a market of its own")
		l.want(l.worthUSD(base), at, "%s has no price in USD along at most two markets: its limits cannot be set", base)
		c.Listings = append(c.Listings, listing)
	}
	n := len(t.Listings)
	l.want(n >= minListings && n <= maxListings, place{file: pairsFile}, "%d listings; accepted: %d to %d", n, minListings, maxListings)
}

// checkRoute checks that every leg of the route is a market and that the route does not return to where it was.
func (l *loader) checkRoute(at place, listing core.Listing) {
	base, via, counter := listing.Pair.Base, listing.Via, listing.Pair.Counter
	switch via {
	case "":
		l.want(l.quoted(base, counter), at, "leg %s has no market", listing.Pair)
	case base, counter:
		l.fault(at, "via %s is one of its own sides: the route is a cycle", via)
	default:
		l.want(l.quoted(base, via), at, "leg %s/%s has no market", base, via)
		l.want(l.quoted(via, counter), at, "leg %s/%s has no market", via, counter)
	}
}

// worthUSD reports whether a currency can be valued in USD along at most two markets.
func (l *loader) worthUSD(currency string) bool {
	if currency == usd || l.quoted(currency, usd) {
		return true
	}
	for between := range l.currencies {
		if l.quoted(currency, between) && l.quoted(between, usd) {
			return true
		}
	}
	return false
}
