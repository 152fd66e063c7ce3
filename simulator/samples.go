package simulator

import "net/http"

// placeholder stands for the id of a world, and its path below it for what is done to that world.
const (
	placeholder = "{world}"
	worldPath   = "/_sim/v1/worlds/" + placeholder
)

// asking is a question to a world.
func asking(path string) Request {
	return Request{Method: http.MethodGet, Path: path, Headers: map[string]string{"Sim-World": placeholder}}
}

// posting is a question with a body.
func posting(path string, body any) Request {
	return Request{
		Method: http.MethodPost, Path: path, Body: text(body),
		Headers: map[string]string{"Sim-World": placeholder, "Content-Type": "application/json"},
	}
}

// resolving asks for an account in Nigeria.
func resolving(bank, number string) Request {
	return posting("/v1/recipients/resolve-bank-account", map[string]string{
		"country_id": "NG", "currency_id": "NGN", "channel": string(transferChannel), "bank_code": bank, "account_number": number,
	})
}

// controlling does something to a world.
func controlling(path string, body any) Request {
	return Request{Method: http.MethodPost, Path: worldPath + path, Body: text(body), Headers: map[string]string{"Content-Type": "application/json"}}
}

func creating(o Options) Request {
	r := controlling("", o)
	r.Path = "/_sim/v1/worlds"
	return r
}

func arming(r Rule) Request { return controlling("/faults", r) }

func advancing(by string) Request {
	return controlling("/clock/advance", map[string]string{"by": by})
}

// forcing asks for an outcome, of the account that documents quote or of anything else.
func forcing(s Scripted) Sample {
	r := asking("/v1/currencies")
	if s.Plane == Upstream {
		r = resolving(examples[0].code, examples[0].number)
	}
	r.Headers["Sim-Scenario"] = s.Name
	return Sample{Request: r, Want: Want{Status: s.Status, Error: s.Error, Applied: "scenario:" + s.Name}}
}

// mistakes are requests that get an error by themselves, by its name.
func mistakes() map[string]Sample {
	broken := posting("/v1/validate", nil)
	broken.Body = `{"type": "address", `
	packed := posting("/v1/validate", map[string]string{"type": "address"})
	packed.Headers["Content-Encoding"] = "br"
	wrong := asking("/v1/banks")
	wrong.Method = http.MethodDelete
	ending := Request{Method: http.MethodDelete, Path: worldPath}
	return map[string]Sample{
		"bad_request":            {Request: broken},
		"request_validation":     {Request: asking("/v1/pairs?type=bonds")},
		"not_found":              {Request: asking("/v1/pairs/NOPE")},
		"method_not_allowed":     {Request: wrong},
		"unsupported_media_type": {Request: packed},
		"service_unavailable":    {Request: resolving(MagicBank, "0000000503")},
		"world_expired":          {Setup: []Request{creating(Options{ID: placeholder}), ending}, Request: asking("/v1/currencies")},
	}
}
