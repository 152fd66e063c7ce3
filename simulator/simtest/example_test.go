package simtest_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"causeway/simulator/simtest"
)

// shop is the code under test: it pays people out.
type shop struct {
	api    string
	client *http.Client
}

// holder returns the name of the holder of an account.
func (s shop) holder(bank, number string) (string, error) {
	body := `{"country_id":"NG","currency_id":"NGN","channel":"bank_transfer","bank_code":"` + bank + `","account_number":"` + number + `"}`
	resp, err := s.client.Post(s.api+"/v1/recipients/resolve-bank-account", "application/json", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	var answered struct {
		Data struct {
			Name string `json:"account_name"`
		}
		Error struct{ Name string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answered); err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", errors.New(answered.Error.Name)
	}
	return answered.Data.Name, nil
}

// TestPayout is a test of an integration: an account, an outage, and the number of requests.
func TestPayout(t *testing.T) {
	t.Parallel()
	world := simtest.NewWorld(t)
	pays := shop{world.URL, world.Client()}

	world.SetAccount("000013", "0123456789", simtest.Account{Name: "TEST ADA OKAFOR"})
	if name, err := pays.holder("000013", "0123456789"); err != nil || name != "TEST ADA OKAFOR" {
		t.Errorf("got %q, %v", name, err)
	}

	world.Next("resolve-account", "all_down")
	if _, err := pays.holder("000013", "0123456789"); err == nil || err.Error() != "service_unavailable" {
		t.Errorf("during the outage: %v", err)
	}

	world.Assert(simtest.Match{Operation: "resolve-account"}, 2)
	world.Assert(simtest.Match{Status: http.StatusServiceUnavailable, Applied: "next:all_down"}, 1)
}
