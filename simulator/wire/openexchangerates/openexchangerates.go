package openexchangerates

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// AppID is an app_id that the simulated Open Exchange Rates accepts, as it does every one of 32 hexadecimal digits.
const AppID = "ca05e0a7000000000000000000000000"

// openExchangeRates is Open Exchange Rates on its free plan, https://docs.openexchangerates.org/reference (read 2026-08):
// fiat rates of one US dollar as JSON numbers that change at every full hour, timestamps in seconds, base USD alone.
type openExchangeRates struct{ world *world.World }

const ratePlaces = 6

// ServeHTTP answers one call.
func (o *openExchangeRates) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := o.world.Now()
	a := o.call(r, now)
	if tag := a.Header.Get("Etag"); tag != "" && r.Header.Get("If-None-Match") == tag {
		a.Status, a.Content, a.Body = http.StatusNotModified, "", nil
	}
	a.Send(w, now)
}

func (o *openExchangeRates) call(r *http.Request, now time.Time) provider.Reply {
	if r.URL.Path != "/api/latest.json" && r.URL.Path != "/api/usage.json" {
		return oxrError(http.StatusNotFound, "not_found", "Client requested a non-existent resource/route.")
	}
	id := r.URL.Query().Get("app_id")
	if id == "" {
		id = strings.TrimPrefix(r.Header.Get("Authorization"), "Token ")
	}
	switch {
	case id == "":
		return oxrError(http.StatusUnauthorized, "missing_app_id",
			"No App ID provided. Please sign up at https://openexchangerates.org/signup, or contact support@openexchangerates.org.")
	case !appID.MatchString(id):
		return oxrError(http.StatusUnauthorized, "invalid_app_id",
			"Invalid App ID provided. Please sign up at https://openexchangerates.org/signup, or contact support@openexchangerates.org.")
	case r.URL.Path == "/api/usage.json":
		return provider.Answer(http.StatusOK, usageOf(id, now))
	}
	return o.latest(r, now)
}

var appID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// oxrFault is an error's body.
type oxrFault struct {
	Error       bool   `json:"error"`
	Status      int    `json:"status"`
	Message     string `json:"message"`
	Description string `json:"description"`
}

func oxrError(status int, message, description string) provider.Reply {
	return provider.Answer(status, oxrFault{Error: true, Status: status, Message: message, Description: description})
}

// oxrLatest is the sheet of rates.
type oxrLatest struct {
	Disclaimer string                 `json:"disclaimer"`
	License    string                 `json:"license"`
	Timestamp  int64                  `json:"timestamp"`
	Base       string                 `json:"base"`
	Rates      map[string]json.Number `json:"rates"`
}

func (o *openExchangeRates) latest(r *http.Request, now time.Time) provider.Reply {
	query, market := r.URL.Query(), o.world.Market()
	if base := query.Get("base"); base != "" && base != "USD" {
		if _, known := market.Official(base, now, 0); !known {
			return oxrError(http.StatusBadRequest, "invalid_base", "Invalid `base` currency requested: "+provider.Clip(base)+".")
		}
		return oxrError(http.StatusTooManyRequests, "not_allowed",
			"Changing the API `base` currency is available for Developer, Enterprise and Unlimited plan clients.")
	}
	wanted := market.Fiat()
	if symbols := query.Get("symbols"); symbols != "" {
		wanted = strings.Split(strings.ToUpper(symbols), ",")
	}
	rates := make(map[string]json.Number, len(wanted))
	for _, code := range wanted {
		if rate, known := market.Official(strings.TrimSpace(code), now, ratePlaces); known {
			rates[strings.TrimSpace(code)] = json.Number(rate.Trimmed())
		}
	}
	a := provider.Answer(http.StatusOK, oxrLatest{
		Disclaimer: "Usage subject to terms: https://openexchangerates.org/terms",
		License:    "https://openexchangerates.org/license",
		Timestamp:  now.Truncate(time.Hour).Unix(), Base: "USD", Rates: rates,
	})
	sum := sha256.Sum256(a.Body)
	return a.With("Etag", fmt.Sprintf(`"%x"`, sum[:16])).With("Last-Modified", now.Truncate(time.Hour).Format(http.TimeFormat))
}

// oxrUsage is what the account has used: nothing, because nothing is remembered between requests.
type oxrUsage struct {
	Status int `json:"status"`
	Data   struct {
		AppID  string `json:"app_id"`
		Status string `json:"status"`
		Plan   struct {
			Name            string `json:"name"`
			Quota           string `json:"quota"`
			UpdateFrequency string `json:"update_frequency"`
		} `json:"plan"`
		Usage struct {
			Requests          int `json:"requests"`
			RequestsQuota     int `json:"requests_quota"`
			RequestsRemaining int `json:"requests_remaining"`
			DaysElapsed       int `json:"days_elapsed"`
			DaysRemaining     int `json:"days_remaining"`
			DailyAverage      int `json:"daily_average"`
		} `json:"usage"`
	} `json:"data"`
}

func usageOf(id string, now time.Time) oxrUsage {
	const quota = 1000
	var u oxrUsage
	u.Status = http.StatusOK
	u.Data.AppID, u.Data.Status = id, "active"
	u.Data.Plan.Name, u.Data.Plan.Quota, u.Data.Plan.UpdateFrequency = "Free", "1000 requests / month", "3600s"
	u.Data.Usage.RequestsQuota, u.Data.Usage.RequestsRemaining = quota, quota
	lastDay := time.Date(now.Year(), now.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
	u.Data.Usage.DaysElapsed, u.Data.Usage.DaysRemaining = now.Day()-1, lastDay-now.Day()+1
	return u
}
