package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/core"
	"causeway/core/transactions"
)

type listEventsInput struct {
	Type  string `query:"type" enum:"transaction.pending,transaction.completed,transaction.failed,transaction.reversed" doc:"Events of this type" example:"transaction.completed"`
	After string `query:"after" maxLength:"512" doc:"next_cursor of an earlier response, or the ID of an event. Without it, the list begins with the oldest event that is kept"`
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Most events of the page" example:"20"`

	account string
}

// Resolve reads the account.
func (in *listEventsInput) Resolve(ctx huma.Context) []error {
	errs := append(checkQuery(ctx), rejectSecrets(namedValue{"after", &in.After})...)
	r, _ := humago.Unwrap(ctx)
	in.account = requestFrom(ctx.Context()).account(r)
	return errs
}

type eventBody struct {
	ID        string          `json:"id" doc:"ID of the event, and the header webhook-id of its deliveries: the same in every try" example:"evt_5f0c2a4b7f9e1d3c5a7b9d0c2a4b7f9e"`
	Type      string          `json:"type" enum:"transaction.pending,transaction.completed,transaction.failed,transaction.reversed" doc:"pending: a block has the transaction, or its block was undone before it was completed. completed: it is confirmed, and the amount is available. failed: the network dropped it. reversed: it was completed, its block was undone, and the amount is pending again" example:"transaction.completed"`
	Timestamp string          `json:"timestamp" format:"date-time" doc:"When it happened" example:"2026-11-21T12:01:00.000Z"`
	UserID    string          `json:"user_id" doc:"Account of the API key" example:"k3v9x0a2bc"`
	ProfileID string          `json:"profile_id,omitempty" doc:"The user, as X-BU-PROFILE-ID named it. Absent: the default user of the key" example:"user-4711"`
	Data      transactionBody `json:"data" doc:"The transaction after the event, as GET /v1/transactions/{id} returned it then. Of several events of a transaction, the one with the highest revision is current"`
}

func (l *currencyList) newEventBody(e transactions.EventItem) eventBody {
	data := l.newTransactionBody(&e.Item)
	return eventBody{
		ID: e.ID, Type: string(e.Type), Timestamp: data.UpdatedAt, UserID: data.UserID, ProfileID: data.ProfileID, Data: data,
	}
}

// EncodeEvent returns an event in the form in which the API lists it, as the body of a webhook.
func (i *Instance) EncodeEvent(e core.Event) []byte {
	return apierror.Encode(i.currencies.Load().newEventBody(i.services.Transactions.Event(e)))
}

type eventPaginationBody struct {
	NextCursor string `json:"next_cursor" doc:"Value of after for the events that follow. It is always present: send it again later to receive new events" example:"q5Zt0c1yV3sAAAAAAAAAKg"`
	HasMore    bool   `json:"has_more" doc:"Whether more events are there at the moment" example:"false"`
}

// eventPage is a page of events in its envelope.
type eventPage struct {
	envelope.Success[[]eventBody]

	Pagination eventPaginationBody `json:"pagination"`
}

// Schema describes the envelope in place.
func (p eventPage) Schema(r huma.Registry) *huma.Schema {
	return paginated[eventPaginationBody](r, p.Success.Schema(r))
}

func (a *API) registerEvents() {
	register(a, huma.Operation{
		OperationID: core.OpListEvents, Tags: []string{"Deposits"}, Summary: "List events",
		Security:  openOperation,
		Responses: bodyResponses[eventPage](a, "A page of events"),
		Errors:    []int{http.StatusBadRequest, http.StatusGone},
	}, func(ctx context.Context, in *listEventsInput) (*huma.StreamResponse, error) {
		i := instanceFrom(ctx)
		page, err := i.services.Transactions.Events(ctx, transactions.EventQuery{
			Account: in.account, Type: core.EventType(in.Type), After: in.After, Limit: in.Limit,
		})
		if err != nil {
			return nil, err
		}
		bodies, list := make([]eventBody, 0, len(page.Items)), i.currencies.Load()
		for _, e := range page.Items {
			bodies = append(bodies, list.newEventBody(e))
		}
		return respondWarned(eventPage{
			Success:    envelope.NewSuccess("Events found", bodies),
			Pagination: eventPaginationBody{page.Next, page.More},
		}), nil
	})
}
