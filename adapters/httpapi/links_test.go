package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"causeway/adapters/httpapi"
	"causeway/core/addresses"
)

const linkedAddress = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"

func TestValidate_PaymentLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *httpapi.Config, s *httpapi.Services) {
		validator, err := addresses.New(currencies(), addresses.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		s.Addresses = validator
	})
	for _, c := range []struct{ name, currency, link, want string }{
		{"amount and label", "BTC", "bitcoin:" + linkedAddress + "?amount=0.10&label=a%20%26%20b", `"valid":true,"format":"p2wpkh","environment":"mainnet","checksum":true,"normalized":"` + linkedAddress +
			`","payment":{"address":"` + linkedAddress + `","network":"BTC","currency":"BTC","amount":"0.1","label":"a & b"}`},
		{"address alone", "BTC", "BITCOIN:" + strings.ToUpper(linkedAddress), `"payment":{"address":"` + linkedAddress + `","network":"BTC","currency":"BTC"}`},
		{"tag", "XRP", "ripple:rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh?dt=7", `"memo":"7"}`},
		{"no link", "BTC", linkedAddress, `"normalized":"` + linkedAddress + `"}`},
		{"required parameter", "BTC", "bitcoin:" + linkedAddress + "?req-x=1", `"reason":"payment_uri_required_parameter"`},
		{"typing mistake inside", "BTC", "bitcoin:" + linkedAddress[:41] + "z?amount=1", `"reason":"bad_checksum","message":"In the payment link: `},
		{"secret", "BTC", "bitcoin:" + linkedAddress + "?label=%35HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", `"address":"****","currency":"BTC","network":"BTC","valid":false,"reason":"secret_key"`},
	} {
		rec := w.post("/v1/validate", `{"type":"address","currency":"`+c.currency+`","address":"`+c.link+`"}`)
		body := rec.Body.String()
		if rec.Code != http.StatusOK || !strings.Contains(body, c.want) || strings.Contains(body, "HueCGU8") {
			t.Errorf("%s: got %d %s, want %s", c.name, rec.Code, body, c.want)
		}
	}
	if rec := w.post("/v1/validate", `{"type":"address","currency":"BTC","address":"bitcoin:`+strings.Repeat("1", 4096)+`"}`); rec.Code != http.StatusBadRequest {
		t.Errorf("a link of 4 KB: got %d", rec.Code)
	}
}
