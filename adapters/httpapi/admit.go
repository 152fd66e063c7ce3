package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strings"

	"causeway/core"
)

const (
	allowedHeaders = "Accept, Authorization, Content-Type, If-None-Match, Last-Event-ID, Traceparent, X-BU-PROFILE-ID, X-BU-Version, X-Request-Id"
	exposedHeaders = "ETag, Retry-After, X-Request-Id"
)

// admit reads who may call: keys for account resolution, origins for pages.
func (a *API) admit(config Config) error {
	switch config.Auth.Resolution {
	case "":
		a.keyNeeded = !config.Sandbox
	case Open:
	case Required:
		a.keyNeeded = true
	default:
		return fmt.Errorf("httpapi: auth resolution is %q; accepted: open, required", config.Auth.Resolution)
	}
	for _, key := range config.Auth.Keys {
		if key != "" {
			a.keys = append(a.keys, sha256.Sum256([]byte(key.Reveal())))
		}
	}
	if a.keyNeeded && len(a.keys) == 0 {
		return fmt.Errorf("httpapi: account resolution needs a key, and no keys are configured")
	}
	a.vary, a.varyError = []string{headerAcceptEncoding}, []string{headerAccept}
	if len(config.CORSOrigins) > 0 {
		a.origins = make(map[string][]string, len(config.CORSOrigins))
		for _, origin := range config.CORSOrigins {
			a.origins[origin] = []string{origin}
		}
		a.vary, a.varyError = []string{headerAcceptEncoding + ", " + headerOrigin}, []string{headerAccept + ", " + headerOrigin}
	}
	return nil
}

// authorize lets a request with a configured key pass, and every request where no key is needed.
func (a *API) authorize(r *http.Request) error {
	if !a.keyNeeded {
		return nil
	}
	token, sent := credentialOf(r)
	if !sent {
		return fail(unauthorized, "A key is needed: send the header Authorization: Bearer <key>")
	}
	if !a.known(token) {
		return fail(unauthorized, "The key is not one of this installation's; check the header Authorization: Bearer <key>")
	}
	return nil
}

// credentialOf reads the credential of a request.
func credentialOf(r *http.Request) (core.Secret, bool) {
	scheme, token, _ := strings.Cut(r.Header.Get(headerAuthorization), " ")
	token = strings.TrimSpace(token)
	return core.Secret(token), strings.EqualFold(scheme, "Bearer") && token != ""
}

// known reports whether a credential is one of ours. It is compared with all of them, by their hashes, so that the time tells nothing.
func (a *API) known(token core.Secret) bool {
	hash, known := sha256.Sum256([]byte(token.Reveal())), 0
	for i := range a.keys {
		known |= subtle.ConstantTimeCompare(hash[:], a.keys[i][:])
	}
	return known == 1
}

// callerOf tells callers apart: by a credential of ours, else by their address. Any other credential is treated as absent: nobody becomes
// somebody else by making one up.
func (a *API) callerOf(r *http.Request) string {
	if token, sent := credentialOf(r); sent && a.known(token) {
		hash := sha256.Sum256([]byte(token.Reveal()))
		return "key " + string(hash[:])
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return "address " + host
}

// allowOrigin lets a page of a configured origin read the answer.
func (a *API) allowOrigin(x *exchange) {
	if allowed, ok := a.origins[x.r.Header.Get(headerOrigin)]; ok {
		h := x.w.Header()
		h["Access-Control-Allow-Origin"] = allowed
		h["Access-Control-Expose-Headers"] = []string{exposedHeaders}
	}
}

// allowMethods answers a preflight from a configured origin with what the path takes.
func (a *API) allowMethods(x *exchange, methods string) {
	if _, ok := a.origins[x.r.Header.Get(headerOrigin)]; ok && x.r.Header.Get("Access-Control-Request-Method") != "" {
		h := x.w.Header()
		h["Access-Control-Allow-Methods"] = []string{methods}
		h["Access-Control-Allow-Headers"] = []string{allowedHeaders}
		h["Access-Control-Max-Age"] = preflightTime
	}
}
