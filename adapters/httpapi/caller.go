package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"go.uber.org/zap"

	"causeway/core"
)

// caller is who sent a request: the holder of a key of ours, or an address.
type caller struct {
	id    string // tells callers apart; never shown
	key   core.Key
	known bool  // by the key
	doubt error // the credential may be one of ours, and cannot be looked up
}

// who finds out who sent the request, once. A credential that is none of ours is treated as absent: nobody becomes somebody else by
// making one up.
func (x *exchange) who() *caller {
	if x.caller.id != "" {
		return &x.caller
	}
	a := x.api
	var doubt error
	if credential, sent := credentialOf(x.r); sent && a.config.Auth.Keys != nil {
		key, err := a.config.Auth.Keys.Find(x.r.Context(), credential)
		if err == nil {
			x.caller = caller{id: "key " + key.ID, key: key, known: true}
			return &x.caller
		}
		if core.CodeOf(err) == core.Unavailable {
			doubt = err
		}
	}
	x.caller = caller{id: x.address(), doubt: doubt}
	return &x.caller
}

// turnedAway reports whether the request was refused for who sent it, or for how much is asked at once: an operator wants to know by whom.
func (x *exchange) turnedAway() bool {
	switch x.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return true
	}
	return x.crowded
}

// attributed names the sender for the log: the id of a key, which is no secret, or of an address the keyed hash that the audit has, too.
func (x *exchange) attributed() zap.Field {
	c := x.who()
	if c.known {
		return zap.String("key", c.key.ID)
	}
	return zap.String("caller", x.in.services.Recipients.CallerHash(c.id))
}

// apart is what tells the request from others of its caller with which it shares nothing about accounts.
func (x *exchange) apart() string {
	if x.in.apart == nil {
		return ""
	}
	return x.in.apart(x.r)
}

// credentialOf reads the credential of a request.
func credentialOf(r *http.Request) (core.Secret, bool) {
	sent := r.Header[headerAuthorization]
	if len(sent) == 0 {
		return "", false
	}
	scheme, token, _ := strings.Cut(sent[0], " ")
	token = strings.TrimSpace(token)
	return core.Secret(token), strings.EqualFold(scheme, "Bearer") && token != ""
}

// sixNetwork is how much of an IPv6 address tells one subscriber from another: who has one address has 2^64 of them.
const sixNetwork = 64

// origin is the address that a request came from: the connection's, or where that is a trusted proxy's, the last one in X-Forwarded-For that
// is none. Of an IPv6 address it is the first of the network. It is no address at all where the connection has none.
func (a *API) origin(r *http.Request) netip.Addr {
	address, err := hopOf(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	switch forwarded := r.Header["X-Forwarded-For"]; {
	case len(forwarded) == 0:
	case !a.trusted(address):
		a.mistrusted.Do(func() {
			a.log.Warn("X-Forwarded-For is sent by somebody who is no trusted proxy, and not believed: if a proxy of yours stands in front, all its callers share one limit until api.trusted_proxies names its network")
		})
	default:
		hops := strings.Split(strings.Join(forwarded, ","), ",")
		for _, hop := range slices.Backward(hops) {
			before, err := hopOf(strings.TrimSpace(hop))
			if err != nil {
				break // what is before it, anybody may have written
			}
			address = before
			if !a.trusted(before) {
				break
			}
		}
	}
	if address = address.Unmap().WithZone(""); address.Is6() {
		network, _ := address.Prefix(sixNetwork) // of an IPv6 address: it has one
		return network.Addr()
	}
	return address
}

// hopOf reads an address with a port or without: some proxies tell the port of the connection, too.
func hopOf(text string) (netip.Addr, error) {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	} else if inner, found := strings.CutPrefix(text, "["); found {
		text = strings.TrimSuffix(inner, "]")
	}
	return netip.ParseAddr(text)
}

// address tells callers without a key apart.
func (x *exchange) address() string {
	var room [64]byte
	id := append(room[:0], "address "...)
	switch {
	case !x.from.IsValid():
		return string(append(id, x.r.RemoteAddr...))
	case x.from.Is6():
		return string(netip.PrefixFrom(x.from, sixNetwork).AppendTo(id))
	}
	return string(x.from.AppendTo(id))
}

func (a *API) trusted(address netip.Addr) bool {
	address = address.Unmap()
	return slices.ContainsFunc(a.config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(address) })
}
