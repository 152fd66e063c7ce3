// Package causeway is a client of Causeway: bank lists, account names, crypto addresses, deposit
// addresses, deposits and prices.
//
//	client, err := causeway.New("https://causeway.example", causeway.WithKey(key))
//	account, err := client.ResolveAccount(ctx, api.ResolveRequest{
//		CountryID: "NG", CurrencyID: "NGN", Channel: "bank_transfer", BankCode: "058", AccountNumber: "0123456789",
//	})
//
// Types of requests and responses are in package api. Amounts, prices and precisions are decimal
// strings, as on the wire; read them with a decimal library, not as floats.
//
// The methods have the names of the operations in the OpenAPI document.
//
// All operations are idempotent. A request without a response, or with status 429, 502, 503 or 504,
// is sent again, three times by default, after the time that the header Retry-After names if it is
// at most ten seconds. The result is then an *Error, or the error of the connection. The context
// limits all attempts together.
package causeway

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"causeway/clients/go/api"
)

const (
	defaultRetries    = 3
	defaultRetryAfter = 10 * time.Second
	headerTimeout     = 30 * time.Second // the server needs at most 8 seconds
	idleTimeout       = 90 * time.Second // as http.DefaultTransport
)

// Client calls one server. It is safe for concurrent use.
type Client struct {
	server    string
	transport transport
}

// Option changes a client.
type Option func(*Client)

// WithKey sends an API key.
func WithKey(key string) Option { return WithHeader("Authorization", "Bearer "+key) }

// WithUser makes the calls for a user of the key, unless their parameters name one.
func WithUser(id string) Option { return WithHeader("X-BU-PROFILE-ID", id) }

// WithHeader sends a header with every request.
func WithHeader(name, value string) Option {
	return func(c *Client) { c.transport.header.Set(name, value) }
}

// WithHTTPClient replaces the HTTP client. Its Timeout also ends price streams.
func WithHTTPClient(client *http.Client) Option {
	return func(c *Client) { c.transport.client = client }
}

// WithRetries sets how often a failed request is repeated; 0 disables retries.
func WithRetries(n int) Option { return func(c *Client) { c.transport.retries = n } }

// WithMaxRetryAfter sets the longest Retry-After that a retry waits for, by default ten seconds. A
// longer one is an *Error at once.
func WithMaxRetryAfter(d time.Duration) Option {
	return func(c *Client) { c.transport.maxRetryAfter = d }
}

// New returns a client of a server, such as http://localhost:8080.
func New(server string, options ...Option) (*Client, error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("causeway: the server is %q; accepted: a URL such as http://localhost:8080", server)
	}
	c := &Client{u.JoinPath("/").String(), transport{
		client: &http.Client{Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
			ResponseHeaderTimeout: headerTimeout, IdleConnTimeout: idleTimeout,
		}},
		header: http.Header{}, retries: defaultRetries, maxRetryAfter: defaultRetryAfter,
	}}
	return c.With(options...), nil
}

// With returns a copy of the client with more options, also for a single call:
//
//	client.With(causeway.WithHeader("Sim-Scenario", "unknown")).ResolveAccount(ctx, request)
//
// Both share their connections.
func (c *Client) With(options ...Option) *Client {
	changed := *c
	changed.transport.header = maps.Clone(c.transport.header)
	for _, option := range options {
		option(&changed)
	}
	return &changed
}

func (c *Client) api() *api.Client { return &api.Client{Server: c.server, Client: &c.transport} }

// ListBanks lists banks and other institutions.
func (c *Client) ListBanks(ctx context.Context, filters api.ListBanksParams) ([]api.Bank, error) {
	return decode[[]api.Bank](c.api().ListBanks(ctx, &filters))
}

// ListCountries lists the supported countries with their payout channels.
func (c *Client) ListCountries(ctx context.Context) ([]api.Country, error) {
	return decode[[]api.Country](c.api().ListCountries(ctx))
}

// ListCurrencies lists the supported currencies with their networks.
func (c *Client) ListCurrencies(ctx context.Context) ([]api.Currency, error) {
	return decode[[]api.Currency](c.api().ListCurrencies(ctx))
}

// GetCurrency returns one currency.
func (c *Client) GetCurrency(ctx context.Context, code string) (api.Currency, error) {
	return decode[api.Currency](c.api().GetCurrency(ctx, code))
}

// ResolveAccount returns the holder of an account. An account that does not exist is an *Error with
// the name not_found.
func (c *Client) ResolveAccount(ctx context.Context, request api.ResolveRequest) (api.Account, error) {
	return decode[api.Account](c.api().ResolveAccount(ctx, request))
}

// ValidateAddress returns the verdict on a crypto address. An invalid address is not an error.
func (c *Client) ValidateAddress(ctx context.Context, request api.ValidateRequest) (api.Verdict, error) {
	request.Type = api.ValidateRequestTypeAddress
	return decode[api.Verdict](c.api().ValidateAddress(ctx, request))
}

// AddressResult is the verdict on an address of a batch, or else what is wrong with the request.
type AddressResult struct {
	api.Verdict

	Error  *api.ErrorDetail             `json:"error"`
	Fields map[string][]api.FieldReason `json:"fields"`
}

