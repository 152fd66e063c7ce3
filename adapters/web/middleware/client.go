package middleware

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// subscriberBits is the length of an IPv6 prefix that identifies a subscriber: each has
// 2^64 addresses.
const subscriberBits = 64

// ClientNetwork returns the address that a request comes from. Behind a trusted proxy it is the
// last address of X-Forwarded-For that is not a trusted proxy. An IPv6 address is returned as its
// /64 network. If the connection has no address, it returns the zero Prefix.
func ClientNetwork(r *http.Request, trusted []netip.Prefix) netip.Prefix {
	address, err := parseHop(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{}
	}
	isTrusted := func(a netip.Addr) bool {
		a = a.Unmap()
		return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	if forwarded := r.Header["X-Forwarded-For"]; len(forwarded) > 0 && isTrusted(address) {
		for _, hop := range slices.Backward(strings.Split(strings.Join(forwarded, ","), ",")) {
			before, err := parseHop(strings.TrimSpace(hop))
			if err != nil {
				break // the hops before it may be forged
			}
			if address = before; !isTrusted(before) {
				break
			}
		}
	}
	return Network(address)
}

// Network returns what identifies the client of an address: the address, or its /64 network for IPv6.
func Network(address netip.Addr) netip.Prefix {
	address = address.Unmap().WithZone("")
	bits := address.BitLen()
	if address.Is6() {
		bits = subscriberBits
	}
	network, _ := address.Prefix(bits) // bits fits the address
	return network
}

// parseHop parses an address with or without a port; some proxies send the port, too.
func parseHop(text string) (netip.Addr, error) {
	if hop, err := netip.ParseAddrPort(text); err == nil {
		return hop.Addr(), nil
	}
	return netip.ParseAddr(strings.Trim(text, "[]"))
}
