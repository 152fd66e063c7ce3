package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/httpapi/apierror"
	"causeway/adapters/httpapi/middleware"
	"causeway/core"
)

// caller is who sent a request: the holder of a key, or an address.
type caller struct {
	id     string // distinguishes callers; never shown
	key    core.Key
	hasKey bool
	err    error // the keys could not be looked up
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
				q.caller = caller{id: "key " + key.ID, key: key, hasKey: true}
				return &q.caller
			}
			if core.CodeOf(err) == core.Unavailable {
				q.caller.err = err
			}
		}
	}
	q.caller.id = "address " + q.api.clientAddress(r)
	return &q.caller
}

// clientAddress returns the address of the client, or its network for IPv6.
func (a *API) clientAddress(r *http.Request) string {
	if len(r.Header["X-Forwarded-For"]) > 0 && len(a.config.TrustedProxies) == 0 {
		a.warnOnce.Do(func() {
			a.log.Warn("ignoring X-Forwarded-For: no trusted proxies are configured; behind a proxy all clients " +
				"share one rate limit until api.trusted_proxies names its network")
		})
	}
	switch network := middleware.ClientNetwork(r, a.config.TrustedProxies); {
	case !network.IsValid():
		return r.RemoteAddr
	case network.Addr().Is4():
		return network.Addr().String()
	default:
		return network.String()
	}
}

// bearer returns the credential of the header Authorization.
func bearer(r *http.Request) (core.Secret, bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	return core.Secret(token), strings.EqualFold(scheme, "Bearer") && token != ""
}

// authorize is huma middleware that admits a request to an operation that needs a key only with a
// key that allows it.
func (a *API) authorize(ctx huma.Context, next func(huma.Context)) {
	id := ctx.Operation().OperationID
	if !a.needsKey(id) {
		next(ctx)
		return
	}
	r, w := unwrap(ctx)
	if err := requestFrom(r.Context()).authorized(r, id); err != nil {
		WriteError(w, r, err)
		return
	}
	next(ctx)
}

func (a *API) needsKey(operation string) bool {
	return slices.Contains(a.config.Auth.Operations, operation)
}

func (q *request) authorized(r *http.Request, operation string) error {
	c := q.callerOf(r)
	switch {
	case c.hasKey && c.key.Allows(operation):
		return nil
	case c.hasKey:
		return apierror.New(apierror.Forbidden, "The key %s does not allow %s; use a key with that scope", c.key.ID,
			operation)
	case c.err != nil:
		return c.err
	}
	if _, sent := bearer(r); !sent {
		return apierror.New(apierror.Unauthorized, "A key is required: send the header Authorization: Bearer <key>")
	}
	return apierror.New(apierror.Unauthorized, "The key is unknown, expired or revoked; check the header "+
		"Authorization: Bearer <key>")
}

// callerFrom returns the caller and the isolation key of a request.
func callerFrom(ctx context.Context, r *http.Request) (c *caller, isolation string) {
	if isolate := instanceFrom(ctx).env.Isolation; isolate != nil {
		isolation = isolate(r)
	}
	return requestFrom(ctx).callerOf(r), isolation
}
