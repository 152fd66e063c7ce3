package httpapi

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
)

// Validator judges addresses and describes their networks. Its errors name the fields currency, network and memo_type.
type Validator interface {
	Validate(core.AddressQuery) (core.Verdict, error)
	Networks() []core.Network
}

type validateRequest struct {
	_        struct{} `additionalProperties:"true"`
	Type     string   `json:"type" maxLength:"32" enum:"address" doc:"What to validate: an address" example:"address"`
	Address  string   `json:"address" maxLength:"512" free:"true" doc:"Any text: what somebody pasted" example:"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"`
	Currency string   `json:"currency" maxLength:"64" see:"/v1/currencies" doc:"Code of a supported cryptocurrency, see list-currencies" example:"BTC"`
	Network  string   `json:"network,omitempty" maxLength:"64" see:"/v1/currencies" doc:"A network that carries the currency, by our code or another usual name; without it, the currency's default network" example:"BTC"`
	Memo     string   `json:"memo,omitempty" maxLength:"4096" free:"true" doc:"Memo, tag or comment of the payment; checked by the network's rule" example:"12345"`
	MemoType string   `json:"memo_type,omitempty" maxLength:"32" enum:"text,id,hash,return" doc:"Kind of the memo, for networks with several" example:"id"`
}

// The places of the members.
const (
	validateType = iota
	validateAddress
	validateCurrency
	validateNetwork
	validateMemo
	validateMemoType
	validateMemberCount
)

type verdictBody struct {
	Type             string   `json:"type" enum:"address" doc:"What was validated" example:"address"`
	Address          string   `json:"address" doc:"As sent; masked where it is a secret key" example:"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"`
	Currency         string   `json:"currency" doc:"Code of the currency" example:"BTC"`
	Network          string   `json:"network" doc:"Our code of the network" example:"BTC"`
	Memo             *string  `json:"memo,omitzero" doc:"As sent, or the tag that the address carries in itself; masked where it may be a secret key, and where it surely is one valid is false, reason secret_key; absent where there is none" example:"12345"`
	Valid            bool     `json:"valid" doc:"Whether a payment to exactly this address on this network can be made" example:"true"`
	Reason           string   `json:"reason,omitempty" doc:"Why not; /errors/<reason> explains it" example:"bad_checksum"`
	Message          string   `json:"message,omitempty" doc:"Why not, as a sentence that a person can act on" example:"The checksum is wrong: a character was probably mistyped."`
	Warnings         []string `json:"warnings,omitempty" doc:"What a careful payer should know of a valid address; /errors/<warning> explains each" example:"checksum_absent"`
	Format           string   `json:"format,omitempty" doc:"Format of the address" example:"p2wpkh"`
	Environment      string   `json:"environment,omitempty" enum:"mainnet,testnet,any" doc:"Which of the chain's networks it belongs to; any where the format does not differ" example:"mainnet"`
	Checksum         bool     `json:"checksum" doc:"Whether the address carries a checksum, so that a typo is noticed" example:"true"`
	Normalized       string   `json:"normalized,omitempty" doc:"The canonical spelling, the one to store" example:"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"`
	PossibleNetworks []string `json:"possible_networks,omitempty" doc:"Where an address of another chain does belong" example:"TRX"`
}

func newVerdictBody(v *core.Verdict) verdictBody {
	return verdictBody{
		Type: "address", Address: v.Address.Reveal(), Currency: v.Currency, Network: v.Network, Memo: v.Memo,
		Valid: v.Valid, Reason: v.Reason, Message: v.Message, Warnings: v.Warnings, Format: v.Format,
		Environment: string(v.Environment), Checksum: v.Checksum, Normalized: v.Normalized, PossibleNetworks: v.PossibleNetworks,
	}
}

const addressChecked = "Address checked"

// exampleAddress is an address that pays somebody: the one of BIP 173.
const exampleAddress = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"

func (a *API) registerAddresses() {
	body, members := bodyOf[validateRequest](a, map[string]*huma.Example{
		"bitcoin": {Summary: "A Bitcoin address", Value: exampleQuestion()},
		"memo": {Summary: "An XRP address with its tag", Value: map[string]string{
			"type": "address", "currency": "XRP", "address": "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "memo": "12345",
		}},
	})
	for _, known := range []int{validateType, validateCurrency} {
		members[known].missing = true // judge and the core say what is accepted
	}
	h := validateHandler{members: members, head: success(addressChecked)}
	a.register(huma.Operation{
		OperationID: "validate-address", Method: http.MethodPost, Path: "/validate", Tags: []string{"Addresses"},
		Summary:     "Say whether a crypto address can be paid",
		Description: "Judges currency, network, address and memo together, by the network's own standard. The answer is 200 whether or not the address is good: valid says which, reason and message say why not. Nothing is sent to any chain.",
		RequestBody: body,
		Responses:   a.responses("The verdict", addressChecked, exampleVerdict(), false, badRequest, requestValidation, payloadTooLarge, unsupportedMediaType),
	}, h.validate)
	a.registerBatch(h)
}

func exampleQuestion() map[string]string {
	return map[string]string{"type": "address", "currency": "BTC", "address": exampleAddress}
}

func exampleVerdict() verdictBody {
	return verdictBody{
		Type: "address", Address: exampleAddress, Currency: "BTC", Network: "BTC", Valid: true, Format: "p2wpkh",
		Environment: string(core.Mainnet), Checksum: true, Normalized: exampleAddress,
	}
}

type validateHandler struct {
	core    Validator // of the world that is asked
	members []member
	head    string
}

func (h validateHandler) validate(x *exchange) error {
	h.core = x.in.services.Addresses
	var values [validateMemberCount]text
	faults, err := x.members(h.members, values[:])
	if err != nil {
		return err
	}
	body, err := h.judge(values[:], faults)
	if err != nil {
		return err
	}
	x.reply(h.head, &body)
	return nil
}

// judge answers one question, whose reading found faults already. Whatever is wrong with its fields is one error.
func (h validateHandler) judge(values []text, faults []core.FieldError) (verdictBody, error) {
	if kind := strings.TrimSpace(values[validateType].value); kind != "" {
		faults = append(faults, oneOf("type", kind, "address")...)
	} else if !atFault(faults, "type") {
		faults = append(faults, core.FieldError{Field: "type", Reason: "is required; accepted: address"})
	}
	query := core.AddressQuery{
		Currency: code(values[validateCurrency].value),
		Network:  strings.TrimSpace(values[validateNetwork].value),
		Address:  core.Private(values[validateAddress].value),
		MemoType: strings.ToLower(strings.TrimSpace(values[validateMemoType].value)),
	}
	if memo := &values[validateMemo]; memo.sent {
		query.Memo = &memo.value
	}
	if atFault(faults, "currency") {
		return verdictBody{}, invalid(faults)
	}
	verdict, err := h.core.Validate(query)
	if err := mergeFaults(faults, err); err != nil {
		return verdictBody{}, err
	}
	return newVerdictBody(&verdict), nil
}

// code is a code as a client may write it, in our form.
func code(sent string) string { return strings.ToUpper(strings.TrimSpace(sent)) }
