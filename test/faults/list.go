package faults

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// Texts of providers that no answer of ours may show.
const (
	Unseen = "Never seen before"
	Nobody = "TEST NOBODY" // a name that no account has
)

const (
	apology = "<!DOCTYPE html><html><body><h1>We will be right back</h1></body></html>"
	capText = "Test mode daily limit of 3 live bank resolves exceeded. Use test bank codes 001 or upgrade to live mode."

	textPlain, textHTML, jsonType = "text/plain; charset=utf-8", "text/html; charset=utf-8", "application/json"
)

// All are those of simulator.md that an account provider can have, and those that were seen.
func All() []Fault {
	list := []Fault{
		{"500 in plain text", Fatal, saying(500, textPlain, "oops")},
		{"500 in JSON", Fatal, saying(500, jsonType, `{"message":"Internal Server Error"}`)},
		{"502 of a gateway", Fatal, saying(502, textHTML, apology)},
		{"503 with Retry-After", Fatal, with("Retry-After", "1", saying(503, textPlain, ""))},
		{"504 of a gateway", Fatal, saying(504, textHTML, apology)},
		{"520 of a cache", Fatal, saying(520, textHTML, apology)},
		{"429 with Retry-After", Throttles, with("Retry-After", "1", saying(429, jsonType, `{"message":"Too many requests"}`))},
		{"429 without Retry-After", Throttles, saying(429, jsonType, `{"message":"Too many requests"}`)},
		{"429 as a page", Throttles, with("Retry-After", "1", saying(429, textHTML, apology))},
		{"the test-mode cap, 429", Throttles, refusing(429, capText)},
		{"the test-mode cap, 400", Fatal, refusing(400, capText)},
		{"401 invalid key", Fatal, refusing(401, "Invalid key")},
		{"403 forbidden", Fatal, refusing(403, "API key lacks permission")},
		{"404 of an unknown route", Fatal, saying(404, jsonType, `{"message":"Route not found","code":"NOT_FOUND_ERROR","status":false}`)},
		{"404 as a page", Fatal, saying(404, textHTML, apology)},
		{"HTML with 200", Fatal, saying(200, textHTML, apology)},
		{"HTML that says it is JSON", Fatal, saying(200, jsonType, apology)},
		{"plain text that says it is JSON", Fatal, saying(200, jsonType, "oops")},
		{"an empty body", Fatal, saying(200, jsonType, "")},
		{"204", Fatal, func(x *Scene) { x.w.WriteHeader(http.StatusNoContent) }},
		{"null", Fatal, saying(200, jsonType, "null")},
		{"an array", Fatal, saying(200, jsonType, "[]")},
		{"an empty object", Fatal, saying(200, jsonType, "{}")},
		{"a redirect", Fatal, with("Location", "http://127.0.0.1:1/", saying(302, textHTML, apology))},
		{"a permanent redirect", Fatal, with("Location", "/elsewhere", saying(308, textPlain, ""))},
		{"a connection that breaks before the answer", Fatal, func(*Scene) { panic(http.ErrAbortHandler) }},
		{"a connection that breaks after the question was handled", Fatal, func(x *Scene) { x.about(x.Number); panic(http.ErrAbortHandler) }},
		{"an answer that is cut off", Fatal, func(x *Scene) { x.half(); panic(http.ErrAbortHandler) }},
		{"half a document", Fatal, func(x *Scene) { body := x.about(x.Number).Body.String(); x.say(200, jsonType, body[:len(body)/2]) }},
		{"no answer", Hangs, func(x *Scene) { <-x.r.Context().Done() }},
		{"an answer that never ends", Hangs, (*Scene).dribble},
		{"a slow answer", Late, func(x *Scene) { x.after(2500 * time.Millisecond) }},
		{"a huge body", Fatal, (*Scene).flood},
		{"the answer twice", Fatal, func(x *Scene) { body := x.about(x.Number).Body.String(); x.say(200, jsonType, body+body) }},
		{"another content type", Harmless, func(x *Scene) { a := x.about(x.Number); x.say(a.Code, textPlain, a.Body.String()) }},
	}
	return append(append(list, texts()...), answers()...)
}

// texts are failures in the provider's own form.
func texts() []Fault {
	return []Fault{
		{"an unknown text", Fatal, refusing(0, Unseen)},
		{"an unknown text with 400", Fatal, refusing(400, Unseen)},
		{"an unknown text with 200", Fatal, refusing(200, Unseen)},
		{"an empty text", Fatal, refusing(0, "")},
		{"the words of an unknown account, with 503", Fatal, func(x *Scene) { x.unknown(503) }},
		{"the words of an unknown account, with 500", Fatal, func(x *Scene) { x.unknown(500) }},
		{"a failure beside a name", Fatal, changed(func(x *Scene, answer map[string]any) { x.dialect.fail(answer) })},
	}
}

