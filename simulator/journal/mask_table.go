package journal

// harmless are the members of bodies and the query parameters whose values are shown, as far as they look like what the name promises
// (see code): those that choose among things that are the same for everybody. Everything else is masked, whatever it is.
var harmless = map[string]bool{
	// The public API.
	"country": true, "country_id": true, "country_code": true, "currency": true, "currency_id": true, "channel": true, "bank_code": true,
	"network": true, "type": true, "memo_type": true, "base": true, "counter": true, "id": true, "sort": true, "sort_by": true, "period": true,

	// The control API. An id of a world, a seed and a value of a header are free text, and not here.
	"now": true, "frozen": true, "rate": true, "by": true, "to": true, "ttl": true, "magic_pairs": true, "enforce_limits": true,
	"pin": true, "spread_bps": true, "volatility": true, "drift": true, "offset_bps": true, "lag_ms": true, "state": true,
	"scenario": true, "speed": true, "outcome": true, "outcomes": true, "operation": true, "plane": true, "provider": true, "nth": true,
	"kind": true, "phase": true, "probability": true, "after": true, "every": true, "max_hits": true, "status": true, "code": true,
	"retry_after": true, "ms": true, "max_ms": true, "distribution": true, "bytes": true,
}

// prose are the members and parameters that may hold a sentence, or a name of several words: see Tell.
var prose = map[string]bool{"account_name": true, "memo": true, "q": true}

// replayed are the headers that an answer may depend on: those that are recorded, and those that a Bundle sends again. Headers
// of the simulator are so too. A credential is never among them.
var replayed = map[string]bool{
	"Accept": true, "Accept-Encoding": true, "Content-Encoding": true, "Content-Type": true, "If-None-Match": true, "Last-Event-Id": true,
	"X-Request-Id": true,
}
