package httpapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/adapters/httpapi"
	"causeway/core"
	"causeway/core/banks"
	"causeway/ports"
)

// banksOf is a provider's list of Ghana's banks, as it is at the moment.
type banksOf struct{ rows []core.Bank }

func (*banksOf) Name() string        { return "paystack" }
func (*banksOf) Countries() []string { return []string{"GH"} }
func (d *banksOf) Banks(context.Context, string) ([]core.Bank, error) {
	return d.rows, nil
}

// TestBanks_Refresh checks that a refresh changes the ETags of exactly the lists that it changes.
func TestBanks_Refresh(t *testing.T) {
	t.Parallel()
	row := func(code, name string) core.Bank {
		return core.Bank{
			Code: code, Name: name, Country: "GH", Currency: "GHS", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney},
			Codes: map[string]string{"paystack": code},
		}
	}
	list := &banksOf{rows: []core.Bank{row("MTN", "MTN Mobile Money")}}
	now := noon
	service, err := banks.New(banks.Config{
		Countries: countries(), Directories: []ports.BankDirectory{list}, Resolvable: func(core.Bank) bool { return true },
		Catalog: []core.Bank{{Code: "MTN", Name: "MTN Mobile Money", Country: "GH", Currency: "GHS", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney}}},
		Clock:   func() time.Time { return now }, Entropy: func() uint64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(_ *httpapi.Config, s *httpapi.Services) { s.Banks = service })
	targets := []string{"/v1/banks", "/v1/banks?country=GH", "/v1/banks?currency=GHS", "/v1/banks?channel=mobile_money", "/v1/banks?q=M%C3%93BILE", "/v1/banks?country=GH&q=mobile"}
	tags := func() map[string]string {
		out := map[string]string{}
		for _, target := range targets {
			r := w.get(target)
			if r.Code != http.StatusOK {
				t.Fatalf("%s: %d", target, r.Code)
			}
			out[target] = r.Header().Get("Etag")
		}
		return out
	}
	refresh := func() {
		now = now.Add(2 * time.Hour)
		service.Tick(t.Context())
	}
	refresh()
	before := tags()
	refresh()
	for target, tag := range tags() {
		if tag != before[target] {
			t.Errorf("%s changed although the list did not", target)
		}
	}
	list.rows = append(list.rows, row("NEW", "Newcomer Mobile Money"))
	refresh()
	for _, target := range targets {
		r := w.get(target, "If-None-Match: "+before[target])
		if r.Code != http.StatusOK || !strings.Contains(r.Body.String(), `"code":"NEW"`) {
			t.Errorf("%s: %d %s, want the new institution", target, r.Code, r.Body)
		}
	}
}
