package httpapi

import (
	"net/http"
	"net/netip"
	"strings"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/middleware"
	"causeway/core"
)

// caller is who sent a request: the holder of a key, or an address.
type caller struct {
	id      string       // distinguishes callers; never shown
	key     *core.Key    // nil: none
	network netip.Prefix // of a caller without a key
	err     error        // the keys could not be looked up
}

// callerOf identifies the caller, once per request. A credential that is not valid counts as
// absent, so that it never gains a caller new limits.
func (q *request) callerOf(r *http.Request) *caller {
	if q.caller.id != "" {
		return &q.caller
	}
	if keys := q.api.config.Auth.Keys; keys != nil {
		if credential, sent := bearer(r); sent {
			key, err := keys.Find(r.Context(), credential)
			if err == nil {
				q.caller = caller{id: "key " + key.ID, key: &key}
				return &q.caller
			}
			if core.CodeOf(err) == core.Unavailable {
				q.caller.err = err
			}
		}
	}
	q.caller.network = q.api.clientNetwork(r)
	q.caller.id = "address " + r.RemoteAddr // of a connection without an IP address
	if q.caller.network.IsValid() {
		q.caller.id = string(q.caller.network.AppendTo([]byte("address ")))
	}
	return &q.caller
}

// clientNetwork returns the address of the client, or its network for IPv6. It is invalid if the
// connection has no address.
func (a *API) clientNetwork(r *http.Request) netip.Prefix {
	if len(r.Header["X-Forwarded-For"]) > 0 && len(a.config.TrustedProxies) == 0 {
		a.warnOnce.Do(func() {
			a.log.Warn("ignoring X-Forwarded-For: no trusted proxies are configured; behind a proxy all clients " +
				"share the limits of one until api.trusted_proxies names its network")
		})
	}
	return middleware.ClientNetwork(r, a.config.TrustedProxies)
}

// bearer returns the credential of the header Authorization.
func bearer(r *http.Request) (core.Secret, bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	return core.Secret(token), strings.EqualFold(scheme, "Bearer") && token != "" && !ambiguous(r)
}

// ambiguous reports whether a request has several credentials. A proxy may have joined their headers
// with a comma, which is no part of a token (RFC 6750).
func ambiguous(r *http.Request) bool {
	sent := r.Header["Authorization"]
	return len(sent) > 1 || len(sent) == 1 && strings.HasPrefix(strings.ToLower(sent[0]), "bearer") &&
		strings.Contains(sent[0], ",")
}

// authorize returns an error unless the operation is public or the request has a key that allows it.
func (q *request) authorize(r *http.Request) error {
	if ambiguous(r) {
		return apierror.New(apierror.BadRequest, "The header Authorization has several values; send one")
	}
	if !q.operation.keyed {
		return nil
	}
	c := q.callerOf(r)
	_, sent := bearer(r)
	switch {
	case c.key != nil && (c.key.Allows(q.operation.id) || c.key.Allows(q.operation.scope)):
		return nil
	case c.key != nil:
		return apierror.New(apierror.Forbidden, "The key %s does not allow %s; use a key with that scope", c.key.ID,
			q.operation.id)
	case c.err != nil:
		return c.err
	case !sent:
		return apierror.New(apierror.Unauthorized, "A key is required: send the header Authorization: Bearer <key>")
	}
	return apierror.New(apierror.Unauthorized, "The key is unknown, expired or revoked; check the header "+
		"Authorization: Bearer <key>")
}
