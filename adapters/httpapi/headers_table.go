package httpapi

// Header values that never change, ready to be put into a header map. They are shared by all requests and never written to.
var (
	typeJSON    = []string{"application/json"}
	typeProblem = []string{"application/problem+json"}
	typeHTML    = []string{"text/html; charset=utf-8"}
	typeYAML    = []string{"application/yaml"}
	typeCSS     = []string{"text/css; charset=utf-8"}
	typeScript  = []string{"text/javascript; charset=utf-8"}
	typeEvents  = []string{"text/event-stream"}
	typePNG     = []string{"image/png"}

	nosniff       = []string{"nosniff"}
	noStore       = []string{"no-store"}
	noReferrer    = []string{"no-referrer"}
	closes        = []string{"close"}
	strictYear    = []string{"max-age=31536000"}
	bearer        = []string{"Bearer"}
	onlyIdentity  = []string{"identity"}
	personal      = []string{"private, no-store"}
	anHour        = []string{"public, max-age=3600, stale-if-error=86400"}
	revalidate    = []string{"public, no-cache"}
	unbuffered    = []string{"no"}
	encodingGzip  = []string{"gzip"}
	encodingZstd  = []string{"zstd"}
	preflightTime = []string{"600"}

	// pagePolicy lets a page load what this process serves and nothing else, with no inline code.
	pagePolicy = []string{"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
)

// Canonical header names, as http.Header keys.
const (
	headerAccept         = "Accept"
	headerAcceptEncoding = "Accept-Encoding"
	headerAllow          = "Allow"
	headerAuthorization  = "Authorization"
	headerCacheControl   = "Cache-Control"
	headerConnection     = "Connection"
	headerEncoding       = "Content-Encoding"
	headerLength         = "Content-Length"
	headerLimit          = "Ratelimit" // as Go spells RateLimit
	headerLimitPolicy    = "Ratelimit-Policy"
	headerPolicy         = "Content-Security-Policy"
	headerType           = "Content-Type"
	headerETag           = "Etag"
	headerIfNoneMatch    = "If-None-Match"
	headerOrigin         = "Origin"
	headerRateLimit      = "X-Rate-Limit"
	headerReferrer       = "Referrer-Policy"
	headerRequestID      = "X-Request-Id"
	headerRetryAfter     = "Retry-After"
	headerSniff          = "X-Content-Type-Options"
	headerStrict         = "Strict-Transport-Security"
	headerTraceparent    = "Traceparent"
	headerVary           = "Vary"
)