// answers are good ones but for one thing.
func answers() []Fault {
	list := []Fault{
		{"another account's answer", Fatal, (*Scene).elsewhere},
		{"an account without its number", Perhaps, changed(func(x *Scene, answer map[string]any) { drop(answer, x.dialect.about) })},
		{"a number of another type", Fatal, changed(func(x *Scene, answer map[string]any) { put(answer, x.dialect.about, json.Number("123")) })},
		{"fields that nobody announced", Harmless, changed(func(_ *Scene, answer map[string]any) { announce(answer) })},
		{"a name that is missing", Fatal, changed(func(x *Scene, answer map[string]any) { drop(answer, x.dialect.name) })},
		{"a name that comes twice", Fatal, func(x *Scene) {
			a := x.about(x.Number)
			key := `"` + x.dialect.name[len(x.dialect.name)-1] + `":`
			x.say(a.Code, jsonType, strings.Replace(a.Body.String(), key, key+`"`+Nobody+`",`+key, 1))
		}},
	}
	for _, name := range []struct {
		title string
		value any
	}{
		{"a name that is null", nil},
		{"an empty name", ""},
		{"a blank name", " \t "},
		{"a placeholder for a name", "N/A"},
		{"a name of digits", "0123456789"},
		{"a name that is a number", json.Number("7")},
		{"a name in a list", []any{Nobody}},
		{"a name in an object", map[string]any{"first": Nobody}},
		{"a name that is true", true},
		{"a name that turns the text around", Nobody + " \u202eRODAFO"},
		{"a name with a control character", Nobody + "\x00OKAFOR"},
		{"a name of 5,000 characters", strings.Repeat(Nobody, 5000/len(Nobody))},
	} {
		list = append(list, Fault{name.title, Fatal, changed(func(x *Scene, answer map[string]any) { put(answer, x.dialect.name, name.value) })})
	}
	return list
}

// Logins are ways in which a login goes wrong: they need no dialect.
func Logins() []Fault {
	return []Fault{
		{"500", Fatal, saying(500, textPlain, "oops")},
		{"502 of a gateway", Fatal, saying(502, textHTML, apology)},
		{"503 with Retry-After", Fatal, with("Retry-After", "30", saying(503, textPlain, ""))},
		{"429", Throttles, with("Retry-After", "30", saying(429, textPlain, ""))},
		{"400 invalid credentials", Fatal, saying(400, jsonType, `{"errorCode":"400.008.01","errorMessage":"Invalid Authentication passed"}`)},
		{"401", Fatal, saying(401, jsonType, `{"requestSuccessful":false,"responseMessage":"Invalid credentials","responseCode":"99"}`)},
		{"403", Fatal, saying(403, textHTML, apology)},
		{"404", Fatal, saying(404, jsonType, `{"message":"not found","code":"PAYMENT_METHOD_NOT_FOUND"}`)},
		{"HTML with 200", Fatal, saying(200, textHTML, apology)},
		{"an empty body", Fatal, saying(200, jsonType, "")},
		{"null", Fatal, saying(200, jsonType, "null")},
		{"no token", Fatal, saying(200, jsonType, `{"requestSuccessful":true,"responseMessage":"success","responseCode":"0","responseBody":{"expiresIn":3567}}`)},
		{"an empty token", Fatal, saying(200, jsonType, `{"requestSuccessful":true,"responseCode":"0","responseBody":{"accessToken":"","expiresIn":3567},"access_token":"","expires_in":"3599"}`)},
		{"a token of another type", Fatal, saying(200, jsonType, `{"requestSuccessful":true,"responseCode":"0","responseBody":{"accessToken":7,"expiresIn":3567},"access_token":7,"expires_in":"3599"}`)},
		{"a token that is not taken", Fatal, saying(200, jsonType, `{"requestSuccessful":true,"responseCode":"0","responseBody":{"accessToken":"x","expiresIn":3567},"access_token":"x","expires_in":"3599"}`)},
		{"a redirect", Fatal, with("Location", "http://127.0.0.1:1/", saying(302, textHTML, ""))},
		{"a broken connection", Fatal, func(*Scene) { panic(http.ErrAbortHandler) }},
		{"no answer", Hangs, func(x *Scene) { <-x.r.Context().Done() }},
	}
}
