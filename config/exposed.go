package config

import (
	"net/netip"
	"net/url"
	"reflect"
	"strings"
)

// PlainProviders are the keys of the providers that a production process asks over the network without TLS, so that credentials and account numbers can
// be read on the way, and prices be changed. One on this machine is none of them.
func (c Config) PlainProviders() []string {
	if c.Mode != Production {
		return nil
	}
	var out []string
	walk("", reflect.ValueOf(c), func(name, _ string, value reflect.Value) {
		if !strings.HasSuffix(name, ".base_url") && !strings.HasSuffix(name, ".socket_url") {
			return
		}
		at, err := url.Parse(value.String())
		if err == nil && (at.Scheme == "http" || at.Scheme == "ws") && !isThisMachine(at.Hostname()) {
			out = append(out, name)
		}
	})
	return out
}

func isThisMachine(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && address.Unmap().IsLoopback()
}
