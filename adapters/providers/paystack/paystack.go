// Package paystack lists banks, names account holders of Nigeria and Ghana, and confirms those of South Africa by their documents, through Paystack. It moves no money, and it never
// concludes from a doubt: an account is "not found" only where Paystack says so in one of the ways of the table of known texts; everything
// else is "cannot tell".
//
// API: https://github.com/PaystackOSS/openapi (@9678dea, 2025-10-24), paths bank, bank_resolve and bank_validate, and
// https://paystack.com/docs/identity-verification/verify-account-number (read 2026-08; nothing here was called live). Header
// "Authorization: Bearer sk_…"; test and live are told apart by the key; one key is a business in one country, and answers for it alone.
//
// Surprises of the list:
//   - it comes in pages only with use_cursor; then meta.next leads on; sometimes there is no meta at all;
//   - rows that are inactive, deleted (is_deleted may be null) or have no code are in it, and codes come twice;
//   - codes have no fixed form: 058, 50211, 035A, FC40163, MFB50094, 120001; the NIP code is another field, and only when asked for;
//   - the specification spells the type ghipps, the answers ghipss; MPTILL and MPPAYBILL are ways to pay, not institutions.
//
// Surprises of the resolution:
//   - an unknown account is 422, and some clients saw 400: the text decides, and the same text with another status may be a bank's outage;
//   - the test mode's cap (three real accounts a day) is 429 or 400 with a text, and no statement about the account;
//   - an outage may be plain text or HTML;
//   - the account number comes back, and is compared;
//   - Ghana's wallets are asked by MTN, VOD, ATL and the phone number as it is dialled there.
//
// Surprises of the validation (South Africa alone; a POST, which changes nothing, though each one costs money):
//   - it discloses no name;
//   - not all banks take part: which do is another list, with enabled_for_verification. It is learned together with the list of banks; until
//     then every bank may be asked, and one that takes no part leaves the question open;
//   - accountHolderMatch compares the account with the number of a document (identity, passport or business registration), and
//     says nothing about the name. Without a number there is no result. Each call costs ZAR 3;
//   - another holder is "verified" false, accountHolderMatch false and no accountOpen. "verified" false with all flags false
//     decides nothing. Older samples have no flags at all;
//   - an account that was verified and is not open is closed. An invalid number is 400 with a verificationMessage.
package paystack

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the provider, also the key of its codes in core.Bank.Codes.
	Name = "paystack"
	// BaseURL of the API.
	BaseURL = "https://api.paystack.co"
)

// Config of the provider.
type Config struct {
	BaseURL string                 `json:"base_url" doc:"Base URL of the API. Empty: https://api.paystack.co."`
	Keys    map[string]core.Secret `json:"keys" doc:"Secret keys by country (NG, GH, KE, ZA, CI): a key belongs to a business in one country."`
}

// Provider is Paystack as a directory of banks, as a resolver of accounts and as a confirmer of their holders.
type Provider struct {
	clients   map[string]*upstream.Client         // by country
	validates atomic.Pointer[map[string]struct{}] // codes of the banks of South Africa that take part in the validation; nil: not told yet
}

var (
	_ ports.BankDirectory    = (*Provider)(nil)
	_ ports.AccountResolver  = (*Provider)(nil)
	_ ports.AccountConfirmer = (*Provider)(nil)
)

// New makes the provider. Without a key it is off: it serves no country, and resolves nothing.
func New(cfg Config, factory *upstream.Factory) (*Provider, error) {
	if cfg.BaseURL == "" {
		cfg.BaseURL = BaseURL
	}
	p := &Provider{clients: map[string]*upstream.Client{}}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(cfg.Keys)) {
		country, key := strings.ToUpper(name), cfg.Keys[name]
		if _, ok := countries[country]; !ok {
			faults = append(faults, fmt.Errorf("paystack: keys has %q; accepted: %s", name, strings.Join(served(), ", ")))
			continue
		}
		if key == "" {
			continue
		}
		client, err := factory.Client(upstream.Provider{
			Name: Name, BaseURL: cfg.BaseURL,
			Header: http.Header{"Authorization": {"Bearer " + key.Reveal()}},
		})
		if err != nil {
			faults = append(faults, err)
			continue
		}
		p.clients[country] = client
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return p, nil
}

// Name is "paystack".
func (*Provider) Name() string { return Name }

// Countries are those that there is a key for, sorted.
func (p *Provider) Countries() []string { return slices.Sorted(maps.Keys(p.clients)) }

// envelope is around every answer.
type envelope struct {
	Status  bool            `json:"status"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
	Meta    json.RawMessage `json:"meta"` // of a page: where the next one is; of a failure: advice
	Code    string          `json:"code"` // of a failure, for example "invalid_bank_code"
	Type    string          `json:"type"` // of a failure: validation_error, processor_error, api_error
}
