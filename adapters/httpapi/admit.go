package httpapi

import (
	"errors"
	"strings"
)

const (
	allowedHeaders = "Accept, Authorization, Content-Type, If-None-Match, Last-Event-ID, Traceparent, X-BU-PROFILE-ID, X-BU-Version, X-Request-Id"
	exposedHeaders = "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Rate-Limit, X-Request-Id"
)

// admit reads who may call: keys for operations, origins for pages.
func (a *API) admit(config Config) error {
	if len(config.Auth.Operations) > 0 && config.Auth.Keys == nil {
		return errors.New("httpapi: operations need a key, and there are no keys")
	}
	a.vary, a.varyError = []string{headerAcceptEncoding}, []string{headerAccept}
	if len(config.CORSOrigins) > 0 {
		a.origins = make(map[string][]string, len(config.CORSOrigins))
		for _, origin := range config.CORSOrigins {
			a.origins[origin] = []string{origin}
		}
		a.vary, a.varyError = []string{headerAcceptEncoding + ", " + headerOrigin}, []string{headerAccept + ", " + headerOrigin}
	}
	if asks := names(config.Front.Asks); len(asks) > 0 {
		a.vary = append(a.vary, strings.Join(asks, ", "))
	}
	a.allowed = []string{strings.Join(append([]string{allowedHeaders}, names(config.Front.Asks)...), ", ")}
	a.exposed = []string{strings.Join(append([]string{exposedHeaders}, names(config.Front.Tells)...), ", ")}
	return nil
}

// authorize lets a request pass that needs no key, or has one that allows the operation.
func (x *exchange) authorize(o *operation) error {
	if !o.keyed {
		return nil
	}
	switch c := x.who(); {
	case c.known && c.key.Allows(o.id):
		return nil
	case c.known:
		return fail(forbidden, "The key %s does not allow %s; a key with that scope is needed", c.key.ID, o.id)
	case c.doubt != nil:
		return c.doubt
	}
	if _, sent := credentialOf(x.r); !sent {
		return fail(unauthorized, "A key is needed: send the header Authorization: Bearer <key>")
	}
	return fail(unauthorized, "The key is unknown, expired or revoked; check the header Authorization: Bearer <key>")
}

// allowOrigin lets a page of a configured origin read the answer.
func (a *API) allowOrigin(x *exchange) {
	if allowed, ok := a.origins[x.r.Header.Get(headerOrigin)]; ok {
		h := x.w.Header()
		h["Access-Control-Allow-Origin"] = allowed
		h["Access-Control-Expose-Headers"] = a.exposed
	}
}

// allowMethods answers a preflight from a configured origin with what the path takes.
func (a *API) allowMethods(x *exchange, methods string) {
	if _, ok := a.origins[x.r.Header.Get(headerOrigin)]; ok && x.r.Header.Get("Access-Control-Request-Method") != "" {
		h := x.w.Header()
		h["Access-Control-Allow-Methods"] = []string{methods}
		h["Access-Control-Allow-Headers"] = a.allowed
		h["Access-Control-Max-Age"] = preflightTime
	}
}
