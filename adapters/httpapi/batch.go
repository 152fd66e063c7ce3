package httpapi

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
)

const (
	maxBatch     = 1000    // items
	maxBatchBody = 1 << 20 // bytes
)

type batchRequest struct {
	_     struct{}          `additionalProperties:"true"`
	Items []validateRequest `json:"items" minItems:"1" maxItems:"1000" doc:"What to judge, each as in validate-address. An item that is not such an object gets an error of its own, in its place"`
}

// batchBody is what becomes of one item: a verdict, or an error.
type batchBody struct {
	verdict *verdictBody
	fault   *itemErrorBody
}

type itemErrorBody struct {
	Detail errorDetail              `json:"error" doc:"Why this item has no verdict"`
	Fields map[string][]fieldReason `json:"fields,omitempty" doc:"What is wrong, by the name of the field"`
}

// MarshalJSON writes whichever there is.
func (b batchBody) MarshalJSON() ([]byte, error) {
	if b.fault != nil {
		return encode(b.fault), nil
	}
	return encode(b.verdict), nil
}

// Schema says that it is either.
func (batchBody) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{schemaOf[verdictBody](r), schemaOf[itemErrorBody](r)}}
}

const batchChecked = "Addresses checked"

func (a *API) registerBatch(single validateHandler) {
	h := batchHandler{validateHandler: single}
	h.head = success(batchChecked)
	wrong := map[string]string{"type": "address", "currency": "DOGECOIN", "address": exampleAddress}
	example := map[string]any{"items": []map[string]string{exampleQuestion(), wrong}}
	verdict, fault := exampleVerdict(), newItemError(failureOf(core.InvalidField("currency", `"DOGECOIN" is not supported; accepted: BTC, ETH, XRP, BNB, …. See GET /v1/currencies`)))
	a.register(huma.Operation{
		OperationID: "validate-addresses", Method: http.MethodPost, Path: "/validate/batch", Tags: []string{"Addresses"},
		Summary:     "Say which of many crypto addresses can be paid",
		Description: "Judges up to 1,000 addresses at once, each as validate-address does. The answers come in the order of the items, one for each: a verdict, or the error that the item alone would have been answered with. One faulty item does not hold up the others.",
		RequestBody: requestBody(schemaOf[batchRequest](a.schemas), maxBatchBody, map[string]*huma.Example{
			"two": {Summary: "An address, and one of an unknown currency", Value: example},
		}),
		Responses: a.responses("A verdict or an error for each item, in their order", batchChecked, []batchBody{{verdict: &verdict}, {fault: &fault}}, false,
			badRequest, requestValidation, payloadTooLarge, unsupportedMediaType),
	}, h.validate)
}

type batchHandler struct{ validateHandler }

// validate judges every item as soon as it is read; the answer goes out when the whole body turned out to be sound.
func (h batchHandler) validate(x *exchange) error {
	h.core = x.in.services.Addresses
	b, err := x.open(maxBatchBody, "items")
	if err != nil {
		return err
	}
	defer x.api.recycle(b)
	out := x.api.buffer()
	defer x.api.keep(out)
	out.WriteString(h.head)
	if err := h.read(b, out); err != nil {
		return err
	}
	if err := b.end(); err != nil {
		return err
	}
	out.WriteByte('}')
	x.replied(out.Bytes())
	return nil
}

// read reads the object of the body and writes the answers to its items.
func (h batchHandler) read(b *bodyReader, out *bytes.Buffer) error {
	if err := b.token(); err != nil {
		return err
	}
	known := []member{{name: "items"}}
	reason := "is required: send the addresses to check, 1 to 1000 of them"
	for {
		name, err := b.name()
		switch {
		case err != nil:
			return err
		case name == nil && reason != "":
			if err := b.end(); err != nil {
				return err // what is no JSON at all is told first
			}
			return core.InvalidField("items", "%s", reason)
		case name == nil:
			return nil
		case memberIndex(known, name) < 0:
			err = b.skip()
		case b.dec.PeekKind() == '[':
			reason, err = h.items(b, out)
		default:
			if kind := b.dec.PeekKind(); kind != 'n' {
				reason = "must be an array; it is " + kindName(kind)
			}
			err = b.skip()
		}
		if err != nil {
			return err
		}
	}
}

// items answers to the items of the array that comes next. The first result says what is wrong with the array.
func (h batchHandler) items(b *bodyReader, out *bytes.Buffer) (string, error) {
	if err := b.token(); err != nil {
		return "", err
	}
	out.WriteByte('[')
	count := 0
	for b.dec.PeekKind() != ']' {
		var err error
		if count++; count > maxBatch {
			err = b.skip()
		} else {
			if count > 1 {
				out.WriteByte(',')
			}
			err = h.item(b, out)
		}
		if err != nil {
			return "", err
		}
	}
	if err := b.token(); err != nil {
		return "", err
	}
	out.WriteByte(']')
	switch {
	case count == 0:
		return "is empty; send 1 to 1000 addresses to check", nil
	case count > maxBatch:
		return fmt.Sprintf("has %d items; at most %d are accepted in one request", count, maxBatch), nil
	}
	return "", nil
}

// item answers to one item. Only what makes the whole body unreadable, or is a defect of ours, is an error.
func (h batchHandler) item(b *bodyReader, out *bytes.Buffer) error {
	if kind := b.dec.PeekKind(); kind != '{' {
		if err := b.skip(); err != nil {
			return err
		}
		write(out, newItemError(fail(badRequest, "The item is %s; send an object, for example {%q: …}", kindName(kind), h.members[0].name)))
		return nil
	}
	var values [validateMemberCount]text
	faults, err := b.object(h.members, values[:])
	if err != nil {
		return err
	}
	body, err := h.judge(values[:], faults)
	if err == nil {
		write(out, &body)
		return nil
	}
	f := failureOf(err)
	if errorKinds[f.name].status != http.StatusBadRequest {
		return err
	}
	write(out, newItemError(f))
	return nil
}

func newItemError(f *failure) itemErrorBody {
	envelope := f.envelope("")
	return itemErrorBody{Detail: envelope.Detail, Fields: envelope.Fields}
}
