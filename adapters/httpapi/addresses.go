package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/core"
)

// Validator judges addresses and describes their networks. Its errors name the fields currency,
// network and memo_type.
type Validator interface {
	Validate(core.AddressQuery) (core.Verdict, error)
	Networks() []core.Network
}

type validateInput struct {
	Body validateRequest

	verdict core.Verdict
}

type validateRequest struct {
	_        struct{} `additionalProperties:"true"`
	Type     string   `json:"type" enum:"address" doc:"What to validate: an address" example:"address"`
	Address  string   `json:"address" maxLength:"512" doc:"Any text: an address, or a payment link" example:"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"`
	Currency string   `json:"currency" maxLength:"64" doc:"Code of a supported cryptocurrency, see list-currencies" example:"BTC"`
	Network  string   `json:"network,omitempty" maxLength:"64" doc:"A network that carries the currency, by its code or another usual name; by default the currency's default network" example:"BTC"`
	Memo     *string  `json:"memo,omitempty" maxLength:"4096" doc:"Memo, tag or comment of the payment; checked by the network's rule" example:"12345"`
	MemoType string   `json:"memo_type,omitempty" enum:"text,id,hash,return" doc:"Kind of the memo, for networks with several" example:"id"`
}

// TransformSchema leaves the judgement of type and memo_type to check, which trims them and ignores
// their case.
func (*validateRequest) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	documentOnly(s, "type", "memo_type")
	return s
}

// Resolve validates the address together with all other fields, so that all field errors come at
// once.
func (in *validateInput) Resolve(ctx huma.Context) []error {
	verdict, errs := in.Body.judge(instanceFrom(ctx.Context()).services.Addresses)
	in.verdict = verdict
	return errs
}

// judge returns the verdict about the address, or all field errors.
func (b *validateRequest) judge(v Validator) (core.Verdict, []error) {
	errs := rejectSecrets(namedValue{"type", &b.Type}, namedValue{"currency", &b.Currency},
		namedValue{"network", &b.Network}, namedValue{"memo_type", &b.MemoType})
	switch kind := strings.TrimSpace(b.Type); kind {
	case "address":
	case "":
		errs = append(errs, core.InvalidField("type", "is required; accepted: address"))
	default:
		errs = append(errs, core.InvalidField("type", "is %s; accepted: address", quoted(kind)))
	}
	verdict, err := v.Validate(core.AddressQuery{
		Currency: normalizeCode(b.Currency), Network: strings.TrimSpace(b.Network), Address: core.Private(b.Address),
		Memo:     b.Memo,
		MemoType: strings.ToLower(strings.TrimSpace(b.MemoType)),
	})
	return verdict, appendError(errs, err)
}

type verdictBody struct {
	Type             string   `json:"type" enum:"address" doc:"What was validated" example:"address"`
	Address          string   `json:"address" doc:"As sent; masked if it is a secret key" example:"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"`
	Currency         string   `json:"currency" doc:"Code of the currency" example:"BTC"`
	Network          string   `json:"network" doc:"Code of the network" example:"BTC"`
	Memo             *string  `json:"memo,omitempty" doc:"As sent, or the tag that the address itself contains; masked if it may be a secret key, and if it surely is one, valid is false and reason secret_key; absent if there is none" example:"12345"`
	Valid            bool     `json:"valid" doc:"Whether a payment to exactly this address on this network is possible" example:"true"`
	Reason           string   `json:"reason,omitempty" doc:"Why not; /errors/<reason> explains it" example:"bad_checksum"`
	Message          string   `json:"message,omitempty" doc:"Why not, as a sentence that a person can act on" example:"The checksum is wrong: a character was probably mistyped."`
	Warnings         []string `json:"warnings,omitempty" doc:"What a careful payer should know of a valid address; /errors/<warning> explains each" example:"checksum_absent"`
	Format           string   `json:"format,omitempty" doc:"Format of the address" example:"p2wpkh"`
	Environment      string   `json:"environment,omitempty" enum:"mainnet,testnet,any" doc:"The chain's network that it belongs to; any if the format does not differ" example:"mainnet"`
	Checksum         bool     `json:"checksum" doc:"Whether the address carries a checksum, which detects typos" example:"true"`
	Normalized       string   `json:"normalized,omitempty" doc:"The canonical spelling, the one to store" example:"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"`
	PossibleNetworks []string `json:"possible_networks,omitempty" doc:"The networks that an address of another chain belongs to" example:"TRX"`

	Payment *paymentBody `json:"payment,omitempty" doc:"What the payment link asks for that was sent as the address; the verdict is about the address in it"`
}

type paymentBody struct {
	Address  string `json:"address" doc:"The address to pay, in its canonical spelling if it is valid" example:"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"`
	Network  string `json:"network" doc:"Code of the network" example:"BTC"`
	Currency string `json:"currency" doc:"Code of the currency" example:"BTC"`
	Amount   string `json:"amount,omitempty" doc:"The amount in whole units of the currency; absent: the payer chooses" example:"0.001"`
	Memo     string `json:"memo,omitempty" doc:"The memo or tag that the payment must carry" example:"12345"`
	Label    string `json:"label,omitempty" doc:"Name of the recipient, for people; masked if it may be a secret key" example:"Luke-Jr"`
}

// newPaymentBody describes what a link asks for; nil: there was no link.
func newPaymentBody(p *core.Payment) *paymentBody {
	if p == nil {
		return nil
	}
	body := &paymentBody{
		Address: p.Address.Reveal(), Network: p.Network, Currency: p.Currency, Memo: p.Memo.Reveal(), Label: p.Label.Reveal(),
	}
	if p.Amount != nil {
		body.Amount = p.Amount.String()
	}
	return body
}

