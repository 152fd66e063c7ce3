package control

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
	"causeway/simulator/receivers"
	"causeway/simulator/world"
)

// ReceiverPath is the input of an operation about a webhook receiver of a world.
type ReceiverPath struct {
	WorldPath

	Name string `path:"name" maxLength:"63" doc:"Name of the receiver: lower case letters, digits and hyphens" example:"shop"`
}

type putReceiverInput struct {
	ReceiverPath

	Body struct {
		URL     string           `json:"url" maxLength:"2000" doc:"URL that events are sent to; http is accepted, and so are private addresses" example:"http://127.0.0.1:3000/webhooks"`
		Secret  string           `json:"secret,omitempty" maxLength:"200" doc:"Secret of the signatures: whsec_ and 24 to 64 bytes in base64. Absent: one that follows from the seed of the world"`
		Account string           `json:"account,omitempty" maxLength:"200" doc:"Account whose events it receives; absent: requests without a key" example:"public"`
		Events  []core.EventType `json:"events,omitempty" doc:"Types of events that it receives; absent: all" example:"transaction.completed"`
	}
}

func (a *api) registerReceivers() {
	tags := []string{"Webhooks"}
	registerInWorld(a, huma.Operation{
		OperationID: "list-receivers", Method: http.MethodGet, Path: "/webhooks", Tags: tags,
		Summary: "List the webhook receivers", Description: "Returns the receivers of the world with their secrets.",
	}, "Receivers", func(_ context.Context, w *world.World, _ *WorldPath) ([]receivers.Receiver, error) {
		all, _ := w.Receivers().All()
		return append([]receivers.Receiver{}, all...), nil
	})
	registerChange(a, huma.Operation{
		OperationID: "put-receiver", Method: http.MethodPut, Path: "/webhooks/{name}", Tags: tags,
		Summary: "Add a webhook receiver", Errors: []int{http.StatusConflict},
		Description: "Adds a receiver, or replaces it. It receives the events from now on, signed after the Standard " +
			"Webhooks specification. A call that changes the world returns when the webhooks that are due were sent, or " +
			"after ten seconds. Retries follow the clock of the world.",
	}, "Receiver added", func(ctx context.Context, w *world.World, in *putReceiverInput) (receivers.Receiver, error) {
		r := receivers.Receiver{
			Name: in.Name, URL: in.Body.URL, Secret: in.Body.Secret, Account: in.Body.Account, Events: in.Body.Events,
		}
		if a.Webhooks == nil {
			return r, core.Errorf(core.Conflict, "This process serves no public API, and has no events to send")
		}
		return a.Webhooks.Put(ctx, w, r)
	})
	registerChange(a, huma.Operation{
		OperationID: "remove-receiver", Method: http.MethodDelete, Path: "/webhooks/{name}", Tags: tags,
		Summary: "Remove a webhook receiver", Description: "Returns the remaining receivers.",
	}, "Receiver removed", func(_ context.Context, w *world.World, in *ReceiverPath) ([]receivers.Receiver, error) {
		if err := w.Receivers().Remove(in.Name); err != nil {
			return nil, err
		}
		all, _ := w.Receivers().All()
		return append([]receivers.Receiver{}, all...), nil
	})
}
