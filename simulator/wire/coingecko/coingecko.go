package coingecko

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// coinGecko is the free plan of CoinGecko, https://docs.coingecko.com/reference/simple-price (read 2026-11): middle prices as JSON
// numbers by its own ids, made at every full minute; what it does not know is a key that is not there. Keys are not asked
// for; one that is sent must look like one.
type coinGecko struct{ world *world.World }

// ServeHTTP answers one call.
func (c *coinGecko) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := c.world.Now()
	c.call(r, now).Send(w, now)
}

// geckoFault is an error's body.
type geckoFault struct {
	Status struct {
		Code    int    `json:"error_code"`
		Message string `json:"error_message"`
	} `json:"status"`
}

func geckoError(status, code int, message string) provider.Reply {
	var f geckoFault
	f.Status.Code, f.Status.Message = code, message
	return provider.Answer(status, f)
}

func geckoMissing(parameter string) provider.Reply {
	return provider.Answer(http.StatusUnprocessableEntity, map[string]string{"error": "Missing parameter " + parameter})
}

func (c *coinGecko) call(r *http.Request, now time.Time) provider.Reply {
	if key := r.Header.Get("X-Cg-Demo-Api-Key"); key != "" && !strings.HasPrefix(key, "CG-") {
		return geckoError(http.StatusUnauthorized, 10002, "API Key Missing. Please make sure you're using the right authentication method.")
	}
	switch r.URL.Path {
	case "/api/v3/ping":
		return provider.Answer(http.StatusOK, map[string]string{"gecko_says": "(V3) To the Moon!"})
	case "/api/v3/simple/supported_vs_currencies":
		return provider.Answer(http.StatusOK, geckoCurrencies)
	case "/api/v3/simple/price":
	default:
		return provider.Answer(http.StatusNotFound, map[string]string{"error": "Incorrect path. Please check https://www.coingecko.com/api/"})
	}
	query := r.URL.Query()
	switch {
	case query.Get("ids") == "":
		return geckoMissing("ids")
	case query.Get("vs_currencies") == "":
		return geckoMissing("vs_currencies")
	}
	made := now.Truncate(time.Minute)
	prices := map[string]map[string]json.Number{}
	for id := range strings.SplitSeq(query.Get("ids"), ",") {
		code := geckoCoins[strings.TrimSpace(id)]
		if code == "" {
			continue
		}
		row := c.row(code, strings.Split(strings.ToLower(query.Get("vs_currencies")), ","), query.Get("precision"), made)
		if query.Get("include_last_updated_at") == "true" {
			row["last_updated_at"] = json.Number(strconv.FormatInt(made.Unix(), 10))
		}
		prices[strings.TrimSpace(id)] = row
	}
	return provider.Answer(http.StatusOK, prices)
}

// row is a coin's price in every currency.
func (c *coinGecko) row(code string, vs []string, precision string, made time.Time) map[string]json.Number {
	row := map[string]json.Number{}
	for _, currency := range vs {
		currency = strings.TrimSpace(currency)
		counter := strings.ToUpper(currency)
		if !slices.Contains(geckoCurrencies, currency) {
			continue
		}
		price := market.Amount{Units: 1}
		if counter != code {
			var known bool
			if price, known = c.world.Market().Aggregate(core.Pair{Base: code, Counter: counter}, made); !known {
				continue
			}
		}
		row[currency] = geckoNumber(price, precision)
	}
	return row
}

// geckoNumber is a price with all its digits, with so many decimal places, or, where none are asked for, as a page would show it. It is
// whole where it can be.
func geckoNumber(price market.Amount, precision string) json.Number {
	const shown = 5 // significant digits
	if precision != "full" {
		places, err := strconv.Atoi(precision)
		if err != nil || places < 0 || places > 18 {
			digits := len(strconv.FormatUint(price.Units, 10))
			places = max(0, price.Places-digits+shown)
		}
		price = provider.Rounded(price, places)
	}
	return json.Number(strings.TrimSuffix(string(provider.Printed(price)), ".0"))
}
