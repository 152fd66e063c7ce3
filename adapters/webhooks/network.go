package webhooks

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// The bounds of an endpoint's connections.
const (
	maxConnections = 16
	idleTime       = 90 * time.Second
	maxHeader      = 64 << 10
)

// refusal is an address that an endpoint must not have.
type refusal string

// Error returns what to do about the address.
func (r refusal) Error() string { return string(r) }

// transport returns the connections of an endpoint. It checks each address that the host resolves to right before
// it connects, so that a name cannot resolve to another address in between, and ignores HTTP proxies, which would
// resolve the name themselves.
func (o Options) transport(name string, allowPrivate bool) *http.Transport {
	dialer := net.Dialer{
		Resolver: o.Resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			return o.admit(name, address, allowPrivate)
		},
	}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        o.TLS,
		ForceAttemptHTTP2:      true,
		MaxConnsPerHost:        maxConnections,
		MaxIdleConnsPerHost:    maxConnections,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
	}
}

// admit checks an address before the endpoint is connected to.
func (o Options) admit(name, address string, allowPrivate bool) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return refusal("has an address that cannot be read")
	}
	ip := to.Addr().Unmap().WithZone("")
	if o.isOurs(netip.AddrPortFrom(ip, to.Port())) {
		return refusal("resolves to ourselves, " + to.String() + ": an address that this process listens on")
	}
	kind, never := classify(ip)
	switch {
	case never:
		return refusal(fmt.Sprintf("resolves to %s, %s, which receives no webhooks", kind, ip))
	case kind != "" && !allowPrivate:
		return refusal(fmt.Sprintf("resolves to %s, %s; set webhooks.%s.allow_private if that is intended", kind, ip, name))
	}
	return nil
}

// isOurs reports whether this process listens on an address.
func (o Options) isOurs(to netip.AddrPort) bool {
	if o.Listeners == nil {
		return false
	}
	for _, listener := range o.Listeners() {
		own, ok := listener.(*net.TCPAddr)
		if !ok || own.Port != int(to.Port()) {
			continue
		}
		host := own.AddrPort().Addr().Unmap()
		if host == to.Addr() || (!host.IsValid() || host.IsUnspecified()) && isLocal(to.Addr()) {
			return true
		}
	}
	return false
}

// isLocal reports whether an interface of this machine has an address.
func isLocal(ip netip.Addr) bool {
	addresses, err := net.InterfaceAddrs()
	if err != nil || ip.IsLoopback() || ip.IsUnspecified() {
		return true
	}
	for _, a := range addresses {
		if network, ok := a.(*net.IPNet); ok && network.IP.Equal(ip.AsSlice()) {
			return true
		}
	}
	return false
}

// Addresses that are not of the public internet, from the IANA special-purpose address registries
// (iana-ipv4-special-registry and iana-ipv6-special-registry, read 2026-11), apart from those that package netip names.
var (
	carrierGrade = netip.MustParsePrefix("100.64.0.0/10")
	reserved     = []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("192.0.0.0/24"),
		netip.MustParsePrefix("192.0.2.0/24"),
		netip.MustParsePrefix("192.88.99.0/24"),
		netip.MustParsePrefix("198.18.0.0/15"),
		netip.MustParsePrefix("198.51.100.0/24"),
		netip.MustParsePrefix("203.0.113.0/24"),
		netip.MustParsePrefix("240.0.0.0/4"),
		netip.MustParsePrefix("2001::/23"), // Teredo included
		netip.MustParsePrefix("2001:db8::/32"),
		netip.MustParsePrefix("3fff::/20"),
	}
	globalUnicast = netip.MustParsePrefix("2000::/3")
	nat64         = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour     = netip.MustParsePrefix("2002::/16")
)

// classify returns what kind of address an address is if it is not of the public internet, and whether no endpoint
// may have it. Addresses of NAT64 and 6to4 are judged by the IPv4 address in them.
func classify(ip netip.Addr) (kind string, never bool) {
	ip = ip.Unmap().WithZone("")
	switch bytes := ip.As16(); {
	case nat64.Contains(ip):
		return classify(netip.AddrFrom4([4]byte(bytes[12:16])))
	case sixToFour.Contains(ip):
		return classify(netip.AddrFrom4([4]byte(bytes[2:6])))
	case ip.IsLoopback():
		return "an address of this machine", false
	case ip.IsPrivate():
		return "a private address", false
	case carrierGrade.Contains(ip):
		return "a private address of a carrier", false
	case ip.IsUnspecified():
		return "the unspecified address", true
	case ip.IsLinkLocalUnicast():
		return "a link-local address", true
	case ip.IsMulticast():
		return "a multicast address", true
	case ip.Is6() && !globalUnicast.Contains(ip):
		return "a reserved address", true
	}
	for _, p := range reserved {
		if p.Contains(ip) {
			return "a reserved address", true
		}
	}
	return "", false
}
