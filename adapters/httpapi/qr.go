package httpapi

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/negotiation"
	"github.com/shopspring/decimal"
	"rsc.io/qr"

	"causeway/core"
	"causeway/core/addresses"
	"causeway/core/deposits"
)

// paymentURI returns the payment link of a deposit address; empty: there is none.
func paymentURI(i *deposits.Item, amount *decimal.Decimal) string {
	link, _ := addresses.FormatPaymentURI(core.Payment{
		Address: i.Address, Network: i.Network, Currency: i.Currency, Memo: i.Memo, Amount: amount,
	})
	return link
}

// ScanCode returns a code to scan with the payment link of a deposit address, or with the address alone if wallets
// agree on no link, and the text in it. An amount or a memo needs a link.
func ScanCode(i *deposits.Item, amount string) (code *qr.Code, text string, err error) {
	text = paymentURI(i, nil)
	switch {
	case text == "" && i.Memo != "":
		return nil, "", core.InvalidField("network", "%s has no code: transfers need the memo, which no payment link of "+
			"%s on %s carries. Show the address and the memo as text", i.Network, i.Currency, i.Network)
	case text == "":
		text = i.Address.Reveal()
	}
	if amount != "" {
		units, err := addresses.LinkAmount(i.Network, i.Currency, amount)
		if err != nil {
			return nil, "", err
		}
		text = paymentURI(i, &units)
	}
	code, err = qr.Encode(text, qr.M)
	return code, text, err
}

// quietZone is the width of the white border around a code, in modules. Source: ISO/IEC 18004.
const quietZone = 4

// SVG returns a code as an SVG image.
func SVG(code *qr.Code) []byte {
	out := fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="264" height="264" viewBox="0 0 %[1]d %[1]d" `+
		`shape-rendering="crispEdges"><path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/><path d="`, code.Size+2*quietZone)
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			run := x
			for code.Black(x, y) {
				x++
			}
			if x > run {
				out = fmt.Appendf(out, "M%d %dh%dv1h-%dz", run+quietZone, y+quietZone, x-run, x-run)
			}
		}
	}
	return append(out, `"/></svg>`...)
}

const svgType, pngType = "image/svg+xml", "image/png"

type addressQRInput struct {
	DepositUser

	Currency string `path:"currency" maxLength:"64" doc:"Code of a cryptocurrency" example:"BTC"`
	Network  string `query:"network" maxLength:"64" doc:"A network that carries the currency, by its code or another usual name; by default the currency's default network" example:"BTC"`
	Amount   string `query:"amount" maxLength:"64" doc:"An amount of the currency for the payment link" example:"0.001"`

	readOnly bool // the caller may not assign addresses
}

// Resolve finds the network and checks the amount together with all other fields.
func (in *addressQRInput) Resolve(ctx huma.Context) []error {
	errs := append(checkQuery(ctx), in.read(ctx)...)
	errs = append(errs, rejectSecrets(namedValue{"currency", &in.Currency}, namedValue{"network", &in.Network},
		namedValue{"amount", &in.Amount})...)
	normalizeCodes(&in.Currency)
	in.readOnly = readOnly(ctx)
	services := &instanceFrom(ctx.Context()).services
	if in.Amount != "" {
		_, err := addresses.ParseAmount(in.Amount)
		errs = appendError(errs, err)
	}
	if v, err := services.Addresses.Validate(core.AddressQuery{Currency: in.Currency}); err == nil && in.Network == "" {
		in.Network = v.Network
	}
	return appendError(errs, services.Deposits.Check(in.Currency, in.Network))
}

func (a *API) registerAddressQR() {
	register(a, huma.Operation{
		OperationID: core.OpGetAddressQR, Tags: []string{"Deposits"},
		Summary:  "Get a deposit address as a code to scan",
		Security: openOperation,
		Responses: map[string]*huma.Response{
			"200": {
				Description: "The code, as the header Accept prefers; SVG by default",
				Headers:     headerRefs("ETag", "Cache-Control"),
				Content: map[string]*huma.MediaType{
					svgType: {Schema: &huma.Schema{Type: huma.TypeString, Description: "An image"}},
					pngType: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary", Description: "An image"}},
				},
			},
			"304": {Ref: "#/components/responses/NotModified"},
		},
		Errors: []int{http.StatusBadRequest, http.StatusNotFound},
	}, func(ctx context.Context, in *addressQRInput) (*huma.StreamResponse, error) {
		result, err := instanceFrom(ctx).services.Deposits.Get(ctx, deposits.Query{
			User: in.user, Currency: in.Currency, Network: in.Network, ReadOnly: in.readOnly,
		})
		if err != nil {
			return nil, err
		}
		code, _, err := ScanCode(&result.Items[0], in.Amount)
		if err != nil {
			return nil, err
		}
		return respondCode(code), nil
	})
}

// respondCode returns the response with a code, in the form that the client prefers.
func respondCode(code *qr.Code) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		w.Header().Add("Vary", "Accept")
		image, contentType := SVG, svgType
		if negotiation.SelectQValue(r.Header.Get("Accept"), []string{svgType, pngType}) == pngType {
			image, contentType = (*qr.Code).PNG, pngType
		}
		newEncoded(contentType, image(code), false).respond(cacheNever).Body(ctx)
	}}
}