func newVerdictBody(v *core.Verdict) verdictBody {
	return verdictBody{
		Type: "address", Address: v.Address.Reveal(), Currency: v.Currency, Network: v.Network, Memo: v.Memo,
		Valid: v.Valid, Reason: v.Reason, Message: v.Message, Warnings: v.Warnings, Format: v.Format,
		Environment: string(v.Environment), Checksum: v.Checksum, Normalized: v.Normalized,
		PossibleNetworks: v.PossibleNetworks, Payment: newPaymentBody(v.Payment),
	}
}

const exampleAddress = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" // of BIP 173

func (a *API) registerAddresses() {
	request := map[string]string{"type": "address", "currency": "BTC", "address": exampleAddress}
	registerPost(a, huma.Operation{
		OperationID: core.OpValidateAddress, Tags: []string{"Addresses"},
		Summary: "Validate a crypto address", MaxBodyBytes: bodyLimit,
	}, "The verdict", map[string]*huma.Example{
		"bitcoin": {Summary: "A Bitcoin address", Value: request},
		"memo": {Summary: "An XRP address with its tag", Value: map[string]string{
			"type": "address", "currency": "XRP", "address": "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "memo": "12345",
		}},
		"link": {Summary: "A payment link", Value: map[string]string{
			"type": "address", "currency": "BTC", "address": "bitcoin:" + exampleAddress + "?amount=0.001&label=Luke-Jr",
		}},
	}, func(_ context.Context, in *validateInput) (*jsonOutput[verdictBody], error) {
		return newJSONOutput("Address checked", newVerdictBody(&in.verdict)), nil
	})
	registerPost(a, huma.Operation{
		OperationID: core.OpValidateAddresses, Tags: []string{"Addresses"},
		Summary: "Validate crypto addresses in a batch", MaxBodyBytes: batchBodyLimit,
	}, "A verdict or an error for each item, in their order", map[string]*huma.Example{"two": {
		Summary: "An address, and one of an unknown currency",
		Value: map[string]any{"items": []map[string]string{
			request, {"type": "address", "currency": "DOGECOIN", "address": exampleAddress},
		}},
	}}, func(ctx context.Context, in *validateBatchInput) (*jsonOutput[[]batchResult], error) {
		v := instanceFrom(ctx).services.Addresses
		results := make([]batchResult, 0, len(in.Body.Items))
		for _, item := range in.Body.Items {
			result, err := a.judgeItem(v, item)
			if err != nil {
				return nil, err
			}
			results = append(results, result)
		}
		return newJSONOutput("Addresses checked", results), nil
	})
}

type validateBatchInput struct{ Body batchRequest }

type batchRequest struct {
	_     struct{}          `additionalProperties:"true"`
	Items []json.RawMessage `json:"items" minItems:"1" maxItems:"1000" doc:"The addresses to judge, each as in validate-address. An item that is not such an object gets an error of its own, in its place"`
}

// TransformSchema documents an item as the body of validate-address. huma does not validate what is
// in Extensions: each item is validated apart from the others.
func (*batchRequest) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["items"].Items = &huma.Schema{Extensions: map[string]any{"$ref": schemaOf[validateRequest](r).Ref}}
	return s
}

// batchResult is the result of one item: a verdict, or an error.
type batchResult struct {
	*verdictBody
	*itemErrorBody
}

type itemErrorBody struct {
	Detail apierror.ErrorDetail              `json:"error" doc:"Why this item has no verdict"`
	Fields map[string][]apierror.FieldReason `json:"fields,omitempty" doc:"What is wrong, by the name of the field"`
}

func newBatchError(e *apierror.Error) batchResult {
	return batchResult{itemErrorBody: &itemErrorBody{Detail: e.Detail, Fields: e.Fields}}
}

// Schema describes either.
func (batchResult) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{schemaOf[verdictBody](r), schemaOf[itemErrorBody](r)}}
}

// judgeItem validates an item as huma validates the body of validate-address. Only an error of ours
// fails the whole batch.
func (a *API) judgeItem(v Validator, item json.RawMessage) (batchResult, error) {
	var value any
	if err := envelope.Unmarshal(item, &value); err != nil {
		return batchResult{}, fmt.Errorf("item of a decoded body: %w", err)
	}
	if _, ok := value.(map[string]any); !ok {
		return newBatchError(apierror.New(apierror.BadRequest, "The item is not an object; send an object, "+
			`for example {"type": …}`)), nil
	}
	schemas, found := a.huma.OpenAPI().Components.Schemas, huma.ValidateResult{}
	path := huma.NewPathBuffer(nil, 0)
	path.Push("body")
	huma.Validate(schemas, schemaOf[validateRequest](schemas), path, huma.ModeWriteToServer, value, &found)
	var request validateRequest
	if err := envelope.Unmarshal(item, &request); err != nil && len(found.Errors) == 0 { // as huma does
		found.Add(path, nil, err.Error())
	}
	verdict, errs := request.judge(v)
	if errs = append(found.Errors, errs...); len(errs) == 0 {
		body := newVerdictBody(&verdict)
		return batchResult{verdictBody: &body}, nil
	}
	e := envelope.NewError(http.StatusBadRequest, errs)
	if e.GetStatus() != http.StatusBadRequest {
		return batchResult{}, e
	}
	return newBatchError(e), nil
}