// ValidateAddresses returns the verdicts on up to 1,000 addresses, in their order.
func (c *Client) ValidateAddresses(ctx context.Context, requests []api.ValidateRequest) ([]AddressResult, error) {
	batch := api.BatchRequest{Items: make([]api.ValidateRequest, len(requests))}
	for i, request := range requests {
		batch.Items[i], batch.Items[i].Type = request, api.ValidateRequestTypeAddress
	}
	return decode[[]AddressResult](c.api().ValidateAddresses(ctx, batch))
}

// ListPairs lists pairs with their prices, all of one instant.
func (c *Client) ListPairs(ctx context.Context, filters api.ListPairsParams) ([]api.Pair, error) {
	return decode[[]api.Pair](c.api().ListPairs(ctx, &filters))
}

// GetPair returns one pair, such as BTCNGN.
func (c *Client) GetPair(ctx context.Context, id string) (api.Pair, error) {
	return decode[api.Pair](c.api().GetPair(ctx, id))
}

// ExplainPrice returns the origin of the price of a pair.
func (c *Client) ExplainPrice(ctx context.Context, id string) (api.Price, error) {
	return decode[api.Price](c.api().ExplainPrice(ctx, id))
}

// GetPriceHistory returns the past prices of a pair.
func (c *Client) GetPriceHistory(ctx context.Context, id string, params api.GetPriceHistoryParams) (api.History, error) {
	return decode[api.History](c.api().GetPriceHistory(ctx, id, &params))
}

// ListAddresses returns a user's addresses for all currencies.
func (c *Client) ListAddresses(ctx context.Context, params api.ListAddressesParams) ([]api.Deposit, error) {
	return decode[[]api.Deposit](c.api().ListAddresses(ctx, &params))
}

// GetAddresses returns a user's addresses for one currency.
func (c *Client) GetAddresses(
	ctx context.Context, currency string, params api.GetAddressesParams,
) ([]api.Deposit, error) {
	return decode[[]api.Deposit](c.api().GetAddresses(ctx, currency, &params))
}

// GetAddressQr returns the payment link of a user's address as a code to scan: an SVG image, or PNG with
// WithHeader("Accept", "image/png").
func (c *Client) GetAddressQr(
	ctx context.Context, currency string, params api.GetAddressQrParams,
) ([]byte, error) {
	resp, err := c.api().GetAddressQr(ctx, currency, &params)
	image, err := readBody(resp, err)
	if err == nil && !strings.HasPrefix(resp.Header.Get("Content-Type"), "image/") {
		return nil, foreign(resp)
	}
	return image, err
}

// RegenerateAddress replaces a user's address for one currency. Without an IdempotencyKey it sends
// a random one, so that a retry does not replace it twice.
func (c *Client) RegenerateAddress(
	ctx context.Context, params api.RegenerateAddressParams, request api.RegenerateInput,
) (api.Deposit, error) {
	if params.IdempotencyKey == "" {
		params.IdempotencyKey = rand.Text()
	}
	return decode[api.Deposit](c.api().RegenerateAddress(ctx, &params, request))
}

// FindAddressOwner returns the user to whom a deposit address was assigned.
func (c *Client) FindAddressOwner(ctx context.Context, params api.FindAddressOwnerParams) (api.AddressOwner, error) {
	return decode[api.AddressOwner](c.api().FindAddressOwner(ctx, &params))
}

// TransactionPage is a page of transactions.
type TransactionPage struct {
	Data       []api.Transaction
	Pagination api.Pagination       // has the Cursor of the next page, unless this is the last one
	Warnings   []api.NetworkWarning // networks whose deposits arrive late
}

// ListTransactions returns a page of a user's deposits.
func (c *Client) ListTransactions(ctx context.Context, params api.ListTransactionsParams) (TransactionPage, error) {
	return decodeBody[TransactionPage](c.api().ListTransactions(ctx, &params))
}

// GetTransaction returns one deposit of a user.
func (c *Client) GetTransaction(
	ctx context.Context, id string, params api.GetTransactionParams,
) (api.Transaction, error) {
	return decode[api.Transaction](c.api().GetTransaction(ctx, id, &params))
}

// EventPage is a page of events.
type EventPage struct {
	Data       []api.Event
	Pagination api.EventPagination // has the cursor of the events that follow, for After
}

// ListEvents returns what happened to the transactions of all users of the key, the oldest first.
func (c *Client) ListEvents(ctx context.Context, params api.ListEventsParams) (EventPage, error) {
	return decodeBody[EventPage](c.api().ListEvents(ctx, &params))
}

// BalanceList is what a user received, by currency.
type BalanceList struct {
	Data     []api.Balance
	Warnings []api.NetworkWarning // networks whose deposits arrive late
}

// ListBalances returns what a user received.
func (c *Client) ListBalances(ctx context.Context, params api.ListBalancesParams) (BalanceList, error) {
	return decodeBody[BalanceList](c.api().ListBalances(ctx, &params))
}

// GetBalance returns what a user received in one currency.
func (c *Client) GetBalance(ctx context.Context, currency string, params api.GetBalanceParams) (api.Balance, error) {
	return decode[api.Balance](c.api().GetBalance(ctx, currency, &params))
}
