package webhooks

import "net/netip"

// Admit checks a public address.
func Admit(ip netip.Addr) error {
	return Options{}.admit("shop", netip.AddrPortFrom(ip, 443).String(), false)
}
